"""The chances to win, draw and lose that go with a score, for games whose scores are not chances already.

An ordered logistic model: with s the score from the mover's side and x the phase of the game,

    P(win) = 1 / (1 + exp(r(x) - k(x) s)),  P(loss) = 1 / (1 + exp(r(x) + k(x) s)),

k (steepness) and r (reserve, what is left for draws) being polynomials of x. `scripts/tune/fit_win_model.py` fits them
to games of the engine against itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

LARGEST_LOGIT = 30.0


def polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """The value of a polynomial, its constant first."""
    return sum(coefficient * x**power for power, coefficient in enumerate(coefficients))


def logistic(logit: float) -> float:
    """Return the probability that a logit (its log odds) stands for."""
    return 1 / (1 + math.exp(-min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)))


class WinModel(NamedTuple):
    """Coefficients of the two polynomials, constants first, and the largest score; those beyond it count as it does."""

    steepness: tuple[float, ...]  # log odds a point of score
    reserve: tuple[float, ...]  # log odds against a win at score 0; 0 in a game without draws
    largest: int

    def chances(self, cp: float, phase: float) -> tuple[float, float]:
        """The mover's chances to win and to draw."""
        slope = max(polynomial(self.steepness, phase), 0.0)
        reserve = max(polynomial(self.reserve, phase), 0.0)
        cp = min(max(cp, -self.largest), self.largest)
        win, loss = logistic(slope * cp - reserve), logistic(-slope * cp - reserve)
        return win, max(1.0 - win - loss, 0.0) if reserve else 0.0
