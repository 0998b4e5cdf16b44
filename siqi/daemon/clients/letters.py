"""The base of SAU's and Cloudict's protocols for Connect6, which name stones by letters and have no clock.

The referee's clock alone holds the time: an engine thinks as long as it pleases, and is set up by its own command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from siqi.daemon.clients.base import EngineProcess
from siqi.daemon.clients.player import Choice, Forfeit, Turn
from siqi.daemon.frontends.letters import Notation


class LettersEngine(EngineProcess):
    """An engine that names stones by letters."""

    games = ("connect6",)
    limits: ClassVar[tuple[str, ...]] = ("clock", "increment")
    has_options = False
    notation: ClassVar[Notation]

    def answer(self, lines: Sequence[str], turn: Turn) -> Choice:
        """Send lines that request a turn; return the engine's choice. Forfeit if it hangs, or writes no turn."""
        elapsed_ms, line = self.request(lines, "ERROR", "move", budget_ms=turn.budget_ms)
        word, *words = line.split()
        try:
            if word == "move" and len(words) == 1:
                return Choice(self.notation.turn_of(words[0]), elapsed_ms)
        except ValueError:
            pass
        raise Forfeit("illegal", f"not a turn: {line}")
