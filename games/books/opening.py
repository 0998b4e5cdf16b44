"""Opening books: for a position, the moves that were played there, how often and with what result.

The payload of the book (games/books/book.py) is an array of entries ordered by key and searched by halving. Positions
that are alike by a symmetry of the board are one: a game gives a position's key seen each way, and turns its moves.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from games.books.book import BOOKS_FOLDER, BookFileError, open_book, write_book
from games.contract import Move, Position, Suggestion, Warn
from games.options import Values

VERSION = 1

MOST_BYTES = 1 << 28
"""Of a book: 13 million entries; the shipped ones have less than 30,000."""

ENTRY = np.dtype(
    [
        ("key", "<i8"),
        ("move", "<u4"),
        ("games", "<u4"),  # in which it was played
        ("score", "<u2"),  # points of the mover in them, per mille
        ("weight", "<u2"),  # how often it should be chosen, per mille of the position's moves
    ]
)


class OpeningMove(NamedTuple):
    """A move of an opening book; `score` is the mover's expected result, `weight` its share of choices, both 0..1."""

    move: Move
    games: int  # in which it was played
    score: float
    weight: float


@runtime_checkable
class SymmetricPosition(Position, Protocol):
    """A position of a game with opening books; symmetries are numbers from 0, which changes nothing."""

    @property
    def game_ply(self) -> int:
        """Plies since the start of the game."""

    def symmetric_keys(self) -> list[int]:
        """The position's key seen by each symmetry."""

    def turned(self, move: Move, symmetry: int) -> Move:
        """A move seen by a symmetry."""

    def turned_back(self, move: Move, symmetry: int) -> Move:
        """Return the move that is `move` seen by a symmetry; ValueError if it is no move of the game."""

    def is_legal(self, move: Move) -> bool: ...


def opening_key(position: SymmetricPosition) -> tuple[int, list[int]]:
    """The key that all alike share, and the symmetries that lead to it."""
    keys = position.symmetric_keys()
    key = min(keys)
    return key, [symmetry for symmetry, other in enumerate(keys) if other == key]


def canonical_move(position: SymmetricPosition, move: Move) -> Move:
    """A move as the book keeps it, one for all that are alike."""
    return max(position.turned(move, symmetry) for symmetry in opening_key(position)[1])


def opening_book_kind(game: str) -> str:
    """The kind of book (games/books/book.py) that holds a game's openings."""
    return f"{game}-openings"


class OpeningBook:
    """An open book. BookFileError if it cannot be used."""

    def __init__(self, path: Path, game: str) -> None:
        book = open_book(path, opening_book_kind(game), VERSION, MOST_BYTES)
        if len(book.payload) % ENTRY.itemsize:
            raise BookFileError(f"{path}: not whole entries")
        self.about = book.about
        entries = self._entries = book.payload.view(ENTRY)
        keys = self._keys = entries["key"]
        is_next = (keys[:-1] < keys[1:]) | ((keys[:-1] == keys[1:]) & (entries["move"][:-1] < entries["move"][1:]))
        if not is_next.all():
            raise BookFileError(f"{path}: not in order")
        if max(entries["score"].max(initial=0), entries["weight"].max(initial=0)) > 1000:
            raise BookFileError(f"{path}: a score or weight above 1000")

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: int) -> list[OpeningMove]:
        """The moves of a position by its key, best first."""
        first, end = bisect_left(self._keys, key), bisect_right(self._keys, key)
        moves = [
            OpeningMove(int(e["move"]), int(e["games"]), float(e["score"]) / 1000, float(e["weight"]) / 1000)
            for e in self._entries[first:end]
        ]
        return sorted(moves, key=lambda entry: (-entry.weight, -entry.games))


def _turned_back(position: SymmetricPosition, entry: OpeningMove, symmetry: int) -> OpeningMove | None:
    """Return an entry as it lies on the board; None if its move is no move of the game."""
    try:
        return entry._replace(move=position.turned_back(entry.move, symmetry))
    except ValueError:
        return None


def choose(moves: Sequence[OpeningMove], rng: random.Random) -> OpeningMove | None:
    """One of the moves at random by weight; None where none has any."""
    if not any(entry.weight for entry in moves):
        return None
    return rng.choices(moves, [entry.weight for entry in moves])[0]


class OpeningBooks:
    """A game's opening books, as its options name them."""

    def __init__(self, game: str, values: Values, warn: Warn) -> None:
        """`values` has OPENING_BOOK among the game's options; `warn` gets a line for a book that cannot be used."""
        self._game = game
        self._values = values
        self._warn = warn
        self._books: dict[Path, OpeningBook | None] = {}

    def reopen(self) -> None:
        """Open the books anew when they are next asked for."""
        self._books.clear()

    def moves(self, position: SymmetricPosition) -> list[OpeningMove]:
        """What the first book that knows the position has to say, best first: the user's own, then the shipped one."""
        if position.game_ply >= self._values.integer("BookDepth"):
            return []
        key, symmetries = opening_key(position)
        own = self._values.path("BookFile")
        shipped = BOOKS_FOLDER / f"{self._game}-openings.book"
        for path in [shipped] if own is None else [own, shipped]:
            book = self._book(path)
            found = book.find(key) if book is not None else []
            least = self._values.integer("BookMinGames")
            turned = (_turned_back(position, entry, symmetries[0]) for entry in found if entry.games >= least)
            moves = [entry for entry in turned if entry is not None and position.is_legal(entry.move)]
            if moves:
                return moves
        return []

    def suggest(self, position: SymmetricPosition, rng: random.Random) -> Suggestion | None:
        """With OwnBook, one of the moves at random by weight."""
        entry = choose(self.moves(position), rng) if self._values.is_on("OwnBook") else None
        return None if entry is None else Suggestion(entry.move, opening_text(position, entry))

    def consult(self, position: SymmetricPosition) -> list[str]:
        """A line for each move."""
        return [opening_text(position, entry) for entry in self.moves(position)]

    def _book(self, path: Path) -> OpeningBook | None:
        if path not in self._books:
            try:
                self._books[path] = OpeningBook(path, self._game)
            except BookFileError as error:
                self._warn(str(error))
                self._books[path] = None
        return self._books[path]


def opening_text(position: SymmetricPosition, entry: OpeningMove) -> str:
    move = position.move_text(entry.move)
    return f"opening {move} games {entry.games} score {entry.score:.1%} weight {entry.weight:.1%}"


def write(path: Path, game: str, about: dict[str, Any], entries: np.ndarray[Any, Any]) -> None:
    """Write a book from an array of ENTRY in any order."""
    ordered = np.sort(entries, order=["key", "move"])
    write_book(path, opening_book_kind(game), VERSION, about, ordered.tobytes())
