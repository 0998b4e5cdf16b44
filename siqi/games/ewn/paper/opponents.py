"""Paper 1's opponents of UCT: minimax and Monte Carlo.

Its alpha-beta is the engine's expectiminimax, without tablebases and valued by steps (knowledge/knowledge.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from siqi.games.contract import Move, Task
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.evaluation.evaluate import chance, evaluation_at
from siqi.games.ewn.rules.lookup import LOOKUP, LOOKUP_RECORD, NOBODY
from siqi.games.ewn.rules.movegen import step
from siqi.games.ewn.rules.position import NOT_OVER, POSITION, POSITION_DTYPE, copy_board, do_move, undo_move
from siqi.games.ewn.rules.work import MAX_UNION, WORK, WORK_DTYPE
from siqi.games.ewn.search.playout import FINER_BITS, RANDOM, TO_THE_END, WIN, playout
from siqi.games.ewn.search.root import RootMoves, Value
from siqi.games.ewn.search.search import ExpectimaxAdapter
from siqi.games.kernel.intrinsics import recurse_1
from siqi.games.kernel.jit import Record, entry, inner, int64, record
from siqi.games.kernel.node import count_node
from siqi.games.search.iteration import IterationResult
from siqi.games.search.sampling import SamplingAdapter

CHUNK = 64
"""The most playouts of a move before the next move has its own."""


@inner(int64(POSITION, WORK, LOOKUP, int64))
def full_width(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Return the mover's chance before the throw, 0 to WIN, every move of every throw searched to the depth.

    Meaningless once work.stopped.
    """
    count_node(work)
    if work.stopped == 1:
        return int64(0)
    if depth == 0:
        return chance(pos, evaluation_at(work.evaluation), work) << FINER_BITS
    side = pos.turn
    alive = pos.alive[side]
    total = int64(0)
    for die in range(1, 7):
        pair = int64(lookup.movable[alive * 7 + die])
        best = int64(0)
        for which in range(2):
            piece = pair >> 4 * which & 15
            if piece == NOBODY:
                continue
            square = int64(pos.square[6 * side + piece + 1])
            for way in range(lookup.step_count[side * 25 + square]):
                do_move(pos, lookup, step(lookup, side, square, int64(way)))
                if pos.winner >= 0:
                    value = int64(WIN)
                else:
                    value = WIN - recurse_1(pos, work, lookup, depth - 1)
                undo_move(pos)
                best = max(best, value)
        total += best
    return total // 6


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def value_of(pos: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Return a move's value, 0 to WIN, searched `depth` moves deep with this one; meaningless once work.stopped."""
    do_move(pos, lookup, move)
    value = int64(WIN)
    work.is_exact = 1
    if pos.winner < 0:
        value = WIN - full_width(pos, work, lookup, depth - 1)
        work.is_exact = 0
    undo_move(pos)
    return value


class MinimaxAdapter(ExpectimaxAdapter):
    """Expectiminimax without cuts and without a table."""

    def _try(self, thread: int, move: Move, alpha: int, depth: int) -> int:
        return int(value_of(self._scratch[thread], self._works[thread], LOOKUP_RECORD, move, depth))


@entry(int64(POSITION, POSITION, WORK, LOOKUP, int64))
def sample(root: Record, pos: Record, work: Record, lookup: Record, playouts: int) -> int:
    """Return the sum of the first side's results of playouts from `root`, 0 to WIN each; `pos` is scratch.

    Counts a node for each; work.stopped ends it early.
    """
    total = int64(0)
    for _ in range(playouts):
        copy_board(pos, root)
        total += playout(pos, work, lookup)
        count_node(work)
        if work.stopped == 1:
            break
    return total


ARM_DTYPE = record([("sum", "i8"), ("visits", "i8")])


class MonteCarloAdapter(SamplingAdapter["EwnPosition"]):
    """Flat Monte Carlo: as many random playouts for each move, to within a chunk; the best mean comes first."""

    work_dtype = WORK_DTYPE
    position_dtype = POSITION_DTYPE
    node_dtype = ARM_DTYPE
    least_playouts = MAX_UNION  # one for each move

    def begin(self, task: Task[EwnPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        self._root, self._works = RootMoves(task), works
        self._after = []
        for move in self._root.moves:
            after = self._root.record.copy()
            do_move(after, LOOKUP_RECORD, move)
            self._after.append(after)
        self._arms = np.zeros((len(works), len(self._after)), ARM_DTYPE)
        for work in works:
            work.policy, work.playout_plies, work.seldepth, work.tbhits = RANDOM, TO_THE_END, 1, 0

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        work, arms = self._works[thread], self._arms[thread]
        left = -(-playouts // len(arms))
        while left > 0 and not work.stopped:
            for after, arm in zip(self._after, arms, strict=True):
                before = int(work.nodes)
                arm["sum"] += sample(after, scratch, work, LOOKUP_RECORD, min(left, CHUNK))
                arm["visits"] += int(work.nodes) - before
                if work.stopped:
                    return
            left -= CHUNK

    def result(self) -> IterationResult:
        sums, visits = self._arms["sum"].sum(0), self._arms["visits"].sum(0)
        is_first = self._root.record.turn == 0
        values = {}
        for i, move in enumerate(self._root.moves):
            mean = float(sums[i]) / WIN / max(int(visits[i]), 1)
            has_won = self._after[i].winner != NOT_OVER
            values[move] = Value(1.0, True) if has_won else Value(mean if is_first else 1 - mean)
        return IterationResult(
            self._root.lines(values.__getitem__, values.__getitem__, lambda move: 0),
            1,
            is_settled=self._root.is_settled(values.__getitem__),
            value=self._root.before_throw(values.__getitem__),
        )
