"""Statistics of paired matches, pure functions of pentanomial counts, and means with their intervals.

`pairs[k]` counts the pairs (two games on one opening, sides swapped) in which the first engine scored
k/2 of the two points, k = 0..4. The pair is the unit of observation: its games share the opening, hence
are not independent, and counting them singly would overstate the error bar of balanced play.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # score per game of each kind of pair
EMPTY_COUNT = 1e-3  # replaces a count of zero in `llr`, as in fishtest: no result is impossible


class Estimate(NamedTuple):
    """Mean score per game, 0..1, and half the width of its 95 % confidence interval."""

    score: float
    bar: float

    @property
    def low(self) -> float:
        return max(0.0, self.score - self.bar)

    @property
    def high(self) -> float:
        return min(1.0, self.score + self.bar)


def estimate(pairs: Sequence[int]) -> Estimate:
    """Return the mean m = sum n_k a_k / n and the bar z sqrt(sum n_k (a_k - m)^2 / n / n); ValueError for no pair.

    If all pairs ended alike, the variance is no estimate. Then the bar is the "rule of three" (Hanley and
    Lippman-Hand 1983, exact form): with confidence c no other result is likelier than 1 - (1 - c)^(1/n).
    """
    n = sum(pairs)
    if n == 0:
        raise ValueError("no complete pair yet")
    mean = sum(count * points for count, points in zip(pairs, POINTS, strict=True)) / n
    variance = sum(count * (points - mean) ** 2 for count, points in zip(pairs, POINTS, strict=True)) / n
    if n in pairs:
        return Estimate(mean, max(mean, 1 - mean) * (1 - (1 - CONFIDENCE) ** (1 / n)))
    return Estimate(mean, Z * math.sqrt(variance / n))


def percent(score: Estimate) -> str:
    return f"{score.score:.1%} +- {score.bar:.1%}"


class PairedScore:
    """A player's results in games that are played in pairs."""

    def __init__(self) -> None:
        self.games: Counter[float] = Counter()  # by points
        self.pairs = [0] * len(POINTS)  # complete pairs
        self._halves: dict[Hashable, float] = {}

    def add(self, pair: Hashable, points: float) -> None:
        """Add a game of a pair."""
        self.games[points] += 1
        if pair in self._halves:
            self.pairs[round(2 * (points + self._halves.pop(pair)))] += 1
        else:
            self._halves[pair] = points

    @property
    def counts(self) -> tuple[str, str, str]:
        """The games won, drawn and lost."""
        won, drawn, lost = (str(self.games[points]) for points in (1.0, 0.5, 0.0))
        return won, drawn, lost

    @property
    def score(self) -> Estimate:
        """The score of the complete pairs; ValueError if there is none."""
        return estimate(self.pairs)

    @property
    def text(self) -> str:
        """The games and the score, as text for a table's cell."""
        return f"{'-'.join(self.counts)}: {percent(self.score)}"


class Mean(NamedTuple):
    """A mean, and half the width of its 95 % confidence interval."""

    mean: float
    bar: float


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of independent values; the bar is 0 for a single one."""
    deviation = stdev(values) if len(values) > 1 else 0.0
    return Mean(fmean(values), Z * deviation / math.sqrt(len(values)))


def elo(score: float) -> float:
    """Return the logistic Elo difference 400 log10(s / (1 - s)); infinite at 0 and 1."""
    if score in (0.0, 1.0):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected_score(elo_difference: float) -> float:
    """Return the inverse of `elo`, 1 / (1 + 10^(-x / 400))."""
    return 1 / (1 + 10 ** (-elo_difference / 400))


def likelihood_of_superiority(result: Estimate) -> float:
    """Return Phi((m - 1/2) / standard error), the probability that the first engine is the stronger one."""
    return NormalDist().cdf((result.score - 0.5) * Z / result.bar)


def llr(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the generalised log-likelihood ratio of "Elo is elo1" against "Elo is elo0" (logistic Elo).

    log of max L(p | mean = s1) / max L(p | mean = s0) over the pentanomial distributions p, as fishtest and
    fastchess (model logistic) compute it: Van den Bergh, "A practical introduction to the GSPRT" and
    "MLE for a multinomial distribution with prescribed mean", proposition 1.1.
    """
    if not any(pairs):
        return 0.0
    counts = [count or EMPTY_COUNT for count in pairs]
    fits = (_constrained_fit(counts, expected_score(elo0)), _constrained_fit(counts, expected_score(elo1)))
    return sum(count * math.log(d0 / d1) for count, d0, d1 in zip(counts, *fits, strict=True))


def _constrained_fit(counts: Sequence[float], mean: float) -> list[float]:
    """Return the divisors d_k = 1 + x (a_k - mean): p_k / d_k is the likeliest distribution with that mean.

    x is the root of sum p_k (a_k - mean) / d_k, which falls strictly between its poles.
    """
    gaps = [points - mean for points in POINTS]
    low, high = -1 / max(gaps), -1 / min(gaps)
    while low < (x := (low + high) / 2) < high:
        if sum(count * gap / (1 + x * gap) for count, gap in zip(counts, gaps, strict=True)) > 0:
            low = x
        else:
            high = x
    return [1 + x * gap for gap in gaps]


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Return Wald's bounds on the LLR, H0 below and H1 above: log(beta / (1 - alpha)), log((1 - beta) / alpha)."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
