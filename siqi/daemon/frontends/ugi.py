"""The front end for UGI, the Universal Game Interface of match runners without rules: UCI and queries of positions.

The first player is `p1`, and mates are in plies. UGI does not ponder: its answer is `bestmove` and the move, and
CuteGames waits for a line of just these two words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from siqi.daemon.engine import events
from siqi.daemon.frontends.base import AT_ONCE, GAME, Command
from siqi.daemon.frontends.uci import Uci
from siqi.daemon.frontends.words import GO_WORDS
from siqi.games.contract import FIRST, Outcome, Score
from siqi.system.pipes import ClientLine, printable


class Ugi(Uci):
    """The front end for UGI."""

    page = "protocol/ugi"
    go_words = GO_WORDS | {"p1time": "wtime", "p2time": "btime", "p1inc": "winc", "p2inc": "binc"}
    ready = "ugiok"

    def query(self, words: list[str], line: ClientLine) -> None:
        if words == ["p1turn"]:
            answer = str(self.engine.position.turn == FIRST).lower()
        elif words == ["gameover"]:
            answer = str(result(self.engine.outcome()) != "none").lower()
        elif words == ["result"]:
            answer = result(self.engine.outcome())
        else:
            raise ValueError(f"query: {printable(' '.join(words))}")
        self.out.line(f"response {answer}")

    def score_text(self, score: Score) -> str:
        return super().score_text(score if score.mate is None else score._replace(mate=plies(score.mate)))

    def best_move(self, answer: events.BestMove) -> None:
        super().best_move(answer._replace(ponder=None))

    commands: ClassVar[Mapping[str, Command]] = {
        **Uci.commands,
        "ugi": Command(Uci.uci, AT_ONCE, "ugi  the engine's name and options"),
        "uginewgame": Uci.commands["ucinewgame"],
        "query": Command(
            query, GAME, "query p1turn|gameover|result  a question about the position", is_worth_compiling=True
        ),
    }


def result(outcome: Outcome | None) -> str:
    if outcome is None or outcome.unknown:
        return "none"
    return {None: "draw", FIRST: "p1win"}.get(outcome.winner, "p2win")


def plies(mate: int) -> int:
    """Return a mate, counted in the winner's own moves, in plies; below 0 if the side to move is mated."""
    return 2 * mate - 1 if mate > 0 else 2 * mate
