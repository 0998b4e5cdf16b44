"""The knowledge that the settings select for Connect6: opening books and the evaluation."""

from __future__ import annotations

import functools

from siqi.games.books.opening import OpeningBooks
from siqi.games.connect6 import Settings
from siqi.games.connect6.evaluation.choice import Evaluation, choose
from siqi.games.contract import Warn
from siqi.games.options import changed, named_file


class Knowledge:
    """The books in use, opened at their first use."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        """`warn` gets a line for a book that cannot be used."""
        self.settings = settings
        self.openings = OpeningBooks("connect6", settings, warn)
        self._warn = warn

    def use(self, settings: Settings) -> None:
        """Take other settings, and reopen the books that differ by them."""
        changes = changed(self.settings, settings)
        self.settings = settings
        self.openings.use(settings)
        if "evaluation" in changes or ("network_file" in changes and settings.evaluation == "network"):
            self.__dict__.pop("evaluation", None)  # it is chosen anew

    @functools.cached_property
    def evaluation(self) -> Evaluation:
        """The evaluation that the options name, chosen at its first use.

        Options come one by one, and only all together show whether a warning is due.
        """
        return choose(self.settings.evaluation, named_file(self.settings.network_file), self._warn)
