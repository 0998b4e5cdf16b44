"""Engines in this process: a game, its options, and one search at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Literal, overload

from siqi.checks import check_type
from siqi.limit import Limit, check_is_bounded
from siqi.owner import Info, OptionValue, Owner, PlayResult, Search
from siqi.positions import GameName, M, PositionOf, check_game, check_is_thrown

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.move import Move


class Engine(Generic[M]):
    """An engine for one game in this process.

    `game` is one of `GAMES`; `options` are those of the protocol, by name: `{"Threads": 2, "Hash": 256}`. Making an
    engine blocks until its game is compiled and loaded. It raises ValueError for an unknown game, and `EngineError` if
    the game cannot be loaded.

    The engine runs one search at a time: any call during an analysis ends the analysis first. All methods except `stop`
    must be called from one thread. A `with` block closes the engine at its end.

    A call that cannot be carried out raises `Refusal`, a ValueError whose `kind` is named after the cause: OPTION,
    POSITION, MOVE, DICE or LIMIT. A value of a wrong type raises TypeError.
    """

    @overload
    def __init__(self: Engine[Move], game: Literal["xiangqi"], options: Mapping[str, OptionValue] = ...) -> None: ...
    @overload
    def __init__(
        self: Engine[str], game: Literal["connect6", "ewn", "junqi"], options: Mapping[str, OptionValue] = ...
    ) -> None: ...
    @overload
    def __init__(self, game: GameName, options: Mapping[str, OptionValue] = ...) -> None: ...
    def __init__(self, game: GameName, options: Mapping[str, OptionValue] = {}) -> None:
        """Load the game. Blocks until it is compiled and loaded."""
        check_type("options", options, Mapping, "a mapping of names to values")
        self.game = check_game(game)
        self._owner = Owner(self, game, options)
        self._engine = self._owner.engine
        self._running: Analysis[M] | None = None
        try:
            self._call(lambda: None)
        except BaseException:
            self._owner.end()
            raise

    def __repr__(self) -> str:
        return f"<siqi.Engine {self.game}>"

    def __enter__(self) -> Engine[M]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def options(self) -> dict[str, str]:
        """The options of this game with their values, as texts."""
        return self._owner.options()

    def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Set options. Blocks until memory is ready. `Refusal` for a bad name or value; those before it are set."""
        check_type("options", options, Mapping, "a mapping of names to values")
        self._call(partial(self._owner.configure, dict(options)))

    def new_game(self) -> None:
        """Forget earlier searches; call it before each new game."""
        self._call(self._owner.new_game)

    def play(
        self, position: PositionOf[M], limit: Limit, *, root_moves: Collection[str | Move] | None = None
    ) -> PlayResult[M]:
        """Search a position and return the engine's move. Blocks until the limit ends the search.

        `root_moves` are the only moves considered, None for all. Under a clock the move may come from an opening book,
        if the option `OwnBook` is true. `Refusal` for an illegal move, a limit that does not end the search, and EWN
        without a die; `EngineError` if the search failed.
        """
        check_is_bounded(limit)
        check_is_thrown(position)
        return self._begin(position, limit, 1, root_moves).wait()

    def analyse(
        self,
        position: PositionOf[M],
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> list[Info[M]]:
        """Search a position and return its `multipv` best variations, best first; an empty list if the game is over.

        EWN without a die: a variation for each throw. Blocks; arguments and errors as of `play`.
        """
        check_is_bounded(limit)
        analysis = self._begin(position, limit, multipv, root_moves)
        is_over = position.is_game_over()
        if is_over:
            analysis.stop()
        analysis.wait()
        return [] if is_over else analysis.lines

    def analysis(
        self,
        position: PositionOf[M],
        limit: Limit = Limit(),  # noqa: B008
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> Analysis[M]:
        """Start a search and return at once. Iterate over the result for the variations as they are found.

        Without a limit the search runs until `stop`, the end of a `with` block, or the next call of the engine.
        """
        return self._begin(position, limit, multipv, root_moves)

    def stop(self) -> None:
        """Stop the running search; it still has a result. Does not block. Any thread may call this."""
        self._owner.stop_running()

    def close(self) -> None:
        """Stop a running search, which still has its result. The engine cannot be used afterwards."""
        self._owner.end()
        self._owner.wait()

    def _begin(
        self, position: PositionOf[M], limit: Limit, multipv: int, root_moves: Collection[str | Move] | None
    ) -> Analysis[M]:
        self._end_running()
        analysis = self._running = Analysis(self, Search(position, limit, multipv, root_moves))
        analysis._begin()
        return analysis

    def _call(self, function: Callable[[], None]) -> None:
        """Have the owner make a call; return at its end or raise its error."""
        self._end_running()
        answers: SimpleQueue[BaseException | None] = SimpleQueue()
        self._owner.call(function, answers.put)
        error = answers.get()
        self._owner.show_warnings()
        if error is not None:
            try:
                raise error
            finally:
                del error  # which refers to this frame

    def _end_running(self) -> None:
        """Have a running analysis end before the next request; what its caller has not read is dropped."""
        if self._running is not None:
            self._running._is_left = True
            self._running.stop()


class Analysis(Generic[M]):
    """A running search, as `Engine.analysis` returns it.

    Iterate over it for its variations as they are found. A `with` block stops it at its end.
    """

    def __init__(self, engine: Engine[M], search: Search[M]) -> None:
        self._engine = engine
        self._search = search
        self._news: SimpleQueue[Sequence[Info[M]] | None] = SimpleQueue()
        self._is_left = False  # by a later call of the engine

    def __enter__(self) -> Analysis[M]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self.wait()

    def __iter__(self) -> Iterator[Info[M]]:
        while not self._is_left and not (self.is_done and self._news.empty()):
            yield from self._next()

    @property
    def lines(self) -> list[Info[M]]:
        """The variations of the last report, best first."""
        return self._search.lines

    @property
    def is_done(self) -> bool:
        """True once the search has its answer."""
        return self._search.is_done

    def stop(self) -> None:
        """Stop the search; return at once. Any thread may call this."""
        if not self.is_done:
            self._engine._owner.stop(self._search)

    def wait(self) -> PlayResult[M]:
        """Block until the search ends and return its answer; `EngineError` if a fault of the program ended it."""
        try:
            while not self.is_done or not self._news.empty():
                self._next()  # its news, which nobody reads
        except BaseException:
            self.stop()
            raise
        return self._search.answer()

    def _begin(self) -> None:
        """Request the search; return once it runs, or raise what refuses it."""
        try:
            self._engine._owner.search(self._search, self._news.put)
            while not self._search.is_begun and not self.is_done:
                self._next()
        except BaseException:  # such as Ctrl-C: nobody knows of the search
            self.stop()
            raise
        if not self._search.is_begun:
            self._search.answer()

    def _next(self) -> Sequence[Info[M]]:
        """Wait for news of the search; return the variations that it reports, if any."""
        self._engine._owner.check_process()
        infos = self._news.get()
        self._engine._owner.show_warnings()
        return infos or ()
