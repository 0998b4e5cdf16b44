"""The base of SAU's and Cloudict's protocols for Connect6, which name stones by letters.

A stone is two letters, column A-S from the left and row A-S; a turn has two stones, the first turn one. Neither
protocol has a clock; the engine uses a championship's time.
"""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from siqi.daemon.engine.limits import Limits
from siqi.daemon.frontends.move_by_move import NAME, MoveByMove
from siqi.games import registry
from siqi.system.pipes import ClientLine

LETTERS = "ABCDEFGHIJKLMNOPQRS"
BLACK, WHITE = "black", "white"

TURN_MS = 9_500
"""The longest search for a turn unless the option `MoveTime` says otherwise: 10 s, less what a busy machine adds. A
championship's clock alone allows four minutes, and no client of these protocols expects that."""

SHAPE = registry.info("connect6").shape


class Notation(NamedTuple):
    """A protocol's turns in letters."""

    is_from_top: bool  # True: row A is the top one
    no_stone: str  # written for the missing second stone of the first turn; "": the first stone is repeated

    def turn_of(self, text: str) -> str:
        """Return a turn in letters as a move of the game; ValueError if it is malformed."""
        stones = [text[i : i + 2].upper() for i in range(0, len(text), 2)]
        if len(stones) == 2 and stones[1] in ("@@", stones[0]):
            del stones[1]
        if not 1 <= len(stones) <= 2 or any(len(stone) != 2 or not set(stone) <= set(LETTERS) for stone in stones):
            raise ValueError("not a turn")
        return "".join(SHAPE.point_text(*self._turned(*map(LETTERS.index, stone))) for stone in stones)

    def letters_of(self, turn: str) -> str:
        """Return a move of the game in letters, always two stones."""
        stones = self.stones(turn)
        return "".join(stones if len(stones) == 2 else [stones[0], self.no_stone or stones[0]])

    def stones(self, turn: str) -> list[str]:
        """Return the letters of each stone of a move of the game."""
        points = (self._turned(*point) for point in SHAPE.points(turn))
        return [LETTERS[column] + LETTERS[row] for column, row in points]

    def _turned(self, column: int, row: int) -> tuple[int, int]:
        """Return a point with its row counted the client's way, or back."""
        return column, len(SHAPE.rows) - 1 - row if self.is_from_top else row


class Letters(MoveByMove):
    """A front end that names stones by letters."""

    game = "connect6"
    clock_s = 900
    notation: ClassVar[Notation]
    sides: tuple[str, ...] = (BLACK, WHITE)

    def is_search(self, text: str) -> bool:
        word, *words = text.split()
        return word == "move" or (word == "new" and words[:1] == [BLACK])

    def name(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"name {NAME}")

    def new(self, words: list[str], line: ClientLine) -> None:
        """Begin a game; as Black the engine moves at once."""
        if words[0] not in self.sides:
            raise ValueError(f"a side is one of {' '.join(self.sides)}")
        self.begin(self.clock_s)
        if words[0] == BLACK:
            self.search(line.ns)

    def move(self, words: list[str], line: ClientLine) -> None:
        self.play(self.notation.turn_of(words[0]))
        self.search(line.ns)

    def limits(self) -> Limits:
        return super().limits()._replace(movetime=None if self.engine.options.number("MoveTime") else TURN_MS)

    def end(self, words: list[str], line: ClientLine) -> None:
        """End the game."""
        self.cancel_search()

    def answer(self, move: str) -> None:
        self._moves.append(move)
        self.out.line(f"move {self.notation.letters_of(move)}")

    def reason(self, text: str) -> str:
        points = re.compile(r"\b(?:[a-s](?:1\d|[1-9])){1,2}\b")
        return points.sub(lambda turn: "".join(self.notation.stones(turn[0])), text)
