"""The faults for which the rules cannot play a position, in the manner of python-chess's `Board.status`."""

from __future__ import annotations

import enum

from siqi.games.xiangqi.library.move import BLACK, COLORS, PIECE_TYPES, RED, Color, Piece
from siqi.games.xiangqi.library.placement import BaseBoard
from siqi.games.xiangqi.rules.lookup import ADVISOR, ELEPHANT, KIND_OF_SLOT, KING, PAWN
from siqi.games.xiangqi.rules.notation import misplacement


class Status(enum.IntFlag):
    """Faults of a position; VALID is none. The rules play exactly the positions without a fault."""

    VALID = 0
    EMPTY = enum.auto()
    NO_RED_KING = enum.auto()
    NO_BLACK_KING = enum.auto()
    TOO_MANY_KINGS = enum.auto()  #: more than one of a side
    TOO_MANY_RED_PAWNS = enum.auto()  #: more than five
    TOO_MANY_BLACK_PAWNS = enum.auto()
    TOO_MANY_RED_PIECES = enum.auto()  #: more than two of another kind
    TOO_MANY_BLACK_PIECES = enum.auto()
    MISPLACED_KING = enum.auto()  #: outside its palace
    MISPLACED_ADVISOR = enum.auto()  #: outside its palace's five points
    MISPLACED_ELEPHANT = enum.auto()  #: outside its side's seven points
    OPPOSITE_CHECK = enum.auto()  #: the side to move could take the king
    KINGS_FACING = enum.auto()


_TOO_MANY_PAWNS = {RED: Status.TOO_MANY_RED_PAWNS, BLACK: Status.TOO_MANY_BLACK_PAWNS}
_TOO_MANY_PIECES = {RED: Status.TOO_MANY_RED_PIECES, BLACK: Status.TOO_MANY_BLACK_PIECES}
_MISPLACED = {
    KING: Status.MISPLACED_KING,
    ADVISOR: Status.MISPLACED_ADVISOR,
    ELEPHANT: Status.MISPLACED_ELEPHANT,
}


def status_of(board: BaseBoard, turn: Color) -> Status:
    """Return all faults of a position with a side to move."""
    pieces = board.piece_map()
    faults = Status.VALID if pieces else Status.EMPTY
    for color in COLORS:
        for kind in PIECE_TYPES:
            count = list(pieces.values()).count(Piece(kind, color))
            if count > KIND_OF_SLOT.count(kind):
                other = _TOO_MANY_PAWNS if kind == PAWN else _TOO_MANY_PIECES
                faults |= Status.TOO_MANY_KINGS if kind == KING else other[color]
    for square, piece in pieces.items():
        if misplacement(piece.symbol(), square):
            faults |= _MISPLACED[piece.piece_type]
    if board.king(RED) is None:
        faults |= Status.NO_RED_KING
    if board.king(BLACK) is None:
        faults |= Status.NO_BLACK_KING
    king = board.king(not turn)
    if king is not None:
        attackers = board.attackers(turn, king)
        if any(board.piece_type_at(square) != KING for square in attackers):
            faults |= Status.OPPOSITE_CHECK
        if any(board.piece_type_at(square) == KING for square in attackers):
            faults |= Status.KINGS_FACING
    return faults
