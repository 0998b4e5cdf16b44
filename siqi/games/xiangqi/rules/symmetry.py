"""The symmetry of the Xiangqi board, left and right exchanged, applied to positions and moves."""

from __future__ import annotations

from siqi.games.kernel.jit import Record, accessor, entry, int64
from siqi.games.xiangqi.rules.lookup import CAPTURED, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION, make_move, origin_of, target_of


@accessor
def mirror_square(square: int) -> int:
    """Return a square with left and right exchanged."""
    return square + 8 - 2 * (square % 9)


@accessor
def mirror_move(move: int) -> int:
    """Return a move with left and right exchanged."""
    return make_move(mirror_square(origin_of(move)), mirror_square(target_of(move)))


@entry(int64(POSITION, LOOKUP))
def _mirrored_key(pos: Record, lookup: Record) -> int:
    """Return the key of the position with left and right exchanged."""
    key = int64(0) if pos.turn == 0 else lookup.zobrist_turn
    for piece in range(16, 48):
        square = int64(pos.square[piece])
        if square < CAPTURED:
            key ^= lookup.zobrist[lookup.kind_of[piece] * 91 + mirror_square(square)]
    return key


def symmetric_keys(pos: Record) -> list[int]:
    """Return the position's key, and that of its image."""
    return [int(pos.key), int(_mirrored_key(pos, LOOKUP_RECORD))]
