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

MODELS = NORMALIZED, LOGISTIC = "normalized", "logistic"
"""The meanings of Elo in a sequential test (sequential.py)."""

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # score per game of each kind of pair

NELO_PER_T = 800 / math.log(10)
"""Normalized Elo per standard deviation of a game by which the score is above one half."""


class Estimate(NamedTuple):
    """Mean score per game, 0..1, and half the width of its 95 % confidence interval by the normal distribution."""

    score: float
    bar: float

    @property
    def low(self) -> float:
        return self.interval[0]

    @property
    def high(self) -> float:
        return self.interval[1]

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % confidence interval, which never leaves 0..1 and tends to score -+ bar.

        Wilson 1927, for n single games; pairs count as the number of games whose score scatters as theirs, the
        "effective sample size" of surveys (Kish 1965): z^2 / n = bar^2 / (m (1 - m)).
        """
        m, bar = self
        if m in (0.0, 1.0):
            return max(0.0, m - bar), min(1.0, m + bar)
        q = bar * bar / (m * (1 - m))
        centre, half = (m + q / 2) / (1 + q), math.sqrt(bar * bar + q * q / 4) / (1 + q)
        return max(0.0, centre - half), min(1.0, centre + half)


def estimate(counts: Sequence[int]) -> Estimate:
    """Return the mean m = sum n_k a_k / n and the bar z sqrt(sum n_k (a_k - m)^2 / n / n); ValueError for no pair.

    `counts` are those of pairs, or of games: lost, drawn and won.
    If all ended alike, the variance is no estimate. Then the bar is the "rule of three" (Hanley and
    Lippman-Hand 1983, exact form): with confidence c no other result is likelier than 1 - (1 - c)^(1/n).
    """
    n = sum(counts)
    if n == 0:
        raise ValueError("no complete pair yet")
    scores = [kind / (len(counts) - 1) for kind in range(len(counts))]
    mean = sum(count * score for count, score in zip(counts, scores, strict=True)) / n
    variance = sum(count * (score - mean) ** 2 for count, score in zip(counts, scores, strict=True)) / n
    if n in counts:
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


def elo_of(result: Estimate) -> Mean:
    """Return logistic Elo, and half the width of the interval that score -+ bar makes; infinite if it leaves 0..1."""
    low, high = result.score - result.bar, result.score + result.bar
    return Mean(elo(result.score), (elo(high) - elo(low)) / 2 if low > 0 and high < 1 else math.inf)


def normalized_elo(pairs: Sequence[int]) -> Mean:
    """Return normalized Elo with its bar; infinite if all pairs ended alike. ValueError for no pair.

    It is the score above one half in standard deviations of a game, times 800 / ln 10: for small differences without
    draws it is logistic Elo, and a test needs as many games whatever the share of draws is (Van den Bergh, "Comments on
    normalized Elo").
    """
    result, n = estimate(pairs), sum(pairs)
    if n in pairs:
        return Mean(math.copysign(math.inf, result.score - 0.5) if result.score != 0.5 else 0.0, math.inf)
    deviation = result.bar / Z * math.sqrt(2 * n)  # of a game, if both games of a pair were independent
    return Mean((result.score - 0.5) / deviation * NELO_PER_T, Z / math.sqrt(2 * n) * NELO_PER_T)


def draw_ratio(pairs: Sequence[int]) -> float:
    """Return the share of the pairs that were drawn: each side had one point of two."""
    return pairs[2] / sum(pairs)


def pair_ratio(pairs: Sequence[int]) -> float:
    """Return the number of pairs won for each one lost; infinite if none was lost, NaN if none was won either."""
    won, lost = sum(pairs[3:]), sum(pairs[:2])
    return won / lost if lost else math.inf if won else math.nan


def likelihood_of_superiority(result: Estimate) -> float:
    """Return Phi((m - 1/2) / standard error), the probability that the first engine is the stronger one."""
    return NormalDist().cdf((result.score - 0.5) * Z / result.bar)
