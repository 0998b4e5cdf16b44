"""Ratings of players in Elo, with their errors, from matches between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from siqi.daemon.match import statistics

Array = np.ndarray[Any, np.dtype[np.float64]]

RIDGE = 1e-6
"""Keeps the rating finite of a player that won or lost all its games; per squared logit."""

MAX_STEPS = 100
TOLERANCE = 1e-10
"""The largest element of a step, in logits, at which the fit ends."""

ELO_PER_LOGIT = 400 / math.log(10)


def fit_elo(rows: Array, pairs: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Return the likeliest ratings in Elo, around 0, and the covariance of their estimates.

    `rows` [match, rating]: the difference of A's and B's rating as a sum of ratings. `pairs`: pentanomial counts
    (statistics.py) of each match, from A's side; a pair of games is one observation, so the covariance is the
    "sandwich" of what the pairs scatter, not of what single games would.
    """
    counts, points = np.asarray(pairs, float).reshape(-1, len(statistics.POINTS)), np.array(statistics.POINTS)
    totals, scores = counts.sum(axis=1), counts @ points
    values = np.zeros(rows.shape[1])

    def chances() -> Array:
        return np.asarray(1 / (1 + np.exp(-rows @ values)))

    def hessian(expected: Array) -> Array:
        return np.asarray((rows.T * (totals * expected * (1 - expected))) @ rows + RIDGE * np.eye(len(values)))

    def loss(at: Array) -> float:
        logits = rows @ at
        return float(totals @ np.logaddexp(0, logits) - scores @ logits + RIDGE / 2 * at @ at)

    for _ in range(MAX_STEPS):
        expected = chances()
        gradient = rows.T @ (totals * expected - scores) + RIDGE * values
        step = np.linalg.solve(hessian(expected), gradient)
        while loss(values - step) > loss(values) and np.abs(step).max() > TOLERANCE:  # a side that won all: far steps
            step /= 2
        values = values - step
        if np.abs(step).max() < TOLERANCE:
            break
    expected = chances()
    scatter = (counts * (points - expected[:, None]) ** 2).sum(axis=1)
    inverse = np.linalg.inv(hessian(expected))
    covariance = inverse @ ((rows.T * scatter) @ rows) @ inverse
    return values * ELO_PER_LOGIT, covariance * ELO_PER_LOGIT**2
