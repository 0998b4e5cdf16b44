"""The base of protocols that send one move at a time, and in which the engine keeps its own clock.

A client's move is played first; an illegal one is refused and the game stays as it was. Then the engine searches for
its own move. None of these protocols has comments: compiling and missing books are reported on standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from siqi.daemon.engine import events
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.scheduler import Needs
from siqi.daemon.frontends.base import IN_ORDER, Command, FrontEnd
from siqi.daemon.frontends.words import parse_option
from siqi.system.output import Output
from siqi.system.pipes import ClientLine, now_ns, printable, to_stderr

NAME = "Siqi"


class MoveByMove(FrontEnd):
    """A front end without commands. Its state is the id of the search whose answer the client awaits, or None."""

    game: ClassVar[str] = ""
    """The protocol's only game, which is loaded from the client's first line on; '' if its lines select the game."""

    clock_s: int  # seconds for a game, unless the client sends another time

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._search_id: int | None = None
        self._moves: list[str] = []  # words of the game's notation
        self._left_ns = self.clock_s * 10**9
        self._since_ns = 0  # when the engine's clock was last started or stopped
        self._has_failed = False  # True: the search has failed, and its fault has been reported
        self._noted: set[str] = set()
        if self.game:
            self.select_game(self.game)

    # The game

    def select_game(self, game: str) -> None:
        """Select a game and start loading it; Refusal while a job runs."""
        if self.engine.info.name != game:
            self.engine.set_option("UCI_Variant", game)
        self.engine.prepare(Needs.GAME)

    def begin(self, seconds: int) -> None:
        """Begin a new game with this time for the engine, in seconds."""
        self.cancel_search()
        self.engine.call_when_ready(self.engine.new_game)
        self._moves = []
        self._left_ns = seconds * 10**9

    def cancel_search(self) -> None:
        """Stop the search for the engine's move, if any, and drop its answer."""
        if self._search_id is not None:
            self.engine.abandon()
            self._search_id = None

    def start_fen(self) -> str | None:
        """Return the FEN from which the game began; None: the start position."""
        return None

    def move_list(self) -> Sequence[str]:
        """Return the moves since then, as words of the game's notation."""
        return self._moves

    def set_position(self) -> None:
        self.engine.set_position(self.start_fen(), self.move_list())

    def play(self, move: str) -> None:
        """Play the client's move. Refusal if it is illegal: the game stays as it was. ValueError during a search."""
        self.check_idle()
        self._moves.append(move)
        try:
            self.set_position()
        except Refusal:
            self._moves.pop()
            raise

    def check_idle(self) -> None:
        """Raise ValueError while the engine searches for its move."""
        if self._search_id is not None:
            raise ValueError("the engine has not moved yet")

    def search(self, ns: int) -> None:
        """Start the search for the engine's move. Its clock runs from `ns`, but not before the last move's end.

        ValueError while another search runs.
        """
        self.check_idle()
        self.set_position()
        self._since_ns, self._has_failed = max(ns, self._since_ns), False
        self._search_id = self.engine.go(self.limits(), requested_ns=ns)

    def limits(self) -> Limits:
        """Return the limits of a search: the time left on the engine's clock."""
        left = max(self._left_ns // 10**6, 1)
        return Limits(wtime=left, btime=left)

    # Lines

    def find(self, word: str) -> Command:
        return SETOPTION if word == "setoption" else super().find(word) or UNKNOWN

    def setoption(self, words: list[str], line: ClientLine) -> None:
        """Set an option by UCI's command, for programs that wrap the engine; all protocols here accept it."""
        try:
            name, value = parse_option(words)
        except ValueError as error:
            raise Refusal(Kind.OPTION, str(error)) from None
        if name.lower() == "uci_variant":
            raise Refusal(Kind.OPTION, f"option {name}: the protocol has chosen {self.engine.info.name}")
        self.engine.call_when_ready(lambda: self.engine.set_option(name, value))

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        # A line that is no command is quoted as the client wrote it
        what = refusal.reason if refusal.kind is Kind.LINE else self.reason(refusal.reason)
        if refusal.kind is Kind.COMMAND:
            what += f": {printable(line.text)}"
        self.out.line(self.error(what))

    def unknown_command(self, words: list[str], line: ClientLine) -> None:
        raise Refusal(Kind.LINE, f"unknown command: {printable(line.text)} (see siqi docs {self.page})")

    def reason(self, text: str) -> str:
        """Return a refusal's reason with the client's names of points and moves."""
        return text

    def error(self, what: str) -> str:
        """Return the line that reports an error in this protocol."""
        return f"ERROR {printable(what, 400)}"

    # Events

    def best_move(self, answer: events.BestMove) -> None:
        if answer.search_id != self._search_id:
            return
        self._search_id = None
        now = now_ns()
        self._left_ns -= now - self._since_ns
        self._since_ns = now
        if answer.move is not None:
            self.answer(answer.position.move_text(answer.move))
        elif not self._has_failed:
            self.out.line(self.error("the game is over"))

    def answer(self, move: str) -> None:
        """Add the engine's move to the game and send it."""
        raise NotImplementedError

    def refused(self, kind: Kind, reason: str) -> None:
        self._has_failed = True
        self.out.line(self.error(self.reason(reason)))

    def compiling(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            to_stderr(text)

    def warning(self, text: str) -> None:
        self.compiling(f"warning {text}")


SETOPTION = Command(MoveByMove.setoption, IN_ORDER)
UNKNOWN = Command(MoveByMove.unknown_command, IN_ORDER)


def number(text: str) -> int:
    """Return a whole number of at most 7 digits; ValueError if it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise ValueError("not a number")
    return int(text)
