"""The client's side of UGI: UCI under other names, whose mates are in plies."""

from __future__ import annotations

from collections.abc import Sequence

from siqi.daemon.clients.uci import UciEngine
from siqi.games import registry
from siqi.games.contract import Score


class UgiEngine(UciEngine):
    """An engine that speaks UGI, with the words protocol.md adds to UCI."""

    protocol = "ugi"
    greeting_answer = "ugiok"
    new_game_word = "uginewgame"
    sides = ("p1", "p2")
    unnamed_games = registry.NAMES

    def score_of(self, lines: Sequence[str]) -> Score | None:
        score = super().score_of(lines)
        if score is None or score.mate is None:
            return score
        return score._replace(mate=(score.mate + 1) // 2)
