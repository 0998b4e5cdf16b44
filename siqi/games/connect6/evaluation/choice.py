"""The evaluations that the option `Evaluation` names: networks, or roads as in paper 3."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from siqi.games.books.networks import find_network
from siqi.games.connect6.evaluation import evaluate
from siqi.games.connect6.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.connect6.evaluation.patterns import NetworkEvaluation, empty_points
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS
from siqi.games.contract import Warn, silent
from siqi.games.kernel.jit import Record
from siqi.games.search.win_model import WinModel

WIN_MODELS = {"network": WinModel((0.002862,), (0.0,), 800), "roads": WinModel((0.00374,), (0.0,), 800)}
"""The chances by score of searches by each evaluation, fitted to 235 and 490 games at 1,000, 4,000 and 16,000 nodes
(scripts/tune/fit_win_model.py). Log loss on games held out 0.481 and 0.607, with constant chances 0.693 and 0.692."""


class Evaluation(Protocol):
    """An evaluation in use: of positions, and of the points that a search tries."""

    @property
    def name(self) -> str:
        """The option's value."""

    def prepare(self, works: Iterable[Record]) -> None:
        """Make the kernels that get these working memories, one per thread, use this evaluation."""

    def explain(self, pos: Record) -> list[str]:
        """Return a line for each part of the evaluation, the total last."""

    def worths(self, pos: Record) -> dict[int, float]:
        """Return by empty point what a stone of the side to move is worth there, for a picture."""


class RoadsEvaluation:
    """The evaluation by the stones on each road, which the position record keeps."""

    name = "roads"

    def prepare(self, works: Iterable[Record]) -> None:
        """Make the kernels that get these working memories use this evaluation."""
        for work in works:
            work.network = 0

    def explain(self, pos: Record) -> list[str]:
        """Return a line for each side's roads, then the total."""
        return evaluate.explain(pos)

    def worths(self, pos: Record) -> dict[int, float]:
        """Return by empty point what the roads through it make of a stone of the side to move, without the centre."""
        interest = pos.interest.reshape(POINTS, 2)[:, pos.turn] - LOOKUP_RECORD.centre
        empty_roads = LOOKUP_RECORD.road_count.astype(int) * int(LOOKUP_RECORD.interest[64 * pos.turn])
        return {point: float(interest[point] - empty_roads[point]) for point in empty_points(pos)}


def choose(name: str, file: Path | None = None, warn: Warn = silent) -> Evaluation:
    """Return an evaluation by its name.

    `file`: the user's networks, None for the shipped ones, which also replace those that cannot be used. If there are
    none, `warn` gets a line and roads take their place.
    """
    if name == "network":
        network = find_network(read_network, file, NETWORK_BOOK, "roads", warn)
        if network is not None:
            return NetworkEvaluation(network)
    return RoadsEvaluation()
