"""The jobs that load a game and configure its searcher.

Loading imports numba, and compiles the kernels that the cache lacks.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterable
from typing import NamedTuple

from siqi.daemon.engine.events import (
    Compiling,
    Configured,
    Kind,
    Loaded,
    LoadFailed,
    Post,
    Refused,
    StillLoading,
    Warning,
    internal_reason,
)
from siqi.daemon.engine.scheduler import Job
from siqi.games import registry
from siqi.games.compiling import announce_compiling, ignored_settings
from siqi.games.contract import Game, Position, Searcher, Task, exhaust
from siqi.system.pipes import now_ns

WARM_UP_NODES = 500

GREETING_WAIT_S = 7.0
"""The time after which StillLoading is posted. UCCI's referee waits ten seconds for the answer to its greeting, from
the start of the process. On a busy machine a compiler delays the post by a second or two."""


class SearcherConfig(NamedTuple):
    """The arguments of `Searcher.configure`."""

    hash_mb: int
    threads: int
    seed: int


class LoadedGame(NamedTuple):
    """A loaded game and its searcher."""

    game: Game[Position]
    searcher: Searcher[Position]


class LoadJob(Job):
    """The loading of one game, with its options, and of its searcher; it cannot be stopped."""

    def __init__(self, name: str, options: Iterable[tuple[str, str]], config: SearcherConfig, post: Post) -> None:
        self._name = name
        self._options = options
        self._config = config
        self._post = post
        self.is_compiling = False
        """True once a kernel was missing in the cache: loading may take half a minute."""

    def failure_event(self, reason: str) -> LoadFailed:
        return LoadFailed(self._name, reason)

    def run(self) -> Loaded | LoadFailed:
        """Load the game, set its options, configure its searcher and warm both up.

        Posts Compiling and Warning, and after GREETING_WAIT_S StillLoading.
        """
        timer = threading.Timer(GREETING_WAIT_S, self._post, (StillLoading(),))
        timer.daemon = True
        try:
            timer.start()
            is_first = f"siqi.games.{self._name}.game" not in sys.modules
            for line in ignored_settings():
                self._warn(line)
            with announce_compiling(self._report_compiling, self._name):
                game = registry.load(self._name, self._warn)
                searcher = game.searcher()
            if is_first:
                freeze_objects()
            from siqi.games.kernel import jit

            if self.is_compiling and jit.cache_faults:
                self._warn(f"kernels are compiled at every start; {jit.cache_faults[0]}")
            for option, value in self._options:
                game.set_option(option, value)
            configure(searcher, self._config, self._warn)
            warm_up(game, searcher)
        except BaseException as error:
            return self.failure_event(internal_reason(error))
        finally:
            timer.cancel()
        return Loaded(self._name, game, searcher, now_ns())

    def _report_compiling(self, text: str) -> None:
        self.is_compiling = True
        self._post(Compiling(text))

    def _warn(self, text: str) -> None:
        self._post(Warning(text))


class ConfigureJob(Job):
    """The configuration of a loaded game's searcher; clearing a transposition table of gigabytes takes seconds.

    It cannot be stopped.
    """

    def __init__(self, searcher: Searcher[Position], config: SearcherConfig, post: Post) -> None:
        self._searcher = searcher
        self._config = config
        self._post = post

    def run(self) -> Configured:
        """Configure the searcher; post a Warning if there is not enough memory."""
        configure(self._searcher, self._config, lambda text: self._post(Warning(text)))
        return Configured()

    def failure_event(self, reason: str) -> Configured:
        self._post(Refused(Kind.INTERNAL, reason))
        return Configured()


def freeze_objects() -> None:
    """Exempt all existing objects from garbage collection.

    With numba a full collection visits 115,000 objects: each one delayed a search, between two readings of the clock,
    by 57 to 90 ms of processor time.
    """
    gc.collect()
    gc.freeze()


def configure(searcher: Searcher[Position], config: SearcherConfig, warn: Callable[[str], None]) -> None:
    """Configure a searcher; `warn` gets a line, with the size in use, if there is not enough memory."""
    try:
        searcher.configure(*config)
    except MemoryError as error:
        warn(f"option Hash: no memory for {config.hash_mb} MiB; {error}")


def warm_up(game: Game[Position], searcher: Searcher[Position]) -> None:
    """Run a short search before the game is reported as loaded.

    The first search of a process pays for late imports and first calls: 100 ms measured, which would lose a game on a
    short clock.
    """
    from siqi.daemon.engine.bench import set_up
    from siqi.games.kernel.control import Control

    position = set_up(game, game.bench[0])
    report = exhaust(searcher, Task(position, Control(WARM_UP_NODES)))
    position.outcome()
    position.move_text(report.lines[0].pv[0])
    searcher.clear()
