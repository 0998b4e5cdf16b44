"""The client's side of UCI, with the words protocol.md adds for the other games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from siqi.daemon.clients.base import GREETING_S, EngineProcess
from siqi.daemon.clients.options import UCI_LINE, Option, by_name, chosen, declared_options
from siqi.daemon.clients.player import Choice, EngineSpec, PlayerLimits, StartError, TimeLeft, Turn
from siqi.games.contract import GameInfo, Score
from siqi.games.shape import shift_ranks


class UciEngine(EngineProcess):
    """An engine that speaks UCI, with the words protocol.md adds for the other games."""

    protocol = "uci"
    greeting_answer: ClassVar[str] = "uciok"
    new_game_word: ClassVar[str] = "ucinewgame"
    sides: ClassVar[tuple[str, str]] = ("w", "b")
    """The first letters of the words for the sides' clocks."""
    unnamed_games: ClassVar[tuple[str, ...]] = ("xiangqi",)
    """The games that an engine may play without an option UCI_Variant."""

    def __init__(self, spec: EngineSpec, info: GameInfo, hang_s: float, greeting_s: float = GREETING_S) -> None:
        super().__init__(spec, info, hang_s, greeting_s)
        self._options = dict(spec.options)
        self._unsent: dict[str, str] = {}
        self.declared: dict[str, Option] = {}
        """The options of the engine, once it has started, by their names in lower case."""

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
        self.send(*self._settings(unsent), self.new_game_word, "isready")
        self.wait_for("readyok", timeout_s=self._hang_s)

    def choose(self, turn: Turn) -> Choice:
        words = [shift_ranks(word, self._spec.ranks) for word in turn.words]
        go = go_line(self._spec.limits, turn.clocks, self.sides)
        choice = self.ask(turn.start, words, turn.throws, go, turn.budget_ms)
        return choice._replace(word=self.own_word(choice.word, turn))

    def ask(self, start: str, moves: Sequence[str], throws: Sequence[int], go: str, budget_ms: float) -> Choice:
        """Return the engine's choice in a position, all moves in its words; Forfeit if it hangs beyond the budget."""
        position = " ".join(["position", start, *(["moves", *moves] if moves else [])])
        dice = [f"dice {throws[-1]}"] if throws else []
        info: list[str] = []
        elapsed_ms, line = self.request([position, *dice, go], "bestmove", budget_ms=budget_ms, info=info)
        answer = line.split()[1:2] or ["(none)"]
        return Choice(answer[0], elapsed_ms, self.score_of(info), nodes_of(info))

    def score_of(self, lines: Sequence[str]) -> Score | None:
        """Return the last exact score of the best line in `info` lines; None if there is none."""
        return score_of(lines)

    def hello(self, within_s: float) -> None:
        self.declared, self._unsent = {}, {}
        self._note_options(self.greeting([self.protocol], self.greeting_answer, ("id", "option"), within_s))

    def prepare(self) -> None:
        game = self._info.name
        if "uci_variant" in self.declared:
            variants = self.declared["uci_variant"].choices
            if variants and game not in variants:
                raise StartError(f"{self.name} does not play {game}: its UCI_Variant does not list it")
            self.send(*self._settings({"UCI_Variant": game}))
        elif game not in self.unnamed_games:
            raise StartError(f"{self.name} does not play {game}: it has no option UCI_Variant")
        lines: list[str] = []
        self.wait_until_ready("isready", "readyok", lines)
        self._note_options(lines)  # the game's options come after its name
        self.send(*self._settings(self._options))
        self.wait_until_ready("isready", "readyok")

    def _note_options(self, lines: Sequence[str]) -> None:
        self.declared |= by_name(declared_options(UCI_LINE, lines))

    def _settings(self, options: dict[str, str]) -> list[str]:
        """Return the `setoption` lines; OptionError for what the engine would silently ignore."""
        settings = chosen(self.name, options, self.declared)
        return [f"setoption name {option.name} value {value}" for option, value in settings]


def go_line(limits: PlayerLimits, clocks: Sequence[TimeLeft | None], sides: Sequence[str]) -> str:
    """Return the `go` line; the first side's clock belongs to the side that moves first from the start position."""
    words = ["go"]
    for side, clock in zip(sides, clocks, strict=True):
        if limits.clock_ms and clock:
            words += [f"{side}time", str(clock.left_ms), f"{side}inc", str(clock.increment_ms)]
    for name, value in (("movetime", limits.movetime_ms), ("nodes", limits.nodes), ("depth", limits.depth)):
        if value:
            words += [name, str(value)]
    return " ".join(words)


def score_of(lines: Sequence[str]) -> Score | None:
    """Return the last exact score of the best line in `info` lines; None if there is none."""
    for line in reversed(lines):
        match = re.match(r"info (?!.*multipv (?!1\b)).*\bscore (cp|mate) (-?\d+)(?! (?:lower|upper)bound)", line)
        if match:
            return Score(int(match[2])) if match[1] == "cp" else Score(mate=int(match[2]))
    return None


def nodes_of(lines: Sequence[str]) -> int:
    """Return the last number of nodes in `info` lines, 0 if there is none."""
    for line in reversed(lines):
        if match := re.match(r"info .*\bnodes (\d+)", line):
            return int(match[1])
    return 0
