"""`siqi.AsyncEngine`: the engine of `siqi.Engine` for asyncio.

    async with siqi.AsyncEngine("xiangqi") as engine:
        result = await engine.play(board, siqi.Limit(time=1))
        async with engine.analysis(board) as running:
            async for info in running:
                print(info.depth, info.score)

Each engine has a thread of its own, which makes its calls in their order and waits for its events. Results reach the
event loop by `call_soon_threadsafe`, so nothing polls.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from siqi.engine import Analysis, Engine, EngineError, Info, PlayResult
from siqi.limit import Limit, check_is_bounded
from siqi.positions import Position, check_game, check_is_position

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.board import Board
    from siqi.games.xiangqi.library.move import Move

T = TypeVar("T")


class AsyncEngine:
    """An engine for one game, like `siqi.Engine`; its calls are awaited, all in one event loop.

    `play` and `analyse` wait until those before them are done; any call ends an analysis that runs. When a task that
    awaits a search is cancelled, the search is stopped. Errors are those of `siqi.Engine`. The game is loaded when an
    `async with` block begins, or by the first call.
    """

    def __init__(self, game: str, options: Mapping[str, str | int | float | bool] = {}) -> None:
        """Prepare an engine; its first call raises what `siqi.Engine` raises for bad options."""
        check_game(game)
        self.game = game
        self._thread = _Thread(partial(Engine, game, options))
        self._lock = asyncio.Lock()  # held by a call until it is done, by an analysis until it has begun
        weakref.finalize(self, self._thread.end)

    async def __aenter__(self) -> AsyncEngine:
        try:
            await self._call(lambda engine: None)
        except BaseException:
            self._thread.end()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def options(self) -> dict[str, str]:
        """The options of this game with their values, as texts; `EngineError` before the game is loaded."""
        if self._thread.engine is None:
            raise EngineError("the engine has not loaded its game")
        return self._thread.engine.options

    async def configure(self, options: Mapping[str, str | int | float | bool]) -> None:
        """Set options, as `Engine.configure` does."""
        await self._call(lambda engine: engine.configure(options))

    async def new_game(self) -> None:
        """Forget earlier searches; call it before each new game."""
        await self._call(lambda engine: engine.new_game())

    async def play(
        self,
        position: Position | Board,
        limit: Limit,
        *,
        root_moves: Collection[str | Move] | None = None,
    ) -> PlayResult:
        """Search a position as it is now and return the engine's move, as `Engine.play` does."""
        check_is_bounded(limit)
        running = self.analysis(position, limit, root_moves=root_moves)
        async with self._lock:
            return await running._whole()

    async def analyse(
        self,
        position: Position | Board,
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> list[Info]:
        """Search a position as it is now and return its best variations, as `Engine.analyse` does."""
        check_is_bounded(limit)
        running = self.analysis(position, limit, multipv=multipv, root_moves=root_moves)
        async with self._lock:
            await running._whole()
        return running.lines

    def analysis(
        self,
        position: Position | Board,
        limit: Limit = Limit(),  # noqa: B008
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> AsyncAnalysis:
        """Return an analysis of a position as it is now, which `async with`, `async for` or `await` starts."""
        check_is_position(position)
        copied = position.copy()
        return AsyncAnalysis(
            self, lambda engine: engine.analysis(copied, limit, multipv=multipv, root_moves=root_moves)
        )

    def stop(self) -> None:
        """Stop the running search; it still has a result. Does not block. Any thread may call this."""
        self._thread.stop()

    async def close(self) -> None:
        """Stop a running search, which still has its result. The engine cannot be used afterwards."""
        self._thread.end()
        await asyncio.to_thread(self._thread.wait)

    async def _call(self, function: Callable[[Engine], T]) -> T:
        """Make a call once those before it are done and a running analysis is ended; return its result."""
        async with self._lock:
            self._thread.stop()
            return await asyncio.shield(self._thread.call(function))


class AsyncAnalysis:
    """A search, as `AsyncEngine.analysis` returns it.

    Iterate over it with `async for` for its variations as they are found. An `async with` block stops it at its end.
    `await` returns the analysis itself once it runs.
    """

    def __init__(self, engine: AsyncEngine, start: Callable[[Engine], Analysis]) -> None:
        self._engine = engine
        self._search = _Search(start)
        self._answer: asyncio.Future[PlayResult] | None = None  # None until the search is requested

    def __await__(self) -> Generator[Any, None, AsyncAnalysis]:
        yield from self._begun().__await__()
        return self

    async def __aenter__(self) -> AsyncAnalysis:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        await self.wait()

    def __aiter__(self) -> AsyncAnalysis:
        return self

    async def __anext__(self) -> Info:
        await self._begun()
        info = await self._or_stop(self._search.infos.get())
        if info is None:
            self._search.infos.put_nowait(None)  # for further iterations
            raise StopAsyncIteration
        return info

    @property
    def lines(self) -> list[Info]:
        """The variations of the last report, best first."""
        return [] if self._search.analysis is None else self._search.analysis.lines

    @property
    def is_done(self) -> bool:
        """True once the search has its answer."""
        return self._answer is not None and self._answer.done()

    def stop(self) -> None:
        """Stop the search; return at once. Any thread may call this."""
        self._search.stop()

    async def wait(self) -> PlayResult:
        """Return the search's answer at its end; `EngineError` if a fault of the program ended it."""
        await self._begun()
        assert self._answer is not None
        return await self._or_stop(asyncio.shield(self._answer))

    async def _begun(self) -> None:
        """Begin the search, unless that has been done."""
        if self._answer is None:
            async with self._engine._lock:
                await self._begin()

    async def _whole(self) -> PlayResult:
        """Return the answer of a search that begins now; the caller holds the lock."""
        await self._begin()
        return await self.wait()

    async def _begin(self) -> None:
        """Begin the search after a running one is ended; return once it runs."""
        if self._answer is None:  # still, with the lock
            begun, self._answer = self._engine._thread.search(self._search)
            await self._or_stop(asyncio.shield(begun))

    async def _or_stop(self, awaited: Awaitable[T]) -> T:
        """Return what is awaited; the search is stopped if the task is cancelled."""
        try:
            return await awaited
        except asyncio.CancelledError:
            self.stop()
            raise


class _Search:
    """A search in an engine's thread; what it finds goes to an event loop."""

    def __init__(self, start: Callable[[Engine], Analysis]) -> None:
        self.infos: asyncio.Queue[Info | None] = asyncio.Queue()  # None: no more
        self.analysis: Analysis | None = None  # not None once it runs
        self._start = start
        self._is_stopped = False

    def begin(self, engine: Engine) -> None:
        self.analysis = self._start(engine)
        if self._is_stopped:  # when there was nothing to stop yet
            self.analysis.stop()

    def run(self, loop: asyncio.AbstractEventLoop, engine: Engine) -> PlayResult:
        """Hand on the variations, and return the answer."""
        if self.analysis is None:
            raise EngineError("the search has not begun")
        for info in self.analysis:
            if not _post(loop, self.infos.put_nowait, info):
                self.analysis.stop()
        _post(loop, self.infos.put_nowait, None)
        return self.analysis.wait()

    def stop(self) -> None:
        self._is_stopped = True
        if self.analysis is not None:
            self.analysis.stop()


class _Thread:
    """The thread of an engine. It makes calls in their order; the first one makes the engine."""

    def __init__(self, make: Callable[[], Engine]) -> None:
        self.engine: Engine | None = None
        self._make = make
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()  # None: the end
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._search: _Search | None = None  # the last one
        self._is_ended = False

    def call(self, function: Callable[[Engine], T]) -> asyncio.Future[T]:
        """Request a call and return its result to come. EngineError after the end."""
        if self._is_ended:
            raise EngineError("the engine is closed")
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        result.add_done_callback(_see_error)
        self._calls.put(lambda: self._make_call(function, loop, result))
        if not self._thread.ident:
            self._thread.start()
        return result

    def search(self, search: _Search) -> tuple[asyncio.Future[None], asyncio.Future[PlayResult]]:
        """End a running search and request another; return its beginning and its answer."""
        self.stop()
        begun = self.call(search.begin)
        self._search = search
        return begun, self.call(partial(search.run, asyncio.get_running_loop()))

    def stop(self) -> None:
        """Stop the last search that was requested, whether or not it runs."""
        if self._search is not None:
            self._search.stop()

    def end(self) -> None:
        """Stop a search, and end the thread after the calls that have been requested."""
        self._is_ended = True
        self.stop()
        self._calls.put(None)

    def wait(self) -> None:
        """Block until the thread has ended."""
        if self._thread.ident:
            self._thread.join()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call  # with what it refers to
        if self.engine is not None:
            self.engine.close()

    def _make_call(
        self, function: Callable[[Engine], T], loop: asyncio.AbstractEventLoop, result: asyncio.Future[T]
    ) -> None:
        try:
            if self.engine is None:
                self.engine = self._make()
            value = function(self.engine)
        except BaseException as error:
            _post(loop, _settle, result.set_exception, result, error)
        else:
            _post(loop, _settle, result.set_result, result, value)


def _post(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *values: object) -> bool:
    """Have a function called in an event loop; return False if the loop is closed."""
    try:
        loop.call_soon_threadsafe(function, *values)
    except RuntimeError:
        return False
    return True


def _settle(settle: Callable[[Any], None], result: asyncio.Future[Any], value: object) -> None:
    """Set a result or an error, unless the future is done or cancelled."""
    if not result.done():
        settle(value)


def _see_error(result: asyncio.Future[Any]) -> None:
    """Retrieve an error that may never be awaited, which asyncio would otherwise report."""
    if not result.cancelled():
        result.exception()
