"""UCT for EWN (paper 1), the die's throws as explicit chance nodes; trees of several threads merged at the root.

A node is a position with its throw; its edges are moves, and below each edge hangs one child a throw. A playout
descends by UCB1, adds one node, and finishes at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types

from games.contract import Line, Score, Task
from games.ewn.evaluate import playout
from games.ewn.movegen import list_legal
from games.ewn.position import MAX_MOVES, POSITION, POSITION_DTYPE, advance, copy_board
from games.ewn.setup import SetupSearch
from games.ewn.tables import TABLES, TABLES_RECORD
from games.ewn.work import WORK, WORK_DTYPE
from games.kernel.jit import Record, entry, float64, inner, int64, record, record_type, void
from games.kernel.node import count_node
from games.kernel.random import below, next_state

EXPLORATION = 0.7
"""Weight of UCB1's exploration term for results 0..1."""

NODE_DTYPE = record(
    [
        ("visits", "i4", MAX_MOVES),
        ("wins", "i4", MAX_MOVES),  # playouts won by the node's mover, by edge
        ("children", "i4", MAX_MOVES * 6),  # [edge, die - 1]: node number, 0 none
        ("moves", "u2", MAX_MOVES),
        ("total", "i4"),
        ("count", "u1"),  # edges; 0: not expanded
    ]
)
NODES = types.Array(record_type(NODE_DTYPE), 1, "C")


@inner(void(POSITION, WORK, TABLES, NODES, int64))
def expand(pos: Record, work: Record, t: Record, nodes: Any, node: int) -> None:
    """Give a node its edges. A move that wins at once is the only one worth keeping, except at a root."""
    end = list_legal(pos, work, t, pos.dice, int64(0))
    count = 0
    is_root = node <= 6
    goal = 24 if pos.turn == 0 else 0
    for i in range(end):
        move = int64(work.moves[i])
        if is_root and work.allowed_count > 0:
            allowed = False
            for j in range(work.allowed_count):
                if work.allowed[j] == move:
                    allowed = True
            if not allowed:
                continue
        if not is_root and move >> 5 == goal:
            nodes[node].moves[0] = move
            nodes[node].count = 1
            return
        nodes[node].moves[count] = move
        count += 1
    nodes[node].count = count


@inner(int64(NODES, int64), forceinline=True)
def select(nodes: Any, node: int) -> int:
    """The edge of the highest UCB1 value; unvisited ones first."""
    best = 0
    best_value = -1.0
    logarithm = math.log(float64(nodes[node].total + 1))
    for edge in range(nodes[node].count):
        visits = float64(nodes[node].visits[edge])
        if visits == 0.0:
            return edge
        value = nodes[node].wins[edge] / visits + EXPLORATION * math.sqrt(logarithm / visits)
        if value > best_value:
            best_value = value
            best = edge
    return best


@entry(void(POSITION, POSITION, WORK, TABLES, NODES, int64))
def grow(root: Record, pos: Record, work: Record, t: Record, nodes: Any, playouts: int) -> None:
    """Run playouts from `root`; with an unknown throw the six are taken in turn. Stops early on work.stopped."""
    for _ in range(playouts):
        # Step 1. Back to the root, with its throw
        copy_board(pos, root)
        if root.dice == 0:
            pos.dice = 1 + work.nodes % 6
        node = pos.dice
        depth = 0

        # Step 2. Select down to a leaf, a new node for each new throw
        while pos.winner < 0:
            if nodes[node].count == 0:
                expand(pos, work, t, nodes, node)
                if nodes[node].count == 0:  # a root whose throw fits no move allowed
                    pos.winner = root.turn
                    break
            edge = select(nodes, node)
            work.path_node[depth] = node
            work.path_edge[depth] = edge
            depth += 1
            first_visit = nodes[node].visits[edge] == 0
            advance(pos, t, int64(nodes[node].moves[edge]))
            if first_visit:
                break
            work.random = next_state(work.random)
            die = below(work.random, int64(6))
            child = int64(nodes[node].children[edge * 6 + die])
            if child == 0:
                if work.used >= nodes.size:
                    break
                child = work.used
                work.used += 1
                nodes[child].count = 0
                nodes[child].total = 0
                for i in range(MAX_MOVES):
                    nodes[child].visits[i] = 0
                    nodes[child].wins[i] = 0
                for i in range(MAX_MOVES * 6):
                    nodes[child].children[i] = 0
                nodes[node].children[edge * 6 + die] = child
            node = child
            pos.dice = die + 1
        work.deepest = max(work.deepest, depth)

        # Step 3. Play out, and back the result up
        winner = playout(pos, work, t)
        side = root.turn
        for i in range(depth):
            node = int64(work.path_node[i])
            edge = int64(work.path_edge[i])
            nodes[node].total += 1
            nodes[node].visits[edge] += 1
            if winner == side:
                nodes[node].wins[edge] += 1
            side ^= 1

        # Step 4. Look at the clock
        count_node(work)
        if work.stopped == 1:
            return


class EwnRoot:
    """EWN's half of the searcher. Tree nodes 1-6 are the root after each throw."""

    node_dtype = NODE_DTYPE
    work_dtype = WORK_DTYPE
    position_dtype = POSITION_DTYPE
    least_playouts = 6  # one for each throw

    def setup(self, task: Task, seed: int) -> SetupSearch | None:
        return None if task.position.has_pieces else SetupSearch(task, seed)  # type: ignore[attr-defined]

    def begin(self, task: Task, trees: Sequence[Any], works: Sequence[Record]) -> None:
        self._record = task.position.record  # type: ignore[attr-defined]
        for tree, work in zip(trees, works, strict=True):
            tree[:7] = np.zeros(7, NODE_DTYPE)
            work.used = 7
            work.allowed[: len(task.moves)] = task.moves

    def grow(self, board: Record, work: Record, tree: Any, playouts: int) -> None:
        grow(self._record, board, work, TABLES_RECORD, tree, playouts)

    def lines(self, trees: Sequence[Any], works: Sequence[Record]) -> list[Line]:
        """After a throw a line for each move, else the best of each throw."""
        dice = int(self._record.dice)
        if dice:
            return self._lines(trees, dice)
        return [lines[0] for die in range(1, 7) if (lines := self._lines(trees, die))]

    def _lines(self, trees: Sequence[Any], die: int) -> list[Line]:
        """A line for each move after a throw, most visited first."""
        roots = [nodes[die] for nodes in trees]
        count = int(roots[0].count)
        visits = sum(root.visits[:count].astype(np.int64) for root in roots)
        wins = sum(root.wins[:count].astype(np.int64) for root in roots)
        lines = []
        goal = 24 if self._record.turn == 0 else 0
        for edge in np.argsort(-visits, kind="stable"):
            move = int(roots[0].moves[edge])
            if move >> 5 == goal or self._takes_last(move):
                score = Score.expected(1.0, 1)
            else:
                score = Score.expected(float(wins[edge] / max(visits[edge], 1)))
            lines.append(Line(score, (move,), 0 if self._record.dice else die))
        return sorted(lines, key=lambda line: line.score.mate is None)

    def _takes_last(self, move: int) -> bool:
        """Whether a move captures the enemy's last piece."""
        captured = int(self._record.board[move >> 5])
        enemy = 1 - int(self._record.turn)
        return captured > 0 and (captured > 6) == (enemy == 1) and int(self._record.alive[enemy]).bit_count() == 1
