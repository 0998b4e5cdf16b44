"""The knowledge that the options choose for EWN: evaluation, tablebase, set-up book, and the searcher's settings."""

from __future__ import annotations

import random

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, folders
from siqi.games.contract import BookLine, Suggestion, Warn
from siqi.games.ewn import INFO
from siqi.games.ewn.evaluation import evaluate
from siqi.games.ewn.knowledge.setupbook import SetupBook
from siqi.games.ewn.knowledge.tablebase import Tablebase
from siqi.games.ewn.rules.lookup import ONE
from siqi.games.ewn.rules.notation import SETUP
from siqi.games.ewn.rules.work import WORK_DTYPE
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.memory import address_of
from siqi.games.options import Values

TABLEBASE_FOLDER = BOOKS_FOLDER / "ewn-endings"
SETUP_BOOK = BOOKS_FOLDER / "ewn-setups.book"

REWARDS = {"0..1": (0, 1), "-1..1": (-1, 1)}
"""The rewards of a loss and of a win by the option's value."""


BARE = {
    "UCTPlayout": "random",
    "UCTProofs": "false",
    "UCTReuseTree": "false",
    "UCTLeafVisits": "1",
    "UseEndgames": "false",
}
"""The options of UCT as paper 1 describes it."""

NO_ENDGAMES = {"UseEndgames": "false"}

PLAYERS = {
    "paper": BARE | {"UCTParallel": "children"},
    "plain-uct": BARE | {"WINK": "1", "UCTK": "1"},
    "minimax": NO_ENDGAMES,
    "alphabeta": NO_ENDGAMES,
    "montecarlo": NO_ENDGAMES,
}
"""The players of paper 1 by the value of Algorithm, with the options that make them whole."""

PLAYER_THREADS = {"paper": 3, "plain-uct": 1}
"""The threads of those players that have a number of their own."""

BY_STEPS = ("minimax", "alphabeta")
"""The players that value a position by the steps to the goal alone."""


class Knowledge:
    """The books found and the values of the options."""

    def __init__(self, warn: Warn) -> None:
        """`warn` gets a line for a book that cannot be used."""
        self._warn = warn
        self.weights = np.array([evaluate.load(warn)])
        self._setups: SetupBook | None = None
        self._are_setups_open = False
        self._steps = np.array([evaluate.new_evaluation()])
        self._steps[0]["weights"] = evaluate.step_weights()
        self._values = Values(INFO.options)
        self._find_endgames()

    def set_option(self, name: str, value: str) -> None:
        if not self._values.change(name, value):
            return
        if name == "Algorithm":
            self._values.preset(PLAYERS.get(value, {}))
        if name in ("Algorithm", "UseEndgames", "EndgamePath"):
            self._find_endgames()

    def _find_endgames(self) -> None:
        self._tablebase: Tablebase | None = None  # frees the old one before the new one is read
        if self._values.is_on("UseEndgames"):
            self._tablebase = Tablebase(
                folders(TABLEBASE_FOLDER, self._values.text("EndgamePath"), self._warn), self._warn
            )

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
        book = self.setups if self._values.is_on("OwnBook") else None
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
        return address_of(self._steps if self.algorithm in BY_STEPS else self.weights)

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

    @property
    def algorithm(self) -> str:
        return self._values.text("Algorithm")

    @property
    def threads(self) -> int:
        """The threads of the player, whatever the option Threads says; 0: as it says."""
        return PLAYER_THREADS.get(self.algorithm, 0)

    @property
    def wink(self) -> float:
        return self._values.number("WINK")

    @property
    def uctk(self) -> float:
        return self._values.number("UCTK")

    @property
    def reward(self) -> tuple[int, int]:
        """The rewards of a loss and of a win in UCTValue."""
        return REWARDS[self._values.text("UCTReward")]

    @property
    def has_proofs(self) -> bool:
        """True if UCT proves values, with the tablebase's help."""
        return self._values.is_on("UCTProofs")

    @property
    def keeps_tree(self) -> bool:
        """True if UCT keeps its tree from one search to the next."""
        return self._values.is_on("UCTReuseTree")

    @property
    def leaf_visits(self) -> int:
        """The visits of a node of UCT before it gets children."""
        return self._values.integer("UCTLeafVisits")

    @property
    def playout(self) -> str:
        """The kind of playouts, one of PLAYOUTS (search/playout.py)."""
        return self._values.text("UCTPlayout")

    @property
    def parallel(self) -> str:
        return self._values.text("UCTParallel")
