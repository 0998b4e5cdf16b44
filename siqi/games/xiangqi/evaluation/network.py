"""The network of the evaluation: its inputs, its numbers, and the book that holds them.

Inputs: each piece on its square, as a side sees it. A side's view has its own kinds 0-6 (KINDS), the enemy's 7-13, and
its own palace at the bottom: Black's view exchanges the ranks. If the own king stands on file f, the files are
exchanged too, so that it stands on d or e; its six squares there are buckets, each with inputs of its own. A piece is
row `bucket * 1260 + kind * 90 + square` of the feature weights, bucket = king's rank * 2 + (king's file - d). No game
brings a pawn behind its start rank, nor before the river off its five files, so nothing is learnt for it there: it
counts as on its start rank and, before the river, on the next of these files towards the middle (`pawn_square`).

Layers: a side's accumulator is `biases` plus the rows of all pieces. With x the accumulators of the side to move and of
the other side, one after the other, and the weights of the bucket of material (`material_bucket`), the hidden neurons
and the output are

    y = (sum(clip(x, 0, 255) * hidden_weights) + hidden_bias) >> 9, for each hidden neuron
    total = sum(clip(x, 0, 255)**2 * output_weights) + sum(clip(y, 0, 255)**2 * hidden_outputs) + 255 * output_bias
    centipawns = total * scale // (255 * 255 * 512)

rounded down: a feature weight, a bias of an accumulator, an x or a y of 255 is 1; any other weight of 512 is 1, and any
other bias of 255 * 512; a total of 255 * 255 * 512, which is 1, makes `scale` centipawns. The book's payload is the
arrays of `Network` in their order, little-endian.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, open_book, write_book
from siqi.games.books.networks import check_architecture, join_arrays, split_arrays
from siqi.games.kernel.vectors import HIDDEN_STEP, MAX_HIDDEN, MAX_HIDDEN_WEIGHT, MAX_OUTPUT_WEIGHT
from siqi.games.xiangqi.data.weights import MIRROR

KIND, VERSION = "xiangqi-network", 2

NETWORK_BOOK = BOOKS_FOLDER / "xiangqi.network"
"""The shipped network."""

NEURONS = 128
"""Neurons per side that the kernels are compiled for, a multiple of 32 up to 512. To use another
number, write it here."""

HIDDEN = 8
"""Hidden neurons per bucket of material that the kernels are compiled for; a multiple of 8 up to 16."""

KING_BUCKETS, KINDS_SEEN, SQUARES = 6, 14, 90

ROWS = KING_BUCKETS * KINDS_SEEN * SQUARES

MAX_BUCKETS = 32
"""The most outputs by material."""

ACTIVATION_SCALE, OUTPUT_SCALE = 255, 512
"""An activation of 1, and a weight of 1 of what follows the accumulators."""

MAX_NEURONS, NEURON_STEP = 512, 32
MAX_SCALE = 10_000

MAX_BYTES = 8 << 20
"""The largest payload."""

ARCHITECTURE = {
    "inputs": "own and enemy kinds by square, six buckets of the own king, mirrored",
    "activation": "squared clipped; clipped for the hidden neurons",
}
"""Fields of the header that all files of this version have."""

SIZES = ("neurons", "hidden", "buckets", "scale")
"""Fields of the header that each network has of its own."""

ORDERS = ("<i2", "<i2", "<i2", "<i4", "<i2", "<i4", "<i2")
"""Types of the payload's arrays."""

PIECES = np.array((1, 2, 2, 2, 2, 2, 5) * 2)
"""The most pieces of each kind seen."""


class Network(NamedTuple):
    """A network's numbers."""

    feature_weights: np.ndarray[Any, np.dtype[np.int16]]  # [row, neuron]
    biases: np.ndarray[Any, np.dtype[np.int16]]  # [neuron]
    output_weights: np.ndarray[Any, np.dtype[np.int16]]  # [bucket, neuron]: the mover's neurons, then the other side's
    output_biases: np.ndarray[Any, np.dtype[np.int32]]  # [bucket]
    hidden_weights: np.ndarray[Any, np.dtype[np.int16]]  # [bucket, hidden neuron, neuron]: as output_weights
    hidden_biases: np.ndarray[Any, np.dtype[np.int32]]  # [bucket, hidden neuron]
    hidden_outputs: np.ndarray[Any, np.dtype[np.int16]]  # [bucket, hidden neuron]
    scale: int  # centipawns of an output of 1; in the header

    @property
    def neurons(self) -> int:
        """Neurons per side."""
        return self.biases.shape[0]

    @property
    def buckets(self) -> int:
        """Outputs by material."""
        return self.output_biases.shape[0]

    @property
    def hidden(self) -> int:
        """Hidden neurons of a bucket of material."""
        return self.hidden_biases.shape[-1]

    @property
    def arrays(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The arrays, in their order."""
        return self[:-1]


def material_bucket(pieces: int, buckets: int) -> int:
    """Return the output for a number of pieces left, both kings included: 2 to 32."""
    return (pieces - 1) * buckets // 32


def view(side: int, king: int) -> tuple[int, np.ndarray[Any, np.dtype[np.int64]]]:
    """Return what a side sees whose king stands on a square: the first row of its bucket, and each square as seen."""
    squares = np.arange(SQUARES)
    ranks, files = squares // 9, squares % 9
    if side == 1:
        ranks = 9 - ranks
    if king % 9 == 5:
        files = 8 - files
    seen = 9 * ranks + files
    rank, file = divmod(int(seen[king]), 9)
    return (2 * rank + file - 3) * KINDS_SEEN * SQUARES, seen


def kind_seen(side: int, kind: int) -> int:
    """Return the kind 0-13 that a side sees, of a kind numbered with Red's 0-6 and Black's 7-13."""
    return (kind + 7 * side) % KINDS_SEEN


def pawn_square(square: int) -> int:
    """Return the square whose row a pawn has, both as its own side sees them."""
    rank, file = divmod(square, 9)
    if rank < 5 and file % 2:
        file += 1 if file < 4 else -1
    return 9 * max(rank, 3) + file


def used_rows(feature_weights: np.ndarray[Any, np.dtype[np.int16]]) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return a network's feature weights with the rows of pawns where no game brings them."""
    rows = feature_weights.reshape(KING_BUCKETS, KINDS_SEEN, SQUARES, -1).copy()
    for kind, turn in ((KINDS_SEEN // 2 - 1, np.arange(SQUARES)), (KINDS_SEEN - 1, MIRROR)):  # own and enemy pawns
        rows[:, kind] = rows[:, kind, turn[[pawn_square(int(square)) for square in turn]]]
    return rows.reshape(feature_weights.shape)


def shapes(neurons: int, buckets: int, hidden: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of a network's arrays, in their order."""
    of_hidden = (buckets, hidden, 2 * neurons), (buckets, hidden), (buckets, hidden)
    return (ROWS, neurons), (neurons,), (buckets, 2 * neurons), (buckets,), *of_hidden


def fault_of(network: Network) -> str:
    """Return why a network cannot be evaluated exactly; empty if it can."""
    neurons, buckets, hidden = network.neurons, network.buckets, network.hidden
    sizes = f"{neurons} neurons a side, {hidden} hidden ones and {buckets} outputs"
    if not 0 < neurons <= MAX_NEURONS or neurons % NEURON_STEP or not 1 <= buckets <= MAX_BUCKETS:
        return f"{sizes} are out of range"
    if not 0 < hidden <= MAX_HIDDEN or hidden % HIDDEN_STEP:
        return f"{sizes} are out of range"
    if tuple(array.shape for array in network.arrays) != shapes(neurons, buckets, hidden):
        return f"the arrays do not fit {sizes}"
    if not 1 <= network.scale <= MAX_SCALE:
        return f"scale {network.scale} is not within 1..{MAX_SCALE}"
    if np.abs(network.output_weights.astype(np.int64)).max() > MAX_OUTPUT_WEIGHT:
        return f"an output weight is beyond {MAX_OUTPUT_WEIGHT}"
    of_hidden = network.hidden_weights.astype(np.int64), network.hidden_outputs.astype(np.int64)
    if max(np.abs(weights).max() for weights in of_hidden) > MAX_HIDDEN_WEIGHT:
        return f"a hidden neuron's weight is beyond {MAX_HIDDEN_WEIGHT}"
    sums = ACTIVATION_SCALE * np.abs(of_hidden[0]).sum(2) + np.abs(network.hidden_biases.astype(np.int64))
    if sums.max() > np.iinfo(np.int32).max:
        return "a hidden neuron may overflow 32 bits"
    kinds = network.feature_weights.reshape(KING_BUCKETS, KINDS_SEEN, SQUARES, neurons)
    most = network.biases + np.einsum("bkn,k->bn", np.maximum(kinds.max(axis=2), 0).astype(np.int64), PIECES)
    least = network.biases + np.einsum("bkn,k->bn", np.minimum(kinds.min(axis=2), 0).astype(np.int64), PIECES)
    if most.max() > np.iinfo(np.int16).max or least.min() < np.iinfo(np.int16).min:
        return "accumulators may overflow 16 bits"
    return ""


def write_network(path: Path, about: dict[str, Any], network: Network) -> None:
    """Write a network as a book. `about`: fields of the header that say how it was made.

    ValueError if the network cannot be evaluated or is larger than a file may be, OSError if a file is there that is
    not ours.
    """
    fault = fault_of(network)
    payload = join_arrays(network.arrays, ORDERS)
    if fault or len(payload) > MAX_BYTES:
        raise ValueError(fault or f"{len(payload)} bytes, more than the {MAX_BYTES} it may have")
    sizes = {name: getattr(network, name) for name in SIZES}
    write_book(path, KIND, VERSION, about | ARCHITECTURE | sizes, payload)


def read_network(path: Path, neurons: int = NEURONS, hidden: int = HIDDEN) -> Network:
    """Read the network of a book, whose numbers of neurons per side and of hidden ones are given.

    BookFileError if the file cannot be used, or holds a network that cannot be evaluated exactly or is built otherwise.
    """
    book = open_book(path, KIND, VERSION, MAX_BYTES)
    sizes: list[Any] = [book.about.get(name) for name in SIZES]
    check_architecture(path, book.about, ARCHITECTURE)
    if not all(type(size) is int and 0 < size <= MAX_SCALE for size in sizes):
        raise BookFileError(f"{path}: damaged header")
    if sizes[:2] != [neurons, hidden]:
        actual = f"{sizes[0]} neurons a side and {sizes[1]} hidden ones"
        raise BookFileError(f"{path}: holds a network of {actual}, not of {neurons} and {hidden}")
    buckets, scale = sizes[2:]
    layout = zip(ORDERS, shapes(neurons, buckets, hidden), strict=True)
    network = Network._make([*split_arrays(path, book.payload, layout), scale])
    if fault := fault_of(network):
        raise BookFileError(f"{path}: {fault}")
    return network
