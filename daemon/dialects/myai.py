"""MyAI, the protocol of a university course's referee of EWN.

The referee reads one line for each command; settings are answered `1`. Squares are A1-E5 with A1 at the top left.
Every throw comes with the whole position: `get R|B <die> <blue's six squares> <red's six>`, 0 for a captured piece. Red
begins at the top left, as the core's first side does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from daemon import __version__
from daemon.dialects import Reading
from daemon.dialects.told import NAME, Handle, Told, number

COLUMNS, ROWS = "ABCDE", "12345"
CAPTURED = "0"
ACCEPTED = "1"
PIECES = ("ABCDEF", "abcdef")
"""Of the first side, red, and of the second, as a FEN has them."""

SQUARES = (CAPTURED, *(column + row for column in COLUMNS for row in ROWS))

CORNERS = (["A1", "B1", "C1", "A2", "B2", "A3"], ["E5", "D5", "C5", "E4", "D4", "E3"])
"""Where a set-up word's pieces stand, by side."""


class MyAi(Told):
    """A `Dialect`."""

    clock_s = 240

    def _begin(self, seconds: int) -> tuple[str, ...]:
        self._side = 0
        self._is_setting_up = False
        self._fen = ""
        return super()._begin(seconds)

    def _name(self, words: list[str], ns: int) -> Reading:
        return Reading(answers=(NAME,))

    def _version(self, words: list[str], ns: int) -> Reading:
        return Reading(answers=(__version__,))

    def _time_setting(self, words: list[str], ns: int) -> Reading:
        """The time of a game, of the one that has begun too: a referee may send it after `ini`, or never send `ini`."""
        self.clock_s = number(words[0])
        self._left_ns = self.clock_s * 10**9
        return Reading(answers=(ACCEPTED,))

    def _board_setting(self, words: list[str], ns: int) -> Reading:
        if [number(words[0]), number(words[1])] != [5, 6]:
            raise ValueError("the board is 5 x 5 with six pieces a side")
        return Reading(answers=(ACCEPTED,))

    def _ini(self, words: list[str], ns: int) -> Reading:
        """The second side's is asked for before the first's is told: it is what the first would choose, turned."""
        side = side_of(words[0])
        begin = self._begin(self.clock_s)
        self._side, self._is_setting_up = side, True
        return Reading(begin + self._seek(ns).commands)

    def _get(self, words: list[str], ns: int) -> Reading:
        side, die = side_of(words[0]), number(words[1])
        squares = [*words[8:14], *words[2:8]]  # red's, then blue's
        if len(words) != 14 or any(square not in SQUARES for square in squares):
            raise ValueError("twelve squares are needed")
        pairs = zip(squares, "".join(PIECES), strict=True)
        board = {square: piece for square, piece in pairs if square != CAPTURED}
        if len(board) + squares.count(CAPTURED) != len(squares):
            raise ValueError("two pieces on one square")
        rows = ["".join(board.get(column + row, "1") for column in COLUMNS) for row in ROWS]
        self._check_idle()
        self._is_setting_up = False
        self._fen = f"{'/'.join(rows)} {'fs'[side]} {die}"
        return self._try_position(ns)

    def _position(self) -> str:
        return f"position fen {self._fen}" if self._fen else "position startpos"

    def _exit(self, words: list[str], ns: int) -> Reading:
        return Reading(("quit",))

    def answer(self, move: str) -> tuple[str, ...]:
        if self._is_setting_up:
            return (" ".join(CORNERS[self._side][move.index(piece)] for piece in "123456"),)
        return (" ".join(f"{square[0].upper()}{6 - int(square[1])}" for square in (move[:2], move[2:])),)

    commands: ClassVar[Mapping[str, Handle]] = {
        "name": _name,
        "version": _version,
        "time_setting": _time_setting,
        "board_setting": _board_setting,
        "ini": _ini,
        "get": _get,
        "exit": _exit,
        "quit": _exit,
    }


def side_of(letter: str) -> int:
    if letter not in ("R", "B"):
        raise ValueError("a side is R or B")
    return "RB".index(letter)
