"""What the mode Championship says: typed events, as the page gets them, without a word for people."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec
from msgspec import field

from siqi.daemon.board.championship.state import Correction
from siqi.daemon.board.events import Choice, Clocks, Event, PlayedMove, Shown

Stage = Literal["start", "loading", "asks", "set-up", "paused", "play", "over"]

Press = Literal["nobody", "begin", "resume", "set-up", "throw", "announce", "opponent", "own", "referee", "next"]
"""What the operator has to do next; nobody: the engine thinks, or a game is loaded; referee: only that one knows."""


class Check(msgspec.Struct, frozen=True):
    """A line of the preflight; `is_good` is None while it is not known."""

    name: str
    is_good: bool | None
    detail: str = ""


class GameLine(msgspec.Struct, frozen=True):
    """A game of the contest in its table."""

    first: int  # the team that moves first
    moves: int
    winner: int | None = None
    end: str = ""  # '': it goes on
    reason: str = ""


class Contest(msgspec.Struct, frozen=True):
    """The contest as it stands."""

    game: str
    teams: tuple[str, str]
    games: int
    clock_ms: int
    event: str
    site: str
    engine: tuple[bool, bool]
    ends_on_time: bool
    ponders: bool
    hides: bool
    points: tuple[float, float]
    is_decided: bool
    next_first: int
    played: list[GameLine]
    current: int  # the index of the game that is shown


class Table(Shown, frozen=True, tag="championship"):
    """The whole mode as its page shows it."""

    stage: Stage
    press: Press = "begin"
    checks: list[Check] = field(default_factory=list)
    contest: Contest | None = None
    first: int = 0  # the team of the first side
    turn: int = 0  # the side to move
    pieces: dict[str, str] = field(default_factory=dict)
    moves: list[PlayedMove] = field(default_factory=list)
    line: list[int] = field(default_factory=list)  # the nodes of the game from its root to the position shown
    ahead: list[int] = field(default_factory=list)  # nodes behind it that were taken back, to go forward to
    ahead_moves: list[PlayedMove] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    stones: int = 0
    setup: list[str] = field(default_factory=list)  # the points of the set-up that is made by hand
    layouts: list[str] = field(default_factory=list)  # the names of set-ups that were kept
    presets: list[str] = field(default_factory=list)  # words of set-ups to choose from
    word: str = ""  # of the set-up that is made
    throw: int = 0
    proposed: PlayedMove | None = None  # the engine's move or set-up, to be announced
    answers: list[int] = field(
        default_factory=list
    )  # the referee's possible answers to `proposed`; empty: it has none to give
    clocks: Clocks | None = None  # may be below 0
    corrections: list[Correction] = field(default_factory=list)
    record: str = ""  # the name of the official record
    saved_at: str = ""  # after a restart: the local time of the last fact


class Evaluation(Event, frozen=True, tag="evaluation"):
    """What the engine thinks of its position; for the operator alone."""

    is_private: ClassVar[bool] = True

    depth: int
    nodes: int
    elapsed_ms: int
    cp: int
    mate: int | None
    win: float | None
    line: list[str]


class Warning(Event, frozen=True, tag="warning"):
    """Something failed that the game does not wait for: the official record could not be written."""

    reason: str


AnyEvent = Table | Evaluation | Warning
