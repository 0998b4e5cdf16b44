"""The interest of points and the value of a Connect6 position by networks, by the simplest means: Python integers.

Written from the description in siqi/games/connect6/evaluation/network.py. Of its code it uses the list of windows,
whose order that file settles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Point = tuple[int, int]
"""Column and row, from 0."""

POINTS = [(column, row) for column in range(19) for row in range(19)]


def features(
    rows: Any, biases: Any, numbers: Mapping[int, int], stones: Mapping[Point, int], turn: int, bound: int = 2**15
) -> Any:
    """Return the features of all points, [point, channel]. `stones`: 0 black, 1 white; `numbers`: rows by code."""

    def state(column: int, row: int) -> int:
        if not (0 <= column < 19 and 0 <= row < 19):
            return 3
        side = stones.get((column, row))
        return 0 if side is None else 1 if side == turn else 2

    features = []
    for column, row in POINTS:
        x = biases.astype(object)
        for across, along in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for place in range(6):
                start = column - place * across, row - place * along
                cells = [state(start[0] + i * across, start[1] + i * along) for i in range(6)]
                if place > 2:
                    cells.reverse()
                code = sum(cell * 4**i for i, cell in enumerate(cells))
                x = x + rows[numbers[code], min(place, 5 - place)].astype(object)
        assert max(map(abs, x)) < bound
        features.append(np.maximum(x, 0))
    return np.array(features)


def interest(network: Any, numbers: Mapping[int, int], stones: Mapping[Point, int], turn: int, left: int) -> list[int]:
    """Return the interest of each point, those with stones included."""
    head = 2 - left
    x = features(network.policy_rows, network.policy_biases, numbers, stones, turn)
    values = []
    for number, (column, row) in enumerate(POINTS):
        total = int((x[number] * network.policy_weights[head].astype(object)).sum())
        nearness = 18 - abs(column - 9) - abs(row - 9)
        values.append((total + nearness * int(network.policy_centre[head])) // 4096)
    return values


def value(network: Any, numbers: Mapping[int, int], stones: Mapping[Point, int], turn: int) -> int:
    """Return the value for the side to move."""
    x = features(network.value_rows, network.value_biases, numbers, stones, turn)
    s = np.array([min(int(total) // 64, 32767) for total in x.sum(axis=0)], object)
    total = int((s * network.value_weights.astype(object)).sum()) + int(network.value_bias[0])
    for weights, bias, output in zip(
        network.hidden_weights, network.hidden_biases, network.hidden_outputs, strict=True
    ):
        y = (int((s * weights.astype(object)).sum()) + int(bias)) // 4096
        total += min(max(y, 0), 32767) * int(output)
    return total // 4096
