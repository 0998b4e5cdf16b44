"""Opening books: for a position, the moves that were played there, how often and with what result.

The payload of the book (games/book.py) is an array of entries ordered by key, mapped and searched by halving. A game
gives the key of a position, one for all that are the same by symmetry, and turns the moves back.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.book import BookError, open_book, write_book
from games.contract import Move

VERSION = 1

ENTRY = np.dtype(
    [
        ("key", "<i8"),
        ("move", "<u4"),
        ("games", "<u4"),  # in which it was played
        ("score", "<u2"),  # points of the mover in them, per mille
        ("weight", "<u2"),  # how often it should be chosen, per mille of the position's moves
    ]
)


class BookMove(NamedTuple):
    """A move of an opening book; `score` is the mover's expected result, `weight` its share of choices, both 0..1."""

    move: Move
    games: int  # in which it was played
    score: float
    weight: float


def _kind(game: str) -> str:
    return f"{game}-openings"


class OpeningBook:
    """An open book. BookError if it cannot be used."""

    def __init__(self, path: Path, game: str) -> None:
        book = open_book(path, _kind(game), VERSION)
        if len(book.payload) % ENTRY.itemsize:
            raise BookError(f"{path}: not whole entries")
        self.about = book.about
        self._entries = book.payload.view(ENTRY)
        self._keys = self._entries["key"]
        if (self._keys[1:] < self._keys[:-1]).any():
            raise BookError(f"{path}: not in order")

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: int) -> list[BookMove]:
        """The moves of a position by its key, best first."""
        first, end = bisect_left(self._keys, key), bisect_right(self._keys, key)
        moves = [
            BookMove(int(e["move"]), int(e["games"]), float(e["score"]) / 1000, float(e["weight"]) / 1000)
            for e in self._entries[first:end]
        ]
        return sorted(moves, key=lambda entry: -entry.weight)


def choose(moves: Sequence[BookMove], rng: random.Random) -> BookMove | None:
    """One of the moves at random by weight; None where none has any."""
    if not any(entry.weight for entry in moves):
        return None
    return rng.choices(moves, [entry.weight for entry in moves])[0]


def write(path: Path, game: str, about: dict[str, Any], entries: np.ndarray[Any, Any]) -> None:
    """Write a book from an array of ENTRY in any order."""
    ordered = np.sort(entries, order=["key", "move"])
    write_book(path, _kind(game), VERSION, about, ordered.tobytes())
