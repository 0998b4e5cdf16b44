"""Single-observer information-set UCT (Cowling, Powley, Whitehouse 2012): one tree of moves, a world for each playout.

A node holds the moves seen in any world, and a playout chooses among those that its own world allows. A move's
statistics are pooled over its results, which the mover cannot foresee; the positions after different results are
different nodes. The settings of a tree are in the working memory (`set_tree`): paper 4's player has its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from numba import types

from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.knowledge.belief_models import HABITS, BeliefModel
from siqi.games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.junqi.rules.movegen import list_legal
from siqi.games.junqi.rules.notation import without_result
from siqi.games.junqi.rules.position import POSITION, POSITION_DTYPE, QUIET_LIMIT, do_move, result_code
from siqi.games.junqi.rules.work import MAX_PLY, WORK, WORK_DTYPE
from siqi.games.junqi.search.playout import enter_world, playout
from siqi.games.junqi.search.root import MoveValue, RootView
from siqi.games.kernel.intrinsics import copy_record
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, record, record_type, void
from siqi.games.kernel.node import count_node
from siqi.games.kernel.random import below, next_state
from siqi.games.search.iteration import IterationResult
from siqi.games.search.sampling import SamplingAdapter

EXPLORATION = 0.3
"""The exploration constant of UCB1."""

UCB1, PAPER = 0, 1
"""The formulas: value + k sqrt(ln n / n_i), and paper 4's section 2.1 as printed, value + k sqrt(2 ln(n / n_i))."""

NO_PRIOR = -1.0
"""Sentinel for a move's prior value: it has none."""

WORLDS = 256
"""Worlds of a search."""

PLAYOUT_PLIES = 6
"""Plies of a playout below the tree."""

EDGE_DTYPE = record(
    [
        ("move", "u2"),
        ("next", "i4"),  # the next edge of the same node, 0: none
        ("visits", "i4"),
        ("available", "i4"),  # playouts whose world allowed the move
        ("value", "f8"),  # sum of the mover's chances
        ("children", "i4", 4),  # by result code: first edge of the node after it, 0: none yet
    ]
)
EDGES = types.Array(record_type(EDGE_DTYPE), 1, "C")


@inner(float64(WORK, float64, float64, float64, int64), forceinline=True)
def upper_bound(work: Record, value: float, visits: float, available: float, is_paper: int) -> float:
    """Return the upper confidence bound of a move with a mean value; `available`: n, of which n_i are `visits`."""
    if is_paper == PAPER:
        return value + work.exploration * math.sqrt(2.0 * math.log(available / visits))
    return value + work.exploration * math.sqrt(math.log(available) / visits)


@entry(float64(WORK, float64, float64, float64, int64), is_rare=True)
def upper_bound_here(work: Record, value: float, visits: float, available: float, is_paper: int) -> float:
    """Return `upper_bound` to Python."""
    return upper_bound(work, value, visits, available, is_paper)


@inner(int64(EDGES, WORK, int64, int64, float64))
def select_edge(edges: Any, work: Record, first: int, count: int, weight: float) -> int:
    """Return the edge to follow at a node, given the `count` moves that this world allows in work.moves.

    A move never tried comes first, drawn at random: its edge is new, not yet linked, and returned negative. Else the
    edge of the highest upper bound, n being the playouts whose world allowed it (Cowling et al.); work.prior counts as
    `weight` visits. 0 if the pool is full and no edge can be followed.
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
            if weight > 0.0 and work.prior[move] >= 0.0:
                value = (edges[edge].value + weight * work.prior[move]) / (visits + weight)
            value = upper_bound(work, value, visits, float64(edges[edge].available), work.formula)
            if value > best_value:
                best_value = value
                best = edge
        edge = int64(edges[edge].next)
    if total == 0 or work.used >= edges.size:
        return best
    # Add the edge of a random move among those never tried.
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
                    edges[edge].children[code] = 0
                return -edge
            skip -= 1
    return best


@inner(int64(WORK, int64), forceinline=True)
def keep_allowed(work: Record, count: int) -> int:
    """Reduce the root's move list to the allowed moves; return their number."""
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


@entry(void(POSITION, POSITION, WORK, LOOKUP, EDGES, int64))
def grow(view: Record, pos: Record, work: Record, lookup: Record, edges: Any, playouts: int) -> None:
    """Run playouts from a view, each in a random world, and add their results to the tree; end early once work.stopped.

    `pos` is scratch; work.first_edge is the tree's root.
    """
    for _ in range(playouts):
        # Step 1. Enter a random world
        copy_record(pos, view)
        work.random = next_state(work.random)
        enter_world(pos, work, below(work.random, work.world_count))

        # Step 2. Select edges down to a new one
        depth = int64(0)
        parent, code = int64(0), int64(0)
        over = 0
        while depth < MAX_PLY and pos.loser < 0 and (pos.quiet < QUIET_LIMIT or depth == 0):
            count = list_legal(pos, work, lookup, pos.turn)
            if depth == 0:
                count = keep_allowed(work, count)
            if count == 0:
                over = 1
                break
            first = work.first_edge if depth == 0 else int64(edges[parent].children[code])
            if depth > 0 and first == 0 and edges[parent].visits < work.expand_visits:
                break
            edge = select_edge(edges, work, first, count, work.prior_weight if depth == 0 else 0.0)
            if edge == 0:
                break
            is_new = edge < 0
            if is_new:
                edge = -edge
                edges[edge].next = first
                if depth == 0:
                    work.first_edge = edge
                else:
                    edges[parent].children[code] = edge
            work.path_edge[depth] = edge
            depth += 1
            move = int64(edges[edge].move)
            code = result_code(pos, lookup, move)
            parent = edge
            do_move(pos, move, code)
            if is_new:
                break
        work.seldepth = max(work.seldepth, depth)

        # Step 3. Play out, and back up the result
        value = float64(pos.turn) if over == 1 else playout(pos, work, lookup, int64(PLAYOUT_PLIES))
        side = view.turn
        for i in range(depth):
            edge = int64(work.path_edge[i])
            edges[edge].visits += 1
            edges[edge].value += value if side == 0 else 1.0 - value
            side ^= 1

        # Step 4. Poll for a stop
        count_node(work)
        if work.stopped == 1:
            return


def set_tree(work: Record, formula: int, exploration: float, expand_visits: int) -> None:
    """Empty a thread's tree and give it its settings: the formula, its k, and the visits before a leaf gets moves."""
    work.first_edge, work.used = 0, 1
    work.formula, work.exploration, work.expand_visits = formula, exploration, expand_visits
    work.prior_weight = 0.0


def root_values(works: Sequence[Record], trees: Sequence[Any]) -> list[MoveValue]:
    """Return the root moves of some threads' trees together, most visited first."""
    visits: dict[int, int] = {}
    sums: dict[int, float] = {}
    for work, edges in zip(works, trees, strict=True):
        edge = int(work.first_edge)
        while edge:
            move, edge, count, _, value, _ = edges[edge].item()
            visits[move] = visits.get(move, 0) + count
            sums[move] = sums.get(move, 0.0) + value
    order = sorted(visits, key=lambda move: -visits[move])
    return [MoveValue(move, visits[move], sums[move] / visits[move]) for move in order]


class UctAdapter(SamplingAdapter["JunqiPosition"]):
    """The adapter of UCT; each thread's tree is a pool of edges."""

    lookup = LOOKUP_RECORD
    worlds = WORLDS
    tree_settings: tuple[int, float, int] = (UCB1, EXPLORATION, 1)

    work_dtype = WORK_DTYPE
    position_dtype = POSITION_DTYPE
    node_dtype = EDGE_DTYPE

    def __init__(self, model: Callable[[], BeliefModel] = lambda: HABITS) -> None:
        """`model` returns that of beliefs, for each search; the papers' players have habits."""
        self._model = model

    def forget(self) -> None:
        self._trees: Sequence[Any] = ()

    def begin(self, task: Task[JunqiPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        self._trees, self._works = trees, works
        self._root = RootView(task, works, self.worlds, seed + task.position.ply, self._model())
        for work in works:
            set_tree(work, *self.tree_settings)
            work.allowed_count = len(task.moves)
            work.allowed[: len(task.moves)] = [without_result(move) for move in task.moves]

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        grow(self._root.view, scratch, self._works[thread], self.lookup, self._trees[thread], playouts)

    def move_values(self) -> list[MoveValue]:
        """Return the root moves of all trees together, most visited first."""
        return root_values(self._works, self._trees)

    def result(self) -> IterationResult:
        full = (1000 * int(work.used) // len(tree) for work, tree in zip(self._works, self._trees, strict=True))
        return self._root.result(self.move_values(), max(full))
