"""The front end for Junqi's referee protocol v1.0 of the Chinese computer-games championships (2012).

The first letters of a line select the command: referees write `INFO` or `INFORMATION`. Either player sees itself at the
bottom, so the second one's squares are turned by 180 degrees. The referee reports the result of the engine's move by
`RESULT`, and that of the opponent's with the next `GO`. It adds the square of a side's flag once its commander is dead.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Refusal
from siqi.daemon.frontends.base import GAME, IN_ORDER, Command
from siqi.daemon.frontends.move_by_move import NAME, MoveByMove, number
from siqi.games import registry
from siqi.games.contract import UNKNOWN_SETUP
from siqi.system.output import Output
from siqi.system.pipes import ClientLine, printable

SQUARE = "[A-L][0-4]"
NO_FLAG = "00"
NO_MOVE = "0000"

SHAPE = registry.info("junqi").shape


class Referee(MoveByMove):
    """The front end for a referee of Junqi, with the game as the engine's side knows it."""

    page = "protocol/junqi"
    game = "junqi"
    clock_s = 1800

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._side = 0
        self._array = ""  # the engine's set-up, '' until it is found
        self._own = ""  # the engine's last move, until its result is reported

    def find(self, word: str) -> Command:
        commands = (command for start, command in self.commands.items() if word.startswith(start))
        return next(commands, super().find(word))

    def info_(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"NAME {NAME}")

    def start_(self, words: list[str], line: ClientLine) -> None:
        side, seconds = number(words[0]), number(words[1]) if len(words) > 1 else self.clock_s
        if side not in (0, 1):
            raise ValueError("a side is 0 or 1")
        self.begin(seconds)
        self._side, self._array, self._own = side, "", ""
        self.search(line.ns)

    def move_list(self) -> Sequence[str]:
        if not self._array:
            return [UNKNOWN_SETUP] * self._side
        setups = [self._array, UNKNOWN_SETUP] if self._side == 0 else [UNKNOWN_SETUP, self._array]
        return [*setups, *self._moves]

    def go(self, words: list[str], line: ClientLine) -> None:
        if not self._array:
            raise ValueError("no set-up was asked for")
        if words[0] != NO_MOVE:
            self.play(self._observed(self._turned(words[0], 2), words[1:]))
        self.search(line.ns)

    def result(self, words: list[str], line: ClientLine) -> None:
        if not self._own:
            raise ValueError("no move waits for its result")
        if not 0 <= number(words[0]) <= 3:
            raise ValueError("a result is 0, 1, 2 or 3")
        self._moves.append(self._observed(self._own, words))
        self._own = ""

    def end(self, words: list[str], line: ClientLine) -> None:
        """End the game; the referee's result counts where the moves do not show one."""
        self.cancel_search()
        is_won = {"0": False, "1": True}.get(words[0] if words else "")
        if is_won is None or not self._array:
            return
        with contextlib.suppress(Refusal):  # a move or result that contradicts the game
            self.set_position()
            self.engine.end_game(self._side if is_won else 1 - self._side)

    def answer(self, move: str) -> None:
        if not self._array:
            self._array = move
            self.out.line(f"ARRAY {move}")
        else:
            self._own = move[:4]
            self.out.line(f"BESTMOVE {self._turned(self._own, 2)}")

    def reason(self, text: str) -> str:
        squares = re.compile(rf"\b(?:{SQUARE}){{1,2}}\b")
        return squares.sub(lambda match: self._turned(match[0], len(match[0]) // 2), text)

    def _turned(self, squares: str, count: int) -> str:
        """Return `count` squares turned from this side's view to the game's, or back. ValueError if they are none."""
        if not re.fullmatch(rf"(?:{SQUARE}){{{count}}}", squares):
            raise ValueError(f"not {('a square', 'two squares')[count - 1]}: {printable(squares)}")
        if self._side == 0:
            return squares
        return "".join(SHAPE.point_text(*SHAPE.turned(*point)) for point in SHAPE.points(squares))

    def _observed(self, move: str, words: list[str]) -> str:
        """Return the word of a move in this side's view; `words`: its reported result, and the flag's square if any."""
        code, flag = words[0], words[1] if len(words) > 1 else NO_FLAG
        return self.engine.observed(move, number(code), self._turned(flag, 1) if flag != NO_FLAG else "")

    commands: ClassVar[Mapping[str, Command]] = {
        "INFO": Command(info_, GAME, is_greeting=True),
        "START": Command(start_, GAME),
        "GO": Command(go, GAME),
        "RESULT": Command(result, GAME),
        "END": Command(end, IN_ORDER),
    }
    """The commands by their first letters."""
