"""The chances to win, draw and lose of a score, for games whose scores are not computed from chances.

An ordered logistic model: with s the score (centipawns, the mover's view) and x the phase of the game (0..1),

    P(win) = 1 / (1 + exp(r(x) - k(x) s)),  P(loss) = 1 / (1 + exp(r(x) + k(x) s)),

k (steepness) and r (reserve, the share left for draws) are polynomials of x. `scripts/tune/fit_win_model.py` fits them
to games of the engine against itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

LARGEST_LOGIT = 30.0
"""Logits are clamped to +- this, so that `exp` does not overflow."""


def polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """Return the value at x of a polynomial, whose coefficients begin with the constant."""
    return sum(coefficient * x**power for power, coefficient in enumerate(coefficients))


def logistic(logit: float) -> float:
    """Return the probability of a logit (log odds)."""
    return 1 / (1 + math.exp(-min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)))


class WinModel(NamedTuple):
    """The coefficients of the two polynomials, constants first, and the score at which scores are clamped."""

    steepness: tuple[float, ...]  # log odds per centipawn
    reserve: tuple[float, ...]  # log odds against a win at score 0; 0 in a game without draws
    largest: int  # centipawns

    def chances(self, cp: float, phase: float) -> tuple[float, float]:
        """Return the mover's chances to win and to draw, 0..1."""
        slope = max(polynomial(self.steepness, phase), 0.0)
        reserve = max(polynomial(self.reserve, phase), 0.0)
        cp = min(max(cp, -self.largest), self.largest)
        win, loss = logistic(slope * cp - reserve), logistic(-slope * cp - reserve)
        return win, max(1.0 - win - loss, 0.0) if reserve else 0.0
