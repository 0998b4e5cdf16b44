"""The client's side of SAU, a referee platform's protocol for Connect6.

The platform has no clock: the referee's alone holds it, and an engine thinks as long as it pleases. Nor has it openings
or positions: an engine that is Black moves at once.
"""

from __future__ import annotations

from siqi.daemon.clients.letters import LettersEngine
from siqi.daemon.clients.player import Choice, StartError, Turn
from siqi.daemon.frontends.letters import BLACK, WHITE
from siqi.daemon.frontends.sau import NOTATION


class SauEngine(LettersEngine):
    """An engine that speaks SAU's protocol."""

    protocol = "sau"
    notation = NOTATION

    _turns = 0  # of both sides so far; 0: the game is to begin

    def hello(self, within_s: float) -> None:
        self.greeting(["name?"], "name", (), within_s)

    def new_game(self, seed: str) -> None:
        super().new_game(seed)
        self._turns = 0

    def choose(self, turn: Turn) -> Choice:
        if turn.start != "startpos" or (not self._turns and len(turn.words) > 1):
            raise StartError(f"{self.name}: the protocol sau has no openings: give --openings none")
        begins = [] if self._turns else [f"new {WHITE if turn.words else BLACK}"]
        moves = [f"move {NOTATION.letters_of(word)}" for word in turn.words[-1:]]
        self._turns = len(turn.words) + 1
        return self.answer([*begins, *moves], turn)

    def game_over(self, won: bool | None) -> None:
        self.notify(f"end {'draw' if won is None else 'win' if won else 'lose'}")
