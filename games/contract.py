"""The contract between the daemon and a game: plain Python, no numba, no protocol text.

A *declaration* (`GameInfo`, in `games/<game>/__init__.py`) says what a game is and costs nothing to
import. The game itself (`games/<game>/game.py`) is imported through `games.registry.load` when it is
selected. Side 0 moves first from the start position (Red; Black in Connect6), side 1 second.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TextIO, TypeGuard, TypeVar

from games.shape import BoardShape

if TYPE_CHECKING:
    from games.kernel.control import Control

FIRST, SECOND = 0, 1

Move = int
"""A move, opaque outside its game. A set-up (deployment) is a move too."""

MATE_LIMIT = 1000
"""No proven win is reported as longer than this many turns of the winner."""

HIDDEN = ("X", "x")
"""In FENs: a piece of the first or second side whose kind the viewer does not know."""

UNKNOWN_SETUP = "?"
"""In move lists: a set-up that the viewer does not know."""


class Option(NamedTuple):
    """A setting as UCI declares it; `choices` for a combo, `low`..`high` for a spin or a number (a fraction too)."""

    name: str
    kind: str  # check | spin | number | combo | string | button
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()


class GameInfo(NamedTuple):
    """What a game is, said without loading it."""

    name: str
    board: BoardShape
    sides: tuple[str, str]  # their letters in FENs, the first side's first
    pieces: tuple[str, str]  # the letters of a side's pieces (or stones) in FENs
    expected_turns: int  # own moves in a game of usual length
    early_weight: float = 1.0  # what a turn of the first third of them is worth in time, in later ones
    die_faces: int = 0  # a throw is 1..die_faces; 0: the game has no die
    usual_start: str = ""  # the FEN that clients without set-ups begin from; "": the start position
    has_hidden: bool = False  # a position is one side's view
    has_setup: bool = False  # the first move of each side is its set-up
    stones_per_turn: int = 1
    score_unit: int = 100  # a score difference that matters as much as a pawn in Xiangqi
    scores_chances: bool = False  # centipawns are made from the chance to win, not the chance from centipawns
    skill_elo: tuple[int, ...] = ()  # rating of each Skill Level from 0 on, rising (scripts/tune/rate_skill_levels.py)
    options: tuple[Option, ...] = ()  # all that it honours, those that games share too (games/options.py)

    @property
    def has_dice(self) -> bool:
        return self.die_faces > 0

    def placement(self, pieces: Mapping[str, str]) -> str:
        """Return a FEN's first field from letters by point; ValueError for one that the game has not."""
        known = {*"".join(self.pieces), *(HIDDEN if self.has_hidden else ())}
        unknown = set(pieces.values()) - known
        if unknown:
            raise ValueError(f"unknown piece {min(unknown)}")
        return self.board.placement(pieces)


def check_throw(info: GameInfo, dice: int) -> None:
    """Raise ValueError if a game has no such throw; 0, not thrown yet, is one of any game."""
    if dice and not info.has_dice:
        raise ValueError(f"dice: {info.name} has none")
    if not 0 <= dice <= info.die_faces:
        raise ValueError(f"dice: a number from 1 to {info.die_faces}, not {dice}")


class Outcome(NamedTuple):
    """How a game ended. `winner` is None for a draw, and where a view cannot tell (`unknown`)."""

    winner: int | None
    reason: str
    unknown: bool = False

    def __str__(self) -> str:
        if self.unknown:
            return f"unknown {self.reason}"
        if self.winner is None:
            return f"draw {self.reason}"
        return f"win {('first', 'second')[self.winner]} {self.reason}"


class Position(Protocol):
    """A position with its history, verbs as in python-chess. Errors are `ValueError`s with one clear line."""

    @property
    def turn(self) -> int:
        """The side to move (to deploy, before the set-ups)."""

    @property
    def ply(self) -> int:
        """Moves pushed since the position was made."""

    @property
    def key(self) -> int:
        """64-bit hash of everything that decides the moves and their values, history excepted."""

    def copy(self) -> Self: ...

    def fen(self) -> str:
        """The position as text; `startpos [moves ...]` where no FEN exists (before both set-ups)."""

    def pieces(self) -> dict[str, str]:
        """Return the FEN's letters by the names of their points (`GameInfo.board`); empty before the set-ups."""

    def board(self) -> str:
        """A diagram of several lines for `d`."""

    def legal_moves(self) -> list[Move]:
        """Every legal move; empty once the game has ended on the board. May be very long (Connect6).

        As in python-chess, an end by counting (repetition, quiet plies) is told by `outcome` alone.
        """

    def count_legal(self) -> int:
        """len(legal_moves()) without building the list."""

    def push(self, move: Move) -> None:
        """Play a legal move (as `parse_move` or `legal_moves` gave it)."""

    def pop(self) -> Move:
        """Take the last move back and return it."""

    def parse_move(self, text: str) -> Move:
        """The legal move that `text` names here; ValueError says what is wrong with it."""

    def move_text(self, move: Move) -> str: ...

    def outcome(self) -> Outcome | None:
        """None while the game goes on."""


P = TypeVar("P", bound=Position)
P_co = TypeVar("P_co", bound=Position, covariant=True)
P_contra = TypeVar("P_contra", bound=Position, contravariant=True)


class DicePosition(Position, Protocol):
    """A position of a game with a die."""

    @property
    def dice(self) -> int:
        """The throw for the side to move; 0: not thrown yet."""

    def set_dice(self, dice: int) -> None:
        """Set the throw, 0 to clear it; ValueError before the set-ups and after the game."""


class SetupPosition(Position, Protocol):
    """A position of a game that begins with each side's set-up."""

    @property
    def has_pieces(self) -> bool:
        """True once both sides have set up."""

    @property
    def words(self) -> Sequence[str]:
        """The set-ups so far, the first side's first; none if the game began from a FEN."""

    def setup_points(self, side: int) -> tuple[str, ...]:
        """Return where the pieces of a side's set-up word stand, in its order."""


class HiddenPosition(Position, Protocol):
    """A position of a game with hidden pieces: one side's view, or a referee's full position."""

    @property
    def viewer(self) -> int | None:
        """The side whose view it is; None for a referee's."""

    def view_moves(self, viewer: int) -> list[str]:
        """Return the words of a referee's game as a side may know them; played from the start they are its view."""

    def observed(self, text: str, result: int, flag: str = "") -> str:
        """Return a move's word in a view's list: its text, the referee's result code, the square of a flag announced.

        ValueError if one of them is none; whether they can be is asked when the word is played.
        """


def is_dice_position(position: Position, info: GameInfo) -> TypeGuard[DicePosition]:
    """True for every position of a game with a die."""
    return info.has_dice


def is_setup_position(position: Position, info: GameInfo) -> TypeGuard[SetupPosition]:
    """True for every position of a game that begins with set-ups."""
    return info.has_setup


def is_hidden_position(position: Position, info: GameInfo) -> TypeGuard[HiddenPosition]:
    """True for every position of a game with hidden pieces."""
    return info.has_hidden


def set_dice(position: Position, info: GameInfo, dice: int) -> None:
    """Set the throw for the side to move; ValueError if the game has no such throw, or the position none now."""
    check_throw(info, dice)
    if is_dice_position(position, info):
        position.set_dice(dice)


class Score(NamedTuple):
    """From the mover's side. `mate`: the winner's own turns to a proven win, negative when losing."""

    cp: int = 0
    mate: int | None = None
    win: float | None = None  # chance to win, 0..1; None where the search knows none
    draw: float = 0.0  # chance to draw, where `win` is known

    @classmethod
    def expected(cls, win: float, mate: int | None = None) -> Score:
        """Of an expected result 0..1; in centipawns 400 log10 of the odds, as Elo differences go."""
        bounded = min(max(win, 0.001), 0.999)
        return cls(round(400 * math.log10(bounded / (1 - bounded))), mate, win)


class Line(NamedTuple):
    """One principal variation. `throw` names the die it answers when none was given."""

    score: Score
    pv: tuple[Move, ...]
    throw: int = 0
    depth: int = 0  # searched to, where that may be less than the report's (an iteration stopped between lines)


class GameRecord(NamedTuple):
    """A game as a record tells it; `moves` are words of the protocol, set-ups first."""

    moves: tuple[str, ...]
    dice: tuple[int, ...] = ()  # the throws for the moves after the set-ups
    result: str = "*"  # 1-0: the first side won
    first: str = "?"  # name
    second: str = "?"
    occasion: str = ""  # date and place
    event: str = ""
    fen: str = ""  # where it began, if not at the start position
    source: Any = None  # what `GameRecordFormat.annotate` needs


class NoteLine(NamedTuple):
    """A part of a note: text, then moves as words of the protocol, played from the position that it is about."""

    text: str
    moves: tuple[str, ...] = ()


Note = tuple[NoteLine, ...]
"""What the engine found of a position, for a game's record."""


class GameRecordFormat(Protocol):
    """A game's way to keep games in files (`games/<game>/record.py`)."""

    ENCODING: str
    annotate: Callable[[GameRecord, Mapping[int, Note], str], str] | None
    """Return the text that a game was read from, with notes by the number of moves before them.

    The last argument is an encoding that can hold the text: notes have only characters that it can hold, too. None: no
    room for notes.
    """

    def read(self, handle: TextIO, skip: Callable[[str], None] = ...) -> Iterator[GameRecord]:
        """The games of an open file, each read when it is asked for.

        ValueError says what is wrong with one; the next call of `next` goes on behind it. If there is an `annotate`,
        `skip` gets all text that is in no game returned, as it comes.
        """

    def write(self, game: GameRecord) -> str:
        """A game's text, without a source."""


class Suggestion(NamedTuple):
    """A move that a book would play without a search."""

    move: Move
    why: str
    unless_refuted: bool = False  # to be looked at by a short search first


class Report(NamedTuple):
    """The state of a search after one iteration, best line first."""

    depth: int
    seldepth: int
    nodes: int
    lines: tuple[Line, ...]
    complete: bool = True  # False: the iteration was stopped half-way
    finished: bool = False  # nothing is left to learn: deeper iterations cannot change the answer
    hashfull: int = 0  # per mille
    tbhits: int = 0  # positions that tables of endings told
    note: str = ""  # what they tell of the root
    value: Score | None = None  # of the root, where the lines answer its throws


class Task(NamedTuple, Generic[P_co]):
    """What to search: the position, and the limits that only the searcher can apply.

    Stop, deadline and node limit travel in the `Control`.
    """

    position: P_co
    control: Control
    moves: tuple[Move, ...] = ()  # root moves allowed; empty: all
    multipv: int = 1


class Recollection(NamedTuple):
    """What a search has stored of a position: its value is within the bounds, as far as the depth tells."""

    move: Move | None
    depth: int
    lower: Score | None
    upper: Score | None


class Searcher(Protocol[P_contra]):
    """Owns the search's memory (tables, trees). One search at a time; `iterate` runs without the GIL.

    Call `start`, then `iterate` until content or until its report is incomplete or finished, then `finish`.
    The first iteration always yields a move, even with the stop flag set before it.
    """

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        """Resize if anything changed; implies `clear` then.

        The old memory is freed before the new is asked for. MemoryError if that cannot be had: its text names the size
        in force, which is then the old one or the smallest, and stays in force until another size is asked for.
        """

    def clear(self) -> None:
        """Forget everything: the next search repeats one after a fresh start exactly."""

    def start(self, task: Task[P_contra]) -> None: ...

    def iterate(self) -> Report: ...

    def finish(self) -> None:
        """Stop and join helper threads."""

    def recall(self, position: P_contra) -> Recollection | None:
        """What is stored of a position, by searchers that have a table of positions."""


def exhaust(searcher: Searcher[P], task: Task[P]) -> Report:
    """Search until a limit of the control, or until nothing is left to learn; the last report."""
    searcher.start(task)
    report = searcher.iterate()
    while report.complete and not report.finished:
        report = searcher.iterate()
    searcher.finish()
    return report


class BenchItem(NamedTuple):
    """One bench position, from a FEN or the start, and its node limit."""

    nodes: int
    fen: str | None = None
    moves: tuple[str, ...] = ()
    dice: int = 0


Warn = Callable[[str], None]
"""Takes one line for the user, such as what is wrong with a book."""


class Game(Protocol[P]):
    """A loaded game, with positions of its own kind; to who asks for a game by name a `Game[Position]`."""

    @property
    def info(self) -> GameInfo: ...

    @property
    def bench(self) -> tuple[BenchItem, ...]: ...

    def set_option(self, name: str, value: str) -> None:
        """Apply one of `info.options`, its value already checked against the declaration; KeyError for another."""

    def position(self, fen: str | None = None) -> P:
        """A position from a FEN (its fields joined by blanks), or the start; ValueError says what is wrong."""

    def fen_of(self, pieces: Mapping[str, str], turn: int, dice: int = 0) -> str:
        """Return the FEN of letters by point (as `Position.pieces`) with a side to move, counters at their beginning.

        A position with hidden pieces is their opponent's view, one without a referee's. ValueError for a point, letter
        or throw that the game has not; what else the rules forbid is found by `position`.
        """

    def searcher(self) -> Searcher[P]: ...

    def consult(self, position: P) -> list[str]:
        """What the books that the options name know of a position, a line each."""

    def suggest(self, position: P, rng: random.Random) -> Suggestion | None:
        """What a book would play at once, if the options allow it."""

    def evaluate(self, position: P) -> list[str]:
        """Lines that explain the static evaluation; the last is `total <score> ...` from the mover's side."""

    def perft(self, position: P, depth: int, control: Control) -> Iterator[tuple[Move, int]]:
        """Leaf counts below each root move, in `legal` order; counts are void once the control is stopped."""
