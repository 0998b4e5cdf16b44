"""The evaluations that the option `Evaluation` names: a network, terms with fitted weights, paper 5's.

The search calls the kernel of the one in use by its address, work.evaluator: an outlined kernel
`int64(POSITION, WORK, LOOKUP)`. That of the network, the default, is compiled when the game is loaded, the others when
they are chosen.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from siqi.games.books.networks import find_network
from siqi.games.contract import Warn, silent
from siqi.games.kernel.jit import Record, code_address
from siqi.games.xiangqi.evaluation.accumulator import NetworkEvaluation
from siqi.games.xiangqi.evaluation.network import NETWORK_BOOK, read_network


class Evaluation(Protocol):
    """An evaluation in use."""

    @property
    def name(self) -> str:
        """The option's value."""

    def prepare(self, works: Iterable[Record]) -> None:
        """Make the kernels that get these working memories, one per thread, use this evaluation."""

    def explain(self, pos: Record, first_rank: int = 0) -> list[str]:
        """Return a line for each part of the value, the total last. Squares have ranks from `first_rank` on."""


PLAIN = {"terms": "siqi.games.xiangqi.evaluation.terms", "paper": "siqi.games.xiangqi.paper.evaluation"}
"""The modules of the evaluations that are one kernel, `evaluator`, with a function `explain`."""


class PlainEvaluation:
    """An evaluation of PLAIN, by its name."""

    def __init__(self, name: str) -> None:
        module = importlib.import_module(PLAIN[name])  # late: it is compiled here
        self.name = name
        self._explain: Callable[[Record], list[str]] = module.explain
        self._code = code_address(module.evaluator)

    def prepare(self, works: Iterable[Record]) -> None:
        """Make the kernels that get these working memories use this evaluation."""
        for work in works:
            work.evaluator = self._code

    def explain(self, pos: Record, first_rank: int = 0) -> list[str]:
        """Return a line for each part of the value, the total last; no line names a square."""
        return self._explain(pos)


def choose(name: str, file: Path | None = None, warn: Warn = silent) -> Evaluation:
    """Return an evaluation by its name, compiled.

    `file`: the user's network, None for the shipped one, which also replaces one that cannot be used. If there is no
    network, `warn` gets a line and the terms take its place.
    """
    if name != "network":
        return PlainEvaluation(name)
    network = find_network(read_network, file, NETWORK_BOOK, "terms", warn)
    return PlainEvaluation("terms") if network is None else NetworkEvaluation(network)
