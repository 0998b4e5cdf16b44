"""The set-up book: the chances of each set-up and its best answers (scripts/books/build_ewn_setups.py)."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.ewn.rules.setup import FIRST_SETUPS, SETUPS, canonical, mirrored, reversed_numbers

KIND, VERSION = "ewn-setups", 1

ANSWERS = 8
"""The number of answers that the book keeps to each set-up, best first."""

CLOSE = 0.003
"""Set-ups whose chances are within this of the best count as equal, and one is drawn."""

SETUP_DTYPE = np.dtype(
    [
        ("setup", "<u4"),  # the word as a number
        ("against_all", "<u2"),  # the first side's chance against a random answer, per 10,000
        ("against_best", "<u2"),  # its chance against the best answer, per 10,000
        ("answers", "<u4", ANSWERS),  # words as numbers, best first
        ("chances", "<u2", ANSWERS),  # the first side's chances against these, per 10,000
    ]
)


class RatedSetup(NamedTuple):
    """A set-up of the first side and its chances, 0 to 1."""

    setup: str
    against_all: float
    against_best: float
    answers: dict[str, float]  # the first side's chance against each of the best answers


class SetupBook:
    """An open set-up book. BookFileError if it cannot be used."""

    def __init__(self, path: Path) -> None:
        book = open_book(path, KIND, VERSION, SETUP_DTYPE.itemsize * len(FIRST_SETUPS))
        if len(book.payload) != SETUP_DTYPE.itemsize * len(FIRST_SETUPS):
            raise BookFileError(f"{path}: not {len(FIRST_SETUPS)} set-ups")
        self.entries = {}
        rows = book.payload.view(SETUP_DTYPE)
        if not np.isin(rows["answers"], np.array(SETUPS, np.uint32)).all():
            raise BookFileError(f"{path}: an answer that is no set-up")
        if max(rows[name].max() for name in ("against_all", "against_best", "chances")) > 10_000:
            raise BookFileError(f"{path}: a chance above 1")
        for row in rows:
            answers = zip(row["answers"].tolist(), row["chances"].tolist(), strict=True)
            entry = RatedSetup(
                str(row["setup"]),
                int(row["against_all"]) / 10_000,
                int(row["against_best"]) / 10_000,
                {str(word): chance / 10_000 for word, chance in answers},
            )
            self.entries[entry.setup] = entry
        if set(self.entries) != set(FIRST_SETUPS):
            raise BookFileError(f"{path}: not the set-ups that there are")

    def answers(self, setup: str) -> list[tuple[str, float]]:
        """Return the best answers to the first side's set-up, best first, with the second side's chances."""
        entry = self.entries[canonical(setup)]
        is_turned = entry.setup not in (setup, reversed_numbers(setup))
        return [(mirrored(word) if is_turned else word, 1 - chance) for word, chance in entry.answers.items()]

    def choose(self, known: str | None, rng: random.Random) -> tuple[str, float]:
        """Return one of the best set-ups at random, and its chance for the side that sets up.

        `known`: the first side's set-up, which the second side answers; None for the first side.
        """
        if known is None:
            worth = [(entry.setup, entry.against_best) for entry in self.entries.values()]
        else:
            worth = self.answers(known)
        best = max(chance for _, chance in worth)
        setup, chance = rng.choice([pair for pair in worth if pair[1] > best - CLOSE])
        if known is None:
            setup = rng.choice([setup, mirrored(setup)])
        return rng.choice([setup, reversed_numbers(setup)]), chance

    def lines(self, known: str | None) -> list[str]:
        """Return a line for each set-up that `choose` considers, at most ANSWERS, best first."""
        if known is not None:
            return [f"set-up {setup} chance {chance:.1%}" for setup, chance in self.answers(known)]
        best = sorted(self.entries.values(), key=lambda entry: -entry.against_best)[:ANSWERS]
        return [
            f"set-up {entry.setup} chance {entry.against_best:.1%} against any {entry.against_all:.1%}"
            for entry in best
        ]


def write(path: Path, about: dict[str, Any], entries: list[RatedSetup]) -> None:
    """Write a book of all FIRST_SETUPS."""
    rows = np.zeros(len(entries), SETUP_DTYPE)
    for row, entry in zip(rows, sorted(entries), strict=True):
        row["setup"] = int(entry.setup)
        row["against_all"], row["against_best"] = round(1e4 * entry.against_all), round(1e4 * entry.against_best)
        row["answers"] = [int(word) for word in entry.answers]
        row["chances"] = [round(1e4 * chance) for chance in entry.answers.values()]
    write_book(path, KIND, VERSION, about, rows.tobytes())
