"""The client's side of Cloudict's protocol for Connect6.

Moves of both sides are sent as moves, so that openings are possible, but no positions. Of limits it has a depth.
"""

from __future__ import annotations

from siqi.daemon.clients.letters import LettersEngine
from siqi.daemon.clients.player import Choice, StartError, Turn
from siqi.daemon.frontends.cloudict import NOTATION
from siqi.daemon.frontends.letters import BLACK, WHITE


class CloudictEngine(LettersEngine):
    """An engine that speaks Cloudict's protocol."""

    protocol = "cloudict"
    limits = ("depth", "clock", "increment")
    notation = NOTATION

    _turns = 0  # that the engine knows, its own included

    def hello(self, within_s: float) -> None:
        """Ask for the name. The help that Cloudict itself writes at its start has a line that begins alike."""
        answer = self.greeting(["name"], "name", (), within_s)
        while answer[-1].split()[1:2] == ["-"]:
            answer = self.greeting((), "name", (), within_s)

    def prepare(self) -> None:
        if self._spec.limits.depth:
            self.send(f"depth {self._spec.limits.depth}")

    def new_game(self, seed: str) -> None:
        super().new_game(seed)
        self._turns = 0
        self.send("new xxx")

    def choose(self, turn: Turn) -> Choice:
        if turn.start != "startpos":
            raise StartError(f"{self.name}: the protocol cloudict has no positions, only moves")
        played = list(enumerate(turn.words))[self._turns :]
        moves = [f"{(BLACK, WHITE)[ply % 2]} {''.join(self.notation.stones(word))}" for ply, word in played]
        self._turns = len(turn.words) + 1
        return self.answer([*moves, "next"], turn)
