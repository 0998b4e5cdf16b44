"""Xiangqi's network (siqi/games/xiangqi/evaluation/network.py) in training: its inputs, and its weights in float32.

In training the output is the logit of the chance to win of the side to move; CENTIPAWNS make one logit. It is a
weighted sum of the squares of x and y: x are the accumulators, [2N], of the side to move first, and y the hidden
neurons, [H], both clipped to 0..1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from siqi.games.kernel.vectors import MAX_HIDDEN_WEIGHT, MAX_OUTPUT_WEIGHT
from siqi.games.xiangqi.evaluation.network import (
    ACTIVATION_SCALE,
    KING_BUCKETS,
    OUTPUT_SCALE,
    ROWS,
    SQUARES,
    Network,
    fault_of,
    kind_seen,
    material_bucket,
    view,
)
from siqi.games.xiangqi.rules.lookup import CAPTURED, KIND_OF_SLOT, SLOTS

PIECES = 2 * SLOTS

FACTORS = ROWS // KING_BUCKETS
"""Inputs of a king bucket."""

NO_ROW = ROWS
"""Stands for a captured piece."""

CENTIPAWNS = 200
"""Centipawns that a logit of the chance to win is worth."""

SCALES = (800, 1600, 3200)
"""Centipawns of an output of 1, `Network.scale`; the first one is used with which all output weights and sums fit."""

LARGEST_OUTPUT = MAX_OUTPUT_WEIGHT / OUTPUT_SCALE * SCALES[0] / CENTIPAWNS
"""Largest absolute output weight in training: with it, weights fit the first scale."""

LARGEST_HIDDEN = MAX_HIDDEN_WEIGHT / OUTPUT_SCALE
"""Largest absolute weight of a hidden neuron in training."""

_CHUNK = 2048  # positions that numpy evaluates at a time

_square = np.arange(SQUARES)
_MIRRORED = np.append(_square // 9 * 9 + 8 - _square % 9, CAPTURED)

_KINDS = [*KIND_OF_SLOT, *(7 + kind for kind in KIND_OF_SLOT)]
KIND_ROWS = np.array([[kind_seen(side, kind) * SQUARES for kind in _KINDS] for side in range(2)])
"""[side, piece]: number of rows before those of the piece's kind, as the side sees it."""

FIRST_ROW, SEEN = np.zeros((2, SQUARES), np.int64), np.zeros((2, SQUARES, SQUARES + 1), np.uint8)
"""[side, its king's square]: the first row of the bucket; [side, its king's square, square]: the square as seen."""

for _side in range(2):
    for _king in (9 * rank + file for rank in range(7 * _side, 7 * _side + 3) for file in (3, 4, 5)):
        FIRST_ROW[_side, _king], SEEN[_side, _king, :SQUARES] = view(_side, _king)


class Weights(NamedTuple):
    """A network in float32."""

    rows: Any  # [ROWS, N]
    biases: Any  # [N]
    output: Any  # [B, 2N]
    output_biases: Any  # [B]
    hidden: Any  # [B, H, 2N]
    hidden_biases: Any  # [B, H]
    hidden_outputs: Any  # [B, H]


# ---------------------------------------------------------------- inputs


def input_rows(samples: Any) -> Any:
    """Return the rows of samples, int16 [n, 2, PIECES]: of the side to move, then of the other; NO_ROW if captured."""
    rows = np.empty((len(samples), 2, PIECES), np.int16)
    square = samples["square"]
    for half in range(2):
        side = samples["turn"].astype(np.int64) ^ half
        king = square[np.arange(len(samples)), SLOTS * side]
        row = FIRST_ROW[side, king][:, None] + KIND_ROWS[side] + SEEN[side[:, None], king[:, None], square]
        rows[:, half] = np.where(square == CAPTURED, NO_ROW, row)
    return rows


def mirrored(samples: Any) -> Any:
    """Return samples with left and right exchanged."""
    image = samples.copy()
    image["square"] = _MIRRORED[samples["square"]]
    return image


def count_pieces(samples: Any) -> Any:
    """Return the number of pieces left in each sample, int64 [n]."""
    return (samples["square"] != CAPTURED).sum(1)


# ---------------------------------------------------------------- integers


def quantise(weights: Weights) -> Network:
    """Return a network as integers. ValueError if a sum could overflow in some position."""
    rows = _rounded(weights.rows, ACTIVATION_SCALE, np.int16)
    biases = _rounded(weights.biases, ACTIVATION_SCALE, np.int16)
    hidden = _rounded(weights.hidden, OUTPUT_SCALE, np.int16)
    # Half a unit more, since the engine rounds down.
    hidden_biases = _rounded(weights.hidden_biases + 0.5 / ACTIVATION_SCALE, ACTIVATION_SCALE * OUTPUT_SCALE, np.int32)
    fault = ""
    for scale in SCALES:
        unit = OUTPUT_SCALE * CENTIPAWNS / scale
        output = _rounded(weights.output, unit, np.int16)
        output_biases = _rounded(weights.output_biases, ACTIVATION_SCALE * unit, np.int32)
        hidden_outputs = _rounded(weights.hidden_outputs, unit, np.int16)
        network = Network(rows, biases, output, output_biases, hidden, hidden_biases, hidden_outputs, scale)
        fault = fault_of(network) or _overflow(network)
        if not fault:
            return network
    raise ValueError(fault)


def _rounded(values: Any, unit: float, kind: Any) -> Any:
    """Return the nearest integers to `values * unit`; ValueError if one does not fit its type."""
    limits = np.iinfo(kind)
    rounded = np.rint(np.asarray(values, np.float64) * unit)
    if not (np.isfinite(rounded).all() and rounded.min() >= limits.min and rounded.max() <= limits.max):
        raise ValueError(f"a weight does not fit {limits.bits} bits")
    return rounded.astype(kind)


def _overflow(network: Network) -> str:
    """Return a fault unless the output's sum fits 32 bits with any neurons active, added in any order."""
    weights = np.hstack([network.output_weights, network.hidden_outputs]).astype(np.int64)
    most = np.maximum(weights, 0).sum(1).max(), np.maximum(-weights, 0).sum(1).max()
    return "the output may overflow 32 bits" if max(most) * ACTIVATION_SCALE**2 > np.iinfo(np.int32).max else ""


def floats(network: Network) -> Weights:
    """Return a network of integers in float32."""
    unit = OUTPUT_SCALE * CENTIPAWNS / network.scale
    divided = (
        network.feature_weights / ACTIVATION_SCALE,
        network.biases / ACTIVATION_SCALE,
        network.output_weights / unit,
        network.output_biases / (ACTIVATION_SCALE * unit),
        network.hidden_weights / OUTPUT_SCALE,
        network.hidden_biases / (ACTIVATION_SCALE * OUTPUT_SCALE) - 0.5 / ACTIVATION_SCALE,
        network.hidden_outputs / unit,
    )
    return Weights(*(array.astype(np.float32) for array in divided))


def evaluate(network: Network, samples: Any) -> Any:
    """Return the value of each sample in centipawns, int64 [n], as the engine computes it."""
    rows = np.vstack([network.feature_weights, np.zeros_like(network.feature_weights[:1])])
    values = np.empty(len(samples), np.int64)
    for start in range(0, len(samples), _CHUNK):
        part = samples[start : start + _CHUNK]
        bucket = material_bucket(count_pieces(part), network.buckets)
        accumulators = rows[input_rows(part)].sum(2, dtype=np.int64) + network.biases
        active = accumulators.reshape(len(part), -1).clip(0, ACTIVATION_SCALE)
        total = (active**2 * network.output_weights[bucket]).sum(1)
        total += ACTIVATION_SCALE * network.output_biases[bucket].astype(np.int64)
        sums = np.einsum("nhj,nj->nh", network.hidden_weights[bucket].astype(np.int64), active, optimize=True)
        hidden = ((sums + network.hidden_biases[bucket]) // OUTPUT_SCALE).clip(0, ACTIVATION_SCALE)
        total += (hidden**2 * network.hidden_outputs[bucket]).sum(1)
        values[start : start + len(part)] = total * network.scale // (ACTIVATION_SCALE**2 * OUTPUT_SCALE)
    return values
