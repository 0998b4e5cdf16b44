"""What a session says: typed events, numbered in their order, as the page gets them, without a word for people."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

Stage = Literal["start", "loading", "asks", "set-up", "play", "paused", "over"]
"""start: there is no game; loading: its kernels are; asks: a game that a restart broke off waits to go on."""


class Event(msgspec.Struct, frozen=True, tag_field="event", kw_only=True):
    """An event; the numbers of events rise."""

    is_private: ClassVar[bool] = False
    """True if it is for the operator, not for a screen that only watches."""

    number: int


class Shown(Event, frozen=True, kw_only=True):
    """A mode as its part of the page shows it."""

    picture: int = 0  # the number of the board's picture


class Picture(Event, frozen=True, tag="picture"):
    """The picture of the position that is shown next, for a tab that has said how it sees boards."""

    picture: int
    is_flipped: bool
    faces: str
    svg: str


class PlayedMove(msgspec.Struct, frozen=True):
    """A move of the game as the person may see it."""

    word: str
    chinese: str = ""  # in players' notation, where the game has one
    throw: int = 0


class Choice(msgspec.Struct, frozen=True):
    """A legal move of the person, and the points that it names."""

    word: str
    points: list[str]


class Clocks(msgspec.Struct, frozen=True):
    """The time that is left to each side, in milliseconds, and the side whose clock runs."""

    left: tuple[int, int]
    running: int | None


class Settings(msgspec.Struct, frozen=True):
    """The settings of a game, as it was begun."""

    game: str
    person: int
    skill: int
    movetime_ms: int
    clock_ms: int
    increment_ms: int
    dice: str
    teaches: bool


class Taught(msgspec.Struct, frozen=True):
    """A bad move of the person that was taken back, and the chance that it loses."""

    move: PlayedMove
    lost: float


class GameEnd(msgspec.Struct, frozen=True):
    """The end of the game: the winner's side, None for a draw, and a word for the reason."""

    winner: int | None
    reason: str


class Snapshot(Shown, frozen=True, tag="snapshot"):
    """The whole session of Play as a page shows it."""

    stage: Stage
    settings: Settings | None = None
    turn: int = 0
    pieces: dict[str, str] = {}  # the FEN's letters by point
    moves: list[PlayedMove] = []
    last: list[str] = []  # the points of the last move
    shown_ply: int | None = None  # the number of moves before the position that is shown; None: it is the last one
    choices: list[Choice] = []  # empty while the person cannot move, and where a turn is made of stones
    stones: int = 0  # to put on empty points, where a turn is made of stones
    setup: list[str] = []  # the points of the set-up that the person makes
    layouts: list[str] = []  # the names of set-ups that were kept
    throw: int = 0
    needs_throw: bool = False  # the person has to enter a throw
    thinking: bool = False  # the engine is to move
    is_judging: bool = False  # the engine looks at the person's move first
    taught: Taught | None = None  # the move that was just taken back
    can_take_back: bool = False
    hint: PlayedMove | None = None  # the engine's best move
    is_hint_coming: bool = False
    clocks: Clocks | None = None
    game_end: GameEnd | None = None
    file: str = ""


class Loading(Event, frozen=True, tag="loading"):
    """A game's kernels are being compiled or read: a line for the person, in both languages."""

    text: str
    chinese: str


class Refused(Event, frozen=True, tag="refused"):
    """A command was not carried out, or a fact could not be written; `reason` is for the person."""

    reason: str


class Cell(msgspec.Struct, frozen=True):
    """A point of a board and its centre, in units of the picture."""

    point: str
    x: float
    y: float


class BoardView(msgspec.Struct, frozen=True):
    """The places of a picture of a board: its size, that of a cell, and the cells row by row from the top."""

    size: tuple[float, float]
    cell: tuple[float, float]
    rows: list[list[Cell]]


class Board(Event, frozen=True, tag="board"):
    """The board of a game, from both sides."""

    game: str
    views: list[BoardView]
    faces: list[str]  # of the pieces, the default first


class GameCard(msgspec.Struct, frozen=True):
    """A game to choose: its names and its sides' by language, the Elo of each Skill Level."""

    game: str
    names: dict[str, list[str]]
    pieces: list[str]
    elo: list[int]
    has_dice: bool
    has_setup: bool
    has_hidden: bool


class Welcome(Event, frozen=True, tag="welcome"):
    """The first event of each tab."""

    games: list[GameCard]
    default_game: str
    version: str


class ActiveMode(Event, frozen=True, tag="mode"):
    """The mode that the page shows, and all that there are; what it shows follows."""

    mode: str
    modes: list[str]


class TabStatus(Event, frozen=True, tag="tab status"):
    """The number of tabs, and whether this one holds the board."""

    holds: bool
    tabs: int


class FileLine(msgspec.Struct, frozen=True):
    """A file of the games' folder, as it is chosen; `title` has its names, if it has some."""

    name: str
    at: str
    game: str
    title: str


class Files(Event, frozen=True, tag="files"):
    """The files of a mode, for the tab that has asked for them."""

    is_private: ClassVar[bool] = True

    files: list[FileLine]
    current: str  # the name of the one that is shown


class Reviewing(Event, frozen=True, tag="reviewing"):
    """The state of a review: a line of progress, at the end its address."""

    text: str = ""
    address: str = ""
