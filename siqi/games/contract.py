"""The contract between the daemon and a game: plain Python, no numba, no protocol text.

A *declaration* (`GameInfo`, in `siqi/games/<game>/__init__.py`) describes a game and costs nothing to import. The game
itself (`siqi/games/<game>/game.py`) is imported by `registry.load` when it is selected. Side 0 moves first from the
start position (Red; Black in Connect6), side 1 second.

Threads: a `Position` and a `Searcher` belong to one thread at a time; nothing here locks. The engine's owner sets up
positions, and copies one for each job. `Game.suggest`, `Game.perft` and a search run on the job's thread. The owner
sets options and consults books only while no job runs. Only the `Control` is shared between threads: it carries stop,
deadline and node limit to a search that runs.

Errors: a `ValueError` has one clear line that names the fault, fit to show to the user. Other exceptions are bugs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, Self, TypeGuard, TypeVar

from siqi.games.shape import BoardShape

if TYPE_CHECKING:
    import random

    from siqi.games.kernel.control import Control

FIRST, SECOND = 0, 1

Move = int
"""A move, opaque outside its game. A set-up (deployment) is a move too."""

MATE_LIMIT = 1000
"""A proven win is at most this many turns of the winner long."""

SIDES = ("first", "second")
"""The words for the sides in protocols and answers."""

RESULTS = {FIRST: "1-0", SECOND: "0-1", None: "1/2-1/2"}
"""The words for results in records of games, by the winner; None: a draw."""

HIDDEN = ("X", "x")
"""Letters in FENs: a piece of the first or second side whose kind the viewer does not know."""

UNKNOWN_SETUP = "?"
"""The word in move lists for a set-up that the viewer does not know."""


class Help(NamedTuple):
    """An option's meaning in two languages, a phrase or some sentences; literal words stand in backquotes."""

    english: str
    chinese: str


class Option(NamedTuple):
    """A setting as UCI declares it.

    A combo has `choices`, the default first, since some clients (uci2wb 4.1) take the first for the default; they also
    take an option for a check if its name is part of a check's. A spin has the range `low`..`high`; a number has a
    range too, and may be a fraction.
    """

    name: str
    kind: str  # check | spin | number | combo | string | button
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    help: Help = Help("", "")
    paper: int = 0  # the paper whose player alone has this option; 0: none

    def explained(self, english: str, chinese: str) -> Option:
        """Return the option with its help."""
        return self._replace(help=Help(english, chinese))


class Names(NamedTuple):
    """The names that readers see, in one language."""

    game: str
    sides: tuple[str, str]


class ReviewDefaults(NamedTuple):
    """The defaults of a review, which takes about a minute for a game of usual length."""

    movetime_ms: int  # for a position
    shallow_depth: int  # searches whose median depth is below it are called shallow


class GameInfo(NamedTuple):
    """The declaration of a game: everything known about it before it is loaded."""

    name: str
    shape: BoardShape
    sides: tuple[str, str]  # their letters in FENs, the first side's first
    pieces: tuple[str, str]  # the letters of each side's pieces (or stones) in FENs
    players: tuple[str, str]  # the sides' names, as the tags of a game's file have them
    english: Names
    chinese: Names
    expected_turns: int  # own moves in a game of usual length
    review: ReviewDefaults
    early_weight: float = 1.0  # time for a move in the first third of `expected_turns`, relative to a later move
    reply_ms: float = 3.0  # time of a reply with the shortest search, 1 to 2 ms in pipes and threads included
    die_faces: int = 0  # a throw is 1..die_faces; 0: the game has no die
    default_start: str = ""  # the FEN from which clients that know no set-ups begin; "": the start position
    has_hidden: bool = False  # a position is one side's view
    has_setup: bool = False  # the first move of each side is its set-up
    stones_per_turn: int = 1
    score_unit: int = 100  # the score difference, in centipawns, that matters as much as a pawn in Xiangqi
    scores_chances: bool = False  # True: centipawns are computed from the chance to win; False: the reverse
    skill_elo: tuple[int, ...] = ()  # Elo of each Skill Level from 0 on, rising (scripts/tune/rate_skill_levels.py)
    learns: bool = False  # a `LearningGame`
    has_rules: bool = False  # `consult` knows mined rules, and `registry.rule_bases` mines them
    solves: bool = False  # a `SolvingGame`
    has_tablebases: bool = False  # a `TablebaseGame`
    opening_lists: tuple[str, ...] = ()  # of matches, siqi/books/NAME.openings, the default first
    options: tuple[Option, ...] = ()  # all that the game honours, shared ones included (siqi/games/options.py)

    @property
    def has_dice(self) -> bool:
        """True if the side to move throws a die."""
        return self.die_faces > 0

    def setups(self, fen: str | None) -> int:
        """Return the number of set-ups that the moves of a game begin with; `fen`: of its start, '' or None without."""
        return 2 if self.has_setup and not fen else 0

    def placement(self, pieces: Mapping[str, str]) -> str:
        """Return a FEN's first field from letters by point; ValueError for an unknown letter or point."""
        known = {*"".join(self.pieces), *(HIDDEN if self.has_hidden else ())}
        unknown = set(pieces.values()) - known
        if unknown:
            raise ValueError(f"unknown piece {min(unknown)}")
        return self.shape.placement(pieces)


def check_perft(depth: int, most: int) -> None:
    """Raise ValueError for a perft deeper than `most` plies."""
    if depth > most:
        raise ValueError(f"perft depth above {most}")


def check_throw(info: GameInfo, die: int) -> None:
    """Raise ValueError if a game has no such throw. 0 (not thrown yet) is valid in every game."""
    if die and not info.has_dice:
        raise ValueError(f"dice: {info.name} has none")
    if not 0 <= die <= info.die_faces:
        raise ValueError(f"dice: a number from 1 to {info.die_faces}, not {die}")


class Outcome(NamedTuple):
    """The end of a game."""

    winner: int | None
    """The side, 0 or 1, or None for a draw and where it is not known."""
    reason: str
    """A word of the protocol, such as `six`."""
    unknown: bool = False
    """True where the viewer of the position cannot know who has won."""

    @property
    def result(self) -> str:
        """The result as records of games have it: `1-0` (the first side has won), `0-1`, `1/2-1/2`, `*` if unknown."""
        return "*" if self.unknown else RESULTS[self.winner]

    @property
    def points(self) -> float | None:
        """The first side's points, 0..1; None if they are unknown."""
        return None if self.unknown else 0.5 if self.winner is None else float(self.winner == FIRST)

    def __str__(self) -> str:
        """Return the outcome as text, such as `win first six`."""
        if self.unknown:
            return f"unknown {self.reason}"
        if self.winner is None:
            return f"draw {self.reason}"
        return f"win {SIDES[self.winner]} {self.reason}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the outcome of a text that `str` has made; ValueError for another text."""
        for bare in (cls(None, "", unknown=True), cls(None, ""), cls(FIRST, ""), cls(SECOND, "")):
            reason = text.removeprefix(str(bare))
            if reason not in ("", text):
                return bare._replace(reason=reason)
        raise ValueError(f"not an outcome: {text}")


class BookMove(NamedTuple):
    """A move of an opening book; `score` is the expected result of its player."""

    word: str
    games: int
    score: float


class BookRule(NamedTuple):
    """A mined rule that fits a position, with the share of the games, or positions, that have its answer."""

    word: str  # the answer, "" for one of `moves`
    asked: int  # games, or positions, with all that the rule asks for
    confidence: float  # the share of them with the answer
    counts_positions: bool
    intents: tuple[str, ...]  # of the answer
    moves: tuple[str, ...] = ()  # all that have the intents, if these are the answer


class TablebaseResult(NamedTuple):
    """A tablebase's verdict, the view of the side to move."""

    result: str  # win, loss, draw or chance
    plies: int = 0  # to the mate
    chance: float = 0.0  # exact, before the throw


class BookLine(NamedTuple):
    """One fact that books know about a position: a line for the user, and the same as data where code reads it."""

    text: str
    move: BookMove | None = None
    ending: TablebaseResult | None = None
    rule: BookRule | None = None


class Position(Protocol):
    """A position with its history; the verbs are python-chess's. It changes only by `push`, `pop` and `set_dice`."""

    @property
    def turn(self) -> int:
        """The side to move (to deploy, before the set-ups)."""

    @property
    def ply(self) -> int:
        """Moves pushed since the position was made."""

    @property
    def key(self) -> int:
        """A hash, of 64 bits at most, of all that decides the moves and their values, except the history."""

    def copy(self) -> Self:
        """Return an independent copy, history included."""

    def fen(self) -> str:
        """Return the position as text: a FEN, or `startpos [moves ...]` before both set-ups, where no FEN exists."""

    def pieces(self) -> dict[str, str]:
        """Return the FEN's letters by the names of their points (`GameInfo.shape`); empty before the set-ups."""

    def board(self) -> str:
        """Return a diagram of several lines, for `d`."""

    def legal_moves(self) -> list[Move]:
        """Return every legal move; none once the game has ended on the board. The list may be very long (Connect6).

        As in python-chess, only `outcome` reports an end by counting (repetition, quiet plies). ValueError before
        set-ups that are too many to list (Junqi).
        """

    def count_legal(self) -> int:
        """Return the number of legal moves without listing them: before set-ups, the number of set-ups."""

    def push(self, move: Move) -> None:
        """Play a legal move, as `parse_move` or `legal_moves` returned it.

        ValueError, and nothing is changed, if the game is too long (Xiangqi), or if a battle's result is missing or
        contradicts what the view knows (Junqi).
        """

    def pop(self) -> Move:
        """Take back the last move and return it; IndexError if none was pushed."""

    def parse_move(self, text: str) -> Move:
        """Return the legal move that `text` names in this position; ValueError if there is none."""

    def move_text(self, move: Move) -> str:
        """Return the word of a move of this position or a later one (in a pv), the reverse of `parse_move`."""

    def outcome(self) -> Outcome | None:
        """Return how the game has ended; None while it goes on."""


P = TypeVar("P", bound=Position)
P_co = TypeVar("P_co", bound=Position, covariant=True)
P_contra = TypeVar("P_contra", bound=Position, contravariant=True)


class DicePosition(Position, Protocol):
    """A position of a game with a die."""

    @property
    def dice(self) -> int:
        """The throw for the side to move, 0 before it is thrown."""

    def set_dice(self, die: int) -> None:
        """Set the throw, 0 to clear it; ValueError before the set-ups and after the end."""


class SetupPosition(Position, Protocol):
    """A position of a game that begins with each side's set-up."""

    @property
    def has_pieces(self) -> bool:
        """True once both sides have set up."""

    @property
    def words(self) -> Sequence[str]:
        """The words of the set-ups so far, the first side's first; none if the game began from a FEN."""

    def setup_points(self, side: int) -> tuple[str, ...]:
        """Return the points of a side's set-up, in the order of the letters in its word."""


class HiddenPosition(Position, Protocol):
    """A position of a game with hidden pieces: one side's view, or a referee's full position."""

    @property
    def viewer(self) -> int | None:
        """The side whose view it is; None in a referee's position."""

    def view_moves(self, viewer: int) -> list[str]:
        """Return the words of a referee's game as `viewer` may see them: played from the start, they give its view."""

    def beliefs(self) -> dict[str, dict[str, float]]:
        """Return the chance of each type's letter by square, for the pieces that the viewer cannot see.

        Empty in a referee's position and before the set-ups.
        """

    def observed(self, text: str, result: int, flag: str = "") -> str:
        """Return a move's word for a view: its text, the referee's result code, the announced flag's square.

        ValueError if a part is malformed. Whether the parts fit the position is checked when the word is parsed and
        played.
        """


def is_dice_position(position: Position, info: GameInfo) -> TypeGuard[DicePosition]:
    """True for every position of a game with a die."""
    return info.has_dice


def is_setup_position(position: Position, info: GameInfo) -> TypeGuard[SetupPosition]:
    """True for every position of a game that begins with set-ups."""
    return info.has_setup


def has_pieces(position: Position, info: GameInfo) -> bool:
    """True once the set-ups are over, and in games without."""
    return not is_setup_position(position, info) or position.has_pieces


def is_hidden_position(position: Position, info: GameInfo) -> TypeGuard[HiddenPosition]:
    """True for every position of a game with hidden pieces."""
    return info.has_hidden


def set_dice(position: Position, info: GameInfo, die: int) -> None:
    """Set the throw for the side to move; ValueError if the game has no such throw, or the position takes none now."""
    check_throw(info, die)
    if is_dice_position(position, info):
        position.set_dice(die)


class Score(NamedTuple):
    """The value of a position, the view of the side to move."""

    cp: int = 0
    """Centipawns."""
    mate: int | None = None
    """Own turns of the winner to a proven win; negative if the mover loses."""
    win: float | None = None
    """The chance to win, 0 to 1; None where the search knows none."""
    draw: float = 0.0
    """The chance of a draw, 0 to 1, where `win` is known."""
    unproven: int = 0
    """Not 0 if it rests on the claim that a side loses: all its turns that were searched do, but not all were. 1: the
    mover is to win by it, -1: to lose."""

    @property
    def expected(self) -> float | None:
        """The expected result, 0 to 1: `win + draw / 2`; None where `win` is not known."""
        return None if self.win is None else self.win + self.draw / 2

    @classmethod
    def from_expected(cls, win: float, mate: int | None = None) -> Score:
        """Return the score of an expected result 0..1. Its centipawns are 400 log10 of the odds, as in Elo's model."""
        bounded = min(max(win, 0.001), 0.999)
        return cls(round(400 * math.log10(bounded / (1 - bounded))), mate, win)


class Line(NamedTuple):
    """One principal variation and its score at the root."""

    score: Score
    pv: tuple[Move, ...]
    throw: int = 0  # the throw that the line answers, where none was given; else 0
    depth: int = 0  # to which the line was searched; less than the report's if an iteration was stopped between lines


class Suggestion(NamedTuple):
    """A move that a book plays without a search."""

    move: Move
    why: str  # for the user: the book's line for the move
    unless_refuted: bool = False  # True: a short search has to confirm the move
    under_any_limit: bool = False  # True: it answers any search that ends by itself; False: only one under a clock


class Report(NamedTuple):
    """The state of a search after one iteration."""

    depth: int  # the iteration's number, from 1
    seldepth: int  # the deepest ply reached
    nodes: int  # of all threads since `start`
    lines: tuple[Line, ...]  # at least one, best first
    complete: bool = True  # False: the iteration was stopped half-way
    finished: bool = False  # True: deeper iterations cannot change the answer
    hashfull: int = 0  # per mille
    tbhits: int = 0  # positions whose values tablebases gave
    note: str = ""  # what tablebases know of the root, for the user
    value: Score | None = None  # of the root before the throw, where the lines answer throws


class Task(NamedTuple, Generic[P_co]):
    """The position to search, and the limits that only the searcher can apply.

    Stop, deadline and node limit are in the `Control`. Depth, mate and the clock are judged by the caller, between
    iterations.
    """

    position: P_co
    control: Control
    moves: tuple[Move, ...] = ()  # root moves allowed; empty: all
    multipv: int = 1  # lines wanted; a report has fewer if there are fewer moves


class StoredResult(NamedTuple):
    """A stored search result for a position: its value lies between the bounds, by a search of this depth."""

    move: Move | None  # the best move, None if none is stored
    depth: int  # plies
    lower: Score | None  # None: no bound
    upper: Score | None


class Searcher(Protocol[P_contra]):
    """The owner of a search's memory (transposition table, trees), which runs one search at a time.

    Call `configure` once, then for each search `start`, `iterate` until its report is incomplete or finished or deep
    enough, and `finish`. All calls of a search come from one thread, which `iterate` blocks; it releases the GIL while
    kernels run, and only the task's `Control` can end it early. The first iteration always finds a best line, even if
    the control was stopped before it; playouts keep to a node limit there.
    """

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        """Take a memory of `hash_mb` MiB, the number of threads and the seed; clear the memory if anything changed.

        The old memory is freed before the new is requested. MemoryError if that fails: the message gives
        the size in use, which is the old one or the smallest. That size stays until another one is requested.
        """

    def clear(self) -> None:
        """Forget all earlier searches: the next search repeats one after a fresh start exactly (one thread)."""

    def start(self, task: Task[P_contra]) -> None:
        """Begin a search; the position must have a legal move, and must not change until `finish`."""

    def iterate(self) -> Report:
        """Search one iteration deeper, or until the control is stopped, and report the state."""

    def finish(self) -> None:
        """Stop the search and join its helper threads."""

    def recall(self, position: P_contra) -> StoredResult | None:
        """Return the stored result of a position; None if there is none or the searcher stores none by position."""


def exhaust(searcher: Searcher[P], task: Task[P]) -> Report:
    """Search until the control stops the search, or until it is finished; return the last report."""
    searcher.start(task)
    report = searcher.iterate()
    while report.complete and not report.finished:
        report = searcher.iterate()
    searcher.finish()
    return report


class BenchItem(NamedTuple):
    """One position of `bench`, from a FEN or the start position, and its node limit."""

    nodes: int
    fen: str | None = None
    moves: tuple[str, ...] = ()
    die: int = 0


Warn = Callable[[str], None]
"""Takes one line of warning for the user, such as why a book cannot be used. It may be called from any thread."""


def silent(line: str) -> None:
    """Drop a warning: the `Warn` of callers that show none."""


class Game(Protocol[P]):
    """A loaded game with its options and books. P is its own kind of position; `registry.load` declares `Position`."""

    @property
    def info(self) -> GameInfo:
        """The game's declaration."""

    @property
    def bench(self) -> tuple[BenchItem, ...]:
        """The positions of `bench`, in order."""

    def set_option(self, name: str, value: str) -> None:
        """Apply one of `info.options`; KeyError for another. The caller has checked the value by the declaration.

        Called only while no job runs; the caller then calls `configure` of its searchers, which some options change.
        """

    def position(self, fen: str | None = None) -> P:
        """Return the position of a FEN (fields joined by blanks), or the start position; ValueError for a bad FEN."""

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        """Return the FEN of letters by point (as from `Position.pieces`) and a side to move, its counters at the start.

        A position with hidden pieces is their opponent's view, one without them a referee's. ValueError for a point,
        letter or throw that the game does not have; `position` finds what else the rules forbid.
        """

    def searcher(self) -> Searcher[P]:
        """Return a new searcher, to be configured before its first search."""

    def consult(self, position: P) -> list[BookLine]:
        """Return what the books named by the options know about a position."""

    def suggest(self, position: P, rng: random.Random) -> Suggestion | None:
        """Return a book move, chosen with `rng` among several; None if there is none or the options forbid it."""

    def evaluate(self, position: P) -> list[str]:
        """Return lines that explain the static evaluation; the last is `total <centipawns> ...`, the mover's view."""

    def perft(self, position: P, depth: int, control: Control) -> Iterator[tuple[Move, int]]:
        """Yield each root move with its leaf count at `depth` plies, ordered by the moves' texts.

        Counts are void once the control is stopped. ValueError if the game cannot count so deep.
        """


class LearningGame(Game[P], Protocol[P]):
    """A game that learns from the games that were played."""

    def learn_from(self, path: str) -> None:
        """Learn from the file of the option `GameLog`, '' for none, if the options say so.

        Called when the game is loaded, when `GameLog` changes, and after a game was written to the file. Does not
        block: what takes time is done in parallel to play, delays no move and never changes the file.
        """

    def begin_game(self) -> None:
        """Apply what was learned in the background. Called when the client begins a game; no job runs."""


def is_learning_game(game: Game[Position]) -> TypeGuard[LearningGame[Position]]:
    """True if a game learns from the games that were played."""
    return game.info.learns


class TablebaseGame(Game[P], Protocol[P]):
    """A game whose tablebases, if its options select some, know how a position ends."""

    def tablebase_outcome(self, position: P) -> Outcome | None:
        """Return how a game ends from a position if both sides play well; None if no tablebase decides that.

        May read files. For one thread at a time.
        """


def is_tablebase_game(game: Game[Position]) -> TypeGuard[TablebaseGame[Position]]:
    """True if a game has tablebases."""
    return game.info.has_tablebases


class SolvingGame(Game[P], Protocol[P]):
    """A game whose tablebases know the distance to the end."""

    def solution(self, position: P) -> list[Move]:
        """Return the moves to the end that a tablebase gives: the winner's are quickest, the loser's hold out longest.

        Empty if no tablebase has the position, or it is drawn or over. The position is unchanged after the call. May
        read files, so the owner calls it only while no job runs.
        """


def is_solving_game(game: Game[Position]) -> TypeGuard[SolvingGame[Position]]:
    """True if a game's tablebases know the distance to the end."""
    return game.info.solves
