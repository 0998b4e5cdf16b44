"""The client's side of CECP, version 2: Xiangqi. Its EWN has no die that a referee throws, and so is not played.

An engine must list its features up to `done=1`, and read coordinates. Times per move are whole seconds (`st`). A limit
of depth alone leaves the engine an hour per move. A position is set by `setboard`, if the engine has that feature. The
referee alone decides a game: an engine that claims another result than its own loss, or refuses a legal move, loses.
Offers of a draw are not answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from siqi.daemon.clients.base import EngineProcess, said_seconds
from siqi.daemon.clients.options import Option, by_name, chosen
from siqi.daemon.clients.player import Choice, Forfeit, StartError, TimeLeft, Turn
from siqi.games.contract import FIRST, Score
from siqi.games.shape import shift_ranks

RESULTS = ("1-0", "0-1", "1/2-1/2")
"""The results, by the winner's side, then a draw."""

COMMANDS = {"Hash": ("memory", "memory"), "Threads": ("smp", "cores")}
"""Options that CECP has no names for: the feature that declares each, and its command."""

UNLIMITED_S = 3600


class CecpEngine(EngineProcess):
    """An engine that speaks CECP. It thinks when the opponent has moved, from the first `go` of a game on."""

    protocol = "xboard"
    games = ("xiangqi",)
    limits = ("movetime", "depth", "clock", "increment")
    in_seconds = ("movetime",)

    _features: dict[str, str]
    _options: dict[str, Option]
    _pings = 0
    _has_played = False  # True: the process has played a game
    _side = FIRST  # the engine's in the present game
    _said: Sequence[str] = ()  # the moves that the engine knows, its own included
    _is_playing = False  # True: it answers the opponent's next move

    def hello(self, within_s: float) -> None:
        lines = self.greeting(["xboard", "protover 2"], "done=1", ("feature",), within_s)
        listed = re.findall(r'(\w+)=("[^"]*"|\S+)', " ".join(line for line in lines if line.startswith("feature")))
        self._features = {name: value.strip('"') for name, value in listed}
        named = [
            Option(name, "spin", "min 1") for name, (word, _) in COMMANDS.items() if self._features.get(word) == "1"
        ]
        named += [declared_option(value.strip('"')) for name, value in listed if name == "option"]
        self._options = by_name(named)
        self._has_played = False

    def prepare(self) -> None:
        variants = self._features.get("variants", "normal").split(",")
        if self._info.name not in variants:
            raise StartError(f"{self.name} does not play {self._info.name}: its variants are {', '.join(variants)}")
        if self._features.get("san") == "1":
            raise StartError(f"{self.name} reads no coordinates: it has the feature san=1")
        self.send(*(option_line(*setting) for setting in chosen(self.name, self._spec.options, self._options)))
        self._ping()

    def _ping(self) -> None:
        """Wait until the engine has read all lines, if it has the feature."""
        if self._features.get("ping") == "1":
            self._pings += 1
            self.wait_until_ready(f"ping {self._pings}", "pong")

    def new_game(self, seed: str) -> None:
        if self._has_played and self._features.get("reuse") == "0":
            self.close()
        super().new_game(seed)
        self._said, self._is_playing, self._has_played = (), False, True
        limits = self._spec.limits
        if limits.clock_ms:
            minutes, seconds = divmod(-(-limits.clock_ms // 1000), 60)
            time = f"level 0 {minutes}:{seconds:02} {said_seconds(limits.increment_ms)}"
        else:
            time = f"st {limits.movetime_ms // 1000 or UNLIMITED_S}"
        depth = [f"sd {limits.depth}"] if limits.depth else []
        self.send("new", f"variant {self._info.name}", "force", "easy", "post", time, *depth)
        self._ping()

    def choose(self, turn: Turn) -> Choice:
        self._side = turn.position.turn
        fresh = [shift_ranks(word, self._spec.ranks) for word in turn.words[len(self._said) :]]
        moves = [f"usermove {word}" if self._features.get("usermove") == "1" else word for word in fresh]
        if self._is_playing:
            lines = [*self._clock_lines(turn.clocks), *moves]
        else:
            lines = [*self._board_lines(turn.start), *moves, *self._clock_lines(turn.clocks), "go"]
        info: list[str] = []
        wanted = ("tellusererror", "Illegal", "resign", *RESULTS, "move")
        elapsed_ms, line = self.request(lines, *wanted, budget_ms=turn.budget_ms, info=info)
        word = self.own_word(self._move_in(line), turn)
        self._said, self._is_playing = [*turn.words, word], True
        return Choice(word, elapsed_ms, *thinking(info))

    def _board_lines(self, start: str) -> list[str]:
        """Return the lines that set the position from which a game begins; StartError if the engine cannot."""
        if start == "startpos":
            return []
        if self._features.get("setboard") != "1":
            raise StartError(f"{self.name} cannot begin from a position: it lacks the feature setboard=1")
        return [f"setboard {start.removeprefix('fen ')}"]

    def _clock_lines(self, clocks: Sequence[TimeLeft | None]) -> list[str]:
        """Return the lines with what is left on the clocks, in hundredths of a second."""
        own, other = clocks[self._side], clocks[1 - self._side]
        if own is None or self._features.get("time") == "0":
            return []
        return [f"time {max(own.left_ms // 10, 1)}", f"otim {max((other or own).left_ms // 10, 1)}"]

    def _move_in(self, line: str) -> str:
        """Return the move of an answer. Forfeit if it resigns, claims a result or refuses a move, which was legal."""
        words = line.split()
        if words[0] == "tellusererror":
            raise StartError(f"{self.name} refuses the position: {line}")
        if words[0] in ("resign", RESULTS[1 - self._side]):
            raise Forfeit("resigned", line)
        if words[0] == "Illegal":
            raise Forfeit("illegal", f"refuses a legal move: {line}")
        if words[0] in RESULTS:
            raise Forfeit("illegal", f"claims a result that the rules do not: {line}")
        return words[1] if len(words) > 1 else ""

    def game_over(self, won: bool | None) -> None:
        result = RESULTS[2] if won is None else RESULTS[self._side if won else 1 - self._side]
        self.notify("force", f"result {result} {{the referee}}")


def declared_option(text: str) -> Option:
    """Return an option of its feature: `NAME -spin VALUE MIN MAX`, `NAME -check 1`, `NAME -combo a /// *b`, others."""
    name, _, declaration = text.partition(" -")
    kind, _, rest = declaration.partition(" ")
    if kind in ("spin", "slider"):
        words = zip(("default", "min", "max"), rest.split(), strict=False)
        return Option(name, "spin", " ".join(f"{word} {value}" for word, value in words))
    if kind == "combo":
        return Option(name, kind, " ".join(f"var {value.strip().removeprefix('*')}" for value in rest.split("///")))
    return Option(name, kind, "var 0 var 1 var false var true" if kind == "check" else f"default {rest}")


def option_line(option: Option, value: str) -> str:
    """Return the line that sets an option."""
    if option.name in COMMANDS:
        return f"{COMMANDS[option.name][1]} {value}"
    if option.kind == "check":
        value = str(int(value.lower() in ("1", "true")))
    return f"option {option.name}={value}"


def thinking(lines: Sequence[str]) -> tuple[Score | None, int]:
    """Return the score and the nodes of the last line of thinking output, `depth score time nodes moves`."""
    for line in reversed(lines):
        if match := re.match(r"[1-9]\d*\S?\s+(-?\d+)\s+\d+\s+(\d+)\b", line):
            return Score(int(match[1])), int(match[2])
    return None, 0
