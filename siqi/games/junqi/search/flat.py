"""Flat playouts over a shared set of worlds, moves dropped by sequential halving.

Every move still in the race meets the same worlds in the same order (Karnin, Koren, Somekh 2013 for the halving). When
each has met all of them, the worse half is dropped. Once one move is left, all come back, and meet the worlds twice as
often before each cut; and so on while there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types

from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.knowledge.belief_models import HABITS, BeliefModel
from siqi.games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.junqi.rules.position import POSITION, POSITION_DTYPE, do_move, result_code
from siqi.games.junqi.rules.work import WORK, WORK_DTYPE
from siqi.games.junqi.search.playout import enter_world, playout
from siqi.games.junqi.search.root import MoveValue, RootView
from siqi.games.kernel.intrinsics import copy_record
from siqi.games.kernel.jit import Record, entry, int64, record, record_type, void
from siqi.games.kernel.node import count_node
from siqi.games.search.iteration import IterationResult
from siqi.games.search.sampling import SamplingAdapter

WORLDS = 40
"""Worlds of a search."""

PLAYOUT_PLIES = 8
"""Plies of a playout after the root move."""

ARM_DTYPE = record([("move", "i8"), ("visits", "i8"), ("sum", "f8")])  # of the mover's chances
ARMS = types.Array(record_type(ARM_DTYPE), 1, "C")


@entry(void(POSITION, POSITION, WORK, LOOKUP, ARMS, int64, int64, int64, int64, int64))
def try_arms(
    view: Record,
    pos: Record,
    work: Record,
    lookup: Record,
    arms: Any,
    count: int,
    first: int,
    step: int,
    playouts: int,
    plies: int,
) -> None:
    """Run the playouts numbered first, first + step, ...: number n takes arm n % count in world n // count.

    Adds the mover's chances to the arms; worlds repeat, `pos` is scratch. Ends early once work.stopped.
    """
    for k in range(playouts):
        number = first + k * step
        arm = arms[number % count]
        copy_record(pos, view)
        enter_world(pos, work, number // count % work.world_count)
        move = int64(arm.move)
        do_move(pos, move, result_code(pos, lookup, move))
        value = playout(pos, work, lookup, plies)
        arm.visits += 1
        arm.sum += value if view.turn == 0 else 1.0 - value
        count_node(work)
        if work.stopped == 1:
            return


class FlatAdapter(SamplingAdapter["JunqiPosition"]):
    """The adapter of flat playouts; each thread's tree is its row of arms."""

    lookup = LOOKUP_RECORD
    worlds = WORLDS

    work_dtype = WORK_DTYPE
    position_dtype = POSITION_DTYPE
    node_dtype = ARM_DTYPE

    def __init__(self, model: Callable[[], BeliefModel] = lambda: HABITS) -> None:
        """`model` returns that of beliefs, for each search; the papers' players have habits."""
        self._model = model

    def forget(self) -> None:
        self._arms: list[Any] = []

    def begin(self, task: Task[JunqiPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        self._works = works
        self._root = RootView(task, works, self.worlds, seed + task.position.ply, self._model())
        self._arms = [tree[: len(self._root.moves)] for tree in trees]
        for arms in self._arms:
            arms[:] = np.zeros(len(arms), ARM_DTYPE)
            arms["move"] = self._root.moves
        self._numbers = list(range(len(works)))
        self._begin_race(len(self._root.worlds.kinds))

    def _begin_race(self, quota: int) -> None:
        self._racing = len(self._root.moves)
        self._quota = quota  # playouts of each arm before the next cut
        self._since = self._visits()

    def _visits(self) -> Any:
        return sum(arms["visits"] for arms in self._arms)

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        work, arms, threads = self._works[thread], self._arms[thread], len(self._arms)
        first, before = self._numbers[thread], int(work.nodes)
        try_arms(
            self._root.view, scratch, work, self.lookup, arms, self._racing, first, threads, playouts, PLAYOUT_PLIES
        )  # fmt: skip
        self._numbers[thread] += threads * (int(work.nodes) - before)

    def result(self) -> IterationResult:
        """Return the moves by their time in the race, then by value; cut the race if it is time."""
        visits = self._visits()
        sums = sum(arms["sum"] for arms in self._arms)
        values = sums / np.maximum(visits, 1)
        order = np.concatenate(
            [sorted(range(self._racing), key=lambda i: -values[i]), np.arange(self._racing, len(values))]
        ).astype(int)
        ranked = [
            MoveValue(int(self._arms[0]["move"][i]), int(visits[i]), float(values[i])) for i in order if visits[i]
        ]
        if (visits - self._since)[: self._racing].min() >= self._quota:
            self._cut(order)
        return self._root.result(ranked, is_settled=len(self._root.moves) == 1)

    def _cut(self, order: Any) -> None:
        """Drop the worse half of the race; once one is left, begin again with all and twice the playouts."""
        for arms in self._arms:
            arms[:] = arms[order]
        self._racing //= 2
        if self._racing <= 1:
            self._begin_race(2 * self._quota)
        else:
            self._since = self._visits()
