"""Engines in this process: a game, its options, and one search at a time."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from siqi.checks import check_type, is_of
from siqi.daemon.engine import events as _events
from siqi.daemon.engine.engine import Engine as _Engine
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.options import declared
from siqi.daemon.engine.scheduler import Needs, Shutdown
from siqi.daemon.system.memory import STACK_BYTES
from siqi.games.compiling import to_stderr
from siqi.games.contract import Report, Score
from siqi.limit import Limit, check_is_bounded, engine_limits
from siqi.positions import Position, check_game, decompose, warn

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.board import Board
    from siqi.games.xiangqi.library.move import Move

FIXED = ("UCI_Variant", "UCI_Coordinates", "Debug Log File")
"""Options of the daemon that do not apply to a library."""


class EngineError(RuntimeError):
    """Raised if the game cannot be loaded, the engine is closed, or a search was ended by a fault in this program."""


class Info(NamedTuple):
    """A principal variation and its score, as a search reports them."""

    score: Score
    """The value of the position by this variation, the view of the side to move."""
    pv: tuple[Any, ...]
    """The moves: words of the protocol, in Xiangqi `Move` objects."""
    depth: int
    """Plies to which the variation was searched."""
    seldepth: int
    """The longest line that the search looked at, in plies."""
    nodes: int
    """Nodes of the whole search so far."""
    time: float
    """Seconds since the search was requested."""
    multipv: int
    """The rank of the variation, from 1."""
    throw: int = 0
    """EWN without a die: the throw that the variation answers; otherwise 0."""


class PlayResult(NamedTuple):
    """The engine's answer."""

    move: Any
    """The move to play, None if the game is over."""
    ponder: Any = None
    """The answer that the engine expects, None if it has none."""
    info: Info | None = None
    """The last report of the search, None if there was no search, as for a move from a book."""


class Engine:
    """An engine for one game in this process.

    `game` is one of `GAMES`; `options` are those of the protocol, by name: `{"Threads": 2, "Hash": 256}`. Making an
    engine blocks until its game is compiled and loaded. It raises ValueError for an unknown game, and `EngineError` if
    the game cannot be loaded.

    The engine runs one search at a time: any call during an analysis ends the analysis first. All methods except `stop`
    must be called from one thread. A `with` block closes the engine at its end.

    A call that cannot be carried out raises `Refusal`, a ValueError whose `kind` is named after the cause: OPTION,
    POSITION, MOVE, DICE or LIMIT. A value of a wrong type raises TypeError.
    """

    def __init__(self, game: str, options: Mapping[str, str | int | float | bool] = {}) -> None:
        """Load the game. Blocks until it is compiled and loaded."""
        check_game(game)
        check_type("options", options, Mapping, "a mapping of names to values")
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
        """The options of this game with their values, as texts."""
        return {
            option.name: self._engine.options.text(option.name)
            for option, owner in declared()
            if owner in ("", self.game) and option.name not in FIXED and option.kind != "button"
        }

    def configure(self, options: Mapping[str, str | int | float | bool]) -> None:
        """Set options. Blocks until memory is ready. `Refusal` for a bad name or value; those before it are set."""
        check_type("options", options, Mapping, "a mapping of names to values")
        self._check_idle()
        for name, value in options.items():
            self._set_option(name, value)
            self._wait_until_idle()  # Hash and Threads start a job, during which no option can be set

    def _set_option(self, name: str, value: str | int | float | bool) -> None:
        check_type("option", name, str, "the name of an option")
        check_type(f"option {name}", value, (str, Real, bool), "a text, a number, True or False")
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
        """Search a position and return the engine's move. Blocks until the limit ends the search.

        `root_moves` are the only moves considered, None for all. Under a clock the move may come from an opening book,
        if the option `OwnBook` is true. `Refusal` for an illegal move, and for a limit that does not end the search;
        `EngineError` if the search failed.
        """
        check_is_bounded(limit)
        return self._begin(position, limit, 1, root_moves)._result()

    def analyse(
        self,
        position: Position | Board,
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> list[Info]:
        """Search a position and return its `multipv` best variations, best first; an empty list if the game is over.

        EWN without a die: a variation for each throw. Blocks; arguments and errors as of `play`.
        """
        check_is_bounded(limit)
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
        """Start a search and return at once. Iterate over the result for the variations as they are found.

        Without a limit the search runs until `stop`, the end of a `with` block, or the next call of the engine.
        """
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
        game, start, words, dice = decompose(position)
        if game != self.game:
            raise Refusal(Kind.POSITION, f"a position of {game} for an engine of {self.game}")
        check_type("multipv", multipv, Integral, "a whole number")
        limits, words_of_root = engine_limits(limit), move_words(root_moves)
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
                warn(text)
            case _events.LoadFailed(_, reason):
                raise EngineError(reason)
        return event


class Analysis:
    """A running search, as `Engine.analysis` returns it.

    Iterate over it for its variations as they are found. A `with` block stops it at its end.
    """

    def __init__(self, engine: Engine, position: Position | Board, search_id: int) -> None:
        self.lines: list[Info] = []
        """The variations of the last report, best first."""
        self.is_done = False
        """True once the search has its answer."""
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
        """Block until the search ends and return its answer; `EngineError` if a fault of the program ended it."""
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
        if isinstance(self._position, Position):
            return text
        from siqi.games.xiangqi.library.move import Move

        return Move.from_uci(text)


def _shown(report: Report, multipv: int) -> Sequence[Any]:
    return report.lines if report.lines[0].throw else report.lines[:multipv]


def move_words(moves: Collection[str | Move] | None) -> list[str]:
    """Return moves as words of the engine, with ranks from 0 whatever the board's coordinates."""
    if moves is None:
        return []
    check_type("root_moves", moves, Iterable, "a list of moves")
    found = []
    for move in moves:
        if not isinstance(move, str) and not is_of("siqi.games.xiangqi.library.move", "Move", move):
            raise TypeError(f"root_moves: moves are needed, not {type(move).__name__}")
        found.append(move if isinstance(move, str) else move.uci(0))
    return found
