"""An engine in a process of its own, whatever its protocol."""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

from siqi.daemon.clients.player import EngineSpec, Forfeit, Player, StartError, Turn
from siqi.daemon.clients.process import Ended, Process, Silent
from siqi.games import registry
from siqi.games.contract import GameInfo, Position
from siqi.games.shape import shift_ranks
from siqi.system.pipes import to_stderr

GREETING_S = 20.0
"""The wait for the answer to an engine's first line: no engine compiles before it."""

START_TIMEOUT_S = 300.0  # a cold kernel cache compiles for minutes where several engines share a core

NOTICE_S = 5.0
"""A longer wait is announced."""

OWN_NAME = re.compile(r'(?:^(?:id )?name +|\bmyname=")([^"]*[^" ])', re.IGNORECASE)
"""What an engine calls itself in its greeting: `id name X`, `name X`, `myname="X"`."""

ALL_LIMITS = ("movetime", "nodes", "depth", "clock", "increment")


class EngineProcess(Player):
    """An engine in a process, which starts with the first game and again after it died."""

    protocol: ClassVar[str]
    """Its word in `proto=`."""
    games: ClassVar[tuple[str, ...]] = registry.NAMES
    limits: ClassVar[tuple[str, ...]] = ALL_LIMITS
    """The limits that can be said to the engine, or that the referee's clock holds alone."""
    in_seconds: ClassVar[tuple[str, ...]] = ()
    """Those that the protocol has in whole seconds."""
    has_options: ClassVar[bool] = True

    def __init__(self, spec: EngineSpec, info: GameInfo, hang_s: float, greeting_s: float = GREETING_S) -> None:
        self.name = spec.name
        self.is_known = False
        """True once a line has come that an engine without this protocol would not write."""
        self.last_line = ""
        self._spec, self._info, self._hang_s, self._greeting_s = spec, info, hang_s, greeting_s
        self._process: Process | None = None
        self._are_ranks_known = False
        self._took_ms: int | None = None  # for the start, until a game's `start_ms` names it; None: not ready

    @classmethod
    def unfit(cls, spec: EngineSpec, info: GameInfo) -> str:
        """Return why an engine cannot be asked for such games in this protocol, "" if it can."""
        limits = spec.limits
        values = (limits.movetime_ms, limits.nodes, limits.depth, limits.clock_ms, limits.increment_ms)
        given = dict(zip(ALL_LIMITS, values, strict=True))
        for name in cls.in_seconds:
            if given[name] % 1000:
                what = "the clock" if name == "clock" else name
                return f"{spec.name}: {what} is whole seconds in the protocol {cls.protocol}, not {given[name]} ms"
        if info.name not in cls.games:
            return f"{spec.name}: the protocol {cls.protocol} has no {info.name}"
        if spec.options and not cls.has_options:
            return f"{spec.name}: the protocol {cls.protocol} has no options: give them to its command"
        for name, value in given.items():
            if value and name not in cls.limits:
                return f"{spec.name}: the protocol {cls.protocol} has no {name}, only {', '.join(cls.limits)}"
        return ""

    # The start

    def hello(self, within_s: float) -> None:
        """Greet the process, which has just started, in the protocol, by `greeting`. Forfeit if it does not answer."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Send options, and wait until the process that has answered can play. Forfeit or StartError if it cannot."""

    def connect(self, within_s: float) -> None:
        """Start the process and greet it; StartError if that fails, with OSError as its cause if it is no program."""
        self.close()
        self._took_ms = None
        with self._starting():
            self._process = Process(self._spec.program)
            self.hello(within_s)

    def start(self) -> None:
        if self._process is None or not self._process.is_running:
            self.connect(self._greeting_s)
        if self._took_ms is None:
            assert self._process is not None
            with self._starting():
                self.prepare()
            self._took_ms = round(1000 * (time.monotonic() - self._process.started))

    def new_game(self, seed: str) -> None:
        self.start()
        self.start_ms, self._took_ms = self._took_ms or 0, 0
        if self._process is not None:
            self._process.begin()

    @property
    def dialogue(self) -> list[str]:
        return [] if self._process is None else self._process.dialogue

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        try:
            yield
        except (Forfeit, OSError) as fault:
            said = f"; its last line: {self.last_line}" if self.last_line else ""
            why = f"{fault.strerror}: {fault.filename}" if isinstance(fault, OSError) else str(fault)
            raise StartError(f"{self.name} does not start: {why}{said}") from fault

    def greeting(self, lines: Sequence[str], last: str, signs: Sequence[str], within_s: float) -> list[str]:
        """Send the first lines, and return the answer up to the line with the word `last`.

        It has the time of a greeting once a line has come with this word or one of `signs`, which show that the engine
        knows the protocol; that line is awaited for `within_s`. Forfeit if a line does not come.
        """
        answer: list[str] = []
        started = time.monotonic()
        with self.announced(last):
            self.send(*lines)
            _, line = self.wait_for(*signs, last, timeout_s=within_s, info=answer)
            self.is_known = True
            answer.append(line)
            while last not in line.split():
                left_s = max(started + self._greeting_s - time.monotonic(), 0.0)
                _, line = self.wait_for(*signs, last, timeout_s=left_s, info=answer)
                answer.append(line)
        self.version = next((match[1] for text in answer if (match := OWN_NAME.search(text))), "")
        return answer

    def wait_until_ready(self, line: str, answer: str, info: list[str] | None = None) -> None:
        """Send a line that is answered once the engine can play, and wait for that, compiling included."""
        with self.announced(f"{answer} (it may be compiling)"):
            self.send(line)
            self.wait_for(answer, timeout_s=START_TIMEOUT_S, info=info)

    @contextlib.contextmanager
    def announced(self, what: str) -> Iterator[None]:
        """Write a line on standard error if the block takes longer than a start usually does."""
        notice = threading.Timer(NOTICE_S, to_stderr, [f"siqi match: waiting for {what} from {self.name}"])
        notice.daemon = True
        notice.start()
        try:
            yield
        finally:
            notice.cancel()

    # Lines

    def send(self, *lines: str) -> float:
        """Write lines; return the time. Forfeit if the process has died."""
        assert self._process is not None
        try:
            return self._process.send(*lines)
        except Ended as ended:
            raise Forfeit("crash", str(ended)) from ended

    def notify(self, *lines: str) -> None:
        """Write lines to the process if it can still read them."""
        if self._process is not None and self._process.is_running:
            with contextlib.suppress(Forfeit):
                self.send(*lines)

    def wait_for(self, *wanted: str, timeout_s: float, info: list[str] | None = None) -> tuple[float, str]:
        """Return the time and text of the next line that starts with a wanted word; earlier lines go to `info`.

        Any line is wanted if no word is named. Forfeit if the process dies or stays silent.
        """
        assert self._process is not None

        def passing(line: str) -> None:
            self.last_line = line
            if info is not None:
                info.append(line)

        try:
            arrived, self.last_line = self._process.wait_for(*wanted, timeout_s=timeout_s, passing=passing)
        except Ended as ended:
            raise Forfeit("crash", str(ended)) from ended
        except Silent as silent:
            raise Forfeit("time", str(silent)) from silent
        return arrived, self.last_line

    def request(
        self, lines: Sequence[str], *wanted: str, budget_ms: float, info: list[str] | None = None
    ) -> tuple[float, str]:
        """Send lines; return the ms until the answer, and its text. Forfeit if it hangs beyond the budget."""
        budget_s = budget_ms / 1000 if math.isfinite(budget_ms) else 0.0
        sent = self.send(*lines)  # the clock starts once the bytes are written
        answered, line = self.wait_for(*wanted, timeout_s=budget_s + self._hang_s, info=info)
        return max(1000 * (answered - sent), 0.0), line

    def own_word(self, text: str, turn: Turn) -> str:
        """Return an engine's word of a move with Xiangqi's ranks from 0.

        StartError if it counts ranks in the other way: until a move has shown how it counts, an illegal one that would
        be legal so is no move of a loser, but a match set up wrongly.
        """
        ranks = self._spec.ranks
        word, other = (shift_ranks(text, by) for by in (-ranks, ranks - 1))
        if self._info.name == "xiangqi" and not self._are_ranks_known:
            is_legal, is_legal_so = (_is_legal(turn.position, text) for text in (word, other))
            if not is_legal and (is_legal_so or _is_legal(_start(turn), other)):
                right = 1 - ranks
                raise StartError(f"{self.name} plays {text}, legal only with ranks from {right}: give it ranks={right}")
            self._are_ranks_known = is_legal and not is_legal_so
        return word

    def close(self) -> None:
        if self._process is not None:
            self._process.close()


def _is_legal(position: Position, word: str) -> bool:
    try:
        position.parse_move(word)
    except ValueError:
        return False
    return True


def _start(turn: Turn) -> Position:
    """Return the position of an engine that counts ranks in the other way: a first move is illegal to it."""
    position = turn.position.copy()
    for _ in turn.words:
        position.pop()
    return position


def said_seconds(ms: int) -> str:
    """Return a time as protocols with seconds write it: without a fraction if there is none."""
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")
