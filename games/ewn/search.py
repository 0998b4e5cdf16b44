"""UCT for EWN (paper 1), the die's throws as explicit chance nodes; trees of several threads merged at the root.

A node is a position with its throw; its edges are moves, and below each edge hangs one child a throw. A playout
descends by UCB1, adds one node, and finishes at random.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from games.contract import Line, Report, Score, Task
from games.ewn.evaluate import playout
from games.ewn.movegen import list_legal
from games.ewn.position import MAX_MOVES, POSITION, POSITION_DTYPE, advance, copy_board
from games.ewn.setup import SetupSearch
from games.ewn.tables import TABLES, TABLES_RECORD
from games.ewn.work import WORK, WORK_DTYPE
from games.kernel.control import STOPPED, poll
from games.kernel.jit import Record, entry, float64, inner, int64, new_record, record, record_type, void
from games.kernel.playouts import MAX_DEPTH, expected_cp, playouts_at, run_parallel
from games.kernel.random import below, next_state, seed_state

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
        work.nodes += 1
        if work.nodes >= work.poll_at:
            work.poll_at = poll(work.control, work.thread, work.nodes)
            if work.poll_at == STOPPED:
                work.stopped = 1
                return
    poll(work.control, work.thread, work.nodes)


class EwnSearcher:
    """One iteration takes the playouts of all threads to `playouts_at(depth)`."""

    def __init__(self) -> None:
        self._settings = (0, 0, 0)

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        if self._settings != (hash_mb, threads, seed):
            self._settings = hash_mb, threads, seed
            size = max((hash_mb << 20) // NODE_DTYPE.itemsize // threads, 1024)
            self._nodes = [np.zeros(size, NODE_DTYPE) for _ in range(threads)]
            self._works = [new_record(WORK_DTYPE) for _ in range(threads)]
            self._boards = [new_record(POSITION_DTYPE) for _ in range(threads)]
            self.clear()

    def clear(self) -> None:
        for thread, work in enumerate(self._works):
            work.random = seed_state(self._settings[2], thread)

    def start(self, task: Task) -> None:
        self._task = task
        self._depth = 0
        self._setup = None
        if task.position.ply < 2 and not task.position.has_pieces:  # type: ignore[attr-defined]
            self._setup = SetupSearch(task, self._settings[2])
            return
        self._root = task.position.record  # type: ignore[attr-defined]
        task.control.set_threads(len(self._works))
        for thread, work in enumerate(self._works):
            work.control, work.thread = task.control.address, thread
            work.nodes = work.stopped = work.deepest = 0
            # Every throw's root is visited before the first look at the clock.
            work.poll_at = min(playouts_at(1), max(task.control.node_limit, 6))
            work.used = 7
            work.allowed_count = len(task.moves)
            work.allowed[: len(task.moves)] = task.moves
            self._nodes[thread][:7] = np.zeros(7, NODE_DTYPE)

    def iterate(self) -> Report:
        self._depth += 1
        if self._setup is not None:
            return self._setup.iterate()
        threads = len(self._works)
        share = (playouts_at(self._depth) - (playouts_at(self._depth - 1) if self._depth > 1 else 0)) // threads + 1

        def work(thread: int) -> None:
            grow(
                self._root,
                self._boards[thread],
                self._works[thread],
                TABLES_RECORD,
                self._nodes[thread],
                share,
            )

        run_parallel(work, threads)
        dice = int(self._root.dice)
        lines = self._lines(dice)[: self._task.multipv] if dice else [self._lines(die)[0] for die in range(1, 7)]
        return Report(
            self._depth,
            max(int(work.deepest) for work in self._works),
            self._task.control.nodes,
            tuple(lines),
            not any(work.stopped for work in self._works),
            self._depth >= MAX_DEPTH or (dice > 0 and lines[0].score.mate is not None),
            max(1000 * int(work.used) // len(nodes) for work, nodes in zip(self._works, self._nodes, strict=True)),
        )

    def _lines(self, die: int) -> list[Line]:
        """A line for each move after a throw, most visited first, the trees of all threads together."""
        roots = [nodes[die] for nodes in self._nodes]
        count = int(roots[0].count)
        visits = sum(root.visits[:count].astype(np.int64) for root in roots)
        wins = sum(root.wins[:count].astype(np.int64) for root in roots)
        lines = []
        goal = 24 if self._root.turn == 0 else 0
        for edge in np.argsort(-visits, kind="stable"):
            move = int(roots[0].moves[edge])
            win = float(wins[edge] / max(visits[edge], 1))
            mate = 1 if move >> 5 == goal or self._takes_last(move) else None
            if mate is not None:
                win = 1.0
            score = Score(expected_cp(win), mate, win)
            lines.append(Line(score, (move,), 0 if self._root.dice else die))
        return sorted(lines, key=lambda line: line.score.mate is None)

    def _takes_last(self, move: int) -> bool:
        """Whether a move captures the enemy's last piece."""
        captured = int(self._root.board[move >> 5])
        enemy = 1 - int(self._root.turn)
        return captured > 0 and (captured > 6) == (enemy == 1) and int(self._root.alive[enemy]).bit_count() == 1

    def finish(self) -> None:
        """Threads end with each iteration."""
