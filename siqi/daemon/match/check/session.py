"""An engine under check: a program of its own for each try, and words for what went wrong."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
from collections.abc import Mapping
from types import TracebackType

from siqi.daemon.match.check.dialogue import Dialogue, Fits, Line
from siqi.daemon.match.check.protocols import GAMES, Game, Protocol
from siqi.games.shape import shift_ranks

GREETING_S, PROMPT_S, LOAD_S, SEARCH_S, STOP_S, END_S = 5.0, 1.0, 60.0, 10.0, 0.2, 1.0
"""Longest waits for the end of a greeting, an answer at once, a game that is loaded, the move of a short search,
the move after a `stop` (the UCCI league's referee allows as much), and the end of the process."""


class Failure(Exception):
    """The engine breaks a rule; the message says by what."""


class Inapplicable(Exception):
    """The rule cannot be tried on this engine; the message says why."""


class Engine:
    """The engine under check: how it is started, what it plays, and how patient the checks are."""

    def __init__(self, program: str, protocol: Protocol, game: str, options: Mapping[str, str], slow: float) -> None:
        """`slow`: all waits are this many times as long."""
        self.command = absolute(shlex.split(program))
        self.protocol, self.game_name, self.options, self.slow = protocol, game, options, slow
        self.ranks = 0
        """The number of Xiangqi's lowest rank in its moves."""
        self.sessions: list[Session] = []
        """The programs started since the last `close`."""

    @property
    def game(self) -> Game:
        """The positions of its game, in its own words."""
        game = GAMES[self.game_name]
        return game._replace(moves=" ".join(shift_ranks(move, self.ranks) for move in game.moves.split()))

    def start(self, environment: Mapping[str, str] | None = None, folder: str | None = None) -> Session:
        """Start a program and say nothing to it yet. OSError if it cannot be started."""
        self.sessions.append(Session(self, environment, folder))
        return self.sessions[-1]

    def begin(self, load_s: float = LOAD_S, folder: str | None = None) -> Session:
        """Start a program, greet it, select the game and options, and wait until it listens."""
        session = self.start(folder=folder)
        session.greet(load_s)
        session.select(load_s)
        return session

    def close(self) -> None:
        """End all programs that were started; harmless when repeated."""
        while self.sessions:
            self.sessions.pop().close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Session(Dialogue):
    """A dialogue with a program of the engine. Its methods raise Failure where an answer is missing."""

    def __init__(self, engine: Engine, environment: Mapping[str, str] | None, folder: str | None) -> None:
        super().__init__(engine.command, environment, folder)
        self.engine, self.protocol = engine, engine.protocol
        self.greeted: list[Line] = []
        """The answers to the greeting."""
        self._probes = 0

    def greet(self, within_s: float = GREETING_S, mark: bytes = b"", line_end: str = "\n") -> None:
        """Send the greeting and wait for the end of its answer. The time counts from the program's start."""
        self.send_bytes(mark + "".join(f"{line}{line_end}" for line in self.protocol.greeting).encode())
        self.expect(self.protocol.is_greeted, within_s, f"end of the answer to {self.protocol.greeting[-1]}")
        self.greeted = self.received()

    def select(self, load_s: float = LOAD_S) -> None:
        """Select the game and options. Unplayable if the engine has not the game."""
        self.send(*self.protocol.selection(self.engine.game_name, self.engine.options, self.greeted))
        self.alive("the game was selected", load_s)

    def expect(self, fits: Fits, within_s: float, what: str) -> Line:
        """Return the next line that fits; Failure if it does not come within a time, which `slow` stretches."""
        line = self.wait_for(fits, within_s * self.engine.slow)
        if line is None:
            raise Failure(f"{self.fate or f'no line within {within_s * self.engine.slow:g} s'}: no {what}")
        return line

    @property
    def fate(self) -> str:
        """How the program has ended; '' while it runs. What it has started may still hold its output open."""
        status = self.end(0.2 if self.has_ended else 0.0)
        if status is None:
            return "its output has ended" if self.has_ended else ""
        name = ""
        with contextlib.suppress(ValueError):
            name = f", {signal.Signals(-status).name}"
        return f"it ended (status {status}{name})"

    def alive(self, after: str, within_s: float = PROMPT_S) -> list[Line]:
        """Wait for the answer to a probe; return the lines before it. Failure: `after` this it did not answer."""
        self._probes += 1
        probe = self.protocol.probe(self._probes)
        sent = self.send(probe)
        answer = self.expect(self.protocol.is_alive, within_s, f"answer to {probe} after {after}")
        return [line for line in self.received(sent) if line is not answer]

    def move(self, what: str = "move", within_s: float = SEARCH_S) -> Line:
        """Return the next line that answers a search."""
        return self.expect(lambda line: self.protocol.move_of(line) is not None, within_s, what)

    def moves_of(self, lines: list[Line]) -> list[Line]:
        """Return those of the lines that answer a search."""
        return [line for line in lines if self.protocol.move_of(line) is not None]

    def search(self, after: str = "") -> Line:
        """Let it search shortly; return its answer."""
        self.send(*self.protocol.search(self.engine.game))
        return self.move(f"move {after}".strip())

    def silent(self, for_s: float, why: str) -> None:
        """Failure if an answer to a search comes within a time: there must be none, and `why`."""
        if unasked := self.moves_of(self.listen(for_s)):
            raise Failure(f"{unasked[0].text!r} came {why}")

    def must_end(self, after: str, within_s: float = END_S) -> None:
        """Failure if the program has not ended in time, or has failed."""
        status = self.end(within_s * self.engine.slow)
        if status is None:
            raise Failure(f"it runs on {within_s * self.engine.slow:g} s after {after}")
        if self.protocol.status is not None and status != self.protocol.status:
            raise Failure(f"{self.fate} after {after}")


def absolute(words: list[str]) -> list[str]:
    """Return a command that means the same in any folder and with any environment."""
    command = [shutil.which(words[0]) or words[0], *words[1:]]
    return [
        os.path.abspath(word) if os.path.isfile(word) or (os.sep in word and os.path.exists(word)) else word
        for word in command
    ]
