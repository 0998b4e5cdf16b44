"""Constant arrays of the EWN kernels: the pieces that a throw moves, their steps, Zobrist keys."""

from __future__ import annotations

import numpy as np

from siqi.games.kernel.jit import Record, new_record, record, record_type

CAPTURED = 25
"""The square of a captured piece."""

NOBODY = 15
"""The piece index in `movable` where there is no piece."""

PLACES = 24
"""The number of squares where a side's piece may stand while nobody has won: all but its goal."""

ONE = 65535
"""The chance of a certain win, in tablebases and in the evaluation."""

LOOKUP_DTYPE = record(
    [
        ("movable", "u1", 64 * 7),  # [alive mask, die]: lower nibble a piece index 0-5, upper nibble another or NOBODY
        ("step_count", "u1", 2 * 25),  # [side, square]: steps that stay on the board
        ("steps", "u1", 2 * 25 * 3),  # [side, square, way]: target square
        ("zobrist", "i8", 13 * 26),  # [piece code, square]; zero for none and for captured
        ("zobrist_turn", "i8"),
        ("zobrist_die", "i8", 7),  # [die]; zero for a throw not known
    ]
)
LOOKUP = record_type(LOOKUP_DTYPE)


def movable(alive: int, die: int) -> list[int]:
    """Return the indices of the pieces that a throw moves: its own, or the nearest alive above and below."""
    if alive >> (die - 1) & 1:
        return [die - 1]
    above = [i for i in range(die, 6) if alive >> i & 1][:1]
    below = [i for i in range(die - 2, -1, -1) if alive >> i & 1][:1]
    return above + below


def _build() -> Record:
    lookup = new_record(LOOKUP_DTYPE)
    for alive in range(64):
        for die in range(1, 7):
            first, second = ([*movable(alive, die), NOBODY, NOBODY])[:2]
            lookup.movable[alive * 7 + die] = first | second << 4
    for side in range(2):
        ahead = 1 - 2 * side
        for square in range(25):
            row, column = divmod(square, 5)
            ways = [(row, column + ahead), (row + ahead, column), (row + ahead, column + ahead)]
            targets = [r * 5 + c for r, c in ways if 0 <= r < 5 and 0 <= c < 5]
            lookup.step_count[side * 25 + square] = len(targets)
            base = (side * 25 + square) * 3
            lookup.steps[base : base + len(targets)] = targets
    random = np.random.Generator(np.random.PCG64(0xE5))
    zobrist = random.integers(-(2**63), 2**63 - 1, size=(14, 26), dtype=np.int64)
    lookup.zobrist_turn = zobrist[13, 0]
    lookup.zobrist_die[1:] = zobrist[13, 1:7]
    zobrist[0] = 0
    zobrist[:, CAPTURED] = 0
    lookup.zobrist[:] = zobrist[:13].ravel()
    return lookup


LOOKUP_RECORD = _build()
"""The lookup record, read-only by convention; every kernel gets it as an argument."""
