"""Junqi's referee protocol v1.0 of the Chinese computer-games championships (2012).

A line's first letters say what it is: referees write `INFO` and `INFORMATION` alike. Either player sees itself at the
bottom, so the second one's squares are turned by 180 degrees. A referee tells each side its own result by `RESULT`, the
opponent's with the next `GO`, and once a commander has died where that side's flag stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from daemon.dialects import Reading
from daemon.dialects.told import NAME, Handle, Told, number
from daemon.pipes import printable

ROWS = "ABCDEFGHIJKL"
SQUARE = "[A-L][0-4]"
NO_FLAG = "00"
NO_MOVE = "0000"


class Referee(Told):
    """A `Dialect`, and a game as this side heard of it."""

    clock_s = 1800

    def _begin(self, seconds: int) -> tuple[str, ...]:
        self._side = 0
        self._array = ""
        self._own = ""  # the move whose result has not been told
        return super()._begin(seconds)

    def find(self, word: str) -> Handle | None:
        return next((handle for start, handle in self.commands.items() if word.startswith(start)), None)

    def _info(self, words: list[str], ns: int) -> Reading:
        return Reading(("setoption name UCI_Variant value junqi", "isready"), (f"NAME {NAME}",))

    def _start(self, words: list[str], ns: int) -> Reading:
        side, seconds = number(words[0]), number(words[1]) if len(words) > 1 else self.clock_s
        if side not in (0, 1):
            raise ValueError("a side is 0 or 1")
        begin = self._begin(seconds)
        self._side = side
        return Reading(begin + self._seek(ns).commands)

    def _position(self) -> str:
        setups = [self._array, "?"] if self._side == 0 else ["?", self._array]
        words = [*setups, *self._moves] if self._array else setups[: self._side]
        return " ".join(["position startpos", *(["moves", *words] if words else [])])

    def _go_on(self, words: list[str], ns: int) -> Reading:
        if not self._array:
            raise ValueError("no set-up was asked for")
        if words[0] == NO_MOVE:
            return self._seek(ns)
        return self._try(self._told(self._turned(words[0], 2), words[1:]), ns)

    def _result(self, words: list[str], ns: int) -> Reading:
        if not self._own:
            raise ValueError("no move waits for its result")
        if not 0 <= number(words[0]) <= 3:
            raise ValueError("a result is 0, 1, 2 or 3")
        self._moves.append(self._told(self._own, words))
        self._own = ""
        return Reading()

    def _end(self, words: list[str], ns: int) -> Reading:
        return Reading(self._leave())

    def answer(self, move: str) -> tuple[str, ...]:
        if not self._array:
            self._array = move
            return (f"ARRAY {move}",)
        self._own = move[:4]
        return (f"BESTMOVE {self._turned(self._own, 2)}",)

    def reason(self, text: str) -> str:
        squares = re.compile(rf"\b(?:{SQUARE}){{1,2}}\b")
        return squares.sub(lambda found: self._turned(found[0], len(found[0]) // 2), super().reason(text))

    def _turned(self, squares: str, count: int) -> str:
        """Return `count` squares as the other frame has them: this side's in the core's, and back."""
        if not re.fullmatch(rf"(?:{SQUARE}){{{count}}}", squares):
            raise ValueError(f"not {('a square', 'two squares')[count - 1]}: {printable(squares)}")
        if self._side == 0:
            return squares
        pairs = zip(squares[::2], squares[1::2], strict=True)
        return "".join(f"{ROWS[11 - ROWS.index(row)]}{4 - int(column)}" for row, column in pairs)

    def _told(self, move: str, words: list[str]) -> str:
        """A move of the core's list; of what was told of it: the result, and the flag's square."""
        code, flag = words[0], words[1] if len(words) > 1 else NO_FLAG
        return f"{move}={number(code)}" + (f"@{self._turned(flag, 1)}" if flag != NO_FLAG else "")

    commands: ClassVar[Mapping[str, Handle]] = {
        "INFO": _info,
        "START": _start,
        "GO": _go_on,
        "RESULT": _result,
        "END": _end,
    }
    """By the first letters."""
