"""Loading a game on a thread of its own: numba is imported, and kernels that the cache lacks are compiled."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

from daemon.events import Compiling, Configured, Kind, Loaded, LoadFailed, Post, Refused, Warning, internal_reason
from daemon.pipes import now_ns
from daemon.scheduler import Shutdown
from games import registry
from games.compiling import announce_compiling
from games.contract import Game, Position, Searcher, Task, exhaust

WARM_UP_NODES = 500


class SearcherConfig(NamedTuple):
    """The options that a searcher is configured with."""

    hash_mb: int
    threads: int
    seed: int


class LoadJob:
    """Loads one game and its searcher."""

    def __init__(self, name: str, options: Iterable[tuple[str, str]], config: SearcherConfig, post: Post) -> None:
        self._name = name
        self._options = options
        self._config = config
        self._post = post
        self.is_compiling = False
        """True once a kernel was not in the cache: the game will not be there soon."""

    def failure_event(self, reason: str) -> LoadFailed:
        return LoadFailed(self._name, reason)

    def stop(self) -> None:
        """Loading cannot be stopped."""

    def shut_down(self, shutdown: Shutdown) -> None:
        """Nor does it end early."""

    def run(self) -> Loaded | LoadFailed:
        try:
            is_first = f"games.{self._name}.game" not in sys.modules
            with announce_compiling(self._report_compiling, self._name):
                game = registry.load(self._name, self._warn)
                searcher = game.searcher()
            if is_first:
                spare_imported()
            from games.kernel import jit

            if jit.cache_faults:
                self._warn(f"kernels are compiled at every start; {jit.cache_faults[0]}")
            for option, value in self._options:
                game.set_option(option, value)
            configure(searcher, self._config, self._warn)
            warm_up(game, searcher)
        except BaseException as error:
            return self.failure_event(internal_reason(error))
        return Loaded(self._name, game, searcher, now_ns())

    def _report_compiling(self, text: str) -> None:
        self.is_compiling = True
        self._post(Compiling(text))

    def _warn(self, text: str) -> None:
        self._post(Warning(text))


class ConfigureJob:
    """Gives a loaded game's searcher its memory: a table of gigabytes takes seconds to be written."""

    def __init__(self, searcher: Searcher[Position], config: SearcherConfig, post: Post) -> None:
        self._searcher = searcher
        self._config = config
        self._post = post

    def run(self) -> Configured:
        configure(self._searcher, self._config, lambda text: self._post(Warning(text)))
        return Configured()

    def failure_event(self, reason: str) -> Configured:
        self._post(Refused(Kind.INTERNAL, reason))
        return Configured()

    def stop(self) -> None:
        """It cannot be stopped."""

    def shut_down(self, shutdown: Shutdown) -> None:
        """Nor does it end early."""


def spare_imported() -> None:
    """Take what has been imported out of the garbage collector's rounds.

    With numba a full round goes through 115,000 objects: it held a search up for 57 to 90 ms of processor time, between
    two looks at the clock, whenever one fell due.
    """
    gc.collect()
    gc.freeze()


def configure(searcher: Searcher[Position], config: SearcherConfig, warn: Callable[[str], None]) -> None:
    """Give a searcher its memory; `warn` gets a line about what it makes do with where there is no more."""
    try:
        searcher.configure(*config)
    except MemoryError as error:
        warn(f"option Hash: no memory for {config.hash_mb} MiB; {error}")


def warm_up(game: Game[Position], searcher: Searcher[Position]) -> None:
    """Search a little before the game is said to be ready.

    The first search of a process pays for late imports and first calls (100 ms measured), which under a short clock
    would lose the game.
    """
    from daemon.bench import set_up
    from games.kernel.control import Control

    position = set_up(game, game.bench[0])
    report = exhaust(searcher, Task(position, Control(WARM_UP_NODES)))
    position.outcome()
    position.move_text(report.lines[0].pv[0])
    searcher.clear()
