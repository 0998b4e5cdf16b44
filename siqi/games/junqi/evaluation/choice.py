"""The evaluations that the option `Evaluation` names: terms with fitted weights, alone or with a network."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from siqi.games.books.networks import find_network
from siqi.games.books.nnue import Network
from siqi.games.contract import Warn, silent
from siqi.games.junqi.evaluation.accumulator import Accumulators
from siqi.games.junqi.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.junqi.evaluation.sums import VALUES_OF_PIECES, new_line
from siqi.games.kernel.jit import Record
from siqi.games.kernel.memory import address_of


class Evaluation:
    """An evaluation in use by one search at a time."""

    def __init__(self, network: Network | None = None) -> None:
        """None: the terms stand alone."""
        self.name = "terms" if network is None else "network"
        self._accumulators = None if network is None else Accumulators(network)
        self._lines: list[Any] = []
        self._memories: list[Any] = []

    def prepare(self, works: Iterable[Record]) -> None:
        """Make the kernels that get these working memories, one per thread, use this evaluation."""
        for thread, work in enumerate(works):
            if thread == len(self._lines):
                self._lines.append(new_line())
                if self._accumulators is not None:
                    self._memories.append(self._accumulators.new_memory())
            work.sums, work.values = address_of(self._lines[thread]), address_of(VALUES_OF_PIECES)
            work.network = address_of(self._memories[thread]) if self._memories else 0


def choose(name: str, file: Path | None = None, warn: Warn = silent) -> Evaluation:
    """Return an evaluation by its name.

    `file`: the user's network, None for the shipped one, which also replaces one that cannot be used. If there is none,
    `warn` gets a line and the terms stand alone.
    """
    return Evaluation(find_network(read_network, file, NETWORK_BOOK, "terms", warn) if name == "network" else None)
