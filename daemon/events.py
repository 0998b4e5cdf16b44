"""What an engine answers: typed events. Texts in them are for a person to read; no program needs to take them apart.

An event that is raised within a call reaches the listener before the call returns. Those of a job (a search, a count,
the loading of a game) are queued in the order in which they happen; `ends_job` is
true for the last one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import NamedTuple

from games.contract import Game, Move, Position, Report, Score, Searcher


class Kind(enum.Enum):
    """What a refused call was about."""

    POSITION = enum.auto()  # a FEN
    MOVE = enum.auto()  # a move of a list, or one to search
    DICE = enum.auto()
    LIMIT = enum.auto()  # of a search or a count
    OPTION = enum.auto()
    COMMAND = enum.auto()  # the words of a command
    LINE = enum.auto()  # a whole line
    LOADING = enum.auto()  # the game cannot be loaded
    BUSY = enum.auto()  # the call came too early
    INTERNAL = enum.auto()  # a fault of ours


class Refusal(ValueError):
    """A call that is not carried out; nothing has changed but what `played` says.

    `played`: of a list of moves, the number of those before the refused one, which stand; None for all other refusals.
    """

    def __init__(self, kind: Kind, reason: str, played: int | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.played = played


class Note(NamedTuple):
    """Something worth knowing: the book of a move, the time meant for it, what a search is based on."""

    text: str


class Warning(NamedTuple):
    """Something is missing, a book or memory; the engine goes on without it."""

    text: str


class Compiling(NamedTuple):
    """The progress of compiling kernels, which happens once on a machine."""

    text: str


class Refused(NamedTuple):
    """A call that had to wait, or a part of a job, is not carried out."""

    kind: Kind
    reason: str


class Failed(NamedTuple):
    """A count or a bench was refused, or broke off by a fault of ours."""

    kind: Kind
    reason: str


class Info(NamedTuple):
    """The state of a search after an iteration."""

    search_id: int
    position: Position  # that is searched; it writes the report's moves
    report: Report
    multipv: int  # lines wanted; the report may have more
    elapsed_ms: int
    is_final: bool


class GameOver(NamedTuple):
    """There is nothing to search: the side to move has no legal move. The best move that follows is None."""

    search_id: int
    score: Score


class BestMove(NamedTuple):
    """The answer to a search, exactly one for each."""

    search_id: int
    position: Position  # that was searched
    move: Move | None  # None: there is none
    ponder: Move | None = None  # the reply expected; never with dice or hidden pieces
    mate: int | None = None  # the move's score, where that is proven


class PerftMove(NamedTuple):
    """The leaves below one root move."""

    position: Position
    move: Move
    nodes: int


class PerftDone(NamedTuple):
    """The sum of a count; `is_stopped`: it is incomplete."""

    depth: int
    nodes: int
    elapsed_ms: int
    is_stopped: bool


class BenchPosition(NamedTuple):
    """One search of a bench; `summary` is what the signature is made from."""

    number: int
    summary: str


class BenchTotal(NamedTuple):
    game: str
    nodes: int
    elapsed_ns: int
    signature: int


class BenchDone(NamedTuple):
    """The whole bench; None if it was stopped."""

    total: BenchTotal | None


class Loaded(NamedTuple):
    """A game is compiled and has searched a little; it is ready for its first search."""

    name: str
    game: Game[Position]
    searcher: Searcher[Position]
    ready_ns: int


class Configured(NamedTuple):
    """The searcher has the memory that the options say, or makes do with less."""


class LoadFailed(NamedTuple):
    """A game cannot be loaded. What waits for it is refused."""

    name: str
    reason: str


Event = (
    Note
    | Warning
    | Compiling
    | Refused
    | Failed
    | Info
    | GameOver
    | BestMove
    | PerftMove
    | PerftDone
    | BenchPosition
    | BenchDone
    | Loaded
    | LoadFailed
    | Configured
)

Post = Callable[[Event], None]
"""Takes an event, from any thread."""


def ends_job(event: Event) -> bool:
    """True for the last event of a job."""
    return isinstance(event, Failed | BestMove | PerftDone | BenchDone | Loaded | LoadFailed | Configured)


def internal_reason(error: BaseException) -> str:
    """Return the reason that a fault of ours is reported with."""
    return f"internal: {type(error).__name__}: {error}"
