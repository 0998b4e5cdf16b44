"""Determinized UCT for Junqi: one tree of moves, a new completion of the board for every playout.

This is single-observer information-set UCT (Cowling, Powley, Whitehouse 2012): a node holds the moves seen in any
world, and a playout chooses among those that its own world allows. A move's statistics are pooled over its
results, which the mover cannot foresee; the positions after different results are different nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numba import types

from games.contract import Line, Score, Task
from games.junqi.belief import complete, sample_world
from games.junqi.evaluate import evaluate
from games.junqi.movegen import list_moves, list_side, targets_of
from games.junqi.position import POSITION, POSITION_DTYPE, QUIET_LIMIT, do_move, result_code
from games.junqi.setup import SetupSearch
from games.junqi.tables import ATTACKER_DIES, ATTACKER_WINS, FLAG, NOWHERE, PIECES, TABLES, TABLES_RECORD
from games.junqi.work import MAX_DEPTH, WORK, WORK_DTYPE
from games.kernel.intrinsics import copy_record
from games.kernel.jit import Record, entry, float64, inner, int64, record, record_type, void
from games.kernel.node import count_node
from games.kernel.random import below, next_state
from games.uct import Findings

EXPLORATION = 0.5
PLAYOUT_PLIES = 24
"""A playout is cut here and its material judged."""

TRIES = 4
"""Pieces tried at random for a move before all moves are listed."""

EDGE_DTYPE = record(
    [
        ("move", "u2"),
        ("next", "i4"),  # the next edge of the same node, 0 none
        ("visits", "i4"),
        ("available", "i4"),  # playouts whose world allowed the move
        ("value", "f8"),  # sum of results for the mover
        ("below", "i4", 4),  # first edge of the node after each result code, 0 none yet
    ]
)
EDGES = types.Array(record_type(EDGE_DTYPE), 1, "C")


@inner(int64(POSITION, WORK, TABLES))
def random_move(pos: Record, work: Record, t: Record) -> int:
    """A move of a random piece: a winning attack if it has one, no losing attack if it can help it; -1 if none."""
    base = pos.turn * PIECES
    count = int64(0)
    for _ in range(TRIES):
        work.random = next_state(work.random)
        piece = base + below(work.random, int64(PIECES))
        square = int64(pos.where[piece])
        if square != NOWHERE:
            count = list_moves(work, square, targets_of(pos, t, square, pos.turn, int64(pos.may[piece])), int64(0))
            if count > 0:
                break
    if count == 0:
        count = list_side(pos, work, t, pos.turn)
        if count == 0:
            return -1
    work.random = next_state(work.random)
    start = below(work.random, count)
    for i in range(count):
        move = int64(work.moves[i])
        if pos.board[move >> 6] != 0 and result_code(pos, t, move) == ATTACKER_WINS:
            return move
    for i in range(count):
        move = int64(work.moves[(start + i) % count])
        if result_code(pos, t, move) != ATTACKER_DIES:
            return move
    return int64(work.moves[start])


@inner(float64(POSITION, WORK, TABLES))
def playout(pos: Record, work: Record, t: Record) -> float:
    """Play on for a while in a full position; the expected result for the first side."""
    for _ in range(PLAYOUT_PLIES):
        if pos.loser >= 0:
            break
        if pos.quiet >= QUIET_LIMIT:
            return float64(1 - pos.turn)
        move = random_move(pos, work, t)
        if move < 0:
            return float64(pos.turn)
        do_move(pos, move, result_code(pos, t, move))
    return evaluate(pos, t)


@inner(int64(EDGES, WORK, int64, int64))
def descend(edges: Any, work: Record, first: int, count: int) -> int:
    """Choose among the `count` moves listed for this world: the edge to follow, negative if it is new.

    A new edge is not linked yet; 0 when the pool is full and none can be followed.
    """
    work.stamp += 1
    for i in range(count):
        work.open[int64(work.moves[i])] = work.stamp
    best = int64(0)
    best_value = -1.0
    total = count
    edge = first
    while edge != 0:
        move = int64(edges[edge].move)
        if work.open[move] == work.stamp:
            work.open[move] = 0
            total -= 1
            edges[edge].available += 1
            visits = float64(edges[edge].visits)
            value = edges[edge].value / visits
            value += EXPLORATION * math.sqrt(math.log(float64(edges[edge].available)) / visits)
            if value > best_value:
                best_value = value
                best = edge
        edge = int64(edges[edge].next)
    if total == 0 or work.used >= edges.size:
        return best
    # Some move was never tried: add the edge of one of them, drawn at random.
    work.random = next_state(work.random)
    skip = below(work.random, total)
    for i in range(count):
        move = int64(work.moves[i])
        if work.open[move] == work.stamp:
            if skip == 0:
                edge = work.used
                work.used += 1
                edges[edge].move = move
                edges[edge].next = 0
                edges[edge].visits = 0
                edges[edge].available = 1
                edges[edge].value = 0.0
                for code in range(4):
                    edges[edge].below[code] = 0
                return -edge
            skip -= 1
    return best


@inner(int64(WORK, int64), forceinline=True)
def keep_allowed(work: Record, count: int) -> int:
    """Reduce the root's move list to the moves allowed."""
    if work.allowed_count == 0:
        return count
    kept = 0
    for i in range(count):
        for j in range(work.allowed_count):
            if work.moves[i] == work.allowed[j]:
                work.moves[kept] = work.moves[i]
                kept += 1
                break
    return kept


@entry(void(POSITION, POSITION, WORK, TABLES, EDGES, int64, int64))
def grow(view: Record, pos: Record, work: Record, t: Record, edges: Any, hidden: int, playouts: int) -> None:
    """Run playouts from a view whose side `hidden` is unknown (-1: none). Stops early on work.stopped."""
    for _ in range(playouts):
        # Step 1. A world: the board as seen, the unknown pieces drawn
        copy_record(pos, view)
        if hidden >= 0:
            sample_world(view, pos, work, t, hidden)

        # Step 2. Select down to a new edge
        depth = int64(0)
        parent, code = int64(0), int64(0)
        over = 0
        while depth < MAX_DEPTH and pos.loser < 0 and (pos.quiet < QUIET_LIMIT or depth == 0):
            count = list_side(pos, work, t, pos.turn)
            if depth == 0:
                count = keep_allowed(work, count)
            if count == 0:
                over = 1
                break
            first = work.first_edge if depth == 0 else int64(edges[parent].below[code])
            edge = descend(edges, work, first, count)
            if edge == 0:
                break
            is_new = edge < 0
            if is_new:
                edge = -edge
                edges[edge].next = first
                if depth == 0:
                    work.first_edge = edge
                else:
                    edges[parent].below[code] = edge
            work.path_edge[depth] = edge
            depth += 1
            move = int64(edges[edge].move)
            code = result_code(pos, t, move)
            parent = edge
            do_move(pos, move, code)
            if is_new:
                break
        work.deepest = max(work.deepest, depth)

        # Step 3. Play out, and back the result up
        value = float64(pos.turn) if over == 1 else playout(pos, work, t)
        side = view.turn
        for i in range(depth):
            edge = int64(work.path_edge[i])
            edges[edge].visits += 1
            edges[edge].value += value if side == 0 else 1.0 - value
            side ^= 1

        # Step 4. Look at the clock
        count_node(work)
        if work.stopped == 1:
            return


class JunqiRoot:
    """Junqi's half of the searcher. A tree is a pool of edges."""

    node_dtype = EDGE_DTYPE
    work_dtype = WORK_DTYPE
    position_dtype = POSITION_DTYPE
    least_playouts = 1

    def tree_count(self, threads: int) -> int:
        return threads

    def setup(self, task: Task, seed: int) -> SetupSearch | None:
        return None if task.position.has_pieces else SetupSearch(task, seed)  # type: ignore[attr-defined]

    def begin(self, task: Task, trees: Sequence[Any], works: Sequence[Record]) -> None:
        position: Any = task.position
        self._view = position.record
        self._hidden = -1 if position.viewer is None else 1 - position.viewer
        fallback = [0] * PIECES
        if self._hidden >= 0:
            may = self._view.may[self._hidden * PIECES : self._hidden * PIECES + PIECES].tolist()
            fallback = complete(may) or fallback  # there is one: positions without are refused
        for work in works:
            work.first_edge = 0
            work.used = 1
            work.allowed[: len(task.moves)] = [move & 0xFFF for move in task.moves]  # without results
            work.fallback[:] = fallback
            work.weights[:] = position.weights

    def grow(self, board: Record, work: Record, tree: Any, playouts: int) -> None:
        grow(self._view, board, work, TABLES_RECORD, tree, self._hidden, playouts)

    def forget(self) -> None:
        """Trees live for one search."""

    def findings(self, trees: Sequence[Any], works: Sequence[Record]) -> Findings:
        """Lines are ordered by visits."""
        visits: dict[int, int] = {}
        values: dict[int, float] = {}
        for work, edges in zip(works, trees, strict=True):
            edge = int(work.first_edge)
            while edge:
                move = int(edges[edge]["move"])
                visits[move] = visits.get(move, 0) + int(edges[edge]["visits"])
                values[move] = values.get(move, 0.0) + float(edges[edge]["value"])
                edge = int(edges[edge]["next"])
        lines = []
        for move in sorted(visits, key=lambda move: -visits[move]):
            score = Score.expected(1.0, 1) if self._takes_flag(move) else Score.expected(values[move] / visits[move])
            lines.append(Line(score, (move,)))
        lines.sort(key=lambda line: line.score.mate is None)
        hashfull = max(1000 * int(work.used) // len(tree) for work, tree in zip(works, trees, strict=True))
        return Findings(lines, hashfull, bool(lines) and lines[0].score.mate is not None)

    def _takes_flag(self, move: int) -> bool:
        """Whether a move takes what is known to be the flag."""
        piece = int(self._view.board[move >> 6])
        return piece > 0 and int(self._view.may[piece - 1]) == 1 << FLAG
