"""What the games searched by playouts share above their kernels: iterations, trees, merged lines.

A game's half supplies the records and the kernels; this owns the trees, one for each thread or one that they share, and
a working memory for each thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from games.contract import Line, Position, Report, Score, Task
from games.kernel.jit import Record, new_record
from games.kernel.random import seed_state
from games.kernel.table import Memory

FIRST_PLAYOUTS = 256
MAX_DEPTH = 45
"""The last iteration, at 2**30 playouts: what the counters of a tree hold."""

MIN_NODES = 4096


class Setup(Protocol):
    """A search for a set-up."""

    def iterate(self) -> Report: ...


class Findings(NamedTuple):
    """What the trees of all threads say together."""

    lines: list[Line]  # of each root move, best first; by throw where that is not known
    hashfull: int  # per mille
    is_settled: bool = False  # more playouts would change nothing
    value: Score | None = None  # as of a Report
    tbhits: int = 0
    note: str = ""  # as of a Report


class Root(Protocol):
    """A game's half of a playout searcher."""

    work_dtype: np.dtype[Any]
    position_dtype: np.dtype[Any]
    least_playouts: int  # playouts before the first look at the clock

    def tree_count(self, threads: int) -> int:
        """Trees wanted: one for each thread, or one that they share."""

    def new_tree(self, size: int) -> Any:
        """Memory for a tree, of about so many bytes."""

    def setup(self, task: Task, seed: int) -> Setup | None:
        """The search for a set-up where one is to be chosen."""

    def forget(self, trees: Sequence[Any]) -> None:
        """Keep nothing of earlier searches, no part of a tree either. No trees: they are about to go."""

    def begin(self, task: Task, trees: Sequence[Any], works: Sequence[Record]) -> None:
        """Ready trees and memories for a search; writes the root moves allowed."""

    def grow(self, board: Record, work: Record, tree: Any, playouts: int) -> None:
        """Run playouts on one thread, `board` being its scratch; ends early with work.stopped."""

    def findings(self, trees: Sequence[Any], works: Sequence[Record]) -> Findings: ...


def new_nodes(size: int, node_dtype: np.dtype[Any]) -> Any:
    """Nodes for so many bytes, but a few in any case."""
    return np.zeros(max(size // node_dtype.itemsize, MIN_NODES), node_dtype)


def playouts_at(depth: int) -> int:
    """Playouts in all after iteration `depth`: a 'depth' costs half as much again as the one before (x 1.41)."""
    return int(FIRST_PLAYOUTS * 2 ** ((depth - 1) / 2)) if depth > 0 else 0


def run_parallel(work: Callable[[int], None], threads: int) -> None:
    """Run work(0) here and work(1..threads-1) beside it; return when all are done."""
    others = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(1, threads)]
    for other in others:
        other.start()
    work(0)
    for other in others:
        other.join()


class UctSearcher:
    """A `Searcher`; one iteration takes the playouts of all threads to `playouts_at(depth)`."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._memory = Memory[list[Any]]()
        self._tree_count = 0
        self._works: list[Record] = []
        self._seed = 0

    def _new_trees(self, megabytes: int) -> list[Any]:
        return [self._root.new_tree((megabytes << 20) // self._tree_count) for _ in range(self._tree_count)]

    @property
    def _trees(self) -> list[Any]:
        return self._memory.held

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        root = self._root
        count = root.tree_count(threads)
        keeps_trees = (self._memory.wanted, self._tree_count) == (hash_mb, count)
        if keeps_trees and (len(self._works), self._seed) == (threads, seed):
            return
        if len(self._works) != threads:
            self._works = [new_record(root.work_dtype) for _ in range(threads)]
            self._boards = [new_record(root.position_dtype) for _ in range(threads)]
        self._seed, self._tree_count = seed, count
        if keeps_trees:
            self.clear()
        else:
            self._forget(())
            self._memory.resize(hash_mb, self._new_trees)

    def clear(self) -> None:
        self._forget(self._trees)

    def _forget(self, trees: Sequence[Any]) -> None:
        self._root.forget(trees)
        for thread, work in enumerate(self._works):
            work.random = seed_state(self._seed, thread)

    def start(self, task: Task) -> None:
        self._task = task
        self._depth = 0
        self._setup = self._root.setup(task, self._seed)
        if self._setup is not None:
            return
        task.control.set_threads(len(self._works))
        for thread, work in enumerate(self._works):
            work.control, work.thread = task.control.address, thread
            work.nodes = work.stopped = work.deepest = 0
            work.poll_at = self._root.least_playouts
            work.allowed_count = len(task.moves)
        self._root.begin(task, self._trees, self._works)

    def iterate(self) -> Report:
        self._depth += 1
        if self._setup is not None:
            return self._setup.iterate()
        threads = len(self._works)
        share = (playouts_at(self._depth) - playouts_at(self._depth - 1)) // threads + self._root.least_playouts

        def work(thread: int) -> None:
            self._root.grow(self._boards[thread], self._works[thread], self._trees[thread % len(self._trees)], share)
            self._task.control.report(thread, int(self._works[thread].nodes))

        run_parallel(work, threads)
        found = self._root.findings(self._trees, self._works)
        lines = found.lines
        if not lines:  # no playout saw a move: the sampled worlds had none that is allowed
            moves = self._task.moves or tuple(self._task.position.legal_moves())
            lines = [Line(Score.expected(0.5), (move,)) for move in moves]
        by_throw = lines[0].throw > 0
        return Report(
            self._depth,
            max(int(work.deepest) for work in self._works),
            self._task.control.nodes,
            tuple(lines if by_throw else lines[: self._task.multipv]),
            not any(work.stopped for work in self._works),
            self._depth >= MAX_DEPTH or found.is_settled,
            found.hashfull,
            found.tbhits,
            found.note,
            found.value,
        )

    def finish(self) -> None:
        """Threads end with each iteration."""

    def recall(self, position: Position) -> None:
        """Nothing: a tree is of one root."""
