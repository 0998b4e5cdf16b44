"""Sampling for all searchers by playouts: their threads, and a tree for each thread or one shared by all.

A game's half is its `SamplingAdapter`, which runs the playouts and merges the trees' results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol

import numpy as np

from siqi.games.contract import Line, P, P_contra, Report, Score, Task
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.random import seed_state
from siqi.games.search.iteration import IterationResult
from siqi.games.search.resizable import Resizable
from siqi.games.search.threads import allow_stop, assign, run_parallel

FIRST_PLAYOUTS = 256
"""Playouts of the first iteration, of all threads together."""

MAX_DEPTH = 45
"""The last iteration: it ends at 2**30 playouts, which a tree's counters can hold."""

MIN_NODES = 4096
"""Nodes of the smallest tree."""


def playouts_at(depth: int) -> int:
    """Return the total of playouts after iteration `depth`: each iteration multiplies the total by 1.41."""
    return int(FIRST_PLAYOUTS * 2 ** ((depth - 1) / 2)) if depth > 0 else 0


class SamplingAdapter(Protocol[P_contra]):
    """A game's half of a searcher by playouts."""

    work_dtype: np.dtype[Any]
    position_dtype: np.dtype[Any]
    node_dtype: np.dtype[Any]  # of a tree's nodes
    least_playouts: int = 1  # of each thread in the first iteration

    @property
    def threads(self) -> int:
        """The player's own number of threads; 0: that of the option Threads."""
        return 0

    @property
    def shares_tree(self) -> bool:
        """True if all threads work on one tree."""
        return False

    def forget(self) -> None:
        """Drop everything kept from earlier searches, trees included."""
        return

    def begin(self, task: Task[P_contra], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        """Prepare a search on these trees and working memories, which may be kept until `forget`.

        There is a working memory for each thread; a tree is a one-dimensional array of `node_dtype`.
        """

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        """Run playouts on a thread; return early once its work.stopped is set.

        `scratch` is the thread's scratch position.
        """

    def result(self) -> IterationResult:
        """Return the merged results of all trees; no lines if no playout reached a move."""


class SamplingSearcher(Generic[P]):
    """A `Searcher` whose iteration `depth` brings the playouts of all threads together to `playouts_at(depth)`."""

    def __init__(self, adapter: SamplingAdapter[P]) -> None:
        self._adapter = adapter
        self._memory = Resizable[list[Any]]()
        self._tree_count = 0
        self._works: list[Record] = []
        self._seed = 0

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        threads = self._adapter.threads or threads
        count = 1 if self._adapter.shares_tree else threads
        has_trees = (self._memory.wanted, self._tree_count) == (hash_mb, count)
        if has_trees and (len(self._works), self._seed) == (threads, seed):
            return
        self._tree_count, self._seed = count, seed
        self._forget(threads)
        if not has_trees:
            self._memory.resize(hash_mb, self._new_trees)

    def _new_trees(self, megabytes: int) -> list[Any]:
        size = (megabytes << 20) // self._tree_count
        nodes = max(size // self._adapter.node_dtype.itemsize, MIN_NODES)
        return [np.zeros(nodes, self._adapter.node_dtype) for _ in range(self._tree_count)]

    def clear(self) -> None:
        self._forget(len(self._works))

    def _forget(self, threads: int) -> None:
        self._adapter.forget()
        self._scratch = [new_record(self._adapter.position_dtype) for _ in range(threads)]
        self._works = [new_record(self._adapter.work_dtype) for _ in range(threads)]
        for thread, work in enumerate(self._works):
            work.random = seed_state(self._seed, thread)

    def start(self, task: Task[P]) -> None:
        self._task, self._depth = task, 0
        assign(self._works, task.control)
        self._adapter.begin(task, self._memory.held, self._works, self._seed)

    def iterate(self) -> Report:
        self._depth += 1
        run_parallel(self._grow, len(self._works))
        if self._depth == 1:
            allow_stop(self._works, self._task.control)
        result = self._adapter.result()
        if not result.lines:  # the sampled worlds had no move that is allowed
            moves = self._task.moves or tuple(self._task.position.legal_moves())
            result = result._replace(lines=[Line(Score.from_expected(0.5), (move,)) for move in moves])
        return result.report(self._task, self._depth, MAX_DEPTH, self._works)

    def _grow(self, thread: int) -> None:
        playouts = playouts_at(self._depth) - playouts_at(self._depth - 1)
        if self._depth == 1 and self._task.control.node_limit:
            playouts = min(playouts, self._task.control.node_limit)
        self._adapter.grow(
            thread, self._scratch[thread], max(playouts // len(self._works), self._adapter.least_playouts)
        )
        self._task.control.report(thread, int(self._works[thread].nodes))

    def finish(self) -> None:
        """Do nothing: threads end with each iteration."""

    def recall(self, position: P) -> None:
        """Return None: a tree belongs to one root."""
