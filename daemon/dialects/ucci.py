"""UCCI 3.0, the protocol of Chinese Xiangqi GUIs and of their engine league.

Options have one word for a name; those that UCCI names have UCCI's. Times are seconds unless the client sets
`usemillisec`. They are those of the side to move, so the core is told them for both. A `go` after `banmoves` first asks
for the legal moves, and searches the others.
"""

from __future__ import annotations

import re
from collections import deque

from daemon.dialects import CORE_ERROR, DRAW_BELOW, Reading, renamed
from daemon.options import of_client
from daemon.pipes import printable

NAMES = {
    "usebook": "OwnBook",
    "useegtb": "UseEndgames",
    "bookfiles": "BookFile",
    "egtbpaths": "EndgamePath",
    "hashsize": "Hash",
    "threads": "Threads",
    "ponder": "Ponder",
}
"""UCCI's names of options, and the core's."""

BLIND = ("promotion", "batch", "debug", "pruning", "knowledge", "randomness", "style", "idle", "selectivity")
"""Options of UCCI's that clients set without having been offered them."""

HIDDEN = ("UCI_Variant", "UCI_Coordinates", "UCI_AnalyseMode", "UCI_ShowWDL")
"""Options of the core's that UCCI fixes, or that say nothing in it."""

LISTED = frozenset(of_client("xiangqi")) - set(HIDDEN)

TIMES = {"time": ("wtime", "btime"), "increment": ("winc", "binc"), "movestogo": ("movestogo",)}
"""In seconds, but for the last; of the side to move."""

LIMITS = {core: ucci for ucci, limits in TIMES.items() for core in limits}

OPPONENTS = ("opptime", "oppmovestogo", "oppincrement")

MATE = 30_000
"""The score of a mate, less the plies to it."""


class Ucci:
    """A `Dialect`."""

    def __init__(self) -> None:
        self._is_milli = False
        self._banned: list[str] = []
        self._waiting: deque[tuple[str, list[str]]] = deque()  # `go`s that wait for the legal moves, and what they ban
        self._released: list[str] = []  # `stop` and `ponderhit` that came after these
        self._is_offered = False  # a draw, with the move being sought
        self._score = 0
        self._position = "position startpos"

    # The client's lines

    def read(self, text: str, ns: int) -> Reading:
        word, *words = text.split()
        if word == "ucci":
            return Reading(
                ("setoption name UCI_Variant value xiangqi", "setoption name UCI_Coordinates value 0", "uci")
            )
        if word == "setoption":
            return self._setoption(words)
        if word in ("position", "fen"):
            self._banned = []
            self._position = text if word == "position" else f"position {text}"
            return Reading((self._position,))
        if word == "probe":
            return Reading((" ".join(["position", *words]), "probe", self._position) if words else ("probe",))
        if word == "banmoves":
            self._banned = words
            return Reading()
        if word == "go":
            return self._go(words)
        if word in ("ponderhit", "stop"):
            if word == "ponderhit":
                self._is_offered = "draw" in words
            self._released += [word] * bool(self._waiting)
            return Reading((word,))
        if word == "quit":
            return Reading(("quit",), ("bye",))
        if word == "isready":
            return Reading((text,))
        return Reading(answers=(f"info message unknown command: {printable(word)}",))

    def _setoption(self, words: list[str]) -> Reading:
        if words[:1] == ["name"] and "value" in words:  # as UCI has it
            words = [word for word in words[1:] if word != "value"]
        name, value = words[0].lower() if words else "", " ".join(words[1:])
        if name == "usemillisec":
            self._is_milli = value.lower() in ("true", "on", "")
            return Reading()
        if name == "newgame":
            return Reading(("ucinewgame",))
        if name in BLIND:
            return Reading()
        core = NAMES.get(name, words[0].replace("_", " ") if words else "")
        core = next((listed for listed in LISTED if listed.lower().replace("_", " ") == core.lower()), core)
        if core not in LISTED:
            return Reading(answers=(f"info message unknown option: {printable(name)}",))
        return Reading((f"setoption name {core} value {value}",))

    def _go(self, words: list[str]) -> Reading:
        limits: list[str] = []
        self._is_offered = False
        i = 0
        while i < len(words):
            word, value = words[i], words[i + 1] if i + 1 < len(words) else ""
            i += 2
            if word == "draw":
                self._is_offered = True
                i -= 1
            elif word in ("ponder", "infinite"):
                limits.append(word)
                i -= 1
            elif word == "depth" and value == "infinite":
                limits.append("infinite")
            elif word in TIMES:
                scale = 1 if self._is_milli or word == "movestogo" else 1000
                number = str(int(value) * scale) if value.isascii() and value.isdigit() else value
                limits += [part for limit in TIMES[word] for part in (limit, number)]
            elif word not in OPPONENTS:
                limits += [word, *([value] if value else [])]
        self._score = 0
        go = " ".join(["go", *limits])
        if not self._banned:
            return Reading((go,))
        self._waiting.append((go, self._banned))
        return Reading(("legal",))

    # The core's lines

    def write(self, text: str) -> Reading:
        word, *words = text.split()
        if word == "legal" and self._waiting:
            go, banned = self._waiting.popleft()
            moves = [move for move in words if move not in banned]
            released, self._released = self._released, []
            if not moves:
                return Reading(answers=("nobestmove",))
            return Reading((" ".join([go, "searchmoves", *moves]), *released))
        if word == "uciok":
            return Reading(answers=("option usemillisec type check default false", "ucciok"))
        if word == "option":
            return Reading(answers=tuple(option_line(words)))
        if word == "bestmove":
            return Reading(answers=(self._bestmove(words),))
        if word == "probe":
            return Reading(answers=(pophash(words),))
        if text.startswith("info string"):
            message = renamed(text, LIMITS).removeprefix(CORE_ERROR).removeprefix("info string ")
            if self._waiting and message.endswith("could not be loaded: legal"):
                self._waiting.popleft()
                self._released = []
                return Reading(answers=(f"info message {message}", "nobestmove"))
            return Reading(answers=(f"info message {message}",))
        if word == "info":
            return Reading(answers=(self._info(text),))
        return Reading(answers=(text,))

    def _bestmove(self, words: list[str]) -> str:
        if words[0] == "(none)":
            return "nobestmove"
        agrees = self._is_offered and self._score < DRAW_BELOW
        return " ".join(["bestmove", *words, *(["draw"] if agrees else [])])

    def _info(self, text: str) -> str:
        """UCCI's scores are numbers, and the moves come last."""
        match = re.search(r" score (cp|mate) (-?\d+)", text)
        if match is None:
            return text
        self._score = int(match[2]) if match[1] == "cp" else mate_score(int(match[2]))
        return text.replace(match[0], f" score {self._score}")


def option_line(words: list[str]) -> list[str]:
    """The core's `name ... type ...` as UCCI lists it; nothing where it is not for Xiangqi, or fixed."""
    split = words.index("type")
    name = " ".join(words[1:split])
    if name not in LISTED:
        return []
    named = {core: ucci for ucci, core in NAMES.items()}
    return [" ".join(["option", named.get(name, name.replace(" ", "_")), *words[split:]])]


def pophash(words: list[str]) -> str:
    """The core's `depth 8 lower cp 13 upper cp 13 move h2e2`, of which all but the depth may be missing, or `none`."""
    parts = ["pophash"]
    told = {word: words[i + 1 : i + 3] for i, word in enumerate(words)}
    if "move" in told:
        parts += ["bestmove", told["move"][0]]
    for bound in ("lower", "upper"):
        if bound in told:
            kind, number = told[bound]
            score = int(number) if kind == "cp" else mate_score(int(number))
            parts += [f"{bound}bound", str(score), "depth", told["depth"][0]]
    return " ".join(parts)


def mate_score(mate: int) -> int:
    """A mate in so many moves of the winner's, as a number."""
    return MATE + 1 - 2 * mate if mate > 0 else -MATE - 2 * mate
