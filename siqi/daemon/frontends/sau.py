"""The front end for the SAU referee platform for Connect6 (letters.py): rows from the top, one stone as `JJ@@`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from siqi.daemon.frontends.base import AT_ONCE, GAME, IN_ORDER, Command
from siqi.daemon.frontends.letters import Letters, Notation
from siqi.system.pipes import ClientLine

NOTATION = Notation(is_from_top=True, no_stone="@@")


class Sau(Letters):
    """The front end for SAU's protocol."""

    page = "protocol/sau"
    notation = NOTATION

    def take_back(self, words: list[str], line: ClientLine) -> None:
        """Take back the engine's turn, which the platform has refused."""
        self.check_idle()
        del self._moves[-1:]

    commands: ClassVar[Mapping[str, Command]] = {
        "name?": Command(Letters.name, GAME, is_greeting=True),
        "new": Command(Letters.new, GAME),
        "move": Command(Letters.move, GAME),
        "error": Command(take_back, GAME),
        "quit": Command(Letters.quit, AT_ONCE),
        "end": Command(Letters.end, IN_ORDER),
    }
