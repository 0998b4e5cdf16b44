"""UGI, the Universal Game Interface of match runners that know no rules: UCI, and questions about the position.

The first player is `p1`. `query` is answered from the core's `turn` and `result`; mates are in plies. UGI does not
ponder: its answer is `bestmove` and the move, and CuteGames waits for a line of just these two words.
"""

from __future__ import annotations

import re
from collections import deque

from daemon.dialects import Reading, renamed
from daemon.pipes import printable

TIMES = {"p1time": "wtime", "p2time": "btime", "p1inc": "winc", "p2inc": "binc"}
QUESTIONS = {"p1turn": "turn", "gameover": "result", "result": "result"}
"""And the core's commands that answer them."""


class Ugi:
    """A `Dialect`."""

    def __init__(self) -> None:
        self._questions: deque[str] = deque()  # those whose answers are on their way

    def read(self, text: str, ns: int) -> Reading:
        word, *words = text.split()
        if word == "query":
            if len(words) != 1 or words[0] not in QUESTIONS:
                return Reading(answers=(f"info string error query: {printable(' '.join(words))}",))
            self._questions.append(words[0])
            return Reading((QUESTIONS[words[0]],))
        if word == "go":
            return Reading((" ".join(["go", *(TIMES.get(limit, limit) for limit in words)]),))
        return Reading(({"ugi": "uci", "uginewgame": "ucinewgame"}.get(text, text),))

    def write(self, text: str) -> Reading:
        if text == "uciok":
            return Reading(answers=("ugiok",))
        word, *words = text.split()
        if self._questions and word in ("turn", "result"):
            return Reading(answers=(f"response {answer(self._questions.popleft(), words)}",))
        if word == "bestmove":
            return Reading(answers=(f"bestmove {words[0]}",))
        text = renamed(text, {core: ugi for ugi, core in TIMES.items()})
        return Reading(
            answers=(re.sub(r"score mate (-?\d+)", lambda match: f"score mate {plies(int(match[1]))}", text),)
        )


def answer(question: str, words: list[str]) -> str:
    """The core's `turn first` or `result win first checkmate` as an answer."""
    if question == "p1turn":
        return str(words[0] == "first").lower()
    is_over = words[0] in ("win", "draw")
    if question == "gameover":
        return str(is_over).lower()
    return {"win": "p1win" if words[1:2] == ["first"] else "p2win", "draw": "draw"}.get(words[0], "none")


def plies(mate: int) -> int:
    """A mate in so many moves of the winner's, in plies; below 0 if the side to move is mated."""
    return 2 * mate - 1 if mate > 0 else 2 * mate
