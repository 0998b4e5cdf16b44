"""Squares, pieces and moves as values, and what can be wrong with a move's text (names as in python-chess)."""

from __future__ import annotations

from typing import NamedTuple

from games.xiangqi.notation import FILES, move_text, parse_move, square_text
from games.xiangqi.tables import KIND_OF_SLOT
from games.xiangqi.weights import KINDS

Color = bool
RED, BLACK = True, False
"""Red moves first and takes the part of python-chess's WHITE."""

SQUARES = range(90)
"""`rank * 9 + file` from Red's left corner, as drawn in position.py."""

FACES = {RED: "帥仕相傌俥炮兵", BLACK: "將士象馬車砲卒"}
"""What is carved on the pieces, by colour and kind (`tables.KING`..`PAWN`, 0..6)."""


class InvalidMoveError(ValueError):
    """The text is no move in any notation."""


class IllegalMoveError(ValueError):
    """The text names a move that is not legal in the position."""


class AmbiguousMoveError(ValueError):
    """The text fits more than one legal move."""


def square(file: int, rank: int) -> int:
    """The square of file 0..8 (from Red's left) and rank 0..9."""
    return rank * 9 + file


def square_file(square: int) -> int:
    return square % 9


def square_rank(square: int) -> int:
    return square // 9


def square_name(square: int) -> str:
    """`e0` for 4."""
    return square_text(square)


def parse_square(name: str) -> int:
    """4 for `e0`; ValueError if it is no square."""
    if len(name) != 2 or name[0] not in FILES or name[1] not in "0123456789":
        raise ValueError(f"not a square: {name}")
    return int(name[1]) * 9 + FILES.index(name[0])


class Piece(NamedTuple):
    """A piece without its place; `piece_type` is `tables.KING`..`PAWN`, 0..6."""

    piece_type: int
    color: Color

    def symbol(self) -> str:
        """The FEN letter, upper case for Red."""
        letter = KINDS[self.piece_type]
        return letter.upper() if self.color == RED else letter

    def unicode_symbol(self) -> str:
        """The character on the piece, which tells the colours apart."""
        return FACES[self.color][self.piece_type]

    @classmethod
    def from_symbol(cls, symbol: str) -> Piece:
        """The piece of a FEN letter; ValueError if there is none."""
        if len(symbol) != 1 or symbol.lower() not in KINDS:
            raise ValueError(f"not a piece: {symbol}")
        return cls(KINDS.index(symbol.lower()), symbol.isupper())

    @classmethod
    def from_code(cls, code: int) -> Piece:
        """The piece of a kernel's piece code (position.py)."""
        return cls(KIND_OF_SLOT[code & 15], code < 32)

    def __str__(self) -> str:
        return self.symbol()


class Move(NamedTuple):
    """From a square to a square, legal or not."""

    from_square: int
    to_square: int

    @property
    def code(self) -> int:
        """The kernels' number of the move."""
        return self.from_square | self.to_square << 7

    @classmethod
    def from_code(cls, code: int) -> Move:
        return cls(code & 127, code >> 7)

    def uci(self, ranks: int = 0) -> str:
        """`h2e2`; the first rank is numbered `ranks`, 0 or (as Fairy-Stockfish has it) 1."""
        return move_text(self.code, ranks)

    def iccs(self) -> str:
        """`H2-E2`."""
        text = self.uci().upper()
        return f"{text[:2]}-{text[2:]}"

    @classmethod
    def from_uci(cls, text: str, ranks: int = 0) -> Move:
        """The move of `h2e2` or ICCS's `H2-E2`; InvalidMoveError if the text is none."""
        try:
            return cls.from_code(parse_move(text, ranks))
        except ValueError as error:
            raise InvalidMoveError(str(error)) from None

    def __str__(self) -> str:
        return self.uci()

    def __repr__(self) -> str:
        return f"Move.from_uci({self.uci()!r})"
