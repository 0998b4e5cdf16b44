"""The state of a contest: what its facts add up to. Pure, and without a rule of any game."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import msgspec

from siqi.daemon.board.championship.entries import (
    AnyEntry,
    Begun,
    ClocksSet,
    Ended,
    Entered,
    FirstSet,
    GameBegun,
    OptionsSet,
    PlayersSet,
    Proposed,
    Recorded,
    ScoreSet,
    WentBack,
)
from siqi.daemon.board.entries import Moved, Paused, Resumed, Thrown, Ticked
from siqi.daemon.board.tree import ROOT, TimedTree


class GameState(TimedTree, frozen=True):
    """A game of the contest."""

    at: str = ""  # the local time at which it began
    first: int = 0  # the team that moves first
    is_paused: bool = True
    proposed: str = ""  # the engine's move, not announced yet
    ended: Ended | None = None
    recorded: frozenset[tuple[str, str]] = frozenset()  # the official records written so far: name, digest

    def team(self, side: int) -> int:
        """Return the team of a side; the same call returns the side of a team."""
        return side ^ self.first


class Correction(msgspec.Struct, frozen=True):
    """A correction by hand, for the log that the referee may want to see."""

    at: str
    game: int  # from 1
    what: str  # back, entered, clocks, score, first, players or throw
    detail: str  # what was set, without words
    note: str = ""


class State(msgspec.Struct, frozen=True):
    """A contest's state. `begun` is None before the first fact."""

    begun: Begun | None = None
    games: tuple[GameState, ...] = ()
    current: int = -1  # the index of the game that is shown
    adjustment: tuple[float, float] = (0.0, 0.0)  # of the points, by hand
    next_first: int | None = None  # by hand
    corrections: tuple[Correction, ...] = ()

    @property
    def game(self) -> GameState | None:
        """The game that is shown; None before the first one."""
        return self.games[self.current] if self.games else None

    @property
    def unit(self) -> int:
        """The points of a win: one in a best of an odd number of games, else two, and one for a draw."""
        return 1 if self.begun is not None and self.begun.games % 2 else 2

    def points(self) -> tuple[float, float]:
        """Return the points of both teams."""
        points = list(self.adjustment)
        for game in self.games:
            if game.ended is None or game.ended.end == "adjourned":
                continue
            for team in range(2):
                points[team] += self.unit * (0.5 if game.ended.winner is None else float(game.ended.winner == team))
        return points[0], points[1]

    @property
    def is_decided(self) -> bool:
        """True if one team has more than half of all points."""
        return self.begun is not None and 2 * max(self.points()) > self.unit * self.begun.games

    def first_of_next(self) -> int:
        """Return the team that moves first in the next game: A, which does in game 1, also in 4 and 5, B in 2, 3, 6, 7.

        What was set by hand comes before that.
        """
        if self.next_first is not None:
            return self.next_first
        return (self.begun.first if self.begun is not None else 0) ^ int(len(self.games) % 4 in (1, 2))

    def after(self, entry: AnyEntry) -> State:
        """Return the state after one more fact; ValueError for one that cannot follow."""
        if (self.begun is None) != isinstance(entry, Begun):
            raise ValueError("a contest begins with its first fact, and only once")
        change = msgspec.structs.replace
        match entry:
            case Begun():
                return change(self, begun=entry)
            case GameBegun():
                game = GameState(at=entry.at, first=entry.first)
                return change(self, games=(*self.games, game), current=len(self.games), next_first=None)
            case ScoreSet():
                now = self.points()
                added = tuple(self.adjustment[team] + entry.points[team] - now[team] for team in range(2))
                text = f"{entry.points[0]:g} : {entry.points[1]:g}"
                return change(self._noted(entry, "score", text, entry.note), adjustment=added)
            case FirstSet():
                return change(self._noted(entry, "first", str(entry.first)), next_first=entry.first)
            case PlayersSet():
                noted = self._noted(entry, "players", " ".join(str(int(is_engines)) for is_engines in entry.engine))
                return change(noted, begun=change(noted.begun, engine=entry.engine))  # type: ignore[type-var]
            case OptionsSet():
                options: dict[str, Any] = {name: getattr(entry, name) for name in ("ends_on_time", "ponders", "hides")}
                return change(self, begun=change(self.begun, **options))  # type: ignore[type-var]
            case WentBack():
                return self._back(entry)
        if self.game is None:
            raise ValueError("no game has begun")
        return self._in_game(self.game, entry)

    def _in_game(self, game: GameState, entry: AnyEntry) -> State:
        """Return the state after a fact of the game that is shown."""
        change = msgspec.structs.replace
        match entry:
            case Thrown():
                noted = self._noted(entry, "throw", f"{game.throw} → {entry.throw}") if game.throw else self
                return noted._with(change(game.thrown(entry.throw), proposed=""))
            case Proposed():
                return self._with(change(game, proposed=entry.word, used=entry.used))
            case Moved():
                return self._with(change(game.moved(entry.word), used=entry.used, proposed=""))
            case Entered():
                entered = game.at_node(ROOT)
                for move in entry.moves:
                    entered = (entered.thrown(move.throw) if move.throw else entered).moved(move.word)
                noted = self._noted(entry, "entered", str(len(entry.moves)), entry.note)
                return noted._with(change(entered, used=entry.used, proposed="", is_paused=True))
            case Ticked():
                return self._with(change(game, used=entry.used))
            case Paused():
                return self._with(change(game, used=entry.used, is_paused=True))
            case Resumed():
                return self._with(change(game, is_paused=False))
            case ClocksSet():
                assert self.begun is not None
                text = " / ".join(_minutes(self.begun.clock_ms - used) for used in entry.used)
                return self._noted(entry, "clocks", text, entry.note)._with(change(game, used=entry.used))
            case Recorded():
                return self._with(change(game, recorded=game.recorded | {(entry.name, entry.digest)}))
            case Ended():
                return self._with(change(game, used=entry.used, ended=entry, proposed="", is_paused=True))
        raise ValueError("no fact of a game")

    def _back(self, entry: WentBack) -> State:
        change = msgspec.structs.replace
        if not 0 <= entry.game < len(self.games) or self.game is None:
            raise ValueError(f"no game {entry.game + 1}")
        left = self._with(
            change(self.game, used=entry.used, is_paused=self.game.is_paused or entry.game != self.current)
        )
        target = left.games[entry.game].at_node(entry.node)
        is_paused = target.is_paused or target.ended is not None
        back = change(target, ended=None, proposed="", is_paused=is_paused)
        shown = change(left, current=entry.game)._with(back)
        return shown._noted(entry, "back", str(len(back.path())), entry.note)

    def _with(self, game: GameState) -> State:
        """Return the state with another state of the game that is shown."""
        games = (*self.games[: self.current], game, *self.games[self.current + 1 :])
        return msgspec.structs.replace(self, games=games)

    def _noted(self, entry: AnyEntry, what: str, detail: str, note: str = "") -> State:
        correction = Correction(entry.at, self.current + 1, what, detail, note)
        return msgspec.structs.replace(self, corrections=(*self.corrections, correction))


def _minutes(ms: int) -> str:
    seconds = abs(ms) // 1000
    return f"{'-' * (ms <= -1000)}{seconds // 60}:{seconds % 60:02}"


def fold(entries: Iterable[AnyEntry]) -> State:
    """Return the state after all facts; ValueError if one cannot follow the others."""
    return functools.reduce(State.after, entries, State())
