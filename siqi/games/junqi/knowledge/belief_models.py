"""The models of beliefs that the option `Beliefs` names: a network, or the learned habits of types.

A model says how likely the types of a side's pieces are by their deployment and their behaviour; what is certain is
known before.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from siqi.games.books.networks import find_network
from siqi.games.contract import Warn, silent
from siqi.games.junqi.knowledge.behaviour import factors, plies_of
from siqi.games.junqi.knowledge.belief import deployment_weights
from siqi.games.junqi.knowledge.belief_network import NETWORK_BOOK, Network, likelihoods, read_network
from siqi.games.junqi.knowledge.worlds import Belief
from siqi.games.junqi.rules.lookup import FLAG, PIECES

FLOOR = 0.02
"""Share of a piece's chances that is the same for all its possible types, whatever it has done: for bluffs. A tenth by
deployment alone in its place brought referees' games of other programs from a loss of 1.549 to 1.515, but in games
scored 49.2 % +- 4.9 of 400 against habits, where this scored 55.2 % +- 4.8 with the same network."""

SMALL = 1e-9
"""The weight of types that are not in a piece's set: weights are above 0, and the sets decide."""


class BeliefModel(Protocol):
    """A model of beliefs in use."""

    def belief(self, may: list[int], counts: Any, side: int, is_deployed: bool) -> Belief:
        """Return the belief about a side's pieces, whose sets of types are `may`.

        `counts` [piece 0-49, trait and history] (behaviour.py); `is_deployed`: the pieces' numbers are slots.
        """


def flags_of(may: list[int]) -> list[int]:
    """Return the pieces that may be the flag."""
    return [piece for piece in range(PIECES) if may[piece] >> FLAG & 1]


class HabitsModel:
    """Deployments and the learned habits."""

    def belief(self, may: list[int], counts: Any, side: int, is_deployed: bool) -> Belief:
        likely = factors(counts[side * PIECES : side * PIECES + PIECES])
        return Belief(may, {flag: likely * (deployment_weights(flag) if is_deployed else 1) for flag in flags_of(may)})


HABITS = HabitsModel()


class NetworkModel:
    """Deployments and a network. Pieces of a FEN have no slots: their belief is by habits."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def belief(self, may: list[int], counts: Any, side: int, is_deployed: bool) -> Belief:
        if not is_deployed:
            return HABITS.belief(may, counts, side, is_deployed)
        own = counts[side * PIECES : side * PIECES + PIECES]
        likely = likelihoods(self._network, may, own, plies_of(counts))
        can = np.array(may)[:, None] >> np.arange(12) & 1
        weights = {}
        for flag in flags_of(may):
            weights[flag] = FLOOR * shares(can) + (1 - FLOOR) * shares(can * likely * deployment_weights(flag)) + SMALL
        return Belief(may, weights)


def shares(weights: Any) -> Any:
    """Return each piece's weights divided by their sum, float64 [piece, type]."""
    return weights / weights.sum(1, keepdims=True)


def choose(name: str, file: Path | None = None, warn: Warn = silent) -> BeliefModel:
    """Return a model by its name.

    `file`: the user's network, None for the shipped one, which also replaces one that cannot be used. If there is none,
    `warn` gets a line and habits take its place.
    """
    if name == "network":
        network = find_network(read_network, file, NETWORK_BOOK, "habits", warn)
        if network is not None:
            return NetworkModel(network)
    return HABITS


@functools.cache
def default_model() -> BeliefModel:
    """Return the model of the option's default value, with the shipped network: for a position without an engine."""
    return choose("network")
