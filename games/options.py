"""The options that several games honour, and the values of a game's options.

A game's declaration lists every option that it honours (`GameInfo.options`), and nothing else holds their defaults.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from siqi.games.contract import Option

if TYPE_CHECKING:
    from pathlib import Path

OWN_BOOK = Option("OwnBook", "check", "false")
BOOK_FILE = Option("BookFile", "string")
BOOK_DEPTH = Option("BookDepth", "spin", "40", 0, 1000)
BOOK_MIN_GAMES = Option("BookMinGames", "spin", "3", 1, 1000000)
USE_RULES = Option("UseRules", "combo", "true", choices=("true", "false", "checked", "paper"))
RULE_FILE = Option("RuleFile", "string")
MINE_RULES = Option("MineRules", "check", "false")
USE_ENDGAMES = Option("UseEndgames", "check", "true")
ENDGAME_PATH = Option("EndgamePath", "string")

OPENING_BOOK = (OWN_BOOK, BOOK_FILE, BOOK_DEPTH, BOOK_MIN_GAMES)
RULES = (USE_RULES, MINE_RULES, RULE_FILE)
ENDGAMES = (USE_ENDGAMES, ENDGAME_PATH)

SHARED = (*OPENING_BOOK, *RULES, *ENDGAMES)
"""The options for books and tablebases, which the daemon declares once for all games, in this order."""


class Values:
    """The values in force of a game's options. Every method raises KeyError for an option that is not declared."""

    def __init__(self, options: Iterable[Option]) -> None:
        self._texts = {option.name: option.default for option in options}

    def change(self, name: str, text: str) -> bool:
        """Set a value, which the caller has checked by the declaration; False if it was already in force.

        Most of the values set when a game is loaded are.
        """
        if self._texts[name] == text:
            return False
        self._texts[name] = text
        return True

    def text(self, name: str) -> str:
        """Return a value as it was set."""
        return self._texts[name]

    def integer(self, name: str) -> int:
        return int(self._texts[name])

    def number(self, name: str) -> float:
        return float(self._texts[name])

    def is_on(self, name: str) -> bool:
        """True if the value of a check is `true`."""
        return self._texts[name] == "true"

    def path(self, name: str) -> Path | None:
        """Return the file that an option names, None if it names none."""
        from pathlib import Path  # late: it would delay the handshake by 5 ms

        return Path(self._texts[name]) if self._texts[name] else None
