"""The events of Analyse, typed, as the page gets them, without a word for people."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from siqi.daemon.board.events import Choice, Event, GameEnd, PlayedMove, Shown

Stage = Literal["start", "loading", "analyse", "edit"]


class BookMoveShown(msgspec.Struct, frozen=True):
    """A move of the opening book: its games, and the expected result of its player."""

    move: PlayedMove
    games: int
    score: float


class RuleShown(msgspec.Struct, frozen=True):
    """A mined rule that fits the position."""

    moves: list[PlayedMove]  # its answer, or all moves with the intents that are
    share: float  # of the games, or positions, with all that the rule asks for
    asked: int  # their number
    counts_positions: bool
    intents: tuple[str, ...]


class TreeNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move of the tree."""

    node: int
    parent: int
    move: PlayedMove
    comment: str = ""
    nags: tuple[int, ...] = ()
    chance: float | None = None  # the first side's


class TreeShown(msgspec.Struct, frozen=True):
    """All moves of the tree, parents before what follows them, the main line's first."""

    nodes: list[TreeNode]
    comment: str = ""  # on the first position
    chance: float | None = None  # the first side's, there
    setups: int = 0  # of the moves are set-ups


class LineShown(msgspec.Struct, frozen=True):
    """A line of the engine."""

    chance: float  # the first side's
    moves: list[PlayedMove]
    points: list[str]  # of its first move
    cp: int = 0  # the view of the side to move
    mate: int = 0  # the winner's turns, negative if the second side wins
    throw: int = 0  # that the line answers, where none was given


class LinesShown(Event, frozen=True, tag="lines"):
    """The engine's findings on a position."""

    is_private: ClassVar[bool] = True

    node: int
    depth: int
    nodes: int
    elapsed_ms: int
    chance: float  # the first side's
    mate: int
    lines: list[LineShown]


class AnalysisShown(Shown, frozen=True, tag="analysis"):
    """An analysis as its part of the page shows it."""

    is_private: ClassVar[bool] = True

    stage: Stage
    game: str = ""
    name: str = ""
    file: str = ""
    players: tuple[str, str] = ("?", "?")
    result: str = "*"
    node: int = 0
    turn: int = 0
    fen: str = ""
    pieces: dict[str, str] = msgspec.field(default_factory=dict)
    last: list[str] = msgspec.field(default_factory=list)
    choices: list[Choice] = msgspec.field(default_factory=list)
    stones: int = 0
    throw: int = 0
    has_throw: bool = False  # a throw can be set here
    needs_setup: bool = False
    needs_answers: bool = False  # a referee answers the moves: the pieces of one side are not known
    view: int | None = None
    has_views: bool = False
    layers: dict[str, bool] = msgspec.field(default_factory=dict)  # of the game, and whether they are shown
    lines: int = 0  # that the engine is to find; 0: it rests
    judging: int = 0  # positions that are still to be judged
    book: list[BookMoveShown] = msgspec.field(default_factory=list)
    rules: list[RuleShown] = msgspec.field(default_factory=list)
    known: list[str] = msgspec.field(default_factory=list)  # what books know beside moves and rules
    comment: str = ""
    is_trial: bool = False  # moves are tried out
    marks: tuple[tuple[str, str], ...] = ()  # the ends of drawn arrows, of a ring one point twice
    game_end: GameEnd | None = None
    can_restore: bool = False
    formats: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)  # on what could not be read
    games: list[str] = msgspec.field(default_factory=list)  # of the file that was read, to choose from
    tree: TreeShown | None = None  # None: it has not changed
    report: LinesShown | None = None  # for a tab that has not heard it


class Saved(Event, frozen=True, tag="saved"):
    """A file of the analysis, for the tab that has asked for it."""

    name: str
    data: bytes  # base64 in JSON
    losses: list[str]  # what the format cannot store
