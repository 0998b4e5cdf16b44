"""The players of a match: a UCI engine in its own process, and a built-in random mover."""

from __future__ import annotations

import contextlib
import math
import queue
import random
import re
import shlex
import subprocess
import threading
import time
from typing import IO, NamedTuple, Protocol

import msgspec

from games.contract import GameInfo, Position

START_TIMEOUT_S = 300.0  # a cold kernel cache compiles for minutes where several engines share a core
QUIT_TIMEOUT_S = 1.0
MAX_LISTED = 5000  # the longest move list the random mover builds


class Limits(msgspec.Struct, frozen=True):
    """What one engine may spend; 0: no such limit."""

    movetime_ms: int = 0
    nodes: int = 0
    depth: int = 0
    clock_ms: int = 0  # sudden death for the whole game
    increment_ms: int = 0


class EngineSpec(msgspec.Struct, frozen=True):
    """An engine as the command line describes it. The command `random` is the built-in mover."""

    name: str
    command: str
    options: dict[str, str] = {}
    limits: Limits = Limits()
    ranks: int = 0  # number of the lowest rank in its move words


class Turn(NamedTuple):
    """All a player needs to choose one move."""

    position: Position  # the referee's, not to be changed; only the random mover looks at it
    start: str  # `startpos` or `fen F`
    words: list[str]  # the moves since, as the mover may see them
    deploying: bool
    dice: int  # 0: the game has none, or a set-up is asked for
    go: str
    budget_ms: float  # time the move may take, infinite without a limit in time


class Choice(NamedTuple):
    """A move word, and the time it took on our side of the pipe."""

    word: str
    elapsed_ms: float


class Forfeit(Exception):
    """The player to act loses the game; `cause` is illegal, crash or time."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause, self.reason = cause, reason


class StartError(Exception):
    """An engine that cannot be used at all: the match stops."""


class Player(Protocol):
    """One seat at the board. `new_game` and `choose` raise Forfeit."""

    def new_game(self, seed: str) -> None: ...

    def choose(self, turn: Turn) -> Choice: ...

    def close(self) -> None:
        """Leave; harmless when repeated, and callable from another thread to break off a game."""


def make_player(spec: EngineSpec, info: GameInfo, hang_s: float) -> Player:
    return RandomMover(info) if spec.command == "random" else Engine(spec, info, hang_s)


class Engine:
    """A UCI engine. Its process starts with the first game and again after it died."""

    def __init__(self, spec: EngineSpec, info: GameInfo, hang_s: float) -> None:
        self._spec, self._info, self._hang_s = spec, info, hang_s
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[tuple[float, str | None]] = queue.SimpleQueue()

    def new_game(self, seed: str) -> None:
        """Start the process if need be (StartError if that fails) and wait until it is ready."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            try:
                self._start()
            except Forfeit as fault:
                raise StartError(f"{self._spec.name} does not start: {fault.reason}") from fault
        self._send("ucinewgame", "isready")
        self._wait_for("readyok", timeout_s=self._hang_s)

    def choose(self, turn: Turn) -> Choice:
        words = [shift_ranks(word, self._spec.ranks) for word in turn.words]
        position = " ".join(["position", turn.start, *(["moves", *words] if words else [])])
        dice = [f"dice {turn.dice}"] if turn.dice else []
        started = time.monotonic()
        self._send(position, *dice, turn.go)
        budget_s = turn.budget_ms / 1000 if math.isfinite(turn.budget_ms) else 0.0
        answered, line = self._wait_for("bestmove", timeout_s=budget_s + self._hang_s)
        answer = line.split()[1:2] or ["(none)"]
        return Choice(shift_ranks(answer[0], -self._spec.ranks), (answered - started) * 1000)

    def close(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # broken, or already closed
            self._process.stdin.write("quit\n")
            self._process.stdin.close()
        try:
            self._process.wait(QUIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._kill()

    def _start(self) -> None:
        try:
            # A session of its own: Ctrl-C is for the runner, which must not charge engines with dying of it.
            self._process = subprocess.Popen(
                shlex.split(self._spec.command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except OSError as error:
            raise StartError(f"{self._spec.name} does not start: {error}") from error
        assert self._process.stdout is not None
        self._lines = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True).start()
        self._send("uci")
        declared = self._declared_options()
        self._send(*self._settings(declared), "isready")
        self._wait_for("readyok", timeout_s=START_TIMEOUT_S)

    def _declared_options(self) -> set[str]:
        """Names of the options printed before `uciok`, in lower case."""
        names: set[str] = set()
        while True:
            _, line = self._wait_for("option", "uciok", timeout_s=START_TIMEOUT_S)
            if line.startswith("uciok"):
                return names
            if named := re.match(r"option\s+name\s+(.+?)\s+type\s", line):
                names.add(named[1].lower())

    def _settings(self, declared: set[str]) -> list[str]:
        """`setoption` lines; an option the engine does not know would silently measure nothing."""
        options = {"UCI_Variant": self._info.name, **self._spec.options}
        if self._info.name == "xiangqi" and "uci_variant" not in declared:
            del options["UCI_Variant"]  # an engine that plays nothing else
        for name in options:
            if name.lower() not in declared:
                raise StartError(f"{self._spec.name} has no option {name}")
        return [f"setoption name {name} value {value}" for name, value in options.items()]

    def _send(self, *lines: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write("".join(line + "\n" for line in lines))
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._crash() from error

    def _wait_for(self, *wanted: str, timeout_s: float) -> tuple[float, str]:
        """The next line that starts with a wanted word and its time of arrival; others are dropped."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                arrived, line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._kill()
                raise Forfeit("time", f"hung: no {wanted[-1]} within {timeout_s:g} s") from None
            if line is None:
                raise self._crash()
            if line.partition(" ")[0] in wanted:
                return arrived, line

    def _kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _crash(self) -> Forfeit:
        """What to say of a process whose pipe broke."""
        self.close()
        assert self._process is not None
        return Forfeit("crash", f"engine ended with status {self._process.returncode}")


def _pump(stream: IO[str], lines: queue.SimpleQueue[tuple[float, str | None]]) -> None:
    """Stamp lines as they arrive, whatever the game's thread is doing; None at the end."""
    with stream:
        for line in stream:
            lines.put((time.monotonic(), line.strip()))
    lines.put((time.monotonic(), None))


def shift_ranks(word: str, by: int) -> str:
    """A Xiangqi move word with its ranks renumbered: `h2e2` by 1 is `h3e3`."""
    return re.sub(r"(?<=[a-i])\d+", lambda rank: str(int(rank[0]) + by), word) if by else word


class RandomMover:
    """Plays uniformly random legal moves, and random legal set-ups."""

    def __init__(self, info: GameInfo) -> None:
        self._info = info
        self._rng = random.Random()

    def new_game(self, seed: str) -> None:
        self._rng = random.Random(seed)

    def choose(self, turn: Turn) -> Choice:
        return Choice(self._setup() if turn.deploying else self._move(turn.position), 0.0)

    def close(self) -> None:
        """Nothing to leave."""

    def _setup(self) -> str:
        return random_junqi_setup(self._rng) if self._info.has_hidden else random_ewn_setup(self._rng)

    def _move(self, position: Position) -> str:
        if position.count_legal() <= MAX_LISTED:
            return position.move_text(self._rng.choice(position.legal_moves()))
        while True:  # two stones on a board still so empty that most draws are legal
            word = "".join(f"{self._rng.choice('abcdefghijklmnopqrs')}{self._rng.randint(1, 19)}" for _ in "12")
            with contextlib.suppress(ValueError):
                position.parse_move(word)
                return word


def random_ewn_setup(rng: random.Random) -> str:
    return "".join(rng.sample("123456", 6))


def random_junqi_setup(rng: random.Random) -> str:
    """25 letters, front row first: flag in a headquarters, mines in the last two rows, no bomb in front."""
    slots = [""] * 25
    slots[rng.choice((21, 23))] = "l"
    for letter, count, first in (("j", 3, 15), ("k", 2, 5)):
        for slot in rng.sample([slot for slot in range(first, 25) if not slots[slot]], count):
            slots[slot] = letter
    rest = iter(rng.sample("abccddeeffggghhhiii", 19))
    return "".join(letter or next(rest) for letter in slots)
