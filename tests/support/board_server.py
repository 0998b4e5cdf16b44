"""A server of `siqi board`, in a thread of this process or in one of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fixture_files import ROOT

from siqi.daemon.board.analyse.entries import AnyEntry as Fact
from siqi.daemon.board.analyse.session import Analysis
from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.championship.session import Championship
from siqi.daemon.board.command import ANALYSES
from siqi.daemon.board.entries import AnyEntry
from siqi.daemon.board.hub import Hub
from siqi.daemon.board.layouts import Layouts
from siqi.daemon.board.mode import numbers
from siqi.daemon.board.modes import Modes
from siqi.daemon.board.reviews import Reviews
from siqi.daemon.board.running import Running
from siqi.daemon.board.server import BoardServer
from siqi.daemon.board.session import Session
from siqi.daemon.board.store import Store

WAIT_S = 120


class RunningServer:
    """The server, as other threads may use it."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, server: BoardServer, session: Session, analysis: Analysis, port: int
    ) -> None:
        self.loop, self.server, self.session, self.port = loop, server, session, port
        self.analysis = analysis

    contests: Championship

    @property
    def address(self) -> str:
        return Running(self.port, self.server.token).address

    def call(self, function: Callable[[], Any]) -> Any:
        """Return what a function returns in the server's thread."""

        async def called() -> Any:
            return function()

        return asyncio.run_coroutine_threadsafe(called(), self.loop).result(WAIT_S)


@contextmanager
def running(folder: Path, game: str = "xiangqi", seed: int = 7) -> Iterator[RunningServer]:
    """Run a server over a folder of games until the end of the block."""
    begun, servers = threading.Event(), []

    async def serve() -> None:
        store, numbering = Store[AnyEntry](folder, AnyEntry), numbers()
        layouts = Layouts(folder)
        session = Session(store, seed=seed, numbering=numbering, layouts=layouts)
        days = Days(folder / Championship.name)
        contests = Championship(days, numbering=numbering, layouts=layouts)
        analyses = Store[Fact](folder / ANALYSES, Fact)
        analysis = Analysis(analyses, numbering=numbering)
        modes = Modes([session, contests, analysis], folder)
        server = BoardServer(Hub(modes, Reviews(folder, ("--depth", "1")), numbering, game))
        ended = asyncio.Event()
        servers.append(RunningServer(asyncio.get_running_loop(), server, session, analysis, server.listen(0)))
        servers[0].contests = contests
        servers[0].end = lambda: servers[0].loop.call_soon_threadsafe(ended.set)  # type: ignore[attr-defined]
        begun.set()
        try:
            await ended.wait()
        finally:
            await server.close()
            store.close()
            days.close()
            analyses.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert begun.wait(WAIT_S)
        yield servers[0]
    finally:
        servers[0].end()  # type: ignore[attr-defined]
        thread.join(WAIT_S)


@contextmanager
def command(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `siqi board`; yield the process and its address."""
    words = (sys.executable, "-m", "siqi", "board", "--no-browser", "--games", str(folder))
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()
