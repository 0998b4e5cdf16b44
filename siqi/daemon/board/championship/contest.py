"""The contest that is operated: its facts, its positions and its clocks. A fact is stored before it counts."""

from __future__ import annotations

import errno
from collections.abc import Callable

from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.championship.entries import (
    OURS,
    AnyEntry,
    Begun,
    Ended,
    GameBegun,
)
from siqi.daemon.board.championship.state import GameState, State, fold
from siqi.daemon.board.commands import Refusal
from siqi.daemon.board.entries import Ticked
from siqi.daemon.board.events import Clocks
from siqi.daemon.board.facts import GameFacts
from siqi.daemon.board.positions import Positions
from siqi.games.contract import UNKNOWN_SETUP, Game, Position


class ContestFacts(GameFacts):
    """The youngest contest, and those that are begun after it."""

    def __init__(self, store: Days, clock: Callable[[], float], today: Callable[[], str]) -> None:
        """Open the contest; OSError if its file cannot be read. `today`: the local time."""
        super().__init__(store, clock, today)
        self.rules: Game[Position] | None = None
        try:
            self._take(*_read(store.latest()))
        except ValueError as error:
            raise OSError(errno.EIO, f"the last contest's file is damaged: {error}") from None

    def _take(self, state: State, last_at: str) -> None:
        """Take a state that was read from a file."""
        self.state, self.last_at = state, last_at
        self.is_held = state.game is not None and state.game.ended is None

    # What it is

    @property
    def begun(self) -> Begun:
        """The contest's settings as they are now; Refusal if there is none."""
        if self.state.begun is None:
            raise Refusal("no contest has begun")
        return self.state.begun

    @property
    def game(self) -> GameState:
        """The game that is shown; Refusal if there is none."""
        if self.state.game is None:
            raise Refusal("no game has begun")
        return self.state.game

    @property
    def goes_on(self) -> bool:
        """True if somebody is to set up or to move."""
        game = self.state.game
        if game is None or self.loaded is None or self.is_held or game.ended is not None:
            return False
        return not self.loaded.has_pieces or not game.is_paused

    @property
    def team(self) -> int:
        """The team that is to move."""
        return self.game.team(self.positions.whole.turn)

    @property
    def is_engines(self) -> bool:
        """True if the engine is to set up or to move."""
        return self.goes_on and self.begun.engine[self.team]

    @property
    def is_referees(self) -> bool:
        """True if only the referee knows how the game stands: no move is left, or hidden pieces have decided it."""
        outcome = self.positions.whole.outcome()
        return outcome is not None and not self.positions.whole.legal_moves()

    # What becomes of it

    def begin(self, entry: Begun) -> None:
        """Begin a new contest and its first game, and leave the one before."""
        self._store.begin(entry)
        self._stopwatch.run(False)
        self.state, self.is_held, self.loaded = State().after(entry), False, None
        self.next_game()

    def open(self, name: str) -> None:
        """Go on with another contest of the store; ValueError if there is none, or if its file breaks the rules."""
        if self._stopwatch.is_running:
            self.add(Ticked(at=self.today(), used=self.used()))
        self._take(*self._store.open(name, _read))
        self._stopwatch.run(False)
        self.loaded = None
        if self.rules is not None and self.rules.info.name == self.begun.game:
            self.load(self.rules)

    def next_game(self) -> None:
        """Begin the next game."""
        self._stopwatch.run(False)
        self.add(GameBegun(at=self.today(), first=self.state.first_of_next()))

    def load(self, rules: Game[Position]) -> None:
        """Take the rules of the game. ValueError, and no contest, if its file breaks them."""
        self.rules = rules
        try:
            self._follow()
        except ValueError:
            self.loaded, self.state, self.is_held = None, State(), False
            raise

    def add(self, entry: AnyEntry) -> None:
        before, after = self.state, self.state.after(entry)
        self._store.add(entry)
        self.state = after
        is_same = before.current == after.current and len(before.games) == len(after.games)
        if is_same:
            self._stopwatch.stored(entry)
        else:
            self._stopwatch.run(False)
        self._follow(is_same)

    def _follow(self, is_same: bool = False) -> None:
        """Have the positions follow the game that is shown."""
        game = self.state.game
        if self.rules is None or game is None or self.rules.info.name != self.begun.game:
            self.loaded = None
            return
        if self.loaded is None or not is_same:
            self.loaded = Positions(self.rules, game.team(OURS), is_referee=False)
        self.loaded.follow(game)

    def settle(self) -> None:
        """Do what follows by itself: an unknown set-up, an end by the rules; run the clock of the side to move."""
        game = self.state.game
        if self.loaded is None or game is None:
            self._stopwatch.run(False)
            return
        if self.goes_on and not self.loaded.has_pieces and self.loaded.info.has_hidden and self.team != OURS:
            self.play(UNKNOWN_SETUP, "page")
        outcome = self.loaded.whole.outcome()
        if outcome is not None and not outcome.unknown and self.game.ended is None and not self.is_held:
            winner = None if outcome.winner is None else self.game.team(outcome.winner)
            self.add(Ended(at=self.today(), winner=winner, end="rules", reason=outcome.reason, used=self.used()))
        self._stopwatch.run(self.goes_on and self.loaded.has_pieces)

    # Clocks

    def _has_lost_on_time(self, side: int) -> bool:
        """End the game if the time is up, where that was chosen."""
        if not self.begun.ends_on_time or self.left(side) > 0:
            return False
        self.add(Ended(at=self.today(), winner=self.game.team(1 - side), end="time", used=self.used()))
        self.settle()
        return True

    def left(self, side: int) -> int:
        """Return the milliseconds that a side has left; less than 0 once its clock has run out."""
        return self.begun.clock_ms - self.used()[side]

    def clocks(self) -> Clocks:
        """Return what the clocks show."""
        running = self.positions.whole.turn if self._stopwatch.is_running else None
        return Clocks((self.left(0), self.left(1)), running)


def _read(entries: list[AnyEntry]) -> tuple[State, str]:
    """Return the state after all facts, and the time of the last one; ValueError if one cannot follow the others."""
    return fold(entries), entries[-1].at if entries else ""
