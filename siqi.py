"""Siqi as a library: positions of four games, and engines in this process.

    >>> import siqi
    >>> position = siqi.position("ewn", "ABC2/DE3/F3f/3ed/2cba f 3")
    >>> with siqi.Engine("ewn", options={"Threads": 2}) as engine:
    ...     result = engine.play(position, siqi.Limit(depth=3))
    >>> result.move in position.legal_moves
    True

`AsyncEngine` is the same engine for asyncio. What cannot be carried out raises `Refusal`, a ValueError with its `kind`
and `reason`; a value of a wrong type raises TypeError with what was expected.

The names and verbs are python-chess's as far as the games allow. A move is a word of protocol.md (`"j10k11"`,
`"a5b4"`), in Xiangqi a `siqi.Move`; both print alike. Every name of `games.xiangqi` is here, too: `siqi.Board`,
`siqi.RED`, `siqi.SQUARES`. Kernels are compiled once per machine, which takes up to half a minute and is announced on
standard error.
"""

from __future__ import annotations

import sys
import threading
import warnings
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, overload

from daemon import events as _events
from daemon.engine import Engine as _Engine
from daemon.events import Kind, Refusal
from daemon.limits import MAX_NUMBER, MAX_TIME_MS, Limits
from daemon.main import STACK_BYTES
from daemon.options import declared
from daemon.scheduler import Needs, Shutdown
from games import registry
from games.compiling import announce_compiling, to_stderr
from games.contract import Game, Outcome, Report, Score, is_dice_position
from games.contract import Position as GamePosition
from games.pictures.drawing import Drawing, Picture
from games.pictures.look import Look, look
from games.pictures.replay import page

if TYPE_CHECKING:
    from games.xiangqi.library.board import Board
    from games.xiangqi.rules.move import Move
    from siqi_async import AsyncAnalysis, AsyncEngine

GAMES = registry.NAMES

__all__ = [
    "GAMES",
    "Analysis",
    "AsyncAnalysis",
    "AsyncEngine",
    "Board",
    "Engine",
    "EngineError",
    "Info",
    "Limit",
    "Move",
    "Outcome",
    "Picture",
    "PlayResult",
    "Position",
    "Refusal",
    "Replay",
    "Score",
    "picture",
    "position",
    "replay",
]

FIXED = ("UCI_Variant", "UCI_Coordinates", "Debug Log File")
"""Options of the daemon that do not apply to a library."""


class EngineError(RuntimeError):
    """Raised if the game cannot be loaded, the engine is closed, or a search broke off by a fault in this program."""


class _Limit(NamedTuple):
    time: float | None
    depth: int | None
    nodes: int | None
    mate: int | None  # end at a proven win in at most this many own moves
    first_clock: float | None
    second_clock: float | None
    first_inc: float
    second_inc: float
    remaining_moves: int | None  # to the next time control


class Limit(_Limit):
    """The limits of a search, times in seconds. Without any it runs until it is stopped.

    `first_clock` and `second_clock` are the time left of the side that moves first from the start (Red; Black in
    Connect6) and of the other, with `first_inc` and `second_inc` for each move; given a clock, the engine decides how
    long to think. `white_clock`, `black_clock`, `white_inc` and `black_inc` are python-chess's names for the same, with
    White for the side that moves first; ValueError if both names of a value are given.
    """

    __slots__ = ()

    def __new__(
        cls,
        time: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        mate: int | None = None,
        first_clock: float | None = None,
        second_clock: float | None = None,
        first_inc: float | None = None,
        second_inc: float | None = None,
        remaining_moves: int | None = None,
        *,
        white_clock: float | None = None,
        black_clock: float | None = None,
        white_inc: float | None = None,
        black_inc: float | None = None,
    ) -> Self:
        own = {
            "first_clock": first_clock,
            "second_clock": second_clock,
            "first_inc": first_inc,
            "second_inc": second_inc,
        }
        for name, other, value in zip(
            own,
            ("white_clock", "black_clock", "white_inc", "black_inc"),
            (white_clock, black_clock, white_inc, black_inc),
        ):
            if value is not None and own[name] is not None:
                raise ValueError(f"limit {other}: {name} is given, too, and means the same")
            own[name] = value if own[name] is None else own[name]
        first, second = own["first_inc"] or 0.0, own["second_inc"] or 0.0
        clocks = own["first_clock"], own["second_clock"]
        return super().__new__(cls, time, depth, nodes, mate, *clocks, first, second, remaining_moves)

    @property
    def white_clock(self) -> float | None:
        return self.first_clock

    @property
    def black_clock(self) -> float | None:
        return self.second_clock

    @property
    def white_inc(self) -> float:
        return self.first_inc

    @property
    def black_inc(self) -> float:
        return self.second_inc


class Info(NamedTuple):
    """One principal variation with its score, the mover's view."""

    score: Score
    pv: tuple[Any, ...]
    depth: int
    seldepth: int
    nodes: int  # of the whole search
    time: float  # seconds since the search was requested
    multipv: int  # the rank of the variation, from 1
    throw: int = 0  # the die that the variation answers, if none was thrown; 0 otherwise


class PlayResult(NamedTuple):
    """The engine's answer. `move` is None if the game is over; `info` is None if the move came from a book."""

    move: Any
    ponder: Any = None
    info: Info | None = None


class Position:
    """A position of Connect6, EWN or Junqi with its history and python-chess's verbs; moves are words."""

    def __init__(self, game: str, fen: str | None = None) -> None:
        """Set up a FEN, None for the start position. ValueError for an unknown game or a bad FEN."""
        _check_type("fen", fen, (str, type(None)), "a text")
        self.game = game
        self._start = fen
        _check_game(game)
        self._inner: GamePosition = _load(game).position(fen)
        self.move_stack: list[str] = []

    @property
    def turn(self) -> int:
        """The side to move: 0 is the one that moves first from the start, 1 the other."""
        return self._inner.turn

    @property
    def ply(self) -> int:
        return self._inner.ply

    @property
    def dice(self) -> int:
        """The die thrown for the side to move; 0 if none is thrown, or in a game without dice."""
        return self._inner.dice if is_dice_position(self._inner, registry.info(self.game)) else 0

    def set_dice(self, dice: int) -> None:
        """Set the die thrown for the side to move; ValueError if the game or the position has no such throw."""
        from games.contract import set_dice

        _check_type("dice", dice, Integral, "a whole number")
        set_dice(self._inner, registry.info(self.game), dice)

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves, sorted. ValueError before the set-ups of Junqi, which are too many to list."""
        return sorted(map(self._inner.move_text, self._inner.legal_moves()))

    def is_legal(self, move: str) -> bool:
        try:
            self._parsed(move)
        except ValueError:
            return False
        return True

    def push(self, move: str) -> None:
        """Play a move; ValueError, with the reason, if it is not legal."""
        self._inner.push(self._parsed(move))
        self.move_stack.append(move)

    def _parsed(self, move: str) -> int:
        _check_type("move", move, str, 'a word such as "a1b1"')
        return self._inner.parse_move(move)

    def pop(self) -> str:
        """Take the last move back and return it; IndexError if there is none."""
        if not self.move_stack:
            raise IndexError("pop from the first position")
        self._inner.pop()
        return self.move_stack.pop()

    def peek(self) -> str:
        return self.move_stack[-1]

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, None while it goes on."""
        return self._inner.outcome()

    def is_game_over(self) -> bool:
        outcome = self.outcome()
        return outcome is not None and not outcome.unknown

    def result(self) -> str:
        """Return `1-0` (the first side has won), `0-1`, `1/2-1/2` or `*`."""
        outcome = self.outcome()
        if outcome is None or outcome.unknown:
            return "*"
        return {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[outcome.winner]

    def fen(self) -> str:
        return self._inner.fen()

    def root(self) -> Position:
        """Return the position before the first move."""
        return Position(self.game, self._start)

    def copy(self) -> Position:
        twin = object.__new__(Position)
        twin.__dict__ |= self.__dict__
        twin._inner, twin.move_stack = self._inner.copy(), self.move_stack.copy()
        return twin

    __copy__ = copy

    __hash__ = None  # type: ignore[assignment]  # it changes with each move

    def __eq__(self, other: object) -> bool:
        """True for positions of one game with the same FEN."""
        return isinstance(other, Position) and (self.game, self.fen()) == (other.game, other.fen())

    def __str__(self) -> str:
        return self._inner.board()

    def _repr_svg_(self) -> str:
        return str(picture(self))

    def __repr__(self) -> str:
        if self.fen().startswith("startpos"):
            return f"<siqi.Position {self.game} {self.fen()}>"
        return f"siqi.position({self.game!r}, {self.fen()!r})"


@overload
def position(game: Literal["xiangqi"], fen: str | None = None) -> Board: ...
@overload
def position(game: Literal["connect6", "ewn", "junqi"], fen: str | None = None) -> Position: ...
@overload
def position(game: str, fen: str | None = None) -> Position | Board: ...
def position(game: str, fen: str | None = None) -> Position | Board:
    """Return the position of a FEN, None for the start position: a `Board` for Xiangqi, a `Position` for other games.

    A Junqi position from the start is a referee's if both set-ups are pushed, a view if one of them is `"?"`.
    ValueError for an unknown game or a bad FEN.
    """
    _check_game(game)
    if game == "xiangqi":
        board: type[Board] = __getattr__("Board")
        return board() if fen is None else board(fen)
    return Position(game, fen)


def picture(
    position: Position | Board,
    *,
    flipped: bool = False,
    coordinates: bool = True,
    size: int | None = None,
    theme: str = "auto",
    colors: Mapping[str, str] = {},
    lastmove: Collection[str] | None = None,
    arrows: Collection[tuple[str, str] | tuple[str, str, str]] = (),
    squares: Collection[str] = (),
    fill: Mapping[str, str] = {},
    **more: Any,
) -> Picture:
    """Return a position's picture, an SVG document that needs no font and nothing from outside; notebooks show it.

    Points are named as in moves. `flipped`: the second side is at the bottom; `size`: the width in pixels, None: the
    picture fills its container; `theme`: `auto` (the reader's), `light` or `dark`; `colors`: by the names of the
    game's PALETTE (games/<game>/picture.py), which are CSS variables `--siqi-NAME`, too; `lastmove`: its points, None:
    those of the last move; `arrows`: (from, to) or (from, to, colour), drawn below the pieces; `squares`: points with a
    ring; `fill`: colours by point. `more`, by game: Xiangqi `faces` (`traditional`, `simplified`, `letters`),
    `numerals` (the numbers of files in Chinese moves, in place of coordinates); Connect6 `numbers`, `threats`, `heat`;
    EWN `chances` by throw; Junqi `beliefs`, `faces` (`characters`, `letters`).

    ValueError for a point, colour or value that does not exist, TypeError for an unknown name or a wrong type.
    """
    shown = look(
        flipped=flipped,
        coordinates=coordinates,
        size=size,
        theme=theme,
        colors=colors,
        lastmove=lastmove,
        arrows=arrows,
        squares=squares,
        fill=fill,
    )
    return _drawing(position, shown, more).svg()


class Replay:
    """A game that a reader steps through, by buttons, keys or its list of moves; `html` needs no server."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.html


def replay(
    position: Position | Board,
    *,
    words: Sequence[str] | None = None,
    flipped: bool = False,
    theme: str = "auto",
    **more: Any,
) -> Replay:
    """Return the game that led to a position, from the first position with a board; notebooks show it.

    `words`: the moves as they are shown, None: as in the protocol; `more` as for `picture`. Where they are Chinese, the
    margin of Xiangqi's board has the numbers of files.
    """
    _check_is_position(position)
    shown = look(flipped=flipped, theme=theme)
    if words is not None:
        _check_type("words", words, Sequence, "a list of texts")
    if words is not None and not isinstance(position, Position):
        from games.xiangqi.picture import are_chinese

        more = {"numerals": are_chinese(words), **more}
    back = position.copy()
    drawings = [_drawing(back, shown, more)]
    while back.move_stack:
        back.pop()
        if isinstance(back, Position) and not getattr(back._inner, "has_pieces", True):
            break  # before the set-ups
        drawings.append(_drawing(back, shown, more))
    moves = list(map(str, position.move_stack[len(position.move_stack) - len(drawings) + 1 :]))
    if words is not None and len(words) != len(moves):
        raise ValueError(f"{len(words)} words for {len(moves)} moves")
    return Replay(page(drawings[::-1], moves if words is None else words))


def _drawing(position: Position | Board, shown: Look, more: Mapping[str, Any]) -> Drawing:
    _check_is_position(position)
    if isinstance(position, Position):
        return registry.picture_maker(position.game).draw(position._inner, shown, **more)
    from games.xiangqi.library import svg

    return svg.draw(position, shown, **more)


@cache
def _load(game: str) -> Game[GamePosition]:
    """Return a game, loaded once a process, as some open their books for that."""
    with announce_compiling(to_stderr, game):
        return registry.load(game, _warn)


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)


class Engine:
    """An engine for one game in this process.

    It runs one search at a time: any call during an analysis ends the analysis first. All methods except `stop` must be
    called from one thread. A `with` block closes the engine at its end.

    A call that cannot be carried out raises `Refusal`, a ValueError whose `kind` is named after the cause: OPTION,
    POSITION, MOVE, DICE, LIMIT.
    """

    def __init__(self, game: str, options: Mapping[str, str | int | float | bool] = {}) -> None:
        """Load the game. Blocks until it is compiled and loaded.

        ValueError for an unknown game, Refusal for an unknown option, EngineError if the game cannot be loaded.
        """
        _check_game(game)
        _check_type("options", options, Mapping, "a mapping of names to values")
        threading.stack_size(max(threading.stack_size(), STACK_BYTES))  # a kernel's recursion needs it
        self.game = game
        self._events: SimpleQueue[_events.Event] = SimpleQueue()
        self._engine = _Engine(self._events.put)
        weakref.finalize(self, self._engine.shut_down, Shutdown.QUIT)  # a search ends with its last reference
        self._running: Analysis | None = None
        self._is_closed = False
        for name, value in options.items():  # before loading, so that bad options are refused at once
            self._set_option(name, value)
        self._engine.set_option("UCI_Variant", game)
        self._engine.prepare(Needs.GAME)
        self._wait_until_idle()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def options(self) -> dict[str, str]:
        """The options of this game with their values."""
        return {
            option.name: self._engine.options.text(option.name)
            for option, owner in declared()
            if owner in ("", self.game) and option.name not in FIXED and option.kind != "button"
        }

    def configure(self, options: Mapping[str, str | int | float | bool]) -> None:
        """Set options. Blocks until memory is ready. Refusal of a bad name or value; those before it are set."""
        _check_type("options", options, Mapping, "a mapping of names to values")
        self._check_idle()
        for name, value in options.items():
            self._set_option(name, value)
        self._wait_until_idle()

    def _set_option(self, name: str, value: str | int | float | bool) -> None:
        _check_type("option", name, str, "the name of an option")
        _check_type(f"option {name}", value, (str, Real, bool), "a text, a number, True or False")
        if name.lower() in map(str.lower, FIXED):
            raise Refusal(Kind.OPTION, f"option {name}: not for a library")
        self._engine.set_option(name, str(value).lower() if isinstance(value, bool) else str(value))

    def new_game(self) -> None:
        """Forget earlier searches; call it before each new game."""
        self._check_idle()
        self._engine.new_game()
        self._wait_until_idle()

    def play(
        self, position: Position | Board, limit: Limit, *, root_moves: Collection[str | Move] | None = None
    ) -> PlayResult:
        """Search a position and return the engine's move. Blocks. With a clock the move may come from a book.

        `root_moves`: the only moves considered, None: all. Refusal of an illegal one, and of a limit that does not end
        the search. EngineError if the search broke off.
        """
        _check_is_bounded(limit)
        return self._begin(position, limit, 1, root_moves)._result()

    def analyse(
        self,
        position: Position | Board,
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> list[Info]:
        """Search a position and return its best variations, best first; [] if the game is over.

        Blocks; errors as in `play`.
        """
        _check_is_bounded(limit)
        analysis = self._begin(position, limit, multipv, root_moves)
        analysis._result()
        return analysis.lines

    def analysis(
        self,
        position: Position | Board,
        limit: Limit = Limit(),  # noqa: B008
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> Analysis:
        """Start a search and return at once; iterate over the result for the variations as they are found."""
        return self._begin(position, limit, multipv, root_moves)

    def stop(self) -> None:
        """Stop the running search; it still has a result. Does not block. Any thread may call this."""
        self._engine.stop()

    def close(self) -> None:
        """Stop a running search and drop its result. The engine cannot be used afterwards."""
        self._is_closed = True
        self._engine.shut_down(Shutdown.QUIT)
        self._engine.close()

    def _begin(
        self, position: Position | Board, limit: Limit, multipv: int, root_moves: Collection[str | Move] | None
    ) -> Analysis:
        self._check_idle()
        game, start, words, dice = _decompose(position)
        if game != self.game:
            raise Refusal(Kind.POSITION, f"a position of {game} for an engine of {self.game}")
        _check_type("multipv", multipv, Integral, "a whole number")
        limits, words_of_root = _limits(limit), _move_words(root_moves)
        self._engine.set_position(start, words)
        if dice:
            self._engine.set_dice(dice)
        self._engine.set_option("MultiPV", str(multipv))
        search_id = self._engine.go(limits, words_of_root)
        self._running = Analysis(self, position, search_id)
        return self._running

    def _check_idle(self) -> None:
        """End a running analysis, so that the engine is idle. EngineError if the engine is closed."""
        if self._is_closed:
            raise EngineError("the engine is closed")
        if self._running is not None:
            self._running.stop()
            self._running._wait_for_answer()

    def _wait_until_idle(self) -> None:
        """Block until no job runs, handling events."""
        while self._engine.is_busy or not self._events.empty():
            self._next_event()

    def _next_event(self) -> _events.Event:
        """Wait for an event, handle it and return it. EngineError if the game cannot be loaded."""
        event = self._events.get()
        self._engine.handle_event(event)
        match event:
            case _events.Compiling(text):
                to_stderr(text)
            case _events.Warning(text):
                _warn(text)
            case _events.LoadFailed(_, reason):
                raise EngineError(reason)
        return event


class Analysis:
    """A running search: iterate over it for its variations as they are found. A `with` block stops it at its end."""

    def __init__(self, engine: Engine, position: Position | Board, search_id: int) -> None:
        self.lines: list[Info] = []
        """The variations of the last report, best first."""
        self.is_done = False
        self._engine = engine
        self._position = position
        self._search_id = search_id
        self._best: PlayResult | None = None
        self._fault = ""

    def __enter__(self) -> Analysis:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._result()

    def __iter__(self) -> Iterator[Info]:
        while not self.is_done:
            before = self.lines
            self._handle_next()
            if self.lines is not before:
                yield from self.lines

    def stop(self) -> None:
        """Stop the search; return at once. Any thread may call this."""
        if not self.is_done:
            self._engine.stop()

    def wait(self) -> PlayResult:
        """Block until the search ends and return its answer; EngineError if it broke off by a fault in this program."""
        return self._result()

    def _wait_for_answer(self) -> None:
        """Handle events until the search has its answer."""
        while self._best is None:
            self._handle_next()

    def _result(self) -> PlayResult:
        try:
            self._wait_for_answer()
        except BaseException:  # such as Ctrl-C: the engine must become idle
            self.stop()
            raise
        assert self._best is not None
        if self._fault:
            raise EngineError(self._fault)
        return self._best

    def _handle_next(self) -> None:
        event = self._engine._next_event()
        if isinstance(event, _events.Info):
            self.lines = [
                Info(
                    line.score,
                    tuple(self._move(event, move) for move in line.pv),
                    line.depth or event.report.depth,
                    event.report.seldepth,
                    event.report.nodes,
                    event.elapsed_ms / 1000,
                    rank,
                    line.throw,
                )
                for rank, line in enumerate(_shown(event.report, event.multipv), 1)
            ]
        elif isinstance(event, _events.Refused):
            self._fault = event.reason
        elif isinstance(event, _events.BestMove) and event.search_id == self._search_id:
            self.is_done = True
            info = self.lines[0] if self.lines and event.move is not None else None
            self._best = PlayResult(self._move(event, event.move), self._move(event, event.ponder), info)

    def _move(self, event: _events.Info | _events.BestMove, move: int | None) -> Any:
        if move is None:
            return None
        text = event.position.move_text(move)
        return text if isinstance(self._position, Position) else __getattr__("Move").from_uci(text)


def _shown(report: Report, multipv: int) -> Sequence[Any]:
    return report.lines if report.lines[0].throw else report.lines[:multipv]


def _check_type(what: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError, with what was expected, for a value of another type; True is a number only where bool is named.

    A text is no list of texts.
    """
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    is_wrong = (isinstance(value, bool) and bool not in named) or (isinstance(value, str) and str not in named)
    if is_wrong or not isinstance(value, kinds):
        raise TypeError(f"{what}: {expected} is needed, not {type(value).__name__}")


def _check_game(game: str) -> None:
    _check_type("game", game, str, "its name")
    if game not in GAMES:
        raise ValueError(f"unknown game {game!r}; one of {', '.join(GAMES)}")


def _check_is_position(position: object) -> None:
    if not isinstance(position, Position) and not _is_of("games.xiangqi.library.board", "Board", position):
        raise TypeError(f"position: a siqi.Position or siqi.Board is needed, not {type(position).__name__}")


def _is_of(module: str, name: str, value: object) -> bool:
    """Return True for an instance of a class; a module that was never imported, which would compile, has none."""
    return module in sys.modules and isinstance(value, getattr(sys.modules[module], name))


def _decompose(position: Position | Board) -> tuple[str, str | None, list[str], int]:
    """Return a position's game, the FEN before the first move (None: the start), the moves as words, and the die."""
    _check_is_position(position)
    if isinstance(position, Position):
        return position.game, position._start, position.move_stack, position.dice
    return "xiangqi", position.root().fen(), [move.uci(0) for move in position.move_stack], 0


def _check_is_bounded(limit: Limit) -> None:
    if _limits(limit).infinite:
        raise Refusal(Kind.LIMIT, "a limit is needed that ends the search; `analysis` takes none")


def _move_words(moves: Collection[str | Move] | None) -> list[str]:
    """Return moves as words of the engine, with ranks from 0 whatever the board's coordinates."""
    if moves is None:
        return []
    _check_type("root_moves", moves, Iterable, "a list of moves")
    found = []
    for move in moves:
        if not isinstance(move, str) and not _is_of("games.xiangqi.rules.move", "Move", move):
            raise TypeError(f"root_moves: moves are needed, not {type(move).__name__}")
        found.append(move if isinstance(move, str) else move.uci(0))
    return found


def _limits(limit: Limit) -> Limits:
    """Return the engine's form of limits, in milliseconds; Refusal of a limit out of range."""
    _check_type("limit", limit, Limit, "a siqi.Limit, such as siqi.Limit(time=1.0),")
    for name in ("depth", "nodes", "mate", "remaining_moves"):
        count = getattr(limit, name)
        if count is not None:
            _check_type(f"limit {name}", count, Real, "a whole number from 1")
            if not (isinstance(count, Integral) and 1 <= int(count) <= MAX_NUMBER):
                raise Refusal(Kind.LIMIT, f"limit {name}: a whole number from 1, not {count}")
    for name in ("time", "first_clock", "second_clock", "first_inc", "second_inc"):
        seconds = getattr(limit, name)
        if seconds is not None:
            _check_type(f"limit {name}", seconds, Real, "a number of seconds")
            if not 0 <= seconds <= MAX_TIME_MS / 1000:
                raise Refusal(Kind.LIMIT, f"limit {name}: seconds, not {seconds}")

    def milliseconds(seconds: float | None) -> int | None:
        return None if seconds is None else max(round(1000 * seconds), 1)

    limits = Limits(
        wtime=milliseconds(limit.first_clock),
        btime=milliseconds(limit.second_clock),
        winc=round(1000 * limit.first_inc),
        binc=round(1000 * limit.second_inc),
        movestogo=int(limit.remaining_moves or 0),
        movetime=milliseconds(limit.time),
        nodes=int(limit.nodes or 0),
        depth=int(limit.depth or 0),
        mate=int(limit.mate or 0),
    )
    return limits if limits.is_bounded else limits._replace(infinite=True)


def __getattr__(name: str) -> Any:
    """Import names of Xiangqi's library at their first use, as that compiles kernels, and those of asyncio."""
    if name in ("AsyncAnalysis", "AsyncEngine"):
        import siqi_async

        return getattr(siqi_async, name)
    from games.xiangqi import library

    if name in library.__all__:
        return getattr(library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
