"""The network of Junqi's beliefs: its inputs, its numbers, and the book that holds it.

It sees one piece at a time, as the other side does: the types that it may be, its behaviour, and the slot where it was
deployed. Its output is the logarithm of a factor for each type, as habits give it (behaviour.py):

    h = max(0, x @ input_weights + slot_biases[slot])
    h = max(0, h @ hidden_weights + hidden_biases)
    logarithms = h @ output_weights + slot_outputs[slot]

Sums are taken in float64: a seed gives the same worlds on every machine. The book's payload is the arrays of `Network`
in their order, little-endian.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, open_book, write_book
from siqi.games.books.networks import check_architecture, join_arrays, split_arrays
from siqi.games.junqi.knowledge.behaviour import BEAT, FALLEN, FIRST, LAST, RUNS, STEPS, TRAITS, WITHSTOOD, scaled
from siqi.games.junqi.rules.lookup import PIECES, TYPES

KIND, VERSION = "junqi-beliefs", 1

NETWORK_BOOK = BOOKS_FOLDER / "junqi.beliefs"
"""The shipped network."""

INPUTS = len(TYPES) + 2 * len(TRAITS) + 10
NEURONS = 48

LARGEST_LOGARITHM = 12.0
"""Outputs are cut off here, either way."""

LARGEST_WEIGHT = 1e3

MAX_BYTES = 1 << 20

ARCHITECTURE = {"inputs": "types, traits, history", "neurons": NEURONS}
"""Fields of the header that all files of this version have."""


class Network(NamedTuple):
    """The numbers of the network."""

    input_weights: Any  # float [input, neuron]
    slot_biases: Any  # float [slot, neuron]
    hidden_weights: Any  # float [neuron, neuron]
    hidden_biases: Any  # float [neuron]
    output_weights: Any  # float [neuron, type]
    slot_outputs: Any  # float [slot, type]


LAYOUT: dict[str, tuple[str, tuple[int, ...]]] = {
    "input_weights": ("<f4", (INPUTS, NEURONS)),
    "slot_biases": ("<f4", (PIECES, NEURONS)),
    "hidden_weights": ("<f4", (NEURONS, NEURONS)),
    "hidden_biases": ("<f4", (NEURONS,)),
    "output_weights": ("<f4", (NEURONS, len(TYPES))),
    "slot_outputs": ("<f4", (PIECES, len(TYPES))),
}
"""The type and shape of each array."""


def inputs_of(may: Any, counts: Any, plies: Any) -> Any:
    """Return what the network sees of a side's pieces: float64 [..., piece, input].

    `may`: sets of types, int [..., piece]; `counts`: int64 [..., piece, trait and history]; `plies`: moves so far,
    int [...].
    """
    may, counts, plies = np.asarray(may), np.asarray(counts), np.asarray(plies)[..., None]
    first, last, fallen = (counts[..., column] for column in (FIRST, LAST, FALLEN))
    history = [
        np.where(last > 0, np.exp((last - plies) / 6), 0),
        np.where(first > 0, np.exp(-first / 20), 0),
        np.minimum(counts[..., BEAT], 3) / 2,
        np.minimum(counts[..., WITHSTOOD], 3) / 2,
        np.log1p(counts[..., STEPS]) / 3,
        np.log1p(counts[..., RUNS]) / 2,
        fallen > 0,
        np.where(fallen > 0, np.exp(-fallen / 30), 0),
        np.broadcast_to(plies / 100, may.shape),
        np.broadcast_to(np.exp(-plies / 20), may.shape),
    ]
    types, traits = may[..., None] >> np.arange(len(TYPES)) & 1, counts[..., : len(TRAITS)]
    return np.concatenate([types, scaled(counts), np.log1p(traits) / 3, np.stack(history, -1)], -1)


def layers(network: Network, inputs: Any) -> tuple[Any, Any, Any]:
    """Return the neurons of both layers, float [..., piece, neuron], and the outputs, float [..., piece, type]."""
    first = np.maximum(inputs @ network.input_weights + network.slot_biases, 0)
    second = np.maximum(first @ network.hidden_weights + network.hidden_biases, 0)
    return first, second, second @ network.output_weights + network.slot_outputs


def likelihoods(network: Network, may: list[int], counts: Any, plies: int) -> Any:
    """Return the factors by which the weights of a side's 25 pieces change: float64 [piece, type].

    `counts`: int64 [piece, trait and history] of the side; `plies`: moves of both sides so far.
    """
    *_, logarithms = layers(network, inputs_of(may, counts, plies))
    return np.exp(logarithms.clip(-LARGEST_LOGARITHM, LARGEST_LOGARITHM))


def write_network(path: Path, about: dict[str, Any], network: Network) -> None:
    """Write a network as a book. `about`: fields of the header that say how it was made.

    OSError if a file is there that is not ours.
    """
    payload = join_arrays(network, (kind for kind, _ in LAYOUT.values()))
    write_book(path, KIND, VERSION, about | ARCHITECTURE, payload)


def read_network(path: Path) -> Network:
    """Read the network of a book; BookFileError if the file cannot be used, or its network is built otherwise."""
    book = open_book(path, KIND, VERSION, MAX_BYTES)
    check_architecture(path, book.about, ARCHITECTURE)
    arrays = split_arrays(path, book.payload, LAYOUT.values())
    if not all((np.abs(array) <= LARGEST_WEIGHT).all() for array in arrays):  # false for no number, too
        raise BookFileError(f"{path}: a weight is out of bounds")
    return Network(*(array.astype(np.float64) for array in arrays))
