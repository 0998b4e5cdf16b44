"""Opening books: for each position, the moves played there, how often and with what result.

The payload of the book (siqi/games/books/book.py) is an array of ENTRY, sorted by key and move, for a binary search.
Positions that are images of each other under a symmetry of the board share their entries: the game supplies the key
of each image, and turns moves.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, open_book, write_book
from siqi.games.contract import BookLine, BookMove, Move, Position, Suggestion, Warn
from siqi.games.options import named_file

VERSION = 1

MAX_BYTES = 1 << 28
"""Bound on a book's payload: 13 million entries. The shipped books have less than 30,000."""

ENTRY = np.dtype(
    [
        ("key", "<i8"),
        ("move", "<u4"),
        ("games", "<u4"),  # with this move
        ("score", "<u2"),  # the mover's points in these games, per mille
        ("weight", "<u2"),  # share of choices among the position's moves, per mille
    ]
)


class OpeningMove(NamedTuple):
    """A move of an opening book."""

    move: Move
    games: int  # with this move
    score: float  # the mover's expected result, 0..1
    weight: float  # share of choices, 0..1


@runtime_checkable
class SymmetricPosition(Position, Protocol):
    """A position of a game with opening books. Symmetries of its board are numbers from 0, the identity."""

    @property
    def game_ply(self) -> int:
        """Plies since the start of the game, those before a FEN included."""

    def symmetric_keys(self) -> list[int]:
        """Return the keys of the position's images under all symmetries, by number."""

    def turned(self, move: Move, symmetry: int) -> Move:
        """Return a move's image under a symmetry."""

    def turned_back(self, move: Move, symmetry: int) -> Move:
        """Return the move whose image is `move`; ValueError if that is no move of the game."""

    def is_legal(self, move: Move) -> bool:
        """True if a number is a legal move of this position."""


def opening_key(position: SymmetricPosition) -> tuple[int, list[int]]:
    """Return the key that a position and its images share in a book, and the symmetries that lead to that image."""
    keys = position.symmetric_keys()
    key = min(keys)
    return key, [symmetry for symmetry, other in enumerate(keys) if other == key]


def canonical_move(position: SymmetricPosition, move: Move) -> Move:
    """Return a move as a book stores it: the same for every image of position and move."""
    return max(position.turned(move, symmetry) for symmetry in opening_key(position)[1])


def opening_book_kind(game: str) -> str:
    """Return the kind (siqi/games/books/book.py) of a game's opening books."""
    return f"{game}-openings"


class OpeningBook:
    """An opening book in memory."""

    def __init__(self, path: Path, game: str) -> None:
        """Read a book; BookFileError if it cannot be used."""
        book = open_book(path, opening_book_kind(game), VERSION, MAX_BYTES)
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

    def moves(self, position: SymmetricPosition, least: int) -> list[OpeningMove]:
        """Return the position's legal moves of at least `least` games, best first."""
        key, symmetries = opening_key(position)
        turned = (_turned_back(position, entry, symmetries[0]) for entry in self.find(key) if entry.games >= least)
        return [entry for entry in turned if entry is not None and position.is_legal(entry.move)]

    def find(self, key: int) -> list[OpeningMove]:
        """Return the moves stored under an `opening_key`, sorted by weight, then games, largest first."""
        first, end = bisect_left(self._keys, key), bisect_right(self._keys, key)
        moves = [
            OpeningMove(int(e["move"]), int(e["games"]), float(e["score"]) / 1000, float(e["weight"]) / 1000)
            for e in self._entries[first:end]
        ]
        return by_weight(moves)


def by_weight(moves: Iterable[OpeningMove]) -> list[OpeningMove]:
    """Return moves sorted by weight, then games, largest first."""
    return sorted(moves, key=lambda entry: (-entry.weight, -entry.games))


class ForeignBook(Protocol):
    """An opening book of other programs."""

    def moves(self, position: Any, least: int) -> list[OpeningMove]:
        """Return the position's legal moves, as `OpeningBook.moves` does; BookFileError if the book cannot be read."""


def _turned_back(position: SymmetricPosition, entry: OpeningMove, symmetry: int) -> OpeningMove | None:
    """Return an entry with its move as it lies on the board, None if that is no move of the game."""
    try:
        return entry._replace(move=position.turned_back(entry.move, symmetry))
    except ValueError:
        return None


def choose(moves: Sequence[OpeningMove], rng: random.Random) -> OpeningMove | None:
    """Return one of the moves at random, by weight; None if no move has a weight."""
    if not any(entry.weight for entry in moves):
        return None
    return rng.choices(moves, [entry.weight for entry in moves])[0]


class OpeningSettings(Protocol):
    """The settings by the options of OPENING_BOOK."""

    @property
    def own_book(self) -> bool: ...
    @property
    def book_file(self) -> str: ...
    @property
    def book_depth(self) -> int: ...
    @property
    def book_min_games(self) -> int: ...


class OpeningBooks:
    """A game's opening books, the user's own and the shipped one, as its settings name them."""

    def __init__(
        self,
        game: str,
        settings: OpeningSettings,
        warn: Warn,
        foreign: Callable[[Path], ForeignBook | None] = lambda path: None,
    ) -> None:
        """`warn` gets a line for each book that cannot be used.

        `foreign` opens books of other programs; it returns None for ours.
        """
        self._foreign = foreign
        self._game = game
        self._settings = settings
        self._warn = warn
        self._books: dict[Path, OpeningBook | ForeignBook | None] = {}

    def use(self, settings: OpeningSettings) -> None:
        """Take other settings; if they name another book, each is read again when it is next needed."""
        if settings.book_file != self._settings.book_file:
            self._books.clear()
        self._settings = settings

    def moves(self, position: SymmetricPosition) -> list[OpeningMove]:
        """Return the moves, best first, of the first book that has some: the user's own, then the shipped one.

        There are none from ply BookDepth on. Moves played in fewer than BookMinGames games are left out.
        """
        if position.game_ply >= self._settings.book_depth:
            return []
        own = named_file(self._settings.book_file)
        shipped = BOOKS_FOLDER / f"{self._game}-openings.book"
        for path in [shipped] if own is None else [own, shipped]:
            if moves := self._moves_of(path, position):
                return moves
        return []

    def _moves_of(self, path: Path, position: SymmetricPosition) -> list[OpeningMove]:
        """Return the moves of a book; none, with a warning at the first time, if it cannot be used."""
        try:
            if path not in self._books:
                self._books[path] = self._foreign(path) or OpeningBook(path, self._game)
            book = self._books[path]
            return [] if book is None else book.moves(position, self._settings.book_min_games)
        except BookFileError as error:
            self._warn(str(error))
            self._books[path] = None
            return []

    def suggest(self, position: SymmetricPosition, rng: random.Random) -> Suggestion | None:
        """Return one of `moves` at random, by weight; None without OwnBook or moves."""
        entry = choose(self.moves(position), rng) if self._settings.own_book else None
        return None if entry is None else Suggestion(entry.move, opening_text(position, entry))

    def consult(self, position: SymmetricPosition) -> list[BookLine]:
        """Return a line for each of `moves`."""
        return [
            BookLine(opening_text(position, entry), BookMove(position.move_text(entry.move), entry.games, entry.score))
            for entry in self.moves(position)
        ]


def opening_text(position: SymmetricPosition, entry: OpeningMove) -> str:
    """Return the line that shows a book move to the user."""
    move = position.move_text(entry.move)
    return f"opening {move} games {entry.games} score {entry.score:.1%} weight {entry.weight:.1%}"


def write(path: Path, game: str, about: dict[str, Any], entries: np.ndarray[Any, Any]) -> None:
    """Write a book from an array of ENTRY in any order; OSError as from `write_book`."""
    ordered = np.sort(entries, order=["key", "move"])
    write_book(path, opening_book_kind(game), VERSION, about, ordered.tobytes())
