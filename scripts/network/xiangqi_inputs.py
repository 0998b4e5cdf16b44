"""Xiangqi's positions as inputs of its network (siqi/games/xiangqi/evaluation/network.py) in training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from scripts.network.adam import KERNEL_OPTIONS
from scripts.network.kernels import Inputs
from scripts.network.samples import SAMPLE_DTYPE
from scripts.network.weights import Weights

from siqi.games.xiangqi.evaluation.network import KING_BUCKETS, SQUARES, kind_seen, material_bucket, view
from siqi.games.xiangqi.rules.lookup import CAPTURED, KIND_OF_SLOT, SLOTS

PIECES = 2 * SLOTS

CENTIPAWNS = 200
"""Centipawns that a logit of the chance to win is worth."""

TURN = PIECES
"""Byte of a sample that holds the turn; those before it hold the squares of the pieces."""

_square = np.arange(SQUARES)
_MIRRORED = np.append(_square // 9 * 9 + 8 - _square % 9, CAPTURED)

_KINDS = [*KIND_OF_SLOT, *(7 + kind for kind in KIND_OF_SLOT)]
_KIND_ROWS = np.array([[kind_seen(side, kind) * SQUARES for kind in _KINDS] for side in range(2)])
"""[side, piece]: number of rows before those of the piece's kind, as the side sees it."""

_FIRST_ROW, _SEEN = np.zeros((2, SQUARES), np.int64), np.zeros((2, SQUARES, SQUARES + 1), np.uint8)
"""[side, its king's square]: the first row of the bucket; [side, its king's square, square]: the square as seen."""

for _side in range(2):
    for _king in (9 * rank + file for rank in range(7 * _side, 7 * _side + 3) for file in (3, 4, 5)):
        _FIRST_ROW[_side, _king], _SEEN[_side, _king, :SQUARES] = view(_side, _king)


@njit(**KERNEL_OPTIONS)
def list_rows(samples: Any, rows: Any, counts: Any) -> None:
    """List the rows of the pieces of samples, int32 [n, 2, PIECES], the side to move first, and count the pieces."""
    for i in range(len(samples)):
        sample = samples[i]
        for half in range(2):
            side = np.int64(sample[TURN]) ^ half
            king = np.int64(sample[SLOTS * side])
            count = 0
            for piece in range(PIECES):
                square = np.int64(sample[piece])
                if square != CAPTURED:
                    seen = np.int64(_SEEN[side, king, square])
                    rows[i, half, count] = _FIRST_ROW[side, king] + _KIND_ROWS[side, piece] + seen
                    count += 1
            counts[i] = count


def inputs_of(samples: Any, buckets: int) -> Inputs:
    """Return the inputs of samples, for a network with a number of output buckets."""
    count = len(samples)
    rows, counts = np.empty((count, 2, PIECES), np.int32), np.empty(count, np.int32)
    list_rows(np.ascontiguousarray(samples).view(np.uint8).reshape(-1, SAMPLE_DTYPE.itemsize), rows, counts)
    return Inputs(rows, counts, material_bucket(counts, buckets), np.zeros(count, np.float32))


def chance_of(centipawns: Any) -> Any:
    """Return the chance to win of values or scores."""
    return 1 / (1 + np.exp(-centipawns / CENTIPAWNS))


def targets_of(samples: Any, result_share: float) -> Any:
    """Return the targets of samples, float32 [n]: the chance by the score, mixed with the result (1, 0.5 or 0)."""
    chance = chance_of(samples["score"])
    result = (1 + samples["result"] * (1.0 - 2 * samples["turn"])) / 2
    return ((1 - result_share) * chance + result_share * result).astype(np.float32)


def mirrored(samples: Any) -> Any:
    """Return samples with left and right exchanged."""
    image = samples.copy()
    image["square"] = _MIRRORED[samples["square"]]
    return image


def widened(weights: Weights) -> Weights:
    """Return a network of twice the neurons, whose output is the mean of those of a position and of its mirror image.

    A hidden neuron gets the mean of what both give it. With the own king on d or f both are the same for a side.
    """
    rows = weights.rows.reshape(KING_BUCKETS, -1, SQUARES, weights.rows.shape[1])
    images = rows.copy()
    images[1::2] = rows[1::2, :, _MIRRORED[:SQUARES]]  # the king's file, d or e, is the bucket's last bit
    return weights._replace(
        rows=np.concatenate([rows, images], -1).reshape(len(weights.rows), -1),
        biases=np.tile(weights.biases, 2),
        output=_halved(weights.output),
        hidden=_halved(weights.hidden),
    )


def _halved(weights: Any) -> Any:
    """Return the weights [..., neuron] of both sides' neurons for twice as many, each with half its weight."""
    sides = weights.reshape(*weights.shape[:-1], 2, -1) / 2
    return np.concatenate([sides, sides], -1).reshape(*weights.shape[:-1], -1)
