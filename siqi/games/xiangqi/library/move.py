"""Squares, pieces and moves as values, and the errors of a move's text; names as in python-chess."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.data.weights import KINDS
from siqi.games.xiangqi.picture import CHARACTERS
from siqi.games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, KIND_OF_SLOT, KING, PAWN, ROOK
from siqi.games.xiangqi.rules.notation import FILES, move_text, parse_move, square_text, squares_of
from siqi.games.xiangqi.rules.position import make_move

Color = bool
COLORS = RED, BLACK = [True, False]
"""Red moves first and takes the part of python-chess's WHITE."""

COLOR_NAMES = ["black", "red"]

PieceType = int
PIECE_TYPES = [KING, ADVISOR, ELEPHANT, HORSE, ROOK, CANNON, PAWN]
"""0..6, so KING is false: compare a piece type with None."""

PIECE_SYMBOLS = list(KINDS)
"""FEN letters by piece type."""

PIECE_NAMES = ["king", "advisor", "elephant", "horse", "rook", "cannon", "pawn"]

FACES = {color: "".join(CHARACTERS["traditional"][letter] for letter in INFO.pieces[not color]) for color in COLORS}
"""The characters on the pieces, by colour and piece type."""

Square = int
SQUARES = range(90)
"""`rank * 9 + file` from Red's left corner, as drawn in position.py."""

SQUARE_NAMES = [square_text(square) for square in SQUARES]
FILE_NAMES = list(FILES)
RANK_NAMES = list("0123456789")


class InvalidMoveError(ValueError):
    """Raised for a text that is no move in any notation."""


class IllegalMoveError(ValueError):
    """Raised for a move that is not legal in the position."""


class AmbiguousMoveError(ValueError):
    """Raised for a text that fits more than one legal move."""


def square(file_index: int, rank_index: int) -> Square:
    """Return the square of file 0..8 (from Red's left) and rank 0..9."""
    return rank_index * 9 + file_index


def square_file(square: Square) -> int:
    """Return the file 0..8, counted from Red's left."""
    return square % 9


def square_rank(square: Square) -> int:
    """Return the rank 0..9, counted from Red's side."""
    return square // 9


def square_name(square: Square) -> str:
    """Return `e0` for 4."""
    return SQUARE_NAMES[square]


def parse_square(name: str) -> Square:
    """Return 4 for `e0`; ValueError if the text is no square."""
    if name not in SQUARE_NAMES:
        raise ValueError(f"not a square: {name}")
    return SQUARE_NAMES.index(name)


def square_distance(a: Square, b: Square) -> int:
    """Return the greater of the distances in files and in ranks."""
    return max(abs(a % 9 - b % 9), abs(a // 9 - b // 9))


def square_manhattan_distance(a: Square, b: Square) -> int:
    """Return the sum of the distances in files and in ranks."""
    return abs(a % 9 - b % 9) + abs(a // 9 - b // 9)


def square_mirror(square: Square) -> Square:
    """Return the square across the river on the same file; with colours exchanged, a position's mirror image."""
    return (9 - square // 9) * 9 + square % 9


flip_vertical = square_mirror


def flip_horizontal(square: Square) -> Square:
    """Return the square of the same rank as far from the other edge."""
    return square + 8 - 2 * (square % 9)


def piece_symbol(piece_type: PieceType) -> str:
    """Return the FEN letter, lower case."""
    return PIECE_SYMBOLS[piece_type]


def piece_name(piece_type: PieceType) -> str:
    """Return the English name, such as `horse`."""
    return PIECE_NAMES[piece_type]


class Piece(NamedTuple):
    """A piece without its place."""

    piece_type: PieceType
    """One of KING, ADVISOR, ELEPHANT, HORSE, ROOK, CANNON and PAWN."""
    color: Color
    """RED (True) or BLACK (False)."""

    def symbol(self) -> str:
        """Return the FEN letter, upper case for Red."""
        letter = KINDS[self.piece_type]
        return letter.upper() if self.color == RED else letter

    def unicode_symbol(self) -> str:
        """Return the character on the piece; the colours have different ones."""
        return FACES[self.color][self.piece_type]

    @classmethod
    def from_symbol(cls, symbol: str) -> Piece:
        """Return the piece of a FEN letter; ValueError if there is none."""
        if len(symbol) != 1 or symbol.lower() not in KINDS:
            raise ValueError(f"not a piece: {symbol}")
        return cls(KINDS.index(symbol.lower()), symbol.isupper())

    @classmethod
    def from_code(cls, code: int) -> Piece:
        """Return the piece of a kernel's piece code."""
        return cls(KIND_OF_SLOT[code & 15], code < 32)

    def __str__(self) -> str:
        return self.symbol()

    def __repr__(self) -> str:
        return f"Piece.from_symbol({self.symbol()!r})"


def check_text(text: str, wanted: str) -> str:
    """Return a text; TypeError, with what was wanted, for anything else."""
    if not isinstance(text, str):
        raise TypeError(f"{wanted} is needed, not {type(text).__name__}")
    return text


_parsed = lru_cache(1 << 13)(parse_move)
"""`parse_move`, which would take half of the time of a move that is played; all games have some 2,000 texts."""


class Move(NamedTuple):
    """A move between two squares, legal or not."""

    from_square: Square
    """The square that the piece leaves."""
    to_square: Square
    """The square that it goes to."""

    @property
    def code(self) -> int:
        """The kernels' code of the move."""
        return make_move(self.from_square, self.to_square)

    @classmethod
    def from_code(cls, code: int) -> Move:
        """Return the move of a kernel's code."""
        return cls(*squares_of(code))

    def uci(self, ranks: int = 0) -> str:
        """Return `h2e2`; the first rank is numbered `ranks`, 0 or (as in Fairy-Stockfish) 1."""
        return move_text(self.code, ranks)

    def xboard(self) -> str:
        """Return the move as XBoard writes it: as `uci`."""
        return self.uci()

    def iccs(self) -> str:
        """Return `H2-E2`."""
        text = self.uci(0).upper()
        return f"{text[:2]}-{text[2:]}"

    @classmethod
    def from_uci(cls, text: str, ranks: int = 0) -> Move:
        """Return the move of `h2e2` or ICCS's `H2-E2`; InvalidMoveError if the text is no move."""
        check_text(text, "a move's text")
        try:
            return cls.from_code(_parsed(text, ranks))
        except ValueError as error:
            raise InvalidMoveError(str(error)) from None

    def __str__(self) -> str:
        return self.uci()

    def __repr__(self) -> str:
        return f"Move.from_uci({Move.uci(self)!r})"


class OneBasedMove(Move):
    """A move of a board whose ranks count from 1, as its `uci` and `str` write them; equal to the plain move."""

    __slots__ = ()

    def uci(self, ranks: int = 1) -> str:
        return move_text(self.code, ranks)
