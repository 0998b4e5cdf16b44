"""Training kernels on the processor, for networks of nnue.py (weights.py has them in training).

A position's value and gradients are computed at once, while its accumulators are in the first-level cache. Measured
with Xiangqi's inputs, 128 neurons a side and no hidden ones, steps of Adam included, in positions per second of
processor time on one thread: 617,000; PyTorch's `EmbeddingBag` 108,000, with sparse gradients 16,000. With eight hidden
ones 350,000. The compiler may reorder sums (`fastmath`), always in the same way.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from scripts.network.adam import KERNEL_OPTIONS, vector_loops

_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


class Inputs(NamedTuple):
    """Positions as a network sees them."""

    rows: Any  # int32 [n, 2, most inputs]: rows of the feature weights, the side to move first; the first ones count
    counts: Any  # int32 [n]: inputs of each side
    buckets: Any  # int32 [n]: output buckets
    bases: Any  # float32 [n]: logits that the network's output is added to

    def part(self, chosen: Any) -> Inputs:
        """Return the inputs of some positions."""
        return Inputs(*(array[chosen] for array in self))


@njit(**KERNEL_OPTIONS)
def accumulate(table: Any, biases: Any, rows: Any, count: int, sums: Any) -> None:
    """Write both accumulators, [2N]."""
    neurons = len(biases)
    for view in range(2):
        half = sums[view * neurons : (view + 1) * neurons]
        for j in range(neurons):
            half[j] = biases[j]
        for k in range(count):
            row = table[rows[view, k]]
            for j in range(neurons):
                half[j] += row[j]


@njit(**KERNEL_OPTIONS)
def clip(x: Any) -> Any:
    """Return a number clipped to 0..1."""
    return min(max(x, _ZERO), _ONE)


@njit(**KERNEL_OPTIONS)
def output(sums: Any, weights: Any, bias: Any, hidden: Any, hidden_biases: Any, hidden_outputs: Any, y: Any) -> Any:
    """Return the logit of a position from its accumulators; write the hidden neurons' sums, [H]."""
    total = bias
    for j in range(len(sums)):
        active = clip(sums[j])
        total += active * active * weights[j]
    for k in range(len(y)):
        row = hidden[k]
        inside = hidden_biases[k]
        for j in range(len(sums)):
            inside += clip(sums[j]) * row[j]
        y[k] = inside
        active = clip(inside)
        total += active * active * hidden_outputs[k]
    return total


@njit(**KERNEL_OPTIONS)
def evaluate_all(
    rows: Any, counts: Any, buckets: Any, bases: Any,
    table: Any, biases: Any, weights: Any, output_biases: Any, hidden: Any, hidden_biases: Any, hidden_outputs: Any,
    values: Any,
) -> None:  # fmt: skip
    """Write the logit of each position."""
    sums = np.empty(2 * len(biases), np.float32)
    y = np.empty(hidden.shape[1], np.float32)
    for i in range(len(counts)):
        accumulate(table, biases, rows[i], counts[i], sums)
        b = buckets[i]
        values[i] = bases[i] + output(
            sums, weights[b], output_biases[b], hidden[b], hidden_biases[b], hidden_outputs[b], y
        )


@njit(**KERNEL_OPTIONS)
def add_gradients(
    rows: Any, counts: Any, buckets: Any, bases: Any, targets: Any, unit: Any,
    table: Any, biases: Any, weights: Any, output_biases: Any, hidden: Any, hidden_biases: Any, hidden_outputs: Any,
    of_table: Any, of_biases: Any, of_weights: Any, of_output_biases: Any,
    of_hidden: Any, of_hidden_biases: Any, of_hidden_outputs: Any,
) -> float:  # fmt: skip
    """Add the gradients of `unit` times the squared error of each position's chance; return the sum of the errors."""
    neurons = len(biases)
    sums, slopes = np.empty(2 * neurons, np.float32), np.empty(2 * neurons, np.float32)
    y = np.empty(hidden.shape[1], np.float32)
    total = 0.0
    for i in range(len(counts)):
        accumulate(table, biases, rows[i], counts[i], sums)
        b = buckets[i]
        logit = bases[i] + output(sums, weights[b], output_biases[b], hidden[b], hidden_biases[b], hidden_outputs[b], y)
        chance = _ONE / (_ONE + np.exp(-logit))
        error = chance - targets[i]
        total += error * error
        slope = _TWO * unit * error * chance * (_ONE - chance)
        of_output_biases[b] += slope
        row, of_row = weights[b], of_weights[b]
        for j in range(2 * neurons):
            active = clip(sums[j])
            of_row[j] += slope * active * active
            slopes[j] = _TWO * slope * row[j] * active
        for k in range(len(y)):
            active = clip(y[k])
            of_hidden_outputs[b, k] += slope * active * active
            if _ZERO < y[k] < _ONE:
                inside = _TWO * slope * hidden_outputs[b, k] * active
                of_hidden_biases[b, k] += inside
                row, of_row = hidden[b, k], of_hidden[b, k]
                for j in range(2 * neurons):
                    of_row[j] += inside * clip(sums[j])
                    slopes[j] += inside * row[j]
        for j in range(2 * neurons):  # clipped numbers have no gradient
            slopes[j] = slopes[j] if sums[j] > _ZERO and sums[j] < _ONE else _ZERO
        for view in range(2):
            half = slopes[view * neurons : (view + 1) * neurons]
            for j in range(neurons):
                of_biases[j] += half[j]
            for k in range(counts[i]):
                row = of_table[rows[i, view, k]]
                for j in range(neurons):
                    row[j] += half[j]
    return total


@functools.cache
def compile_kernels() -> None:
    """Compile the kernels that Python calls, in some three seconds. Call this before any of them."""
    rows, numbers = types.Array(types.int32, 3, "C"), types.Array(types.int32, 1, "C")
    vector, matrix, cube = (types.Array(types.float32, dimensions, "C") for dimensions in (1, 2, 3))
    inputs = (rows, numbers, numbers, vector)
    network = (matrix, vector, matrix, vector, cube, matrix, matrix)
    with vector_loops():
        evaluate_all.compile((*inputs, *network, vector))
        add_gradients.compile((*inputs, vector, types.float32, *network, *network))
