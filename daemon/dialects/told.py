"""What dialects share in which a game is told move by move, and the engine keeps its own time.

A move that is told is tried on the core first: `position` and, for an answer that ends it, `turn`. If the core refuses
the move the client is told so and the game stands as it was; else the engine's move is asked for. None of these
protocols has comments: that kernels are compiled, or a book is missing, goes to standard error.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from daemon.dialects import CORE_ERROR, Reading, is_news, refuses_position
from daemon.pipes import now_ns, printable
from games.compiling import to_stderr

NAME = "Siqi"

Handle = Callable[[Any, list[str], int], Reading]


class Told:
    """A `Dialect` but for its words."""

    commands: ClassVar[Mapping[str, Handle]]
    """By a line's first word; called with the dialect, the other words, and when the line was read."""

    clock_s: int
    """The engine's time for a game where the client does not tell it."""

    def __init__(self) -> None:
        self._is_seeking = False  # the engine's move
        self._void = 0  # searches whose answers nobody waits for
        self._void_tries = 0  # positions likewise
        self._is_trying = False  # the position, of which the core has not said yet that it can be
        self._has_failed = False  # the search that is asked for: the core has given the reason
        self._noted: set[str] = set()
        self._begin(self.clock_s)

    def _begin(self, seconds: int) -> tuple[str, ...]:
        """A new game: what the core is told."""
        stop = self._leave()
        self._moves: list[str] = []  # as the core writes them
        self._left_ns = seconds * 10**9
        self._since_ns = 0  # when the move being sought was asked for
        return (*stop, "ucinewgame")

    def _leave(self) -> tuple[str, ...]:
        """Nobody waits any more for what is being tried or sought: what the core is told."""
        self._void_tries += self._is_trying
        self._void += self._is_seeking
        is_stopped = self._is_seeking
        self._is_trying = self._is_seeking = False
        self._is_told = False  # the last move, with the position being tried
        self._is_refused = False  # that position
        self._wants_move = False  # if it is not
        self._later: deque[tuple[str, int]] = deque()  # lines after a move that wants no answer, till that is tried
        return ("stop",) if is_stopped else ()

    # The client's lines

    def read(self, text: str, ns: int) -> Reading:
        word, *words = text.split()
        if self._is_trying and not self._wants_move and word not in ("new", "quit", "exit"):
            self._later.append((text, ns))
            return Reading()
        if word == "setoption":
            return Reading((text,))  # in any dialect, for who wraps the engine
        handle = self.find(word)
        if handle is None:
            return self._refusal("unknown command", text)
        try:
            return handle(self, words, ns)
        except IndexError:
            return self._refusal("too few words", text)
        except (ValueError, OverflowError) as error:
            return self._refusal(str(error), text)

    def _refusal(self, reason: str, text: str) -> Reading:
        return Reading(answers=(self.error(f"{reason}: {printable(text)}"),))

    def find(self, word: str) -> Handle | None:
        return self.commands.get(word)

    def _position(self) -> str:
        return " ".join(["position startpos", *(["moves", *self._moves] if self._moves else [])])

    def _try(self, move: str, ns: int, wants_move: bool = True) -> Reading:
        """Tell the core a move, and if it takes it ask for the engine's."""
        self._check_idle()
        self._moves.append(move)
        self._is_told = True
        return self._try_position(ns, wants_move)

    def _try_position(self, ns: int, wants_move: bool = True) -> Reading:
        self._check_idle()
        self._since_ns = ns
        self._is_trying, self._wants_move, self._is_refused = True, wants_move, False
        return Reading((self._position(), "turn"))

    def _seek(self, ns: int) -> Reading:
        """Ask for the engine's move."""
        self._check_idle()
        self._since_ns = ns
        return Reading((self._position(), self._go()))

    def _check_idle(self) -> None:
        if self._is_trying or self._is_seeking:
            raise ValueError("the engine has not moved yet")

    def _go(self) -> str:
        self._is_seeking, self._has_failed = True, False
        left = max(self._left_ns // 10**6, 1)
        return f"go wtime {left} btime {left}"

    # The core's lines

    def write(self, text: str) -> Reading:
        if text.startswith(CORE_ERROR):
            if refuses_position(text):
                if self._void_tries:
                    return Reading()
                if self._is_trying and self._is_told:
                    self._moves.pop()
                self._is_refused, self._is_told = True, False
            self._has_failed = self._is_seeking
            return Reading(answers=(self.error(self.reason(text.removeprefix(CORE_ERROR))),))
        if is_news(text) and text not in self._noted:
            self._noted.add(text)
            to_stderr(text.removeprefix("info string "))
        word, *words = text.split()
        if word == "turn" and self._void_tries:
            self._void_tries -= 1
        elif word == "turn" and self._is_trying:
            self._is_trying = self._is_told = False
            return self._catch_up((self._go(),) if self._wants_move and not self._is_refused else ())
        elif word == "bestmove" and self._void:
            self._void -= 1
        elif word == "bestmove":
            self._is_seeking = False
            if words[0] == "(none)":
                has_failed, self._has_failed = self._has_failed, False
                return Reading(answers=() if has_failed else (self.error("the game is over"),))
            self._left_ns -= now_ns() - self._since_ns
            return Reading(answers=self.answer(words[0]))
        return Reading()

    def _catch_up(self, commands: tuple[str, ...]) -> Reading:
        """Beside these commands, what the lines ask for that waited."""
        answers: tuple[str, ...] = ()
        while self._later and not self._is_trying:
            reading = self.read(*self._later.popleft())
            commands += reading.commands
            answers += reading.answers
        return Reading(commands, answers)

    def reason(self, text: str) -> str:
        """Return why the core refuses something, in the client's words."""
        return re.sub(r" \(move \d+; the \d+ before it stand\)$", "", text)

    def error(self, what: str) -> str:
        """The client's line for what cannot be taken."""
        return f"ERROR {what}"

    def answer(self, move: str) -> tuple[str, ...]:
        """The client's lines for the engine's move, which is noted."""
        raise NotImplementedError


def number(text: str) -> int:
    """ValueError if it is none that a referee writes."""
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise ValueError("not a number")
    return int(text)
