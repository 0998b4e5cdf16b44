"""Connect6 in letters: the SAU referee platform's protocol, and Cloudict's, which the GUI ConnectMore speaks.

A stone is two letters, column A-S from the left and row A-S, from the top with SAU and from the bottom with Cloudict. A
turn has two stones; the first has one, which SAU writes `JJ@@` and Cloudict `JJJJ`. Neither tells the time: the engine
keeps to a championship's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from daemon.dialects import Reading
from daemon.dialects.told import NAME, Handle, Told, number

LETTERS = "ABCDEFGHIJKLMNOPQRS"
SIDES = ("black", "white")
NO_STONE = "@@"


def stones_of(turn: str) -> list[str]:
    """The stones of a turn as the core writes it."""
    return re.findall(r"[a-s]\d+", turn)


class Letters(Told):
    """What both have in common."""

    clock_s = 900
    is_from_top: bool
    sides: tuple[str, ...] = SIDES

    def _name(self, words: list[str], ns: int) -> Reading:
        return Reading(("setoption name UCI_Variant value connect6", "isready"), (f"name {NAME}",))

    def _new(self, words: list[str], ns: int) -> Reading:
        """Black moves at once."""
        if words[0] not in self.sides:
            raise ValueError(f"a side is one of {' '.join(self.sides)}")
        begin = self._begin(self.clock_s)
        return Reading(begin + (self._seek(ns).commands if words[0] == "black" else ()))

    def _move(self, words: list[str], ns: int) -> Reading:
        return self._try(self._turn(words[0]), ns)

    def _end(self, words: list[str], ns: int) -> Reading:
        return Reading(self._leave())

    def _quit(self, words: list[str], ns: int) -> Reading:
        return Reading(("quit",))

    def answer(self, move: str) -> tuple[str, ...]:
        self._moves.append(move)
        return (f"move {self._letters(move)}",)

    def _turn(self, text: str) -> str:
        """A turn in letters as the core writes it; ValueError if it is none."""
        stones = [text[i : i + 2].upper() for i in range(0, len(text), 2)]
        if len(stones) == 2 and stones[1] in (NO_STONE, stones[0]):
            del stones[1]
        if not 1 <= len(stones) <= 2 or any(len(stone) != 2 or not set(stone) <= set(LETTERS) for stone in stones):
            raise ValueError("not a turn")
        return "".join(f"{stone[0].lower()}{self._row(LETTERS.index(stone[1]) + 1)}" for stone in stones)

    def _row(self, row: int) -> int:
        """A row, 1-19, as the core counts it, and back."""
        return 20 - row if self.is_from_top else row

    def _letters(self, turn: str) -> str:
        """A turn of the core's in letters."""
        stones = [self._point(stone) for stone in stones_of(turn)]
        return "".join(stones if len(stones) == 2 else [stones[0], NO_STONE if self.is_from_top else stones[0]])

    def _point(self, stone: str) -> str:
        return f"{stone[0].upper()}{LETTERS[self._row(int(stone[1:])) - 1]}"

    def reason(self, text: str) -> str:
        points = re.compile(r"\b(?:[a-s]\d{1,2}){1,2}\b")
        return points.sub(lambda turn: "".join(map(self._point, stones_of(turn[0]))), super().reason(text))


class Sau(Letters):
    """A `Dialect`."""

    is_from_top = True

    def _error(self, words: list[str], ns: int) -> Reading:
        """The platform did not take the engine's turn."""
        self._check_idle()
        del self._moves[-1:]
        return Reading()

    commands: ClassVar[Mapping[str, Handle]] = {
        "name?": Letters._name,
        "new": Letters._new,
        "move": Letters._move,
        "error": _error,
        "end": Letters._end,
        "quit": Letters._quit,
    }


class Cloudict(Letters):
    """A `Dialect`. Turns of either side are told by `black` and `white`, the engine's are asked for by `next`."""

    is_from_top = False
    sides = ("xxx", *SIDES)

    def _put(self, words: list[str], ns: int) -> Reading:
        """A turn that wants no answer."""
        return self._try(self._turn(words[0]), ns, wants_move=False)

    def _next(self, words: list[str], ns: int) -> Reading:
        return self._seek(ns)

    def _depth(self, words: list[str], ns: int) -> Reading:
        return Reading((f"setoption name Depth value {number(words[0])}",))

    def _threats(self, words: list[str], ns: int) -> Reading:
        """Wins by threats are always looked for."""
        return Reading()

    commands: ClassVar[Mapping[str, Handle]] = {
        "name": Letters._name,
        "new": Letters._new,
        "move": Letters._move,
        "black": _put,
        "white": _put,
        "next": _next,
        "depth": _depth,
        "vcf": _threats,
        "unvcf": _threats,
        "quit": Letters._quit,
        "exit": Letters._quit,
    }
