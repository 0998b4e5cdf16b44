"""The game that is being played: its facts, its positions and its clocks. A fact is stored before it counts."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable

from siqi.daemon.board.commands import Refusal
from siqi.daemon.board.entries import AnyEntry, Begun, Ended, Thrown, Ticked
from siqi.daemon.board.events import Clocks, GameEnd
from siqi.daemon.board.facts import GameFacts
from siqi.daemon.board.positions import Positions
from siqi.daemon.board.state import State, fold
from siqi.daemon.board.store import Store
from siqi.daemon.engine.played_game import FinishedGame, PlayedGame
from siqi.games.contract import RESULTS, Game, Position


class Played(GameFacts):
    """Play's youngest game, and those that are begun after it."""

    def __init__(self, store: Store[AnyEntry], clock: Callable[[], float], today: Callable[[], str]) -> None:
        """Open the game; OSError if its file cannot be read."""
        super().__init__(store, clock, today)
        try:
            self._take(fold(store.latest()))
        except ValueError as error:
            raise OSError(errno.EIO, f"the last game's file is damaged: {error}") from None

    def _take(self, state: State) -> None:
        """Take a state that was read from a file."""
        self.state = state
        self.is_held = state.begun is not None and state.ended is None

    # What it is

    @property
    def begun(self) -> Begun:
        """The game's first fact; Refusal if there is none."""
        if self.state.begun is None:
            raise Refusal("no game has begun")
        return self.state.begun

    @property
    def game(self) -> State:
        return self.state

    @property
    def goes_on(self) -> bool:
        """True if somebody is to move."""
        if self.state.begun is None or self.loaded is None or self.is_held or self.state.is_paused:
            return False
        return self.game_end() is None

    @property
    def clock_runs(self) -> bool:
        return self._stopwatch.is_running

    def game_end(self) -> GameEnd | None:
        """Return how the game has ended, None while it has not."""
        if self.state.ended is not None:
            return GameEnd(self.state.ended.winner, self.state.ended.reason)
        outcome = self.positions.whole.outcome()
        return None if outcome is None else GameEnd(outcome.winner, outcome.reason)

    def node_before(self) -> int | None:
        """Return the node before the person's last move, None if there is none."""
        line = self.state.line()
        depths = [depth for depth in range(len(line) - 1) if depth % 2 == self.begun.person]
        return line[depths[-1]] if depths else None

    def finished(self) -> FinishedGame | None:
        """Return the game for its record, None while it goes on."""
        if self.loaded is None or (game_end := self.game_end()) is None:
            return None
        words = tuple(node.word for node in self.state.path())
        played = PlayedGame(self.begun.game, "", words, {}, self.loaded.throws())
        whole, own = self.loaded.whole.copy(), frozenset({1 - self.begun.person})
        return FinishedGame(played, whole, RESULTS[game_end.winner], game_end.reason, own)

    # What becomes of it

    def begin(self, entry: Begun) -> None:
        """Begin a new game, and leave the one before."""
        self._store.begin(entry)
        self._stopwatch.run(False)
        self.state, self.is_held = State().after(entry), False
        if self.loaded is not None:
            same = self.loaded.info.name == entry.game
            self.loaded = Positions(self.loaded.game, entry.person) if same else None

    def open(self, name: str) -> None:
        """Go on with another game of the store; ValueError if there is none, or if its file breaks the rules."""
        if self.clock_runs:
            self.add(Ticked(at=self.today(), used=self.used()))
        self._take(self._store.open(name, fold))
        self._stopwatch.run(False)
        before, self.loaded = self.loaded, None
        if before is not None and before.info.name == self.begun.game:
            self.load(before.game)

    def load(self, game: Game[Position]) -> None:
        """Take the rules of the game that was to be loaded. ValueError, and no game, if its file breaks them."""
        self.loaded = Positions(game, self.begun.person)
        try:
            self.loaded.follow(self.state)
        except ValueError:
            self.loaded, self.state, self.is_held = None, State(), False
            raise
        if self.game_end() is not None:
            self.is_held = False

    def add(self, entry: AnyEntry) -> None:
        after = self.state.after(entry)
        self._store.add(entry)
        self.state = after
        self._stopwatch.stored(entry)
        if self.loaded is not None:
            self.loaded.follow(after)

    def settle(self, *, waits: bool = False) -> None:
        """Do what follows by itself: throw the die, unless it waits, and run the clock of the side to move."""
        if self.loaded is None:
            self._stopwatch.run(False)
            return
        begun = self.begun
        if self.goes_on and self.needs_throw and begun.dice == "page" and not waits:
            throw = random.Random(f"{begun.seed} {self.state.throws}").randint(1, self.loaded.info.die_faces)
            self.add(Thrown(at=self.today(), throw=throw, by="page"))
        self._stopwatch.run(self.goes_on and begun.clock_ms > 0 and self.loaded.has_pieces)

    # Clocks

    def _has_lost_on_time(self, side: int) -> bool:
        if self.left(side) > 0:
            return False
        self.add(Ended(at=self.today(), winner=1 - side, reason="time", used=self.used()))
        self.settle()
        return True

    def left(self, side: int) -> float:
        """Return the milliseconds that a side has left. What it has used stays used when moves are taken back."""
        begun, setups = self.begun, 2 if self.positions.info.has_setup else 0
        own = sum(1 for depth in range(setups, len(self.positions.moves)) if depth % 2 == side)
        return begun.clock_ms + begun.increment_ms * own - self.used()[side]

    def clocks(self) -> Clocks | None:
        """Return what the clocks show; None without clocks."""
        if not self.begun.clock_ms:
            return None
        left = [max(round(self.left(side)), 0) for side in range(2)]
        return Clocks((left[0], left[1]), self.positions.whole.turn if self.clock_runs else None)
