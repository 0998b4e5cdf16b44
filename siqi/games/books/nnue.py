"""Networks whose first layer follows the moves (NNUE): numbers, what makes them exact, the book of one, its value.

An input is a piece on a square, as one side sees it. Layers: a side's accumulator is `biases` plus the rows of all its
inputs. With x the accumulators of the side to move and of the other side, one after the other, and the weights of the
position's output bucket, the hidden neurons and the output are

    y = (sum(clip(x, 0, 255) * hidden_weights) + hidden_bias) >> 9, for each hidden neuron
    total = sum(clip(x, 0, 255)**2 * output_weights) + sum(clip(y, 0, 255)**2 * hidden_outputs) + 255 * output_bias
    value = total * scale // (255 * 255 * 512)

rounded down: a feature weight, a bias of an accumulator, an x or a y of 255 is 1; any other weight of 512 is 1, and any
other bias of 255 * 512; a total of 255 * 255 * 512, which is 1, makes a value of `scale`. The book's payload is the
arrays of `Network` in their order, little-endian.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.books.networks import check_architecture, join_arrays, split_arrays
from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import inner, int64, record, record_type
from siqi.games.kernel.memory import offset_of
from siqi.games.kernel.vectors import (
    ACTIVATION_TOP,
    HIDDEN_SHIFT,
    HIDDEN_STEP,
    LANES,
    MAX_COUNT,
    MAX_HIDDEN,
    MAX_HIDDEN_WEIGHT,
    MAX_OUTPUT_WEIGHT,
)

MAX_BUCKETS = 32
"""The most output buckets."""

ACTIVATION_SCALE, OUTPUT_SCALE = ACTIVATION_TOP, 1 << HIDDEN_SHIFT
"""An activation of 1, and a weight of 1 of what follows the accumulators."""

WHOLE_OUTPUT = ACTIVATION_SCALE * ACTIVATION_SCALE * OUTPUT_SCALE
"""The sum of the last layer that makes a value of `scale`."""

MAX_SCALE = 10_000

MAX_BYTES = 8 << 20
"""The largest payload."""

ACTIVATION = "squared clipped; clipped for the hidden neurons"

SIZES = ("neurons", "hidden", "buckets", "scale")
"""Fields of the header that each network has of its own."""

ORDERS = ("<i2", "<i2", "<i2", "<i4", "<i2", "<i4", "<i2")
"""Types of the payload's arrays."""


class Architecture(NamedTuple):
    """The properties that all networks of a game share."""

    kind: str  # of the book
    version: int
    inputs: str  # what they are, for the header
    input_buckets: int  # each with rows of its own
    pieces: tuple[int, ...]  # by kind: the most that a side sees of it
    places: int  # rows of a kind in a bucket
    neurons: int  # of a side, for which the kernels are compiled
    hidden: int  # neurons, likewise

    @property
    def rows(self) -> int:
        """Rows of the feature weights: [bucket, kind, place]."""
        return self.input_buckets * len(self.pieces) * self.places

    @property
    def header(self) -> dict[str, Any]:
        """The fields of the header that all files of this version have."""
        return {"inputs": self.inputs, "activation": ACTIVATION}


class Network(NamedTuple):
    """A network's numbers."""

    feature_weights: np.ndarray[Any, np.dtype[np.int16]]  # [row, neuron]
    biases: np.ndarray[Any, np.dtype[np.int16]]  # [neuron]
    output_weights: np.ndarray[Any, np.dtype[np.int16]]  # [bucket, neuron]: the mover's neurons, then the other side's
    output_biases: np.ndarray[Any, np.dtype[np.int32]]  # [bucket]
    hidden_weights: np.ndarray[Any, np.dtype[np.int16]]  # [bucket, hidden neuron, neuron]: as output_weights
    hidden_biases: np.ndarray[Any, np.dtype[np.int32]]  # [bucket, hidden neuron]
    hidden_outputs: np.ndarray[Any, np.dtype[np.int16]]  # [bucket, hidden neuron]
    scale: int  # the value of an output of 1; in the header

    @property
    def neurons(self) -> int:
        """Neurons per side."""
        return len(self.biases)

    @property
    def buckets(self) -> int:
        """Output buckets."""
        return len(self.output_biases)

    @property
    def hidden(self) -> int:
        """Hidden neurons of an output bucket."""
        return int(self.hidden_biases.shape[-1])

    @property
    def arrays(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The arrays, in their order."""
        return self[:-1]


def layer_fields(architecture: Architecture) -> list[tuple[Any, ...]]:
    """Return the fields of a record of weights, for kernels; rows come first, so that an aligned record aligns them."""
    neurons, hidden = architecture.neurons, architecture.hidden
    return [
        ("feature_weights", "i2", architecture.rows * neurons),
        ("biases", "i2", neurons),
        ("output_weights", "i2", MAX_BUCKETS * 2 * neurons),
        ("hidden_weights", "i2", MAX_BUCKETS * hidden * 2 * neurons),
        ("hidden_biases", "i4", MAX_BUCKETS * hidden),
        ("hidden_outputs", "i2", MAX_BUCKETS * hidden),
        ("output_biases", "i8", MAX_BUCKETS),
        ("buckets", "i8"),
        ("scale", "i8"),
    ]


def fill_layers(weights: Any, network: Network) -> None:
    """Set the fields of `layer_fields` in a record to a network's numbers."""
    for name, array in zip(network._fields[:-1], network.arrays, strict=True):
        weights[name][: array.size] = array.ravel()
    weights.buckets, weights.scale = network.buckets, network.scale


def value_operation(architecture: Architecture, output_sum: Any) -> Any:
    """Return the kernel `(address, bucket, own, other)`: a network's value for the side to move, rounded down.

    `address`: of a record that begins with `layer_fields`; `own`, `other`: of the accumulators of the side to move and
    of the other. `output_sum`: of the RowOperations for these neurons.
    """
    layers = record(layer_fields(architecture))
    layers_at = pointer_to(record_type(layers))
    hidden, row = architecture.hidden, 4 * architecture.neurons  # bytes of a row for both sides
    output_weights, hidden_weights = offset_of(layers, "output_weights"), offset_of(layers, "hidden_weights")
    hidden_biases, hidden_outputs = offset_of(layers, "hidden_biases"), offset_of(layers, "hidden_outputs")

    @inner(int64(int64, int64, int64, int64), forceinline=True)
    def value(address: int, bucket: int, own: int, other: int) -> int:
        layer = layers_at(address)
        first = bucket * hidden
        rows = address + output_weights + bucket * row, address + hidden_weights + first * row
        of_hidden = address + hidden_biases + first * 4, address + hidden_outputs + first * 2
        total = output_sum(own, other, *rows, *of_hidden) + ACTIVATION_SCALE * layer.output_biases[bucket]
        return total * layer.scale // WHOLE_OUTPUT

    return value


def shapes(rows: int, neurons: int, buckets: int, hidden: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of a network's arrays, in their order."""
    of_hidden = (buckets, hidden, 2 * neurons), (buckets, hidden), (buckets, hidden)
    return (rows, neurons), (neurons,), (buckets, 2 * neurons), (buckets,), *of_hidden


def fault_of(network: Network, architecture: Architecture) -> str:
    """Return why a network cannot be evaluated exactly; empty if it can. The numbers of neurons are free."""
    neurons, buckets, hidden = network.neurons, network.buckets, network.hidden
    sizes = f"{neurons} neurons a side, {hidden} hidden ones and {buckets} outputs"
    if not 0 < neurons <= MAX_COUNT or neurons % (2 * LANES) or not 1 <= buckets <= MAX_BUCKETS:
        return f"{sizes} are out of range"
    if not 0 < hidden <= MAX_HIDDEN or hidden % HIDDEN_STEP:
        return f"{sizes} are out of range"
    if tuple(array.shape for array in network.arrays) != shapes(architecture.rows, neurons, buckets, hidden):
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
    shape = architecture.input_buckets, len(architecture.pieces), architecture.places, neurons
    kinds = network.feature_weights.reshape(shape)
    pieces = np.array(architecture.pieces)
    most = network.biases + np.einsum("bkn,k->bn", np.maximum(kinds.max(axis=2), 0).astype(np.int64), pieces)
    least = network.biases + np.einsum("bkn,k->bn", np.minimum(kinds.min(axis=2), 0).astype(np.int64), pieces)
    if most.max() > np.iinfo(np.int16).max or least.min() < np.iinfo(np.int16).min:
        return "accumulators may overflow 16 bits"
    return ""


def write_network(path: Path, about: dict[str, Any], network: Network, architecture: Architecture) -> None:
    """Write a network as a book. `about`: fields of the header that say how it was made.

    ValueError if the network cannot be evaluated or is larger than a file may be, OSError if a file is there that is
    not ours.
    """
    fault = fault_of(network, architecture)
    payload = join_arrays(network.arrays, ORDERS)
    if fault or len(payload) > MAX_BYTES:
        raise ValueError(fault or f"{len(payload)} bytes, more than the {MAX_BYTES} it may have")
    sizes = {name: getattr(network, name) for name in SIZES}
    write_book(path, architecture.kind, architecture.version, about | architecture.header | sizes, payload)


def read_network(path: Path, architecture: Architecture) -> Network:
    """Read the network of a book.

    BookFileError if the file cannot be used, or holds a network that cannot be evaluated exactly or is built otherwise.
    """
    book = open_book(path, architecture.kind, architecture.version, MAX_BYTES)
    sizes: list[Any] = [book.about.get(name) for name in SIZES]
    check_architecture(path, book.about, architecture.header)
    if not all(type(size) is int and 0 < size <= MAX_SCALE for size in sizes):
        raise BookFileError(f"{path}: damaged header")
    neurons, hidden = architecture.neurons, architecture.hidden
    if sizes[:2] != [neurons, hidden]:
        actual = f"{sizes[0]} neurons a side and {sizes[1]} hidden ones"
        raise BookFileError(f"{path}: holds a network of {actual}, not of {neurons} and {hidden}")
    buckets, scale = sizes[2:]
    layout = zip(ORDERS, shapes(architecture.rows, neurons, buckets, hidden), strict=True)
    network = Network._make([*split_arrays(path, book.payload, layout), scale])
    if fault := fault_of(network, architecture):
        raise BookFileError(f"{path}: {fault}")
    return network
