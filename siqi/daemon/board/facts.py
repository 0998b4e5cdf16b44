"""The facts of a game whose clocks run, Play's or a contest's: a fact is stored before it counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from siqi.daemon.board.commands import Refusal
from siqi.daemon.board.entries import By, Moved, Ticked, Used
from siqi.daemon.board.positions import Positions
from siqi.daemon.board.stopwatch import Stopwatch
from siqi.daemon.board.store import Store
from siqi.daemon.board.tree import TimedTree


class GameFacts(ABC):
    """The youngest game or contest of a store, and those begun after it. OSError of any call: nothing was stored.

    It is held after a restart, or when a fact could not be stored, until the person says go on.
    """

    is_held: bool

    def __init__(self, store: Store[Any], clock: Callable[[], float], today: Callable[[], str]) -> None:
        """`clock`: milliseconds that only rise. `today`: the time of the day, as in `entries.Entry.at`."""
        self._store, self._stopwatch, self.today = store, Stopwatch(clock), today
        self.loaded: Positions | None = None

    @property
    @abstractmethod
    def game(self) -> TimedTree:
        """The game's moves, throws and clocks; Refusal if there is none."""

    @property
    def positions(self) -> Positions:
        """The positions of the game that is shown; Refusal until it is loaded."""
        if self.loaded is None:
            raise Refusal("the game is being loaded")
        return self.loaded

    @property
    def needs_throw(self) -> bool:
        """True if the side to move has no throw, where it needs one."""
        return self.positions.info.has_dice and self.positions.has_pieces and not self.game.throw

    @abstractmethod
    def add(self, entry: Any) -> None:
        """Store a fact, then let it count."""

    def play(self, word: str, by: By) -> None:
        """Play a move, which `Positions.checked` has returned."""
        self.add(Moved(at=self.today(), word=word, by=by, used=self.used()))

    def hold(self) -> None:
        """Wait until the person says go on: a fact could not be stored."""
        self._stopwatch.run(False)
        self.is_held = True

    def tick(self) -> bool:
        """Look at the clocks; return True if one has ended the game."""
        if not self._stopwatch.is_running:
            return False
        if self._has_lost_on_time(self.positions.whole.turn):
            return True
        if self._stopwatch.is_due:
            self.add(Ticked(at=self.today(), used=self.used()))
        return False

    @abstractmethod
    def _has_lost_on_time(self, side: int) -> bool:
        """End the game if the time of the side to move is up; return True if so."""

    def used(self) -> Used:
        """Return what each side has used by now, in milliseconds."""
        if not self._stopwatch.is_running:
            return self.game.used
        return self._stopwatch.used(self.game.used, self.positions.whole.turn)
