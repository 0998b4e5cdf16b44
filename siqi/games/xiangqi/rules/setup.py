"""Position records from FENs; a position that the rules cannot play is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.kernel.jit import Record, entry, int64, void
from siqi.games.xiangqi.rules.lookup import BLOCKED, CAPTURED, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import is_attacked
from siqi.games.xiangqi.rules.notation import check_places, piece_codes, read_fen
from siqi.games.xiangqi.rules.position import POSITION, QUIET_LIMIT, put_piece


@entry(void(POSITION, LOOKUP, int64[:, ::1]))
def _put(pos: Record, lookup: Record, pieces: Any) -> None:
    """Put pieces, rows of (piece code, square), all at once: thirty-two calls would cost 0.2 ms."""
    for i in range(len(pieces)):
        put_piece(pos, lookup, pieces[i, 0], pieces[i, 1])


@entry(int64(POSITION, LOOKUP, int64))
def _king_attacked(pos: Record, lookup: Record, side: int) -> int:
    return is_attacked(pos, lookup, int64(pos.square[16 << side]), side)


def set_up(pos: Record, fen: str) -> int:
    """Fill a zeroed record from a FEN; return its move number. ValueError if the rules cannot play the position."""
    letters, turn, quiet, number = read_fen(fen)
    pieces = piece_codes(letters)
    pos.board[BLOCKED] = 1
    pos.square[:] = CAPTURED
    check_places(pieces)
    _put(pos, LOOKUP_RECORD, np.array(pieces, np.int64))
    pos.turn = turn
    pos.quiet = min(quiet, QUIET_LIMIT)
    if turn == 1:
        pos.key ^= LOOKUP_RECORD.zobrist_turn
    if _king_attacked(pos, LOOKUP_RECORD, 1 - turn):
        raise ValueError("the side not to move is in check, or the kings face each other")
    return number
