"""The client's side of UCI, with the words protocol.md adds for the other games."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence

from siqi.daemon.clients.base import START_TIMEOUT_S, EngineProcess
from siqi.daemon.clients.player import Choice, EngineSpec, StartError, Turn
from siqi.games.contract import GameInfo, Score
from siqi.games.shape import shift_ranks


class UciEngine(EngineProcess):
    """An engine that speaks UCI, with the words protocol.md adds for the other games."""

    def __init__(self, spec: EngineSpec, info: GameInfo, hang_s: float) -> None:
        super().__init__(spec.name, spec.program)
        self._spec, self._info, self._hang_s = spec, info, hang_s
        self._options = dict(spec.options)
        self._unsent: dict[str, str] = {}
        self.declared: dict[str, str] = {}
        """The options of the engine, once it has started: by its name in lower case, the rest of a declaration."""

    def set_options(self, options: dict[str, str]) -> None:
        """Set options from the next game on."""
        self._options |= options
        self._unsent |= options

    def try_options(self, options: dict[str, str]) -> list[str]:
        """Set options of the engine, which has started, at once; return the lines that it answers."""
        answers: list[str] = []
        self.send(*self._settings(options), "isready")
        self.wait_for("readyok", timeout_s=self._hang_s, info=answers)
        return answers

    def new_game(self, seed: str) -> None:
        super().new_game(seed)
        unsent, self._unsent = self._unsent, {}
        self.send(*self._settings(unsent), "ucinewgame", "isready")
        self.wait_for("readyok", timeout_s=self._hang_s)

    def choose(self, turn: Turn) -> Choice:
        budget_s = turn.budget_ms / 1000 if math.isfinite(turn.budget_ms) else 0.0
        return self.ask(turn.start, turn.words, turn.throws, turn.go, budget_s)

    def ask(self, start: str, moves: Sequence[str], throws: Sequence[int], go: str, budget_s: float) -> Choice:
        """Return the engine's choice in a position; Forfeit if it hangs beyond the budget."""
        words = [shift_ranks(word, self._spec.ranks) for word in moves]
        position = " ".join(["position", start, *(["moves", *words] if words else [])])
        dice = [f"dice {throws[-1]}"] if throws else []
        started = time.monotonic()
        self.send(position, *dice, go)
        info: list[str] = []
        answered, line = self.wait_for("bestmove", timeout_s=budget_s + self._hang_s, info=info)
        answer = line.split()[1:2] or ["(none)"]
        word = shift_ranks(answer[0], -self._spec.ranks)
        return Choice(word, (answered - started) * 1000, score_of(info), nodes_of(info))

    def greet(self) -> None:
        self.declared, self._unsent = {}, {}
        self._collect_options("uci", "uciok")
        if self._info.name != "xiangqi" or "uci_variant" in self.declared:  # else the engine knows only Xiangqi
            self.send(*self._settings({"UCI_Variant": self._info.name}))
            self._collect_options("isready", "readyok")  # the game's options come after its name
        self.send(*self._settings(self._options), "isready")
        self.wait_for("readyok", timeout_s=START_TIMEOUT_S)

    def _collect_options(self, word: str, answer: str) -> None:
        """Send a word, and note the options that are declared up to its answer."""
        self.send(word)
        lines: list[str] = []
        self.wait_for(answer, timeout_s=START_TIMEOUT_S, info=lines)
        named = [re.match(r"option\s+name\s+(.+?)\s+(type\s.*)", line) for line in lines]
        self.declared |= {match[1].lower(): match[2] for match in named if match}

    def _settings(self, options: dict[str, str]) -> list[str]:
        """Return the `setoption` lines; StartError for an option that the engine lacks, and would silently ignore."""
        for name in options:
            if name.lower() not in self.declared:
                raise StartError(f"{self._spec.name} has no option {name}")
        return [f"setoption name {name} value {value}" for name, value in options.items()]


def score_of(lines: Sequence[str]) -> Score | None:
    """Return the last exact score of the best line in `info` lines; None if there is none."""
    for line in reversed(lines):
        found = re.match(r"info (?!.*multipv (?!1\b)).*\bscore (cp|mate) (-?\d+)(?! (?:lower|upper)bound)", line)
        if found:
            return Score(int(found[2])) if found[1] == "cp" else Score(mate=int(found[2]))
    return None


def nodes_of(lines: Sequence[str]) -> int:
    """Return the last number of nodes in `info` lines, 0 if there is none."""
    for line in reversed(lines):
        if found := re.match(r"info .*\bnodes (\d+)", line):
            return int(found[1])
    return 0
