"""Iterative deepening for all alpha-beta searchers: the transposition table, working memories, depths and threads.

A game's half is its `DeepeningAdapter`, which searches one depth at a time: EWN's expectiminimax, Junqi's alpha-beta in
worlds, and for Xiangqi and Connect6 the aspiration windows and MultiPV that they share (aspiration.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol

import numpy as np

from siqi.games.contract import P, P_contra, Report, StoredResult, Task
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.iteration import IterationResult
from siqi.games.search.resizable import Resizable
from siqi.games.search.threads import Helpers, allow_stop, assign, run_parallel


class DeepeningAdapter(Protocol[P_contra]):
    """A game's half of a searcher that deepens. A depth is in plies."""

    work_dtype: np.dtype[Any]
    max_depth: int
    is_seeded: bool = False  # its results depend on the seed
    shares_depths: bool = False  # True: the threads divide each depth; False: helpers deepen alone (lazy SMP)

    @property
    def values(self) -> object:
        """A token that changes whenever stored values become invalid."""
        return None

    def forget(self) -> None:
        """Drop everything kept from earlier searches."""
        return

    def begin(self, task: Task[P_contra], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        """Prepare a search on these working memories, one for each thread: write the table's address to them.

        Keep no reference to `tt`: it could not be freed before a resize.
        """

    def begin_depth(self, depth: int) -> None:
        """Prepare the next depth; called in the thread of `iterate`, while helpers deepen alone."""
        return

    def search(self, thread: int, depth: int) -> None:
        """Search one depth on a thread; return early once its work.stopped is set.

        A helper that deepens alone contributes only the entries that it stores in the transposition table.
        """

    def result(self, depth: int) -> IterationResult:
        """Return what is known after a depth, whether or not it was searched to its end; `hashfull` is left out."""

    def recall(self, position: P_contra, tt: TranspositionTable) -> StoredResult | None:
        """Return what is stored about a position; None if nothing is, or nothing is stored by position."""
        return None


class DeepeningSearcher(Generic[P]):
    """A `Searcher` whose iterations are depths 1, 2, 3 ..."""

    def __init__(self, adapter: DeepeningAdapter[P]) -> None:
        self._adapter = adapter
        self._memory = Resizable[TranspositionTable]()
        self._works: list[Record] = []
        self._seed = 0
        self._values: object = None

    @property
    def _tt(self) -> TranspositionTable:
        return self._memory.held

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        seed = seed if self._adapter.is_seeded else 0
        has_table = self._memory.wanted == hash_mb
        if has_table and (len(self._works), self._seed, self._values) == (threads, seed, self._adapter.values):
            return
        self._seed, self._values = seed, self._adapter.values
        self._forget(threads)
        if has_table:
            self._tt.clear()
        else:
            self._memory.resize(hash_mb, TranspositionTable)

    def clear(self) -> None:
        self._forget(len(self._works))
        self._tt.clear()

    def _forget(self, threads: int) -> None:
        self._adapter.forget()
        self._works = [new_record(self._adapter.work_dtype) for _ in range(threads)]

    def start(self, task: Task[P]) -> None:
        self._task, self._depth = task, 0
        assign(self._works, task.control)
        self._tt.new_search()
        self._adapter.begin(task, self._works, self._tt, self._seed)
        main = len(self._works) if self._adapter.shares_depths else 1
        self._main_works = self._works[:main]  # of the threads that search each depth; the other threads help
        self._helpers = Helpers(task.control, 1 + len(self._works) - main, self._help)

    def _help(self, thread: int) -> None:
        """Deepen in parallel to thread 0, odd helpers one ply ahead so that the threads search different depths."""
        for depth in range(1 + thread % 2, self._adapter.max_depth + 1):
            self._adapter.search(thread, depth)
            if self._task.control.stopped:
                break

    def iterate(self) -> Report:
        self._depth += 1
        self._adapter.begin_depth(self._depth)
        self._helpers.start_after(int(self._works[0].nodes))
        run_parallel(self._search, len(self._main_works))
        if self._depth == 1:
            allow_stop(self._works, self._task.control)
        result = self._adapter.result(self._depth)._replace(hashfull=self._tt.hashfull())
        return result.report(self._task, self._depth, self._adapter.max_depth, self._main_works)

    def _search(self, thread: int) -> None:
        self._adapter.search(thread, self._depth)
        self._task.control.report(thread, int(self._works[thread].nodes))

    def finish(self) -> None:
        self._helpers.join()

    def recall(self, position: P) -> StoredResult | None:
        return self._adapter.recall(position, self._tt)
