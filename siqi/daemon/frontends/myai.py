"""The front end for MyAI, the protocol of a university course's referee of EWN.

The referee reads one line for each command; settings are answered `1`. Squares are A1-E5 with A1 at the top left.
Every throw comes with the whole position: `get R|B <die> <blue's six squares> <red's six>`, 0 for a captured piece. Red
is the engine's first side and begins at the top left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from siqi.daemon.engine.engine import Engine
from siqi.daemon.frontends.base import AT_ONCE, GAME, Command
from siqi.daemon.frontends.move_by_move import NAME, MoveByMove, number
from siqi.games import registry
from siqi.system.output import Output
from siqi.system.pipes import ClientLine
from siqi.version import __version__

CAPTURED = "0"
ACCEPTED = "1"

EWN = registry.info("ewn")
COLUMNS, ROWS = "ABCDE", "12345"
SQUARES = [column + row for column in COLUMNS for row in ROWS]


class MyAi(MoveByMove):
    """The front end for MyAI."""

    page = "protocol/myai"
    game = EWN.name
    clock_s = 240

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._side = 0
        self._set_up_by: int | None = None  # id of the last search for a set-up
        self._fen: str | None = None  # of the last `get`; None: a set-up is requested

    def is_search(self, text: str) -> bool:
        return text.split(maxsplit=1)[0] in ("ini", "get")

    def name(self, words: list[str], line: ClientLine) -> None:
        self.out.line(NAME)

    def version(self, words: list[str], line: ClientLine) -> None:
        self.out.line(__version__)

    def time_setting(self, words: list[str], line: ClientLine) -> None:
        """Set the time of this game and later ones, as a referee may send it after `ini`, or never send `ini`."""
        self.clock_s = number(words[0])
        self._left_ns = self.clock_s * 10**9
        self.out.line(ACCEPTED)

    def board_setting(self, words: list[str], line: ClientLine) -> None:
        if [number(words[0]), number(words[1])] != [len(COLUMNS), len(EWN.pieces[0])]:
            raise ValueError("the board is 5 x 5 with six pieces a side")
        self.out.line(ACCEPTED)

    def ini(self, words: list[str], line: ClientLine) -> None:
        """Begin a game and search for a set-up. The second side's is requested before the first's is known, so it is
        the one that the engine would choose as the first side, turned."""
        side = side_of(words[0])
        self.begin(self.clock_s)
        self._side, self._fen = side, None
        self.search(line.ns)
        self._set_up_by = self._search_id

    def get(self, words: list[str], line: ClientLine) -> None:
        """Search a position; if the answer to `ini` is still to come, wait for it."""
        if self._search_id is not None and self._fen is None:
            awaited = self._search_id
            self.engine.call_when_ready(lambda: self._get_after(awaited, line))
            return
        side, die = side_of(words[0]), number(words[1])
        if not 1 <= die <= EWN.die_faces:
            raise ValueError(f"a die is 1 to {EWN.die_faces}")
        squares = [*words[8:14], *words[2:8]]  # red's, then blue's
        if len(words) != 14 or any(square not in (CAPTURED, *SQUARES) for square in squares):
            raise ValueError("twelve squares are needed")
        pairs = zip(squares, "".join(EWN.pieces), strict=True)
        pieces = {point_of(square): piece for square, piece in pairs if square != CAPTURED}
        if len(pieces) + squares.count(CAPTURED) != len(squares):
            raise ValueError("two pieces on one square")
        self._fen = self.engine.fen_of(pieces, side, die)
        self.search(line.ns)

    def _get_after(self, set_up_by: int, line: ClientLine) -> None:
        """Carry out a `get` that waited for a set-up, unless another set-up has been requested since."""
        if set_up_by == self._set_up_by:
            self._handle(line, self.commands["get"])

    def start_fen(self) -> str | None:
        return self._fen

    def answer(self, move: str) -> None:
        if self._fen is None:
            points = self.engine.setup_points(self._side)
            squares = [points[move.index(piece)] for piece in "123456"]
        else:
            squares = [EWN.shape.point_text(*point) for point in EWN.shape.points(move)]
        self.out.line(" ".join(map(square_of, squares)))

    commands: ClassVar[Mapping[str, Command]] = {
        "name": Command(name, GAME, is_greeting=True),
        "version": Command(version, GAME, is_greeting=True),
        "time_setting": Command(time_setting, GAME, is_greeting=True),
        "board_setting": Command(board_setting, GAME, is_greeting=True),
        "ini": Command(ini, GAME),
        "get": Command(get, GAME),
        "quit": Command(MoveByMove.quit, AT_ONCE),
        "exit": Command(MoveByMove.quit, AT_ONCE),
    }


def point_of(square: str) -> str:
    """Return the game's name of a referee's square; the game counts rows from the bottom."""
    return EWN.shape.point_text(COLUMNS.index(square[0]), len(ROWS) - 1 - ROWS.index(square[1]))


def square_of(point: str) -> str:
    """Return the referee's name of a point of the game."""
    ((column, row),) = EWN.shape.points(point)
    return COLUMNS[column] + ROWS[len(ROWS) - 1 - row]


def side_of(letter: str) -> int:
    if letter not in ("R", "B"):
        raise ValueError("a side is R or B")
    return "RB".index(letter)
