"""The knowledge that the settings select for EWN: evaluation, tablebase, set-up book."""

from __future__ import annotations

import random

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, folders
from siqi.games.contract import BookLine, Score, Suggestion, Warn
from siqi.games.ewn import Settings
from siqi.games.ewn.evaluation import evaluate
from siqi.games.ewn.knowledge.setupbook import SetupBook
from siqi.games.ewn.knowledge.tablebase import Tablebase
from siqi.games.ewn.rules.lookup import ONE
from siqi.games.ewn.rules.notation import SETUP
from siqi.games.ewn.rules.work import WORK_DTYPE
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.memory import address_of
from siqi.games.options import changed

TABLEBASE_FOLDER = BOOKS_FOLDER / "ewn-endings"
SETUP_BOOK = BOOKS_FOLDER / "ewn-setups.book"

BY_STEPS = ("minimax", "alphabeta")
"""The players of paper 1 that value a position by the steps to the goal alone."""


class Knowledge:
    """The books in use."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        """Open the books that the settings name; `warn` gets a line for one that cannot be used, then or later."""
        self.settings = settings
        self._warn = warn
        self.weights = np.array([evaluate.load(warn)])
        self._setups: SetupBook | None = None
        self._are_setups_open = False
        self._steps = np.array([evaluate.new_evaluation()])
        self._steps[0]["weights"] = evaluate.step_weights()
        self._find_tablebases()

    def use(self, settings: Settings) -> None:
        """Take other settings, and reopen the books that differ by them."""
        changes = changed(self.settings, settings)
        self.settings = settings
        if changes & {"use_endgames", "endgame_path"}:
            self._find_tablebases()

    def _find_tablebases(self) -> None:
        self._tablebase: Tablebase | None = None  # frees the old one before the new one is read
        if self.settings.use_endgames:
            self._tablebase = Tablebase(folders(TABLEBASE_FOLDER, self.settings.endgame_path, self._warn), self._warn)

    @property
    def setups(self) -> SetupBook | None:
        """The set-up book, opened at the first use; None if it cannot be used."""
        if not self._are_setups_open:
            self._are_setups_open = True
            try:
                self._setups = SetupBook(SETUP_BOOK)
            except BookFileError as error:
                self._warn(str(error))
        return self._setups

    def suggest(self, words: list[str], rng: random.Random) -> Suggestion | None:
        """Return one of the book's best set-ups, or of its best answers to the first side's; None without OwnBook."""
        book = self.setups if self.settings.own_book else None
        if book is None:
            return None
        setup, chance = book.choose(words[0] if words else None, rng)
        return Suggestion(SETUP + int(setup), f"set-up {setup} chance {chance:.1%}")

    def consult(self, words: list[str]) -> list[BookLine]:
        """Return lines with the book's best set-ups, or with its answers to the first side's."""
        return [] if self.setups is None else list(map(BookLine, self.setups.lines(words[0] if words else None)))

    @property
    def evaluation(self) -> int:
        """The address of the EVALUATION of searches."""
        return address_of(self._steps if self.settings.algorithm in BY_STEPS else self.weights)

    @property
    def tablebase(self) -> int:
        """The address of the TABLEBASE, 0 for none."""
        return 0 if self._tablebase is None else self._tablebase.address

    def estimate(self, pos: Record) -> float:
        """Return the mover's chance before the throw, 0 to 1, by the learned evaluation."""
        return int(evaluate.chance_here(pos, self.weights[0], new_record(WORK_DTYPE))) / ONE

    def chance(self, pos: Record) -> float | None:
        """Return the mover's chance before the throw, 0 to 1; None if the tablebase lacks the position."""
        return None if self._tablebase is None else self._tablebase.chance(pos)

    def explain(self, pos: Record) -> list[str]:
        """Return lines with the mover's chance before the throw, by the learned evaluation and by the tablebase."""
        learned, exact = self.estimate(pos), self.chance(pos)
        lines = [f"learned {learned:.3f}", *([] if exact is None else [f"endgame {exact:.5f}"])]
        return [*lines, f"total {Score.from_expected(learned if exact is None else exact).cp:+d} for the side to move"]
