"""Solve an ending of EWN: the chance to win of every position, from the ends of the game backwards.

Each move brings a piece nearer its corner or captures one, so no position repeats. Positions are solved in layers, the
pieces that have gone furthest first. A layer's positions depend on later layers and smaller endings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import types

from siqi.games.ewn.knowledge.numbering import (
    INDEXING,
    MAX_SIDE,
    NUMBERING,
    NUMBERING_RECORD,
    MaterialSignature,
    index,
    members,
    number,
    sets,
    weak_squares,
)
from siqi.games.ewn.knowledge.probe import UNKNOWN, probe_tablebase
from siqi.games.ewn.rules.lookup import CAPTURED, LOOKUP, LOOKUP_RECORD, NOBODY, ONE, PLACES
from siqi.games.ewn.rules.movegen import step
from siqi.games.ewn.rules.position import POSITION, POSITION_DTYPE, do_move, undo_move
from siqi.games.kernel.intrinsics import popcount
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, new_record, record, record_type

Values = np.ndarray[Any, np.dtype[np.float32]]

LAYERS = 8 * 5 + 1
"""Steps from the corners to the goals, row and column apart, of all pieces together."""

TOLERANCE = 1.01 / ONE
"""The largest difference between a rounded value and that of its rounded successors."""

BEST_DTYPE = record([("move", "f8", 6)])  # scratch: the value of each piece's best move
SOLVER_DTYPE = record(
    [
        ("smaller", "i8"),  # address of the TABLEBASE of smaller endings
        ("members", "u1", 2 * 180 * MAX_SIDE),  # [weak side, class, piece]: its number
        ("pieces", "i8"),  # of the ending
    ]
)
BEST = record_type(BEST_DTYPE)
SOLVER = record_type(SOLVER_DTYPE)
VALUES = types.Array(types.float32, 1, "C")
SETS = types.Array(types.uint8, 2, "C")


@inner(float64(POSITION, NUMBERING, INDEXING, SOLVER, VALUES))
def value_of(pos: Record, n: Record, e: Record, solver: Record, values: Any) -> float:
    """Return the mover's chance before the throw in an undecided position of this ending or a smaller one."""
    first = popcount(pos.alive[0])
    second = popcount(pos.alive[1])
    if first + second < solver.pieces:
        value = probe_tablebase(pos, solver.smaller)
        return math.nan if value == UNKNOWN else value / ONE
    strong = int64(second > first) if first != second else int64(pos.turn)
    return float64(values[(pos.turn ^ strong) * e.entries + index(pos, n, e, strong)])


@inner(float64(POSITION, BEST, LOOKUP, NUMBERING, INDEXING, SOLVER, VALUES))
def expand(pos: Record, best: Record, lookup: Record, n: Record, e: Record, solver: Record, values: Any) -> float:
    """Return the mover's chance before the throw, from the positions after its moves."""
    side = pos.turn
    alive = pos.alive[side]
    for piece in range(6):
        if alive >> piece & 1:
            square = int64(pos.square[6 * side + piece + 1])
            most = 0.0
            for way in range(lookup.step_count[side * 25 + square]):
                do_move(pos, lookup, step(lookup, side, square, int64(way)))
                value = 1.0 if pos.winner >= 0 else 1.0 - value_of(pos, n, e, solver, values)
                undo_move(pos)
                most = max(most, value)
            best.move[piece] = most
    total = 0.0
    for die in range(1, 7):
        pair = int64(lookup.movable[alive * 7 + die])
        value = best.move[pair & 15]
        if pair >> 4 != NOBODY:
            value = max(value, best.move[pair >> 4])
        total += value
    return total / 6


@entry(int64(POSITION, BEST, LOOKUP, NUMBERING, INDEXING, SOLVER, VALUES, SETS, SETS, int64, int64, int64, int64))
def work_off(
    pos: Record,
    best: Record,
    lookup: Record,
    n: Record,
    e: Record,
    solver: Record,
    values: Any,
    strong_sets: Any,
    weak_sets: Any,
    rank: int,
    layer: int,
    movers: int,
    is_check: int,
) -> int:
    """Value one layer's positions of one set of the strong side (side 0), with all `weak_sets` (squares).

    With `is_check` nothing is written. Returns the number of values that do not follow from their successors.
    """
    wrong = 0
    for other in range(weak_sets.shape[0]):
        steps = int64(0)
        for i in range(strong_sets.shape[1]):
            steps += int64(strong_sets[rank, i]) // 5 + int64(strong_sets[rank, i]) % 5
        for i in range(weak_sets.shape[1]):
            steps += 8 - int64(weak_sets[other, i]) // 5 - int64(weak_sets[other, i]) % 5
        if steps != layer and is_check == 0:
            continue
        if e.own_image[rank] >= 0 and e.turned[e.own_image[rank] + other] & 1:
            continue
        for strong_class in range(e.strong_classes):
            for weak_class in range(e.weak_classes):
                for square in range(26):
                    pos.board[square] = 0
                for piece in range(13):
                    pos.square[piece] = CAPTURED
                pos.alive[0] = 0
                pos.alive[1] = 0
                for i in range(strong_sets.shape[1]):
                    label = int64(solver.members[strong_class * MAX_SIDE + i])
                    pos.board[strong_sets[rank, i]] = label
                    pos.square[label] = strong_sets[rank, i]
                    pos.alive[0] |= int64(1) << (label - 1)
                for i in range(weak_sets.shape[1]):
                    label = int64(solver.members[(180 + weak_class) * MAX_SIDE + i])
                    pos.board[weak_sets[other, i]] = label + 6
                    pos.square[label + 6] = weak_sets[other, i]
                    pos.alive[1] |= int64(1) << (label - 1)
                at = index(pos, n, e, int64(0))
                for mover in range(movers):
                    pos.turn = mover
                    pos.winner = -1
                    value = expand(pos, best, lookup, n, e, solver, values)
                    cell = mover * e.entries + at
                    if is_check == 0:
                        values[cell] = value
                    elif not abs(float64(values[cell]) - value) <= TOLERANCE:
                        wrong += 1
    return wrong


class Solver:
    """One ending; `values` [weak side to move, number] once run."""

    def __init__(self, signature: MaterialSignature, smaller: int, threads: int) -> None:
        """Prepare; `smaller` is the address of a TABLEBASE with all endings that captures lead to."""
        self._signature = signature
        self._numbering = number(signature)
        self._solver = new_record(SOLVER_DTYPE)
        self._solver.smaller, self._solver.pieces = smaller, sum(signature)
        for side, count in enumerate(signature):
            for number_, labels in enumerate(members(count)):
                first = (180 * side + number_) * MAX_SIDE
                self._solver.members[first : first + count] = labels
        self._strong = np.array(sets(PLACES, signature.strong), np.uint8)
        self._ranks = np.flatnonzero(self._numbering.start[: len(self._strong)] >= 0).tolist()
        self._weak = [self._weak_sets(rank) for rank in self._ranks]
        self._pool = ThreadPoolExecutor(threads)
        self._scratch = [new_record(POSITION_DTYPE) for _ in self._ranks]
        self._bests = [new_record(BEST_DTYPE) for _ in self._ranks]
        self.values: Values = np.full(int(self._numbering.entries) * signature.movers, np.nan, np.float32)

    def _weak_sets(self, rank: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        squares = weak_squares(tuple(self._strong[rank].tolist()))
        return np.array([[squares[i] for i in c] for c in sets(len(squares), self._signature.weak)], np.uint8)

    def _layer(self, layer: int, is_check: bool) -> int:
        def part(i: int) -> int:
            return int(
                work_off(
                    self._scratch[i],
                    self._bests[i],
                    LOOKUP_RECORD,
                    NUMBERING_RECORD,
                    self._numbering,
                    self._solver,
                    self.values,
                    self._strong,
                    self._weak[i],
                    self._ranks[i],
                    layer,
                    self._signature.movers,
                    int(is_check),
                )
            )

        return sum(self._pool.map(part, range(len(self._ranks))))

    def run(self, report: Callable[[float], None]) -> None:
        """Value all positions, then round as they will be stored; `report` gets the share of layers done."""
        for layer in reversed(range(LAYERS)):
            self._layer(layer, False)
            report(1 - layer / LAYERS)
        self.values = np.rint(self.values * ONE).astype(np.float32) / np.float32(ONE)

    def check(self) -> int:
        """Return the number of rounded values that do not follow from those of their successors."""
        return self._layer(0, True)
