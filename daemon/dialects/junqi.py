"""Junqi's referee protocol v1.0 of the Chinese computer-games championships (2012).

A line's first letters say what it is: referees write `INFO` and `INFORMATION` alike. Either player sees itself at the
bottom, so the second one's squares are turned by 180 degrees. A referee tells each side its own result by `RESULT`, the
opponent's with the next `GO`, and once a commander has died where that side's flag stands.
"""

from __future__ import annotations

from daemon.dialects import Reading
from daemon.pipes import now_ns, printable

NAME = "Siqi"
ROWS = "ABCDEFGHIJKL"
NO_FLAG = "00"
NO_MOVE = "0000"

CORE_ERROR = "info string error "

CLOCK_S = 1800
"""A side's time where START does not tell it."""


class Referee:
    """A `Dialect`, and a game as this side heard of it."""

    def __init__(self) -> None:
        self._new_game(0, CLOCK_S)

    def _new_game(self, side: int, seconds: int) -> None:
        self._side = side
        self._array = ""
        self._words: list[str] = []  # moves with their results, in the core's frame
        self._own = ""  # the move whose result has not been told
        self._left_ns = seconds * 10**9
        self._since_ns = 0  # when the move being sought was asked for

    # The referee's lines

    def read(self, text: str, ns: int) -> Reading:
        words = text.split()
        for start, handle in _COMMANDS.items():
            if words[0].startswith(start):
                try:
                    return handle(self, words[1:], ns)
                except IndexError:
                    return Reading(answers=(f"ERROR too few words: {printable(text)}",))
                except ValueError as error:
                    return Reading(answers=(f"ERROR {error}: {printable(text)}",))
        return Reading(answers=(f"ERROR unknown command: {printable(text)}",))

    def _info(self, words: list[str], ns: int) -> Reading:
        return Reading(("setoption name UCI_Variant value junqi", "isready"), (f"NAME {NAME}",))

    def _start(self, words: list[str], ns: int) -> Reading:
        side, seconds = number(words[0]), number(words[1]) if len(words) > 1 else CLOCK_S
        if side not in (0, 1):
            raise ValueError("a side is 0 or 1")
        self._new_game(side, seconds)
        return Reading(("ucinewgame", "position startpos" + (" moves ?" if side else ""), self._go(ns)))

    def _go_on(self, words: list[str], ns: int) -> Reading:
        if not self._array:
            raise ValueError("no set-up was asked for")
        if words[0] != NO_MOVE:
            self._words.append(self._told(self._turned(words[0]), *words[1:]))
        both = [self._array, "?"] if self._side == 0 else ["?", self._array]
        return Reading((" ".join(["position startpos moves", *both, *self._words]), self._go(ns)))

    def _result(self, words: list[str], ns: int) -> Reading:
        if not self._own:
            raise ValueError("no move waits for its result")
        self._words.append(self._told(self._own, *words))
        self._own = ""
        return Reading()

    def _end(self, words: list[str], ns: int) -> Reading:
        return Reading(("stop",))

    def _go(self, ns: int) -> str:
        self._since_ns = ns
        left = max(self._left_ns // 10**6, 1)
        return f"go wtime {left} btime {left}"

    # The core's lines

    def write(self, text: str) -> tuple[str, ...]:
        words = text.split()
        if words[0] == "bestmove":
            self._left_ns -= now_ns() - self._since_ns
            if not self._array:
                self._array = words[1]
                return (f"ARRAY {self._array}",)
            self._own = words[1][:4]
            return (f"BESTMOVE {self._turned(self._own)}",)
        if text.startswith(CORE_ERROR):
            return (f"ERROR {text.removeprefix(CORE_ERROR)}",)
        return ()

    def _turned(self, squares: str) -> str:
        """Squares as the other frame has them: this side's in the core's, and back."""
        if len(squares) % 2 or any(row not in ROWS for row in squares[::2]) or not squares[1::2].isdigit():
            raise ValueError(f"not squares: {printable(squares)}")
        if self._side == 0:
            return squares
        pairs = zip(squares[::2], squares[1::2], strict=True)
        return "".join(f"{ROWS[11 - ROWS.index(row)]}{4 - int(column)}" for row, column in pairs)

    def _told(self, move: str, code: str, flag: str = NO_FLAG) -> str:
        """A move of the core's list."""
        return f"{move}={number(code)}" + (f"@{self._turned(flag)}" if flag != NO_FLAG else "")


def number(text: str) -> int:
    """ValueError if it is none that a referee writes."""
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise ValueError("not a number")
    return int(text)


_COMMANDS = {
    "INFO": Referee._info,
    "START": Referee._start,
    "GO": Referee._go_on,
    "RESULT": Referee._result,
    "END": Referee._end,
}
"""By the first letters."""
