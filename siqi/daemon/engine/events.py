"""The engine's answers: typed events. Their texts are for people to read; no program needs to parse them.

An event that is posted within a call reaches the listener before the call returns. The events of a job (a search, a
count, the loading of a game) come in order from the job's thread; `ends_job` is true for the last one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import NamedTuple

from siqi.games.contract import Game, Move, Position, Report, Score, Searcher


class Kind(enum.Enum):
    """The cause of a refusal."""

    POSITION = enum.auto()  # a bad FEN
    MOVE = enum.auto()  # an illegal move in a list, or among the moves to search
    DICE = enum.auto()
    LIMIT = enum.auto()  # of a search or a count
    OPTION = enum.auto()
    COMMAND = enum.auto()  # wrong arguments of a command
    LINE = enum.auto()  # no command, or a line too long
    LOADING = enum.auto()  # the game cannot be loaded
    BUSY = enum.auto()  # no game is loaded yet, or a job runs
    INTERNAL = enum.auto()  # a fault in this program


class Refusal(ValueError):
    """Raised by a call that is not carried out; nothing has changed except by the moves counted in `played`."""

    def __init__(self, kind: Kind, reason: str, played: int | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        """The cause; its `name` is OPTION, POSITION, MOVE, DICE, LIMIT or another."""
        self.reason = reason
        """The reason in words."""
        self.played = played
        """In a list of moves, the number of moves played before the refused one; None for all other refusals."""


class Note(NamedTuple):
    """Information: the book of a move, the time budget, the data that a search uses."""

    text: str


class Warning(NamedTuple):
    """A book or memory is missing; the engine goes on without it."""

    text: str


class Compiling(NamedTuple):
    """The progress of compiling kernels, which happens once per machine and version."""

    text: str


class Refused(NamedTuple):
    """A call that had waited, or a part of a job, was not carried out."""

    kind: Kind
    reason: str


class Failed(NamedTuple):
    """The last event of a perft or bench that was refused, or ended by a fault in this program."""

    kind: Kind
    reason: str


class Info(NamedTuple):
    """The report of a search after an iteration."""

    search_id: int
    position: Position  # the root; its `move_text` writes the report's moves
    report: Report
    multipv: int  # lines requested; the report may have more
    elapsed_ms: int  # since the search was requested
    is_final: bool


class GameOver(NamedTuple):
    """The side to move has no legal move, so there is nothing to search. A BestMove without a move follows.

    `score`: the mover's view.
    """

    search_id: int
    score: Score


class BestMove(NamedTuple):
    """The last event of a search; each search has exactly one."""

    search_id: int
    position: Position  # the root
    move: Move | None  # None: no legal move, or a fault
    ponder: Move | None = None  # the expected reply; never with dice or hidden pieces
    mate: int | None = None  # a proven mate in the winner's moves, negative if the mover loses; None: not proven


class PerftMove(NamedTuple):
    """The number of leaves below one root move."""

    position: Position
    move: Move
    nodes: int


class PerftDone(NamedTuple):
    """The last event of a perft: the sum over the root moves. `is_stopped`: it is incomplete."""

    depth: int
    nodes: int
    elapsed_ms: int
    is_stopped: bool


class BenchPosition(NamedTuple):
    """One search of a bench; the signature is a checksum of the summaries."""

    number: int
    summary: str


class BenchTotal(NamedTuple):
    """The sums over a bench, and its signature."""

    game: str
    nodes: int
    elapsed_ns: int
    signature: int


class BenchDone(NamedTuple):
    """The last event of a bench; `total` is None if it was stopped."""

    total: BenchTotal | None


class StillLoading(NamedTuple):
    """The loading of a game takes longer than clients wait for the answer to their greeting."""


class Loaded(NamedTuple):
    """A game is loaded, compiled and warmed up by a short search."""

    name: str
    game: Game[Position]
    searcher: Searcher[Position]
    ready_ns: int  # by `siqi.system.pipes.now_ns`


class Configured(NamedTuple):
    """The searcher has the memory that the options ask for, or after a Warning less."""


class LoadFailed(NamedTuple):
    """A game cannot be loaded; calls that waited for it are refused."""

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
    | StillLoading
    | Loaded
    | LoadFailed
    | Configured
)

Post = Callable[[Event], None]
"""A callback for events, called from any thread."""


def ends_job(event: Event) -> bool:
    """True for the last event of a job."""
    return isinstance(event, Failed | BestMove | PerftDone | BenchDone | Loaded | LoadFailed | Configured)


def internal_reason(error: BaseException) -> str:
    """Return the reason that reports an unexpected exception."""
    return f"internal: {type(error).__name__}: {error}"
