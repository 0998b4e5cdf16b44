"""Positions from set-up words and from a FEN's pieces."""

from __future__ import annotations

from siqi.games.ewn.rules.lookup import CAPTURED, LOOKUP_RECORD
from siqi.games.ewn.rules.notation import TRIANGLES
from siqi.games.ewn.rules.position import NOT_OVER
from siqi.games.kernel.jit import Record


def setup_pieces(side: int, word: str) -> list[tuple[int, int]]:
    """Return (piece code, square) for each digit of a set-up word."""
    return [(6 * side + int(digit), square) for digit, square in zip(word, TRIANGLES[side], strict=True)]


def set_up(pos: Record, pieces: list[tuple[int, int]], turn: int, dice: int) -> None:
    """Fill a zeroed record with a position, `pieces` as (code, square), `dice` 0 if the throw is not known."""
    lookup = LOOKUP_RECORD
    pos.square[:] = CAPTURED
    for piece, square in pieces:
        pos.board[square] = piece
        pos.square[piece] = square
        pos.alive[int(piece > 6)] |= 1 << (piece - 1) % 6
        pos.key ^= lookup.zobrist[piece * 26 + square]
    pos.turn, pos.dice = turn, dice
    pos.key ^= lookup.zobrist_dice[dice]
    if turn:
        pos.key ^= lookup.zobrist_turn
    pos.winner = NOT_OVER
    if not pos.alive[1] or 0 < pos.board[24] <= 6:
        pos.winner = 0
    elif not pos.alive[0] or pos.board[0] > 6:
        pos.winner = 1
