"""A board as a text of 90 letters, with moves and attacks in plain Python.

The letters are FEN's, by square from Red's left corner, EMPTY where nothing stands. A text is cheap to share, so a
board keeps that of each earlier position; and one question about it costs less than a call of a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from operator import itemgetter

from siqi.games.xiangqi.library.move import BLACK, COLORS, PIECE_TYPES, RED, SQUARES, Color, Piece, Square
from siqi.games.xiangqi.rules.lookup import ADVISOR, ELEPHANT, HORSE, KING, LOOKUP_RECORD, PAWN

EMPTY = "."
EMPTY_BOARD = EMPTY * len(SQUARES)

PIECES = {piece.symbol(): piece for piece in (Piece(kind, color) for color in COLORS for kind in PIECE_TYPES)}
"""Every piece by its letter."""

Paths = list[dict[Square, slice]]


def _steps(name: str, width: int, has_blockers: bool = False, first: int = 0) -> Paths:
    """Return the paths by origin of an array of lookup.py, whose rows hold targets, or (target, leg or eye) pairs."""
    table = LOOKUP_RECORD[name].tolist()[first:]
    paths = []
    for origin in SQUARES:
        row = table[origin * width : (origin + 1) * width]
        row = row[: row.index(-1)]
        if has_blockers:
            paths.append({target: slice(leg, leg + 1) for target, leg in zip(row[::2], row[1::2])})
        else:
            paths.append(dict.fromkeys(row, slice(0)))
    return paths


def _between(origin: Square, target: Square) -> slice:
    step = 1 if origin // 9 == target // 9 else 9
    return slice(min(origin, target) + step, max(origin, target), step)


_LINES: Paths = [
    {t: _between(origin, t) for t in SQUARES if (t // 9 == origin // 9) != (t % 9 == origin % 9)} for origin in SQUARES
]

_BY_KIND = {
    KING: _steps("king_steps", 5),
    ADVISOR: _steps("advisor_steps", 5),
    ELEPHANT: _steps("elephant_steps", 9, has_blockers=True),
    HORSE: _steps("horse_steps", 17, has_blockers=True),
}
_PAWNS = {RED: _steps("pawn_steps", 4), BLACK: _steps("pawn_steps", 4, first=90 * 4)}

PATHS = {
    letter: _PAWNS[color] if kind == PAWN else _BY_KIND.get(kind, _LINES) for letter, (kind, color) in PIECES.items()
}
"""By letter and origin each target with its path: the squares between, or the leg or eye, that must be empty.

A cannon that captures has one piece on its path. Facing kings are not in it.
"""

_STEPPERS = {
    color: frozenset(letter for letter, piece in PIECES.items() if piece.color == color and PATHS[letter] is not _LINES)
    for color in COLORS
}
"""The letters of each side's pieces that are neither rook nor cannon."""


def _around(square: Square) -> tuple[Square, ...]:
    """Return the origins from which a piece that is neither rook nor cannon could come to a square."""
    steppers = _STEPPERS[RED] | _STEPPERS[BLACK]
    return tuple(origin for origin in SQUARES if any(square in PATHS[letter][origin] for letter in steppers))


_AROUND = [_around(square) for square in SQUARES]
_LOOK_AROUND = [itemgetter(*origins) for origins in _AROUND]


def text_of(pieces: Mapping[Square, str]) -> str:
    """Return the text of letters by square."""
    return "".join(pieces.get(square, EMPTY) for square in SQUARES)


def occupied(letters: str) -> Iterator[tuple[Square, str]]:
    """Yield the squares on which pieces stand, with their letters."""
    return ((square, letter) for square, letter in enumerate(letters) if letter != EMPTY)


def find_all(letters: str, letter: str) -> list[Square]:
    """Return the squares of a letter, in order."""
    squares = []
    square = letters.find(letter)
    while square >= 0:
        squares.append(square)
        square = letters.find(letter, square + 1)
    return squares


def king_of(color: Color) -> str:
    """Return the letter of a king."""
    return "K" if color == RED else "k"


def after(letters: str, origin: Square, target: Square) -> str:
    """Return the letters after a piece has moved."""
    if origin < target:
        return f"{letters[:origin]}{EMPTY}{letters[origin + 1 : target]}{letters[origin]}{letters[target + 1 :]}"
    return f"{letters[:target]}{letters[origin]}{letters[target + 1 : origin]}{EMPTY}{letters[origin + 1 :]}"


def attacks(letters: str, origin: Square, target: Square, blockers: str) -> bool:
    """Return True if the piece on a square attacks another: it could take an enemy there, its king left aside.

    `blockers` has the letters on paths, usually `letters` itself. Along an open file a king attacks the other king.
    """
    letter = letters[origin]
    path = PATHS[letter][origin].get(target)
    if path is None:
        if letter not in "Kk" or origin % 9 != target % 9 or letters[target] != letter.swapcase():
            return False
        path = _LINES[origin][target]
    between = blockers[path]
    return len(between) - between.count(EMPTY) == (letter in "Cc")


def is_attacked(letters: str, square: Square, by: Color) -> bool:
    """Return True if a piece of a colour attacks a square."""
    rook, cannon, king = "RCK" if by == RED else "rck"
    rank = square - square % 9
    on_file = rook + king if letters[square] == king.swapcase() else rook
    if _is_hit(letters[square % 9 :: 9], square // 9, on_file, cannon):
        return True
    if _is_hit(letters[rank : rank + 9], square % 9, rook, cannon):
        return True
    if _STEPPERS[by].isdisjoint(_LOOK_AROUND[square](letters)):
        return False
    return any(letters[o] in _STEPPERS[by] and attacks(letters, o, square, letters) for o in _AROUND[square])


@lru_cache(1 << 15)
def _is_hit(line: str, place: int, rooks: str, cannon: str) -> bool:
    """Return True if a rook (one of `rooks`) or a cannon on a rank or file attacks a place on it."""
    for way in (line[:place][::-1], line[place + 1 :]):
        met = way.replace(EMPTY, "")
        if met and (met[0] in rooks or met[1:2] == cannon):
            return True
    return False


def is_pseudo_legal(letters: str, turn: Color, origin: Square, target: Square) -> bool:
    """Return True if a side has a move, whether or not it leaves its king in check; any numbers are accepted."""
    if origin not in SQUARES or target not in SQUARES:
        return False
    letter, occupant = letters[origin], letters[target]
    if letter == EMPTY or letter.isupper() != turn or (occupant != EMPTY and occupant.isupper() == turn):
        return False
    if occupant != EMPTY or letter not in "Cc":
        return attacks(letters, origin, target, letters)
    path = PATHS[letter][origin].get(target)
    return path is not None and not letters[path].strip(EMPTY)


@lru_cache(1 << 10)
def after_legal(letters: str, turn: Color, origin: Square, target: Square) -> str | None:
    """Return the letters after a legal move, None if it is not legal. A side without a king is never in check.

    The last answers are kept, because a move that is read is then played.
    """
    if not is_pseudo_legal(letters, turn, origin, target):
        return None
    new = after(letters, origin, target)
    king = new.find(king_of(turn))
    return None if king >= 0 and is_attacked(new, king, not turn) else new
