"""The client's side of UCCI 3.0: Xiangqi.

A search has one limit: nodes, depth or time. A time per move is said as all that is left for one move. Engines without
the option `usemillisec` read whole seconds; what is left of a clock is then rounded down, but to no less than one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from siqi.daemon.clients.base import EngineProcess
from siqi.daemon.clients.options import UCCI_LINE, Option, by_name, chosen, declared_options
from siqi.daemon.clients.player import Choice, EngineSpec, Forfeit, StartError, TimeLeft, Turn
from siqi.daemon.clients.uci import nodes_of
from siqi.games.contract import GameInfo, Score
from siqi.games.shape import shift_ranks

MILLISECONDS, NEW_GAME = "usemillisec", "newgame"
"""Options that the client sets."""


class UcciEngine(EngineProcess):
    """An engine that speaks UCCI."""

    protocol = "ucci"
    games = ("xiangqi",)

    _declared: Mapping[str, Option] = {}

    @classmethod
    def unfit(cls, spec: EngineSpec, info: GameInfo) -> str:
        limits = spec.limits
        if sum(map(bool, (limits.movetime_ms, limits.nodes, limits.depth, limits.clock_ms))) > 1:
            return f"{spec.name}: the protocol ucci has one limit for a search: nodes, depth or a time"
        return super().unfit(spec, info)

    def hello(self, within_s: float) -> None:
        lines = self.greeting(["ucci"], "ucciok", ("id", "option"), within_s)
        self._declared = by_name(declared_options(UCCI_LINE, lines))

    def prepare(self) -> None:
        settings = list(chosen(self.name, self._spec.options, self._declared))
        limits = self._spec.limits
        if MILLISECONDS in self._declared:
            self.send(f"setoption {MILLISECONDS} true")
        elif any(ms % 1000 for ms in (limits.movetime_ms, limits.increment_ms)):
            raise StartError(f"{self.name} reads times in whole seconds: it has no option {MILLISECONDS}")
        self.send(*(f"setoption {option.name} {value}" for option, value in settings))
        self.wait_until_ready("isready", "readyok")

    def new_game(self, seed: str) -> None:
        super().new_game(seed)
        if NEW_GAME in self._declared:
            self.send(f"setoption {NEW_GAME}")
        self.send("isready")
        self.wait_for("readyok", timeout_s=self._hang_s)

    def choose(self, turn: Turn) -> Choice:
        words = [shift_ranks(word, self._spec.ranks) for word in turn.words]
        position = " ".join(["position", turn.start, *(["moves", *words] if words else [])])
        own = turn.position.turn
        go = self._go_line(turn.clocks[own], turn.clocks[1 - own])
        info: list[str] = []
        wanted = ("nobestmove", "bestmove")
        elapsed_ms, line = self.request([position, go], *wanted, budget_ms=turn.budget_ms, info=info)
        answer = line.split()
        if answer[-1] == "resign":
            raise Forfeit("resigned", line)
        if len(answer) < 2:
            raise Forfeit("illegal", line)
        return Choice(self.own_word(answer[1], turn), elapsed_ms, score_of(info), nodes_of(info))

    def _go_line(self, own: TimeLeft | None, other: TimeLeft | None) -> str:
        limits = self._spec.limits
        if limits.nodes or limits.depth:
            return f"go nodes {limits.nodes}" if limits.nodes else f"go depth {limits.depth}"
        if limits.movetime_ms:
            return f"go time {self._time(limits.movetime_ms)} movestogo 1"
        assert own is not None
        words = ["go time", self._time(own.left_ms), "increment", self._time(own.increment_ms, 0)]
        if other:
            words += ["opptime", self._time(other.left_ms), "oppincrement", self._time(other.increment_ms, 0)]
        return " ".join(words)

    def _time(self, ms: int, least: int = 1) -> str:
        """Return a time in the engine's unit."""
        return str(ms if MILLISECONDS in self._declared else max(ms // 1000, least))


def score_of(lines: Sequence[str]) -> Score | None:
    """Return the last score in `info` lines; mates are numbers of centipawns beyond all others."""
    for line in reversed(lines):
        if match := re.match(r"info (?!.*multipv (?!1\b)).*\bscore (-?\d+)", line):
            return Score(int(match[1]))
    return None
