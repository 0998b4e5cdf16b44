"""Training kernels of Connect6's networks on the processor: values and gradients in float32.

A board is uint8 [POINTS], as the side to move sees it: EMPTY, OWN or ENEMY. The tables of rows have those of all
windows, PLACES each, and are [rows, CHANNELS]. Loops over channels end at the length of an array and indices are
unsigned: with a constant end LLVM unrolls them in place of vectorising (181 us for a board's features; 43 so).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import njit, types

from scripts.network.adam import KERNEL_OPTIONS, vector_loops

from siqi.games.connect6.evaluation.network import CHANNELS, CODES, OFF, PLACES, WINDOWS, mirror
from siqi.games.connect6.evaluation.patterns import NEARNESS, STEPS
from siqi.games.connect6.rules.lookup import POINTS, ROAD_LENGTH, SIZE

SUM_UNIT = np.float32(64)
"""The sum of a feature over the board is divided by it."""

FORWARD, BACKWARD = np.zeros(CODES, np.int64), np.zeros(CODES, np.int64)
"""[code]: the first row of a window, and of its mirror image."""

for _number, _code in enumerate(WINDOWS):
    FORWARD[_code] = BACKWARD[mirror(_code)] = _number * PLACES


def _windows() -> Any:
    """Return the points of all windows, int16 [window, ROAD_LENGTH]; POINTS stands for a cell off the board."""
    windows = []
    for across, along in STEPS:
        for column in range(1 - ROAD_LENGTH, SIZE):
            for row in range(1 - ROAD_LENGTH, SIZE + ROAD_LENGTH - 1):
                cells = [(column + i * across, row + i * along) for i in range(ROAD_LENGTH)]
                points = [c * SIZE + r if 0 <= c < SIZE and 0 <= r < SIZE else POINTS for c, r in cells]
                if min(points) < POINTS:
                    windows.append(points)
    return np.array(windows, np.int16)


CELLS = _windows()

_NEARNESS = NEARNESS.astype(np.float32)
_ZERO, _ONE = np.float32(0), np.float32(1)


@njit(**KERNEL_OPTIONS)
def list_rows(board: Any, window: int, points: Any, rows: Any) -> int:
    """List the points of a window that are on the board, and their rows; return their number."""
    code = np.int64(0)
    for i in range(ROAD_LENGTH):
        point = CELLS[window, i]
        code |= np.int64(OFF if point == POINTS else board[point]) << 2 * i
    count = 0
    for i in range(ROAD_LENGTH):
        if CELLS[window, i] < POINTS:
            points[count] = CELLS[window, i]
            rows[count] = FORWARD[code] + i if i < PLACES else BACKWARD[code] + ROAD_LENGTH - 1 - i
            count += 1
    return count


@njit(**KERNEL_OPTIONS)
def write_features(board: Any, rows: Any, biases: Any, x: Any) -> None:
    """Write the features of all points before negative ones count as 0, [POINTS, CHANNELS]."""
    points, numbers = np.empty(ROAD_LENGTH, np.uint64), np.empty(ROAD_LENGTH, np.uint64)
    for point in range(POINTS):
        for c in range(len(biases)):
            x[point, c] = biases[c]
    for window in range(len(CELLS)):
        for i in range(list_rows(board, window, points, numbers)):
            point, row = points[i], numbers[i]
            for c in range(len(biases)):
                x[point, c] += rows[row, c]


@njit(**KERNEL_OPTIONS)
def add_feature_gradients(board: Any, slopes: Any, of_rows: Any, of_biases: Any) -> None:
    """Add the gradients of rows and biases, from those of the features, [POINTS, CHANNELS]."""
    points, numbers = np.empty(ROAD_LENGTH, np.uint64), np.empty(ROAD_LENGTH, np.uint64)
    for point in range(POINTS):
        for c in range(len(of_biases)):
            of_biases[c] += slopes[point, c]
    for window in range(len(CELLS)):
        for i in range(list_rows(board, window, points, numbers)):
            point, row = points[i], numbers[i]
            for c in range(len(of_biases)):
                of_rows[row, c] += slopes[point, c]


@njit(**KERNEL_OPTIONS)
def write_chances(board: Any, x: Any, weights: Any, centre: Any, chances: Any) -> None:
    """Write the probability of a stone on each point, 0 where one stands, from the features and one head's weights."""
    most = np.float32(-np.inf)
    for point in range(POINTS):
        if board[point] == 0:
            logit = centre * _NEARNESS[point]
            for c in range(len(weights)):
                logit += max(x[point, c], _ZERO) * weights[c]
            chances[point] = logit
            most = max(most, logit)
    total = _ZERO
    for point in range(POINTS):
        chances[point] = np.exp(chances[point] - most) if board[point] == 0 else _ZERO
        total += chances[point]
    for point in range(POINTS):
        chances[point] /= total


@njit(**KERNEL_OPTIONS)
def policy_gradients(
    boards: Any, heads: Any, stones: Any, unit: Any, rows: Any, biases: Any, weights: Any, centre: Any,
    of_rows: Any, of_biases: Any, of_weights: Any, of_centre: Any,
) -> float:  # fmt: skip
    """Add the gradients of `unit` times each sample's log loss; return the sum of the losses.

    `stones`: int16 [n, 2], the points where stones were put, each half of the target; the same twice if it is one.
    With `unit` 0 nothing is added.
    """
    x, slopes = np.empty((POINTS, CHANNELS), np.float32), np.empty((POINTS, CHANNELS), np.float32)
    chances = np.empty(POINTS, np.float32)
    total = 0.0
    for n in range(len(boards)):
        board, head = boards[n], heads[n]
        write_features(board, rows, biases, x)
        write_chances(board, x, weights[head], centre[head], chances)
        for k in range(2):
            total -= 0.5 * np.log(max(chances[stones[n, k]], np.float32(1e-12)))
        if unit == 0:
            continue
        for k in range(2):
            chances[stones[n, k]] -= np.float32(0.5)
        for point in range(POINTS):
            slope = unit * chances[point]
            of_centre[head] += slope * _NEARNESS[point]
            for c in range(len(biases)):
                of_weights[head, c] += slope * max(x[point, c], _ZERO)
                slopes[point, c] = slope * weights[head, c] if x[point, c] > _ZERO else _ZERO
        add_feature_gradients(board, slopes, of_rows, of_biases)
    return total


@njit(**KERNEL_OPTIONS)
def value_gradients(
    boards: Any, targets: Any, unit: Any,
    rows: Any, biases: Any, weights: Any, hidden: Any, hidden_biases: Any, outputs: Any, bias: Any,
    of_rows: Any, of_biases: Any, of_weights: Any, of_hidden: Any, of_hidden_biases: Any, of_outputs: Any, of_bias: Any,
    logits: Any,
) -> float:  # fmt: skip
    """Add the gradients of `unit` times each sample's log loss; return the sum of the losses, and write the logits.

    `targets`: expected results, 0 to 1. With `unit` 0 nothing is added.
    """
    x, slopes = np.empty((POINTS, CHANNELS), np.float32), np.empty((POINTS, CHANNELS), np.float32)
    s, of_s = np.empty(CHANNELS, np.float32), np.empty(CHANNELS, np.float32)
    y = np.empty(CHANNELS, np.float32)
    total = 0.0
    for n in range(len(boards)):
        board = boards[n]
        write_features(board, rows, biases, x)
        for c in range(len(biases)):
            s[c] = _ZERO
        for point in range(POINTS):
            for c in range(len(biases)):
                s[c] += max(x[point, c], _ZERO) / SUM_UNIT
        logit = bias[0]
        for c in range(len(biases)):
            logit += s[c] * weights[c]
        for k in range(len(biases)):
            inside = hidden_biases[k]
            for c in range(len(biases)):
                inside += s[c] * hidden[k, c]
            y[k] = inside
            logit += max(inside, _ZERO) * outputs[k]
        logits[n] = logit
        chance = _ONE / (_ONE + np.exp(-logit))
        near, far = max(chance, np.float32(1e-7)), max(_ONE - chance, np.float32(1e-7))
        total -= targets[n] * np.log(near) + (_ONE - targets[n]) * np.log(far)
        if unit == 0:
            continue
        slope = unit * (chance - targets[n])
        of_bias[0] += slope
        for c in range(len(biases)):
            of_weights[c] += slope * s[c]
            of_s[c] = slope * weights[c]
        for k in range(len(biases)):
            if y[k] > _ZERO:
                of_outputs[k] += slope * y[k]
                of_inside = slope * outputs[k]
                of_hidden_biases[k] += of_inside
                for c in range(len(biases)):
                    of_hidden[k, c] += of_inside * s[c]
                    of_s[c] += of_inside * hidden[k, c]
        for c in range(len(biases)):
            of_s[c] /= SUM_UNIT
        for point in range(POINTS):
            for c in range(len(biases)):
                slopes[point, c] = of_s[c] if x[point, c] > _ZERO else _ZERO
        add_feature_gradients(board, slopes, of_rows, of_biases)
    return total


@functools.cache
def compile_kernels() -> None:
    """Compile the kernels that Python calls. Call this before any of them."""
    boards, heads, stones = types.Array(types.uint8, 2, "C"), types.Array(types.uint8, 1, "C"), types.int16[:, ::1]
    vector, matrix, scalar = types.float32[::1], types.float32[:, ::1], types.float32
    policy = (matrix, vector, matrix, vector)
    value = (matrix, vector, vector, matrix, vector, vector, vector)
    with vector_loops():
        policy_gradients.compile((boards, heads, stones, scalar, *policy, *policy))
        value_gradients.compile((boards, vector, scalar, *value, *value, vector))
