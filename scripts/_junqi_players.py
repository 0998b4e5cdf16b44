"""Players of Junqi for experiments, by name; each is given a view and a time for a move.

random          any move that is surely legal
siqi            the engine as it is; takes its options, `siqi Searcher=uct Threads=2`
"""

from __future__ import annotations

import random
import time
from typing import Protocol

from games.contract import Report, Task
from games.junqi.game import Junqi, JunqiPosition
from games.kernel.control import Control


class Player(Protocol):
    """One who moves from a view."""

    def new_game(self, seed: int) -> None: ...

    def choose(self, view: JunqiPosition, ms: float) -> int:
        """A move without its result."""


class RandomPlayer:
    def __init__(self) -> None:
        self._random = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._random.seed(seed)

    def choose(self, view: JunqiPosition, ms: float) -> int:
        return self._random.choice(view.legal_moves())


class Engine:
    """A searcher of the engine."""

    def __init__(self, options: dict[str, str]) -> None:
        self._threads, self._hash_mb = int(options.pop("Threads", 1)), int(options.pop("Hash", 64))
        self.game = Junqi(print)
        for name, value in options.items():
            self.game.set_option(name, value)
        self.searcher = self.game.searcher()

    def new_game(self, seed: int) -> None:
        self.searcher.configure(self._hash_mb, self._threads, seed)
        self.searcher.clear()

    def choose(self, view: JunqiPosition, ms: float) -> int:
        control = Control()
        control.set_deadline(time.monotonic_ns() + int(ms * 1e6))
        self.searcher.start(Task(view, control))
        report: Report = self.searcher.iterate()
        while report.complete and not report.finished and not control.stopped:
            report = self.searcher.iterate()
        self.searcher.finish()
        return report.lines[0].pv[0]


def make_player(text: str) -> Player:
    """A player by name and options; ValueError for an unknown name."""
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words)
    if name == "random":
        return RandomPlayer()
    if name == "siqi":
        return Engine(options)
    raise ValueError(f"unknown player: {name}")
