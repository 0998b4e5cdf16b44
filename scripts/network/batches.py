"""The batches of a training, with the rate of each step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script

WARM_UP = 100
"""Steps in which the rate grows from 0; it falls along a cosine from there."""

REPORTS = 10
"""Number of times that a training's losses are measured."""


class Batch(NamedTuple):
    rows: Any  # int64 [sample]: numbers of the samples
    rate: float
    report: str  # `step N of M` where losses are to be measured, else empty


def batches(count: int, size: int, epochs: float, rate: float, random: np.random.Generator) -> Iterator[Batch]:
    """Yield batches of at most `size` of `count` samples, `epochs` passes over them in random orders, at least one."""
    size = min(size, count)
    steps = max(1, math.ceil(epochs * count / size))
    reports = {steps * number // REPORTS for number in range(1, REPORTS + 1)}
    order = np.empty(0, np.int64)
    for step in script.progress(range(steps), unit=" steps"):
        if len(order) < size:
            order = np.concatenate([order, random.permutation(count)])
        rows, order = order[:size], order[size:]
        falling = rate * (1 + math.cos(math.pi * step / steps)) / 2
        report = f"step {step + 1} of {steps}" if step + 1 in reports else ""
        yield Batch(rows, falling * min(1.0, (step + 1) / WARM_UP), report)
