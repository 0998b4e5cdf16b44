"""The eight symmetries of the Connect6 board, applied to positions and turns."""

from __future__ import annotations

import numpy as np

from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS, SIZE
from siqi.games.connect6.rules.position import NO_POINT, first_stone, make_move, second_stone
from siqi.games.kernel.jit import Record


def _ways() -> list[list[int]]:
    """Return the image of each point, [symmetry][point]; symmetry 0 is the identity."""
    middle = SIZE // 2
    ways = []
    for flip in (1, -1):
        for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            way = []
            for point in range(POINTS):
                column, row = point // SIZE - middle, point % SIZE - middle
                way.append((a * column - b * row + middle) * SIZE + flip * (b * column + a * row) + middle)
            ways.append(way)
    return ways


_WAYS = _ways()


def symmetric_keys(pos: Record) -> list[int]:
    """Return the keys of the position's eight images, by symmetry; the first is its own key."""
    points = np.flatnonzero(pos.stones)
    sides = (pos.stones[points].astype(np.int64) - 1) * POINTS
    rest = int(pos.key) ^ int(np.bitwise_xor.reduce(LOOKUP_RECORD.zobrist[sides + points]))
    return [rest ^ int(np.bitwise_xor.reduce(LOOKUP_RECORD.zobrist[sides + np.take(way, points)])) for way in _WAYS]


def turned(move: int, symmetry: int) -> int:
    """Return the image of a turn under a symmetry."""
    return _turn_of([_WAYS[symmetry][point] for point in (first_stone(move), second_stone(move)) if point != NO_POINT])


def turned_back(move: int, symmetry: int) -> int:
    """Return the turn whose image under the symmetry is `move`; the inverse of `turned`."""
    return _turn_of(
        [_WAYS[symmetry].index(point) for point in (first_stone(move), second_stone(move)) if point != NO_POINT]
    )


def _turn_of(points: list[int]) -> int:
    return make_move(min(points), max(points) if len(points) == 2 else NO_POINT)
