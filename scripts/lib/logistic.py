"""Logistic regression of results on counts, its values in hundredths of the natural logarithm of the odds."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

ROUNDS = 20
"""Of Newton's method, which has long stood still by then."""


def chances(rows: Array, values: Array) -> Array:
    return 1 / (1 + np.exp(-rows @ values / 100))


def loss(rows: Array, results: Array, values: Array) -> float:
    """Cross entropy, in nats."""
    found = np.clip(chances(rows, values), 1e-9, 1 - 1e-9)
    return float(-(results * np.log(found) + (1 - results) * np.log(1 - found)).mean())


def fit(rows: Array, results: Array, start: Array, ridge: float) -> Array:
    """The values that make the results likeliest, less the ridge that holds them near the start."""
    values = start.copy()
    for _ in range(ROUNDS):
        found = chances(rows, values)
        gradient = rows.T @ (results - found) / 100 - ridge * (values - start)
        hessian = (rows.T * (found * (1 - found))) @ rows / 100**2 + ridge * np.eye(len(values))
        values += np.linalg.solve(hessian, gradient)
    return values
