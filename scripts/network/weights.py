"""The weights of a network of nnue.py in training, in float32, and their rounding to integers.

In training the output is a logit of the chance to win of the side to move. It is a weighted sum of the squares of x and
y: x are the accumulators, [2N], of the side to move first, and y the hidden neurons, [H], both clipped to 0..1. `unit`
is what the engine's value counts for a logit: Xiangqi's centipawns, Junqi's hundredths of log odds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scripts.network.kernels import Inputs

from siqi.games.books.nnue import ACTIVATION_SCALE, OUTPUT_SCALE, WHOLE_OUTPUT, Architecture, Network, fault_of
from siqi.games.kernel.vectors import MAX_HIDDEN_WEIGHT, MAX_OUTPUT_WEIGHT

SCALES = (2, 4, 8, 16)
"""Logits of an output of 1; the first one is used with which all output weights and sums fit."""

LARGEST_HIDDEN = MAX_HIDDEN_WEIGHT / OUTPUT_SCALE
"""Largest absolute weight of a hidden neuron in training."""

MANY_NEURONS = 256
"""The least number of neurons of a side whose output weights are small enough for the first scale."""

_CHUNK = 2048  # positions that numpy evaluates at a time


class Weights(NamedTuple):
    """A network in float32."""

    rows: Any  # [ROWS, N]
    biases: Any  # [N]
    output: Any  # [B, 2N]
    output_biases: Any  # [B]
    hidden: Any  # [B, H, 2N]
    hidden_biases: Any  # [B, H]
    hidden_outputs: Any  # [B, H]


def largest_output(neurons: int) -> float:
    """Return the largest absolute output weight in training, for a number of neurons of a side.

    The weights of many neurons then fit the first scale, which rounds them by less, those of few the second.
    """
    return MAX_OUTPUT_WEIGHT / OUTPUT_SCALE * (SCALES[0] if neurons >= MANY_NEURONS else SCALES[1])


def quantise(weights: Weights, architecture: Architecture, unit: int) -> Network:
    """Return a network as integers. ValueError if a sum could overflow in some position."""
    rows = _rounded(weights.rows, ACTIVATION_SCALE, np.int16)
    biases = _rounded(weights.biases, ACTIVATION_SCALE, np.int16)
    hidden = _rounded(weights.hidden, OUTPUT_SCALE, np.int16)
    # Half a unit more, since the engine rounds down.
    hidden_biases = _rounded(weights.hidden_biases + 0.5 / ACTIVATION_SCALE, ACTIVATION_SCALE * OUTPUT_SCALE, np.int32)
    fault = ""
    for scale in SCALES:
        one = OUTPUT_SCALE / scale
        output = _rounded(weights.output, one, np.int16)
        output_biases = _rounded(weights.output_biases, ACTIVATION_SCALE * one, np.int32)
        hidden_outputs = _rounded(weights.hidden_outputs, one, np.int16)
        network = Network(rows, biases, output, output_biases, hidden, hidden_biases, hidden_outputs, scale * unit)
        fault = fault_of(network, architecture) or _overflow(network)
        if not fault:
            return network
    raise ValueError(fault)


def _rounded(values: Any, one: float, kind: Any) -> Any:
    """Return the nearest integers to `values * one`; ValueError if one does not fit its type."""
    limits = np.iinfo(kind)
    rounded = np.rint(np.asarray(values, np.float64) * one)
    if not (np.isfinite(rounded).all() and rounded.min() >= limits.min and rounded.max() <= limits.max):
        raise ValueError(f"a weight does not fit {limits.bits} bits")
    return rounded.astype(kind)


def _overflow(network: Network) -> str:
    """Return a fault unless the output's sum fits 32 bits with any neurons active, added in any order."""
    weights = np.hstack([network.output_weights, network.hidden_outputs]).astype(np.int64)
    most = np.maximum(weights, 0).sum(1).max(), np.maximum(-weights, 0).sum(1).max()
    return "the output may overflow 32 bits" if max(most) * ACTIVATION_SCALE**2 > np.iinfo(np.int32).max else ""


def floats(network: Network, unit: int) -> Weights:
    """Return a network of integers in float32."""
    one = OUTPUT_SCALE * unit / network.scale
    divided = (
        network.feature_weights / ACTIVATION_SCALE,
        network.biases / ACTIVATION_SCALE,
        network.output_weights / one,
        network.output_biases / (ACTIVATION_SCALE * one),
        network.hidden_weights / OUTPUT_SCALE,
        network.hidden_biases / (ACTIVATION_SCALE * OUTPUT_SCALE) - 0.5 / ACTIVATION_SCALE,
        network.hidden_outputs / one,
    )
    return Weights(*(array.astype(np.float32) for array in divided))


def evaluate(network: Network, inputs: Inputs) -> Any:
    """Return the value of each position, int64 [n], as the engine computes it."""
    table = np.vstack([network.feature_weights, np.zeros_like(network.feature_weights[:1])])
    is_used = np.arange(inputs.rows.shape[2]) < inputs.counts[:, None, None]
    rows = np.where(is_used, inputs.rows, len(table) - 1)
    values = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        bucket = inputs.buckets[part]
        accumulators = table[rows[part]].sum(2, dtype=np.int64) + network.biases
        active = accumulators.reshape(len(bucket), -1).clip(0, ACTIVATION_SCALE)
        total = (active**2 * network.output_weights[bucket]).sum(1)
        total += ACTIVATION_SCALE * network.output_biases[bucket].astype(np.int64)
        sums = np.einsum("nhj,nj->nh", network.hidden_weights[bucket].astype(np.int64), active, optimize=True)
        hidden = ((sums + network.hidden_biases[bucket]) // OUTPUT_SCALE).clip(0, ACTIVATION_SCALE)
        total += (hidden**2 * network.hidden_outputs[bucket]).sum(1)
        values[part] = total * network.scale // WHOLE_OUTPUT
    return values
