"""The choice of a deployment."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from siqi.games.contract import UNKNOWN_SETUP, Line, Report, Score, SetupPosition, Task
from siqi.games.junqi.knowledge.belief import deployment_advantages, deployment_weights
from siqi.games.junqi.knowledge.worlds import Belief, draw_worlds
from siqi.games.junqi.rules.lookup import (
    FLAG,
    PIECES,
    TYPES,
)
from siqi.games.junqi.rules.notation import deployment_move
from siqi.games.junqi.rules.setup import slot_types

TILT = 10.0
"""A drawn deployment's probability is multiplied by the odds that it adds, to this power."""


def draw_deployment(seed: int, tilt: float = 0.0) -> str:
    """Return a deployment word drawn as people deploy; a tilt favours deployments that won more often (see TILT)."""
    may = [slot_types(slot) for slot in range(PIECES)]
    weights = {
        slot: deployment_weights(slot) * np.exp(tilt / 100 * deployment_advantages(slot))
        for slot in range(PIECES)
        if may[slot] >> FLAG & 1
    }
    kinds = draw_worlds(Belief(may, weights), 1, seed).kinds[0]
    return "".join(TYPES[kind] for kind in kinds)


def own_deployment(seed: int, layouts: Sequence[str]) -> str:
    """Return the deployment word that the engine chooses: one of the user's layouts, else one drawn with TILT."""
    return random.Random(seed).choice(layouts) if layouts else draw_deployment(seed, TILT)


class DeploymentSearch:
    """A search for a deployment: the first one allowed, else `own_deployment`."""

    def __init__(self, task: Task[SetupPosition], seed: int, layouts: Sequence[str]) -> None:
        self._task = task
        self._seed = 2 * seed + task.position.turn  # else both sides would deploy alike
        self._layouts = layouts

    def iterate(self) -> Report:
        move = self._choose()
        return Report(1, 1, 1, (Line(Score.from_expected(0.5), (move,)),), True, True)

    def _choose(self) -> int:
        allowed = [move for move in self._task.moves if move != deployment_move(UNKNOWN_SETUP)]
        return allowed[0] if allowed else deployment_move(own_deployment(self._seed, self._layouts))
