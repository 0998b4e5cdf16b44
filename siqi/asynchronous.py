"""`siqi.AsyncEngine`: the engine of `siqi.Engine` for asyncio.

    async with siqi.AsyncEngine("xiangqi") as engine:
        result = await engine.play(board, siqi.Limit(time=1))
        async with engine.analysis(board) as running:
            async for info in running:
                print(info.depth, info.score)

The thread that owns the engine makes its calls in their order. Results reach the event loop by `call_soon_threadsafe`,
so nothing polls, and no call depends on what became of the tasks before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from siqi.checks import check_type
from siqi.limit import Limit, check_is_bounded
from siqi.owner import EngineError, Info, OptionValue, Owner, PlayResult, Search
from siqi.positions import GameName, M, PositionOf, check_game, check_is_thrown

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.move import Move

T = TypeVar("T")


class AsyncEngine(Generic[M]):
    """An engine for one game, like `siqi.Engine`; its calls are awaited, all in one event loop.

    `play` and `analyse` wait until those before them are done; any call ends an analysis that runs. When a task that
    awaits a search is cancelled, the search is stopped. Errors are those of `siqi.Engine`. The game is loaded when an
    `async with` block begins, or by the first call.
    """

    @overload
    def __init__(
        self: AsyncEngine[Move], game: Literal["xiangqi"], options: Mapping[str, OptionValue] = ...
    ) -> None: ...
    @overload
    def __init__(
        self: AsyncEngine[str], game: Literal["connect6", "ewn", "junqi"], options: Mapping[str, OptionValue] = ...
    ) -> None: ...
    @overload
    def __init__(self, game: GameName, options: Mapping[str, OptionValue] = ...) -> None: ...
    def __init__(self, game: GameName, options: Mapping[str, OptionValue] = {}) -> None:
        """Prepare an engine; its first call raises what `siqi.Engine` raises for bad options."""
        check_type("options", options, Mapping, "a mapping of names to values")
        self.game = check_game(game)
        self._owner = Owner(self, game, options)

    def __repr__(self) -> str:
        return f"<siqi.AsyncEngine {self.game}>"

    async def __aenter__(self) -> AsyncEngine[M]:
        try:
            await self._call(lambda: None)
        except BaseException:
            self._owner.end()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def options(self) -> dict[str, str]:
        """The options of this game with their values, as texts; `EngineError` before the game is loaded."""
        if not self._owner.is_loaded:
            raise EngineError("the engine has not loaded its game")
        return self._owner.options()

    async def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Set options, as `Engine.configure` does."""
        check_type("options", options, Mapping, "a mapping of names to values")
        await self._call(partial(self._owner.configure, dict(options)))

    async def new_game(self) -> None:
        """Forget earlier searches; call it before each new game."""
        await self._call(self._owner.new_game)

    async def play(
        self,
        position: PositionOf[M],
        limit: Limit,
        *,
        root_moves: Collection[str | Move] | None = None,
    ) -> PlayResult[M]:
        """Search a position as it is now and return the engine's move, as `Engine.play` does."""
        check_is_bounded(limit)
        check_is_thrown(position)
        return await AsyncAnalysis(self, Search(position, limit, 1, root_moves, ends_by_request=False)).wait()

    async def analyse(
        self,
        position: PositionOf[M],
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> list[Info[M]]:
        """Search a position as it is now and return its best variations, as `Engine.analyse` does."""
        check_is_bounded(limit)
        running = AsyncAnalysis(self, Search(position, limit, multipv, root_moves, ends_by_request=False))
        is_over = position.is_game_over()
        if is_over:
            await running
            running.stop()
        await running.wait()
        return [] if is_over else running.lines

    def analysis(
        self,
        position: PositionOf[M],
        limit: Limit = Limit(),  # noqa: B008
        *,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
    ) -> AsyncAnalysis[M]:
        """Return an analysis of a position as it is now, which `async with`, `async for` or `await` starts."""
        return AsyncAnalysis(self, Search(position, limit, multipv, root_moves))

    def stop(self) -> None:
        """Stop the running search; it still has a result. Does not block. Any thread may call this."""
        self._owner.stop_running()

    async def close(self) -> None:
        """Stop a running search, which still has its result. The engine cannot be used afterwards."""
        self._owner.end()
        await asyncio.to_thread(self._owner.wait)

    async def _call(self, function: Callable[[], None]) -> None:
        """Have the owner make a call, which ends an analysis that runs; return at its end or raise its error."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        self._owner.call(function, partial(_post, loop, _settle, ended))
        await asyncio.shield(ended)
        self._owner.show_warnings()


class AsyncAnalysis(Generic[M]):
    """A search, as `AsyncEngine.analysis` returns it.

    Iterate over it with `async for` for its variations as they are found. An `async with` block stops it at its end.
    `await` returns the analysis itself once it runs.
    """

    def __init__(self, engine: AsyncEngine[M], search: Search[M]) -> None:
        self._engine = engine
        self._search = search
        self._news: _News[M] | None = None  # None until the search is requested

    def __await__(self) -> Generator[Any, None, AsyncAnalysis[M]]:
        yield from self._or_stop(self._begun()).__await__()
        return self

    async def __aenter__(self) -> AsyncAnalysis[M]:
        return await self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        await self.wait()

    def __aiter__(self) -> AsyncAnalysis[M]:
        return self

    async def __anext__(self) -> Info[M]:
        return await self._or_stop(self._next_info())

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

    async def wait(self) -> PlayResult[M]:
        """Return the search's answer at its end; `EngineError` if a fault of the program ended it."""
        return await self._or_stop(self._result())

    async def _begun(self) -> _News[M]:
        """Request the search, unless that has been done; return its news once it runs, or raise what refuses it."""
        if self._news is None:
            news = _News[M](asyncio.get_running_loop())
            self._engine._owner.search(self._search, news.post)
            self._news = news
        await asyncio.shield(self._news.begun)
        if not self._search.is_begun:
            self._search.answer()
        return self._news

    async def _next_info(self) -> Info[M]:
        infos = (await self._begun()).infos
        info = await infos.get()
        if info is None:
            infos.put_nowait(None)  # for further iterations
            raise StopAsyncIteration
        return info

    async def _result(self) -> PlayResult[M]:
        await asyncio.shield((await self._begun()).ended)
        self._engine._owner.show_warnings()
        return self._search.answer()

    async def _or_stop(self, awaited: Awaitable[T]) -> T:
        """Return what is awaited; the search is stopped if the task is cancelled."""
        try:
            return await awaited
        except asyncio.CancelledError:
            self.stop()
            raise


class _News(Generic[M]):
    """The news of a search in an event loop, without a reference to the engine, whose end ends the search."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.begun: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.infos: asyncio.Queue[Info[M] | None] = asyncio.Queue()  # None: no more
        self._loop = loop

    def post(self, infos: Sequence[Info[M]] | None) -> bool:
        """Take news from the owner's thread; return False if the loop is closed."""
        return _post(self._loop, self._take, infos)

    def _take(self, infos: Sequence[Info[M]] | None) -> None:
        _settle(self.begun, None)
        for info in infos or ():
            self.infos.put_nowait(info)
        if infos is None:
            _settle(self.ended, None)
            self.infos.put_nowait(None)


def _post(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *values: object) -> bool:
    """Have a function called in an event loop; return False if the loop is closed."""
    try:
        loop.call_soon_threadsafe(function, *values)
    except RuntimeError:
        return False
    return True


def _settle(ended: asyncio.Future[None], error: BaseException | None) -> None:
    """Set what a call has raised, None for nothing, unless its future is cancelled or done."""
    if ended.done():
        return
    if error is None:
        ended.set_result(None)
    else:
        ended.set_exception(error)
        ended.exception()  # it may never be awaited, which asyncio would otherwise report
