"""The models of beliefs that the option `Beliefs` names: a network, or the learned habits of types.

A model says how likely the types of a side's pieces are by their deployment and their behaviour; what is certain is
known before.

The network has learned from this engine's games. Other programs play otherwise: of the pieces of three of them it had a
higher loss than deployments alone. So it shares its say with habits, by the chance that each gave to what the enemy's
pieces have shown in this game (`trust`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from siqi.games.books.networks import find_network
from siqi.games.contract import Warn, silent
from siqi.games.junqi.knowledge.behaviour import factors, plies_of
from siqi.games.junqi.knowledge.belief import deployment_weights
from siqi.games.junqi.knowledge.belief_network import NETWORK_BOOK, Network, likelihoods, read_network
from siqi.games.junqi.knowledge.worlds import Belief, marginals
from siqi.games.junqi.rules.lookup import FLAG, PIECES

FLOOR = 0.02
"""Share of a piece's chances that is the same for all its possible types, whatever it has done: for bluffs. A tenth by
deployment alone in its place brought referees' games of other programs from a loss of 1.549 to 1.515, but in games
scored 49.2 % +- 4.9 of 400 against habits, where this scored 55.2 % +- 4.8 with the same network."""

SMALL = 1e-9
"""The weight of types that are not in a piece's set: weights are above 0, and the sets decide."""

LEAST_CHANCE = 1e-4
"""A chance below this counts as this for `trust`, so that one surprise does not decide it."""

REMEMBERED = 256
"""Showings whose evidence is kept, more than a game has: each takes a millisecond to weigh, and 6 KB."""


class Showing(NamedTuple):
    """A piece of a side showed, by a battle or a turn on the railway, that it is of fewer types than before."""

    piece: int  # 0-24
    may: tuple[int, ...]  # before: the sets of types of the side's pieces
    counts: bytes  # before: int64 [piece 0-49, trait and history] (behaviour.py)
    types: int  # after: the piece's set of types


class BeliefModel(Protocol):
    """A model of beliefs in use."""

    def belief(
        self, may: list[int], counts: Any, side: int, is_deployed: bool, showings: Iterable[Showing] | None = None
    ) -> Belief:
        """Return the belief about a side's pieces, whose sets of types are `may`.

        `counts` [piece 0-49, trait and history] (behaviour.py); `is_deployed`: the pieces' numbers are slots.
        `showings`: what the side's pieces have shown; None if it plays as this engine does.
        """


def flags_of(may: list[int]) -> list[int]:
    """Return the pieces that may be the flag."""
    return [piece for piece in range(PIECES) if may[piece] >> FLAG & 1]


class HabitsModel:
    """Deployments and the learned habits."""

    def belief(
        self, may: list[int], counts: Any, side: int, is_deployed: bool, showings: Iterable[Showing] | None = None
    ) -> Belief:
        likely = factors(counts[side * PIECES : side * PIECES + PIECES])
        return Belief(may, {flag: likely * (deployment_weights(flag) if is_deployed else 1) for flag in flags_of(may)})


HABITS = HabitsModel()


class NetworkModel:
    """Deployments, and a network with habits. Pieces of a FEN have no slots: their belief is by habits."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._evidence = functools.lru_cache(REMEMBERED)(self._evidence_of)

    def belief(
        self, may: list[int], counts: Any, side: int, is_deployed: bool, showings: Iterable[Showing] | None = None
    ) -> Belief:
        if not is_deployed:
            return HABITS.belief(may, counts, side, is_deployed)
        trust = 1.0 if showings is None else self.trust(side, showings)
        by_network, by_habits = self._weights(may, counts, side), HABITS.belief(may, counts, side, is_deployed).weights
        can = np.array(may)[:, None] >> np.arange(12) & 1
        weights = {}
        for flag, of_network in by_network.items():
            mixed = trust * shares(can * of_network) + (1 - trust) * shares(can * by_habits[flag])
            weights[flag] = FLOOR * shares(can) + (1 - FLOOR) * mixed + SMALL
        return Belief(may, weights)

    def _weights(self, may: list[int], counts: Any, side: int) -> dict[int, Any]:
        """Return the weights by the network alone, by flag: float64 [piece, type]."""
        own = counts[side * PIECES : side * PIECES + PIECES]
        likely = likelihoods(self._network, may, own, plies_of(counts))
        return {flag: likely * deployment_weights(flag) for flag in flags_of(may)}

    def trust(self, side: int, showings: Iterable[Showing]) -> float:
        """Return the chance, 0..1, that a side plays as the network learned and not as habits did.

        Before it has shown anything both are equally likely; then by Bayes' rule.
        """
        evidence = sum(self._evidence(side, showing) for showing in showings)
        return (1 + math.tanh(evidence / 2)) / 2  # the logistic function, without overflow

    def _evidence_of(self, side: int, showing: Showing) -> float:
        """Return the logarithm of the network's chance of a showing over that of habits."""
        may, counts = list(showing.may), np.frombuffer(showing.counts, np.int64).reshape(2 * PIECES, -1)
        types = showing.types >> np.arange(12) & 1
        beliefs = Belief(may, self._weights(may, counts, side)), HABITS.belief(may, counts, side, True)
        chances = [max(float(marginals(belief)[showing.piece] @ types), LEAST_CHANCE) for belief in beliefs]
        return math.log(chances[0] / chances[1])


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
