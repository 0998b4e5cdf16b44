"""The modes of the page, as its hub knows them: plain calls, without a transport, a thread or an engine.

Commands come in by `do`; what the engine should do now is `engine_request`, and its answers come in by
`engine_searched` and `engine_moved`. Each call returns the events to show.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from siqi.daemon.board.drawings import Drawing
from siqi.daemon.board.events import Event
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.played_game import FinishedGame
from siqi.games.contract import Game, Position, Score

HINT_MS = 1000
"""The engine's time for a hint or the proposal of a set-up."""

JUDGE_MS = 500
"""The engine's time for a position that is judged."""


class LoadRequest(NamedTuple):
    """The engine should load a game."""

    game: str


Key = tuple[str, int, int, int]
"""The purpose of a request, which no other mode has, the node, the throw, and a number that renews it."""


class SearchRequest(NamedTuple):
    """The engine should answer a position with a move."""

    key: Key  # answers with another key are out of date
    game: str
    words: tuple[str, ...]  # as the side to move may see them
    throw: int
    limits: Limits
    skill: int
    is_new: bool  # nothing found before may be used: a game begins, or another set-up is proposed
    is_urgent: bool = False  # it should answer at once
    fen: str = ""  # of the position before the words; '': the start position
    lines: int = 0  # to report, of a position that is only looked at; 0: the position is played
    moves: tuple[str, ...] = ()  # the only ones to look at; (): all


EngineRequest = LoadRequest | SearchRequest


class SearchLine(NamedTuple):
    """A line of the engine's report."""

    score: Score  # the view of the side to move
    words: tuple[str, ...]
    throw: int  # that the line answers, where none was given; else 0


class SearchInfo(NamedTuple):
    """What a search has found so far."""

    key: Key
    depth: int
    nodes: int
    elapsed_ms: int
    lines: tuple[SearchLine, ...]  # at least one, best first
    value: Score | None = None  # of the position before the throw, where the lines answer throws


class HasGame(Protocol):
    """The positions of a game that is loaded."""

    @property
    def game(self) -> Game[Position]:
        """The game."""


class Mode(Protocol):
    """A mode of the page: it has a store of its own, and goes on where it was."""

    name: str
    """The word for it in commands and addresses."""
    commands: Any
    """The union of its commands."""

    def do(self, command: Any) -> Sequence[Event]:
        """Carry out a command; return what is to be shown: a snapshot, or the reason of a refusal."""

    def left(self) -> None:
        """Take note that the page shows another mode from now on; the engine does nothing for this one."""

    def engine_request(self) -> EngineRequest | None:
        """Return what the engine should do now; None: nothing."""

    def loading(self, text: str) -> Sequence[Event]:
        """Return the event for a line of progress."""

    def game_loaded(self, game: Game[Position]) -> Sequence[Event]:
        """Take a game that was loaded, for its rules; another one than was requested changes nothing."""

    def engine_failed(self, reason: str) -> Sequence[Event]:
        """Say that a game cannot be loaded, or that the engine has failed."""

    def engine_searched(self, info: SearchInfo) -> Sequence[Event]:
        """Take what a search has found so far, at most ten times a second."""

    def engine_moved(self, key: Key, word: str) -> Sequence[Event]:
        """Take the engine's answer; one to a request that has been dropped changes nothing."""

    def tick(self) -> Sequence[Event]:
        """Look at the clocks, several times a second, also while another mode is shown."""

    def snapshot(self) -> Event:
        """Return the mode as it is now; its `picture` is the number of what `drawing` returns."""

    def drawing(self) -> Drawing | None:
        """Return the board to draw; None without one."""

    @property
    def positions(self) -> HasGame | None:
        """The positions, once the game is loaded; to be read."""

    @property
    def file(self) -> str:
        """The name of the game's file in the games' folder, without its ending."""

    def finished(self) -> FinishedGame | None:
        """Return the game for its review, None while it goes on."""

    def record(self) -> tuple[str, bytes] | None:
        """Return the name and the content of the game's official record; None without one."""


def numbers() -> Iterator[int]:
    """Return the numbers of events and pictures; the modes of one page share them."""
    return itertools.count(1)


def utc() -> str:
    """Return the time of the day, for people."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def monotonic_ms() -> float:
    """Return a time that no setting of the system's clock changes."""
    return time.monotonic() * 1000
