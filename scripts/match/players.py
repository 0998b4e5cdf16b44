"""The players of a game and their limits: a UCI engine in its own process, and a random mover (minds.py has more)."""

from __future__ import annotations

import contextlib
import math
import random
import re
import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from scripts.common.process import Ended, Process, Silent
from scripts.common.records import shift_ranks

from siqi.games.contract import GameInfo, Position, Score
from siqi.games.kernel.control import Control

START_TIMEOUT_S = 300.0  # a cold kernel cache compiles for minutes where several engines share a core
MAX_LISTED = 5000  # the longest move list that the random mover builds


class PlayerLimits(msgspec.Struct, frozen=True):
    """One player's limits per move and per game; 0: no such limit."""

    movetime_ms: int = 0
    nodes: int = 0  # or playouts
    depth: int = 0  # plies
    clock_ms: int = 0  # sudden death for the whole game
    increment_ms: int = 0

    @property
    def text(self) -> str:
        """The limit, if there is only one, as tables and logs name it."""
        if self.clock_ms:
            return f"{self.clock_ms} ms a game"
        if self.depth:
            return f"depth {self.depth}"
        return f"{self.nodes} nodes" if self.nodes else f"{self.movetime_ms} ms"

    def control(self) -> Control:
        """Return a control block with the limits of a move but its depth; the time runs from here."""
        control = Control(self.nodes)
        if self.movetime_ms:
            control.set_deadline(time.monotonic_ns() + 1_000_000 * self.movetime_ms)
        return control


UNLIMITED = PlayerLimits()


class EngineSpec(msgspec.Struct, frozen=True):
    """An engine as the command line describes it. The command `random` is the built-in mover."""

    name: str
    command: str
    options: dict[str, str] = {}
    limits: PlayerLimits = UNLIMITED
    ranks: int = 0  # number of the lowest rank in its move words


class Turn(NamedTuple):
    """The question for one move."""

    position: Position  # the referee's, read-only; only for players in this process
    start: str  # `startpos` or `fen F`
    words: list[str]  # the moves since, as the mover may see them
    deploying: bool
    throws: Sequence[int]  # dice of the game so far, this turn's last; empty: the game has none, or is about to begin
    go: str
    budget_ms: float  # time the move may take, infinite without a limit in time


class Choice(NamedTuple):
    """A move word, and its ms on the referee's side of the pipe; score and nodes if the player reported them."""

    word: str
    elapsed_ms: float
    score: Score | None = None
    nodes: int = 0


class Forfeit(Exception):
    """The player to act loses the game; `cause` is illegal, crash or time."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause, self.reason = cause, reason


class StartError(Exception):
    """An engine that cannot be used at all: the match stops."""


class Player:
    """A player of one side. `new_game` and `choose` raise Forfeit."""

    def new_game(self, seed: str) -> None:
        """Begin a game."""

    def choose(self, turn: Turn) -> Choice:
        """Choose a move, or a set-up."""
        raise NotImplementedError

    def played(self, position: Position) -> None:
        """Called when the player's move was legal, with the referee's position after it."""

    def game_over(self, won: bool | None) -> None:
        """Called at the end; None: a draw."""

    def close(self) -> None:
        """End the player; harmless when repeated, and callable from another thread to break off a game."""


def make_player(spec: EngineSpec, info: GameInfo, hang_s: float) -> Player:
    return RandomMover(info) if spec.command == "random" else UciEngine(spec, info, hang_s)


class EngineProcess(Player):
    """An engine in a process, which starts with the first game and again after it died."""

    def __init__(self, name: str, command: str) -> None:
        self.name, self._command = name, command
        self._process: Process | None = None

    def greet(self) -> None:
        """Wait until the process, which has just started, can play. Forfeit or StartError if it cannot."""
        raise NotImplementedError

    def new_game(self, seed: str) -> None:
        """Start the process if need be (StartError if that fails)."""
        if self._process is None or not self._process.is_running:
            self.close()
            try:
                self._process = Process(self._command)
                self.greet()
            except (Forfeit, OSError) as fault:
                raise StartError(f"{self.name} does not start: {fault}") from fault

    def send(self, *lines: str) -> float:
        """Write lines; return the time. Forfeit if the process has died."""
        assert self._process is not None
        try:
            return self._process.send(*lines)
        except Ended as ended:
            raise Forfeit("crash", str(ended)) from ended

    def wait_for(self, *wanted: str, timeout_s: float, info: list[str] | None = None) -> tuple[float, str]:
        """Return the time and text of the next line that starts with a wanted word; earlier lines go to `info`.

        Forfeit if the process dies or stays silent.
        """
        assert self._process is not None
        try:
            return self._process.wait_for(*wanted, timeout_s=timeout_s, passing=str if info is None else info.append)
        except Ended as ended:
            raise Forfeit("crash", str(ended)) from ended
        except Silent as silent:
            raise Forfeit("time", str(silent)) from silent

    def close(self) -> None:
        if self._process is not None:
            self._process.close()


class UciEngine(EngineProcess):
    """An engine that speaks UCI, with the words protocol.md adds for the other games."""

    def __init__(self, spec: EngineSpec, info: GameInfo, hang_s: float) -> None:
        super().__init__(spec.name, spec.command)
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


class RandomMover(Player):
    """A player of uniformly random legal moves and set-ups."""

    def __init__(self, info: GameInfo) -> None:
        self._info = info
        self._rng = random.Random()

    def new_game(self, seed: str) -> None:
        self._rng = random.Random(seed)

    def choose(self, turn: Turn) -> Choice:
        return Choice(self._setup() if turn.deploying else self.move(turn.position), 0.0)

    def _setup(self) -> str:
        return random_junqi_setup(self._rng) if self._info.has_hidden else random_ewn_setup(self._rng)

    def move(self, position: Position) -> str:
        """Return a random legal move's word."""
        if position.count_legal() <= MAX_LISTED:
            return position.move_text(self._rng.choice(position.legal_moves()))
        while True:  # two stones on a board with room: most draws are legal
            word = "".join(f"{self._rng.choice('abcdefghijklmnopqrs')}{self._rng.randint(1, 19)}" for _ in "12")
            with contextlib.suppress(ValueError):
                position.parse_move(word)
                return word


def random_ewn_setup(rng: random.Random) -> str:
    return "".join(rng.sample("123456", 6))


def random_junqi_setup(rng: random.Random) -> str:
    """Return 25 letters, front row first: flag in a headquarters, mines in the last two rows, no bomb in front."""
    slots = [""] * 25
    slots[rng.choice((21, 23))] = "l"
    for letter, count, first in (("j", 3, 15), ("k", 2, 5)):
        for slot in rng.sample([slot for slot in range(first, 25) if not slots[slot]], count):
            slots[slot] = letter
    rest = iter(rng.sample("abccddeeffggghhhiii", 19))
    return "".join(letter or next(rest) for letter in slots)
