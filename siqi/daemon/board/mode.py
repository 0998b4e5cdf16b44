"""The modes of the page, as its hub knows them: plain calls, without a transport, a thread or an engine.

Commands come in by `do`; what the engine should do now is `engine_request`, and its answers come in by
`engine_searched` and `engine_moved`. Each call returns the events to show. A fact that cannot be stored is refused by
its reason.
"""

from __future__ import annotations

import functools
import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from siqi.daemon.board.commands import ListFiles
from siqi.daemon.board.drawings import Drawing
from siqi.daemon.board.events import Event, FileLine, Files, Loading, Refused
from siqi.daemon.board.store import Head, Store
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.played_game import FinishedGame
from siqi.games.contract import Game, Position, Score
from siqi.system.messages import Catalogue, load

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


class Mode(ABC):
    """A mode of the page: it has a store of its own, and goes on where it was."""

    name: ClassVar[str]
    """The word for it in commands and addresses."""
    commands: ClassVar[Any]
    """The union of its commands."""

    def __init__(self, store: Store[Any], numbering: Iterator[int] | None) -> None:
        """`numbering`: of the events of all modes; None: of this one alone."""
        self._store = store
        self._numbering = numbers() if numbering is None else numbering

    def do(self, command: Any) -> Sequence[Event]:
        """Carry out a command; return what is to be shown: a snapshot, or the reason of a refusal."""
        try:
            return [self._files()] if isinstance(command, ListFiles) else self._done(command)
        except ValueError as error:
            return [self._refused(str(error))]
        except OSError as error:
            return self._not_stored(error)

    @abstractmethod
    def _done(self, command: Any) -> Sequence[Event]:
        """Carry out a command; ValueError if that cannot be done, OSError if a fact cannot be stored."""

    def left(self) -> None:
        """Take note that the page shows another mode from now on; the engine does nothing for this one."""
        return

    @abstractmethod
    def engine_request(self) -> EngineRequest | None:
        """Return what the engine should do now; None: nothing."""

    def loading(self, text: str) -> Sequence[Event]:
        """Return the event for a line of progress."""
        return [Loading(number=self.next_number(), text=text, chinese=_chinese().translate(text))]

    @abstractmethod
    def game_loaded(self, game: Game[Position]) -> Sequence[Event]:
        """Take a game that was loaded, for its rules; another one than was requested changes nothing."""

    def engine_failed(self, reason: str) -> Sequence[Event]:
        """Say that a game cannot be loaded, or that the engine has failed."""
        return [self._refused(reason)]

    @abstractmethod
    def engine_searched(self, info: SearchInfo) -> Sequence[Event]:
        """Take what a search has found so far, at most ten times a second."""

    def engine_moved(self, key: Key, word: str) -> Sequence[Event]:
        """Take the engine's answer; one to a request that has been dropped changes nothing."""
        request = self.engine_request()
        if not isinstance(request, SearchRequest) or request.key != key:
            return []
        try:
            return self._answered(key, word)
        except ValueError as error:  # a fault in this program
            return [self._refused(f"internal: the engine's move {word}: {error}")]
        except OSError as error:
            return self._not_stored(error)

    @abstractmethod
    def _answered(self, key: Key, word: str) -> Sequence[Event]:
        """Take the answer to what is requested; ValueError for an illegal move, OSError if a fact cannot be stored."""

    def tick(self) -> Sequence[Event]:
        """Look at the clocks, several times a second, also while another mode is shown; return what is to be shown."""
        return []

    @abstractmethod
    def snapshot(self) -> Event:
        """Return the mode as it is now; its `picture` is the number of what `drawing` returns."""

    @abstractmethod
    def drawing(self) -> Drawing | None:
        """Return the board to draw; None without one."""

    @property
    @abstractmethod
    def positions(self) -> HasGame | None:
        """The positions, once the game is loaded; to be read."""

    @property
    def file(self) -> str:
        """The name of the file that is shown in the games' folder, without its suffix."""
        return self._store.stem

    def finished(self) -> FinishedGame | None:
        """Return the game for its review; None while it goes on, or where games have no end."""
        return None

    def record(self) -> tuple[str, bytes] | None:
        """Return the name and the content of the game's official record; None without one."""
        return None

    def _files(self) -> Files:
        """Return the files of the mode, to choose one."""
        files = [FileLine(file.name, file.head.at, file.head.game, _title(file.head)) for file in self._store.files()]
        return Files(number=self.next_number(), files=files, current=self._store.name)

    def next_number(self) -> int:
        """Return the number of the next event or picture."""
        return next(self._numbering)

    def _refused(self, reason: str) -> Refused:
        return Refused(number=self.next_number(), reason=reason)

    def _not_stored(self, error: OSError) -> list[Event]:
        where = f": {error.filename}" if error.filename else ""
        return [self._refused(f"not saved: {error.strerror or error}{where}"), self.snapshot()]


@functools.cache
def _chinese() -> Catalogue:
    """Return the catalogue for Chinese pages, whatever the language of this process is."""
    return load("zh")


def _title(head: Head) -> str:
    """Return the names of a file's first fact: of teams, of players, or of what it was read from."""
    for pair in (head.teams, head.players):
        if any(name != "?" for name in pair):
            return " – ".join(pair)
    return head.name


def numbers() -> Iterator[int]:
    """Return the numbers of events and pictures; the modes of one page share them."""
    return itertools.count(1)


def utc() -> str:
    """Return the time of the day, for people."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def monotonic_ms() -> float:
    """Return a time that no setting of the system's clock changes."""
    return time.monotonic() * 1000
