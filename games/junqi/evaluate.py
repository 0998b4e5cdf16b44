"""The worth of a Junqi world: material by type, as an expected result."""

from __future__ import annotations

import math

import numpy as np

from games.contract import Score
from games.junqi.position import POSITION, type_of
from games.junqi.tables import NOWHERE, PIECES, TABLES, WORTH
from games.kernel.jit import Record, float64, inner, int64

SCALE = 90.0
"""Material difference that makes the odds e to 1."""


@inner(float64(POSITION, TABLES), forceinline=True)
def evaluate(pos: Record, t: Record) -> float:
    """Expected result of a full position for the first side, 0..1."""
    if pos.loser >= 0:
        return float64(pos.loser)
    balance = int64(0)
    for piece in range(2 * PIECES):
        if pos.where[piece] != NOWHERE:
            worth = int64(t.worth[type_of(pos, piece)])
            balance += worth if piece < PIECES else -worth
    return 1.0 / (1.0 + math.exp(-balance / SCALE))


def explain(pos: Record) -> list[str]:
    """Material of each side, an unknown piece worth the mean of what it may be."""
    sums = [0.0, 0.0]
    for piece in range(2 * PIECES):
        if pos.where[piece] != NOWHERE:
            types = [kind for kind in range(12) if int(pos.may[piece]) >> kind & 1]
            sums[piece // PIECES] += float(np.mean([WORTH[kind] for kind in types]))
    turn = int(pos.turn)
    win = 1 / (1 + math.exp(-(sums[turn] - sums[1 - turn]) / SCALE))
    return [
        f"material first {sums[0]:.0f}, second {sums[1]:.0f}",
        f"total {Score.expected(win).cp:+d} for the side to move",
    ]
