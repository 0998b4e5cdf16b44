"""Texts of Xiangqi squares, moves and FENs; move codes for Python."""

from __future__ import annotations

import re
from collections.abc import Mapping

from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.data.weights import KINDS
from siqi.games.xiangqi.rules.lookup import KIND_OF_SLOT
from siqi.games.xiangqi.rules.position import make_move, origin_of, target_of

START_FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"

MAX_COUNTER = 99_999
"""The greatest value of a FEN's counters."""

FILES = "abcdefghi"
_MOVE = re.compile(r"([a-i])(10|[0-9])-?([a-i])(10|[0-9])\Z", re.ASCII | re.IGNORECASE)
_FIRST_SLOT = {letter: KIND_OF_SLOT.index(kind) for kind, letter in enumerate(KINDS)}
_COUNT = {letter: KIND_OF_SLOT.count(kind) for kind, letter in enumerate(KINDS)}
_NAMES = dict(k="king", a="advisor", b="elephant", n="horse", r="rook", c="cannon", p="pawn")
_SYNONYMS = str.maketrans("heHE", "nbNB")

# Where the rules let Red's pieces stand; Black's stand on these squares turned by 180 degrees. Pawns move from any
# square, and published compositions have them where no game brings them.
_PALACE = {9 * rank + file for rank in (0, 1, 2) for file in (3, 4, 5)}
_ADVISORS = {3, 5, 13, 21, 23}
_ELEPHANTS = {2, 6, 18, 22, 26, 38, 42}
_PLACES = {
    "k": (_PALACE, "outside its palace"),
    "a": (_ADVISORS, "outside its palace's five points"),
    "b": (_ELEPHANTS, "outside its side's seven points"),
}


def squares_of(move: int) -> tuple[int, int]:
    """Return (origin, target) of a move code."""
    return origin_of(move), target_of(move)


def square_text(square: int, base: int = 0) -> str:
    """Return `e0` for 4; ranks count from `base`."""
    return f"{FILES[square % 9]}{square // 9 + base}"


def move_text(move: int, base: int = 0) -> str:
    """Return `h2e2` for a move code; ranks count from `base`."""
    origin, target = squares_of(move)
    return square_text(origin, base) + square_text(target, base)


def parse_move(text: str, base: int = 0) -> int:
    """Return the move code of `h2e2` (or ICCS `H2-E2`); ranks count from `base`. ValueError if the text is none."""
    match = _MOVE.match(text)
    if not match:
        raise ValueError(f"not a move: {text}")
    file, rank, to_file, to_rank = match.groups()
    ranks = int(rank) - base, int(to_rank) - base
    if not all(0 <= r <= 9 for r in ranks):
        raise ValueError(f"rank off the board: {text}")
    origin = ranks[0] * 9 + FILES.index(file.lower())
    return make_move(origin, ranks[1] * 9 + FILES.index(to_file.lower()))


def letter_of(piece: int) -> str:
    """Return the FEN letter of a piece code."""
    letter = KINDS[KIND_OF_SLOT[piece & 15]]
    return letter.upper() if piece < 32 else letter


def read_board(field: str) -> dict[int, str]:
    """Return the letters of a FEN's first field by square; ValueError if it is not ten ranks of nine files."""
    letters = {}
    for file, rank, char in INFO.shape.read_placement(field.translate(_SYNONYMS), "rank", "file"):
        if char.lower() not in _COUNT or not char.isascii():
            raise ValueError(f"unknown piece {char}")
        letters[9 * rank + file] = char
    return letters


def piece_codes(letters: dict[int, str]) -> list[tuple[int, int]]:
    """Return (piece code, square) of every piece; ValueError if a set has fewer of them, or a king is missing."""
    pieces = []
    used: dict[str, int] = {}
    for square, letter in letters.items():
        number = used.get(letter, 0)
        if number == _COUNT[letter.lower()]:
            raise ValueError(f"more than {number} of piece {letter}")
        used[letter] = number + 1
        pieces.append(((16 if letter.isupper() else 32) + _FIRST_SLOT[letter.lower()] + number, square))
    for letter, side_name in (("K", "red"), ("k", "black")):
        if used.get(letter, 0) != 1:
            raise ValueError(f"{side_name} has no {_NAMES['k']}")
    return pieces


def misplacement(letter: str, square: int) -> str:
    """Return why a piece can never come to a square, such as `outside its palace`; empty if it can."""
    own = square if letter.isupper() else 89 - square
    places, fault = _PLACES.get(letter.lower(), ({own}, ""))
    return "" if own in places else fault


def check_places(pieces: list[tuple[int, int]]) -> None:
    """Raise ValueError if a piece stands where it can never come.

    The rules know no move from there, and the kernels' arrays have no place for it.
    """
    for piece, square in pieces:
        letter = letter_of(piece)
        fault = misplacement(letter, square)
        if fault:
            raise ValueError(f"{_NAMES[letter.lower()]} {letter} on {square_text(square)} is {fault}")


def board_text(letters: dict[int, str]) -> str:
    """Return a FEN's first field from letters by square."""
    return INFO.shape.placement({square_text(square): letter for square, letter in letters.items()})


def write_fen(pieces: Mapping[str, str], turn: int, quiet: int = 0, number: int = 1) -> str:
    """Return the FEN of letters by point; ValueError if a point does not exist."""
    return f"{INFO.placement(pieces)} {INFO.sides[turn]} - - {quiet} {number}"


def fen_text(letters: dict[int, str], turn: int, quiet: int = 0, number: int = 1) -> str:
    """Return the FEN of letters by square."""
    return write_fen({square_text(square): letter for square, letter in letters.items()}, turn, quiet, number)


def read_fen(fen: str) -> tuple[dict[int, str], int, int, int]:
    """Return (letters by square, turn, quiet plies, move number) of a FEN.

    Missing fields get their default values. ValueError if a field cannot be read.
    """
    fields = fen.split()
    if not fields:
        raise ValueError("empty FEN")
    letters = read_board(fields[0])
    side = fields[1] if len(fields) > 1 else "w"
    if side not in ("w", "r", "b"):
        raise ValueError(f"side to move is w, r or b, not {side}")
    # Four-field FENs (XBoard) leave the two chess fields out.
    counters = fields[4:] if len(fields) > 4 or "-" in fields[2:] else fields[2:]
    numbers = []
    for text in [*counters, *("0", "1")[len(counters) :]][:2]:
        if not (text.isascii() and text.isdigit()):
            raise ValueError(f"counter is not a number: {text}")
        if len(text) > len(str(MAX_COUNTER)):
            raise ValueError(f"counter is above {MAX_COUNTER}: {text}")
        numbers.append(int(text))
    if len(counters) > 2:
        raise ValueError(f"unexpected {counters[2]}: moves stand behind the word moves")
    return letters, int(side == "b"), numbers[0], max(1, numbers[1])
