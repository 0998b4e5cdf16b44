"""The engine for asyncio: whole games, several engines in one loop, cancellation, errors, no polling."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import siqi

ROOT = Path(__file__).parents[2]
LONG = siqi.Limit(time=300)


def with_engine(use: Callable[[siqi.AsyncEngine, Any], Awaitable[None]]) -> None:
    """Run a test's coroutine with an engine of Xiangqi, and a board; it must take less than a minute."""

    async def run() -> None:
        async with asyncio.timeout(60), siqi.AsyncEngine("xiangqi", {"Hash": 4}) as engine:
            await use(engine, siqi.Board())

    asyncio.run(run())


def test_engines_of_all_games_play_in_one_loop() -> None:
    async def play(name: str) -> list[Any]:
        position = siqi.position(name)
        async with siqi.AsyncEngine(name, {"Hash": 4, "Seed": 1}) as engine:
            assert engine.options["Hash"] == "4"
            for _ in range(4):
                if name == "ewn" and len(position.move_stack) >= 2:
                    position.set_dice(3)
                result = await engine.play(position, siqi.Limit(nodes=100))
                position.push(result.move)
        return list(position.move_stack)

    async def run() -> list[list[Any]]:
        return await asyncio.gather(*map(play, siqi.GAMES), play("xiangqi"))

    games = asyncio.run(run())
    assert all(len(moves) == 4 for moves in games) and games[0] == games[-1]


def test_answers_are_those_of_the_engine_that_blocks() -> None:
    board, limit = siqi.Board(), siqi.Limit(depth=4)
    with siqi.Engine("xiangqi", {"Hash": 4}) as blocking:
        move = blocking.play(board, limit).move
        blocking.new_game()
        lines = [(line.pv, line.score) for line in blocking.analyse(board, limit, multipv=2)]

    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        assert (await engine.play(board, limit)).move == move
        await engine.new_game()
        assert [(line.pv, line.score) for line in await engine.analyse(board, limit, multipv=2)] == lines
        assert await engine.analyse(siqi.Board("3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 120 100"), limit) == []
        await engine.configure({"Hash": 8})
        assert engine.options["Hash"] == "8"

    with_engine(use)


def test_an_analysis_is_iterated_and_ends_by_its_block_by_stop_and_by_a_limit() -> None:
    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        async with engine.analysis(board) as running:
            assert not running.is_done
            async for info in running:
                if info.depth == 3:
                    break
        assert running.is_done and (await running.wait()).move in board.legal_moves and running.lines[0].depth >= 3
        running = await engine.analysis(board)
        asyncio.get_running_loop().call_later(0.2, engine.stop)
        assert [info async for info in running] and [info async for info in running] == []
        assert [info.depth async for info in engine.analysis(board, siqi.Limit(depth=4))][-1] == 4
        async with await engine.analysis(board, multipv=2) as running:
            board.push_uci("h2e2")  # the analysis continues with the earlier position
            first = [await anext(running), await anext(running)]
            running.stop()
            assert [info.multipv for info in first] == [1, 2]
        assert (await running.wait()).move in siqi.Board().legal_moves

    with_engine(use)


def test_a_call_ends_an_analysis_and_waits_for_other_calls() -> None:
    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        running = await engine.analysis(board)
        results = await asyncio.gather(*(engine.play(board, siqi.Limit(depth=depth)) for depth in (3, 1, 2)))
        assert running.is_done and (await running.wait()).move in board.legal_moves
        assert [result.info.depth for result in results if result.info] == [3, 1, 2]

    with_engine(use)


def cancelled(coroutine: Coroutine[Any, Any, Any], seconds: float) -> asyncio.Task[Any]:
    task = asyncio.ensure_future(coroutine)
    asyncio.get_running_loop().call_later(seconds, task.cancel)
    return task


@pytest.mark.parametrize("seconds", [0, 0.001, 0.3])
def test_cancelling_stops_the_search(seconds: float) -> None:
    """A search is stopped by cancelling at once, while it begins, and in its middle."""

    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        async def watch() -> None:
            async for _ in engine.analysis(board):
                pass

        async def wait() -> None:
            await engine.analysis(board).wait()

        for search in (engine.play(board, LONG), engine.analyse(board, LONG), watch(), wait()):
            with pytest.raises(asyncio.CancelledError):
                await cancelled(search, seconds)
            started = time.monotonic()
            assert (await engine.play(board, siqi.Limit(depth=1))).move in board.legal_moves
            assert time.monotonic() - started < 30
        waiting = [engine.play(board, LONG), engine.play(board, siqi.Limit(depth=1))]
        first, second = (asyncio.ensure_future(play) for play in waiting)
        await asyncio.sleep(0.05)
        second.cancel()  # it waits: the first search continues
        await asyncio.sleep(0.05)
        assert not first.done()
        first.cancel()

    with_engine(use)


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
def test_loops_interrupted_at_any_moment_leave_an_idle_engine() -> None:
    chance, position = random.Random(1), siqi.position("connect6")
    engine = siqi.AsyncEngine("connect6", {"Hash": 1})

    async def play(seconds: float) -> None:
        await engine.play(position, siqi.Limit(time=seconds))

    async def analyse() -> None:
        async with engine.analysis(position) as running:
            async for _ in running:
                break

    calls: list[Callable[[], Coroutine[Any, Any, None]]] = [
        lambda: play(0.004),
        lambda: play(60),
        analyse,
        lambda: engine.configure({"Hash": chance.randint(1, 2)}),
    ]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    asyncio.run(play(0.004))
    for number in range(60):
        with contextlib.suppress(KeyboardInterrupt), warnings.catch_warnings(action="ignore"):
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-5, 0.012))
            try:
                asyncio.run(calls[number % len(calls)]())
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        started = time.monotonic()
        asyncio.run(play(0.004))
        assert time.monotonic() - started < 30
    asyncio.run(engine.close())
    signal.signal(signal.SIGALRM, before)


def test_errors_reach_those_who_await() -> None:
    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        limit = siqi.Limit(depth=1)
        refused: list[Callable[[], Awaitable[object]]] = [
            lambda: engine.play(board, limit, root_moves=["a0a9"]),
            lambda: engine.play(board, siqi.Limit()),
            lambda: engine.configure({"Colour": 3}),
            lambda: engine.analysis(board, limit, root_moves=["a0a9"]).wait(),
        ]
        for call in refused:
            with pytest.raises(siqi.Refusal):
                await call()
        with pytest.raises(siqi.Refusal):
            async with engine.analysis(siqi.position("ewn")):
                pass
        with pytest.raises(TypeError, match=r"limit: .* not float"):
            await engine.play(board, 1.0)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"position: .* not str"):
            engine.analysis("startpos")  # type: ignore[arg-type]
        assert (await engine.play(board, limit)).move in board.legal_moves
        running = await engine.analysis(board)
        await engine.close()
        assert (await running.wait()).move in board.legal_moves
        with pytest.raises(siqi.EngineError, match="closed"):
            await engine.play(board, limit)
        await engine.close()

    with_engine(use)
    with pytest.raises(ValueError, match="unknown game"):
        siqi.AsyncEngine("chess")

    async def bad_option() -> None:
        async with siqi.AsyncEngine("xiangqi", {"Hash": -4}):
            pass

    with pytest.raises(siqi.Refusal, match="Hash"):
        asyncio.run(bad_option())


def test_a_fault_of_a_search_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        loaded = engine._owner.engine._loaded_game
        assert loaded is not None
        with monkeypatch.context() as patch:
            patch.setattr(type(loaded.searcher), "iterate", lambda self: 1 // 0)
            with pytest.raises(siqi.EngineError, match="ZeroDivisionError"):
                await engine.play(board, siqi.Limit(depth=1))
        assert (await engine.play(board, siqi.Limit(depth=1))).move

    with_engine(use)


def test_the_loop_runs_while_a_search_does() -> None:
    """The loop runs at its own pace; neither it nor the engine's thread uses the processor while waiting."""

    async def use(engine: siqi.AsyncEngine, board: siqi.Board) -> None:
        search = asyncio.ensure_future(engine.play(board, siqi.Limit(time=1.0)))
        before = time.thread_time()
        turns = 0
        while not search.done():
            await asyncio.sleep(0.05)
            turns += 1
        assert turns >= 5 and time.thread_time() - before < 0.5

    with_engine(use)


def test_no_search_goes_on_for_nobody() -> None:
    threads = threading.active_count()

    async def forget() -> None:
        engine = siqi.AsyncEngine("connect6", {"Hash": 1})
        await engine.analysis(siqi.position("connect6"))

    asyncio.run(forget())
    gc.collect()
    deadline = time.monotonic() + 30
    while threading.active_count() > threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= threads


def test_a_program_ends_though_its_engine_was_not_closed() -> None:
    code = """
import asyncio, siqi
engine = siqi.AsyncEngine("connect6", {"Hash": 1})
async def main():
    await engine.analysis(siqi.position("connect6"))
asyncio.run(main())
print("end")
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT, check=True)
    assert done.stdout == "end\n" and "Traceback" not in done.stderr
