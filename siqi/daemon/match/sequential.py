"""The sequential probability ratio test of pairs of games (SPRT): it ends a match once its question is decided.

Its statistic is the generalised log-likelihood ratio of "Elo is elo1" against "Elo is elo0": the log of
max L(p | elo1) / max L(p | elo0) over the pentanomial distributions p (statistics.py). Elo is logistic, a condition on
the mean of p, or normalized, one on the mean in standard deviations. fishtest and fastchess compute the same. Sources:
Van den Bergh, "A practical introduction to the GSPRT", "MLE for a multinomial distribution with prescribed mean"
(proposition 1.1), "Comments on normalized Elo" (section 4.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from siqi.daemon.match.statistics import LOGISTIC, NELO_PER_T, NORMALIZED, POINTS, expected_score

Array = np.ndarray[Any, np.dtype[np.float64]]

MAX_ELO = {NORMALIZED: 200.0, LOGISTIC: 1000.0}
"""The largest Elo of a hypothesis; beyond it `likeliest` need not converge, and no test is worth its games."""

EMPTY_COUNT = 1e-3
"""Replaces a count of zero, as in fishtest: no result is impossible."""

_MAX_FITS, _FIT_TOLERANCE = 30, 1e-8
"""Fits that approach a condition on normalized Elo, and the change of a probability at which they end."""

_MAX_STEPS, _STEP_TOLERANCE = 100, 1e-12
"""Steps to a root, and the step, as a share of the first bracket, at which they end."""


class Sprt(NamedTuple):
    """A test of "Elo is elo0" (H0) against "Elo is elo1" (H1), wrong with probability alpha under H0, beta under H1."""

    elo0: float
    elo1: float
    model: str = NORMALIZED
    alpha: float = 0.05
    beta: float = 0.05

    def fault(self) -> str:
        """Return why there is no such test, empty if there is one."""
        most = MAX_ELO[self.model]
        if not -most <= self.elo0 < self.elo1 <= most:
            return f"ELO0 must be below ELO1, both within {most:g} of 0"
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            return "alpha and beta must lie between 0 and 0.5"
        return ""

    @property
    def bounds(self) -> tuple[float, float]:
        """Return Wald's bounds on the LLR, H0 below and H1 above: log(beta / (1 - alpha)), log((1 - beta) / alpha)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """Return the log-likelihood ratio that pentanomial counts show; 0 without a pair."""
        return float(self.llrs(np.array(pairs, float))) if any(pairs) else 0.0

    def llrs(self, counts: Array) -> Array:
        """Return the log-likelihood ratios of many pentanomial counts [..., 5], each with a pair."""
        counts = np.where(counts > 0, counts, EMPTY_COUNT)
        shares = counts / counts.sum(-1, keepdims=True)
        fits = [likeliest(shares, elo, self.model) for elo in (self.elo0, self.elo1)]
        return np.asarray((counts * np.log(fits[1] / fits[0])).sum(-1))

    def verdict(self, llr: float) -> str:
        """Return the accepted hypothesis, H0 or H1; empty while the test goes on."""
        low, high = self.bounds
        return "H1" if llr >= high else "H0" if llr <= low else ""

    def text(self, llr: float) -> str:
        """Return the state of the test in words."""
        low, high = self.bounds
        return (
            f"SPRT {self.model} [{self.elo0:g}, {self.elo1:g}] LLR {round(llr, 2) + 0.0:.2f} ({low:.2f}, {high:.2f}) "
            f"{self.verdict(llr)}"
        ).rstrip()

    def expected_pairs(self) -> tuple[float, float]:
        """Return the mean number of pairs of a test by normalized Elo, under H0 or H1, and midway, where it is most.

        Of H0 and H1 the longer test counts. Wald's approximations for a Brownian motion: the LLR drifts by
        (t1 - t0)^2 / 2 a pair, t in standard deviations of a pair, with variance (t1 - t0)^2.
        """
        low, high = self.bounds
        square = ((self.elo1 - self.elo0) * math.sqrt(2) / NELO_PER_T) ** 2
        under0 = -((1 - self.alpha) * low + self.alpha * high)
        under1 = self.beta * low + (1 - self.beta) * high
        return 2 * max(under0, under1) / square, -low * high / square


def likeliest(shares: Array, elo: float, model: str) -> Array:
    """Return the likeliest distributions [..., 5] that have this Elo; `shares` are the observed ones."""
    points = np.array(POINTS)
    if model == LOGISTIC:
        return _with_mean_zero(shares, np.broadcast_to(points - expected_score(elo), shares.shape))
    t = elo * math.sqrt(2) / NELO_PER_T  # of a pair: its mean has 1 / sqrt(2) of a game's deviation
    fit = np.full(shares.shape, 1 / len(points))
    for _ in range(_MAX_FITS):
        # The condition mean - 1/2 = t * deviation, linearised at the last fit; linear conditions are solved exactly.
        mean = (fit * points).sum(-1, keepdims=True)
        gaps = points - mean
        deviation = np.sqrt((fit * gaps**2).sum(-1, keepdims=True))
        before, fit = fit, _with_mean_zero(shares, points - 0.5 - t * deviation * (1 + (gaps / deviation) ** 2) / 2)
        if np.abs(fit - before).max() < _FIT_TOLERANCE:
            break
    return fit


def _with_mean_zero(shares: Array, values: Array) -> Array:
    """Return the likeliest distributions under which the values [..., 5], of both signs, have the mean 0.

    They are p_k / (1 + x v_k) with the root x of sum p_k v_k / (1 + x v_k), which falls strictly between its poles.
    Newton's method finds it; a step that leaves the bracket is replaced by its middle.
    """
    low, high = -1 / values.max(-1, keepdims=True), -1 / values.min(-1, keepdims=True)
    tolerance = _STEP_TOLERANCE * (high - low)
    x = np.zeros_like(low)
    for _ in range(_MAX_STEPS):
        terms = values / (1 + x * values)
        height, slope = (shares * terms).sum(-1, keepdims=True), -(shares * terms**2).sum(-1, keepdims=True)
        low, high = np.where(height > 0, x, low), np.where(height > 0, high, x)
        after = x - height / slope
        after = np.where((low < after) & (after < high), after, (low + high) / 2)
        done, x = np.abs(after - x) <= tolerance, after
        if done.all():
            break
    return np.asarray(shares / (1 + x * values))
