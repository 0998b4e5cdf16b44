"""The networks of Connect6's evaluation: their inputs, their numbers, and the book that holds them.

Two networks of one build: the policy says which points are worth a stone, the value how good a position is. Both see
the board as the side to move does, by windows: six cells in a row with at least one of them on the board. A cell is
EMPTY, OWN, ENEMY or OFF the board; cell i is bits 2i and 2i + 1 of the window's code. A point lies in 24 windows, six
in each of four directions. Each adds a row of weights to the point's features, chosen by the window's code and the
point's place in it. Places i and 5 - i have the same row for a window and for its mirror image, and all directions
share the rows: so the networks are the same under all eight symmetries of the board.

    x = max(0, biases + sum of the 24 rows), the features of a point, [CHANNELS]

The interest of an empty point, with a head for two stones left and one for one stone left, is

    (sum(x * policy_weights[head]) + nearness * policy_centre[head]) >> SHIFT

where `nearness` is 18 less the steps to the centre. INTEREST_LOGIT of it are a logit of the probability that a stone is
put there. The value, VALUE_LOGIT to a logit of the expected result, is of all points, those with stones included:

    s = min(sum(x) >> SUM_SHIFT, 32767)
    y = clip((sum(s * hidden_weights) + hidden_biases) >> SHIFT, 0, 32767), for each hidden neuron
    value = (sum(s * value_weights) + sum(y * hidden_outputs) + value_bias) >> SHIFT

rounded down. A feature, a bias of a feature, an s or a y of UNIT is 1. The book's payload is the arrays of `Network` in
their order, little-endian.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, open_book, write_book
from siqi.games.books.networks import check_architecture, join_arrays, split_arrays
from siqi.games.connect6.rules.lookup import POINTS, ROAD_LENGTH

KIND, VERSION = "connect6-network", 1

NETWORK_BOOK = BOOKS_FOLDER / "connect6.network"
"""The shipped networks."""

CHANNELS = 32
"""Features of a point, and hidden neurons of the value; a multiple of 16."""

EMPTY, OWN, ENEMY, OFF = 0, 1, 2, 3

PLACES = ROAD_LENGTH // 2
"""Places of a window that have rows of their own."""

CODES = 4**ROAD_LENGTH

HEADS = 2
"""Heads of the policy: for two stones left, and for one."""

UNIT = 256
SHIFT, SUM_SHIFT = 12, 6

INTEREST_LOGIT, VALUE_LOGIT = 100, 400
"""Units per logit: of the probability that a stone is put on a point, and of the expected result. The units are those
of weights.py."""

MAX_BYTES = 1 << 21
"""The largest payload."""

LARGEST = np.iinfo(np.int16).max

ARCHITECTURE = {"inputs": "windows of six cells, mirrored", "channels": CHANNELS}
"""Fields of the header that all files of this version have."""


def mirror(code: int) -> int:
    """Return the code of a window read backwards."""
    return sum((code >> 2 * cell & 3) << 2 * (ROAD_LENGTH - 1 - cell) for cell in range(ROAD_LENGTH))


def is_window(code: int) -> bool:
    """True if a window may have this code: its cells on the board are in a row, and there is at least one."""
    on_board = [(code >> 2 * cell & 3) != OFF for cell in range(ROAD_LENGTH)]
    return any(on_board) and sum(a != b for a, b in zip([False, *on_board], [*on_board, False], strict=True)) == 2


WINDOWS = [code for code in range(CODES) if is_window(code)]
"""The codes of windows; their places here are the numbers of their rows."""

_ROWS = (len(WINDOWS), PLACES, CHANNELS)


class Network(NamedTuple):
    """The numbers of both networks."""

    policy_rows: np.ndarray[Any, np.dtype[np.int16]]  # [window, place, channel]
    policy_biases: np.ndarray[Any, np.dtype[np.int16]]  # [channel]
    policy_weights: np.ndarray[Any, np.dtype[np.int16]]  # [head, channel]
    policy_centre: np.ndarray[Any, np.dtype[np.int32]]  # [head]
    value_rows: np.ndarray[Any, np.dtype[np.int16]]  # [window, place, channel]
    value_biases: np.ndarray[Any, np.dtype[np.int16]]  # [channel]
    value_weights: np.ndarray[Any, np.dtype[np.int16]]  # [channel]
    hidden_weights: np.ndarray[Any, np.dtype[np.int16]]  # [hidden neuron, channel]
    hidden_biases: np.ndarray[Any, np.dtype[np.int32]]  # [hidden neuron]
    hidden_outputs: np.ndarray[Any, np.dtype[np.int16]]  # [hidden neuron]
    value_bias: np.ndarray[Any, np.dtype[np.int32]]  # [1]


_SHORT, _LONG = "<i2", "<i4"
LAYOUT: dict[str, tuple[str, tuple[int, ...]]] = {
    "policy_rows": (_SHORT, _ROWS),
    "policy_biases": (_SHORT, (CHANNELS,)),
    "policy_weights": (_SHORT, (HEADS, CHANNELS)),
    "policy_centre": (_LONG, (HEADS,)),
    "value_rows": (_SHORT, _ROWS),
    "value_biases": (_SHORT, (CHANNELS,)),
    "value_weights": (_SHORT, (CHANNELS,)),
    "hidden_weights": (_SHORT, (CHANNELS, CHANNELS)),
    "hidden_biases": (_LONG, (CHANNELS,)),
    "hidden_outputs": (_SHORT, (CHANNELS,)),
    "value_bias": (_LONG, (1,)),
}
"""The type and shape of each array."""


def _largest_features(rows: Any, biases: Any) -> tuple[Any, str]:
    """Return the largest value of each feature, and a fault if a sum may overflow 16 bits."""
    sums = []
    for bound in (np.max, np.min):
        sums.append(biases + 8 * bound(rows, axis=0).astype(np.int64).sum(0))  # four directions, each place twice
    overflows = sums[0].max() > LARGEST or sums[1].min() < -LARGEST - 1
    return np.maximum(sums[0], 0), "features may overflow 16 bits" if overflows else ""


def fault_of(network: Network) -> str:
    """Return why networks cannot be evaluated exactly; empty if they can."""
    if any(getattr(network, name).shape != shape for name, (_, shape) in LAYOUT.items()):
        return f"the arrays do not fit {CHANNELS} channels"
    points, fault = _largest_features(network.policy_rows, network.policy_biases)
    seen, other_fault = _largest_features(network.value_rows, network.value_biases)
    if fault or other_fault:
        return fault or other_fault
    sums = np.minimum(POINTS * seen >> SUM_SHIFT, LARGEST)
    totals = (
        (np.abs(network.policy_weights.astype(np.int64)) * points).sum(1).max(),
        (np.abs(network.value_weights.astype(np.int64)) * sums).sum(),
        (np.abs(network.hidden_weights.astype(np.int64)) * sums).sum(1).max(),
        LARGEST * np.abs(network.hidden_outputs.astype(np.int64)).sum(),
    )
    if max(totals) > np.iinfo(np.int32).max:
        return "a weighted sum may overflow 32 bits"
    return ""


def write_network(path: Path, about: dict[str, Any], network: Network) -> None:
    """Write networks as a book. `about`: fields of the header that say how they were made.

    ValueError if they cannot be evaluated, OSError if a file is there that is not ours.
    """
    if fault := fault_of(network):
        raise ValueError(fault)
    payload = join_arrays(network, (kind for kind, _ in LAYOUT.values()))
    write_book(path, KIND, VERSION, about | ARCHITECTURE, payload)


def read_network(path: Path) -> Network:
    """Read the networks of a book.

    BookFileError if the file cannot be used, or holds networks that cannot be evaluated exactly or are built otherwise.
    """
    book = open_book(path, KIND, VERSION, MAX_BYTES)
    check_architecture(path, book.about, ARCHITECTURE)
    network = Network(*split_arrays(path, book.payload, LAYOUT.values()))
    if fault := fault_of(network):
        raise BookFileError(f"{path}: {fault}")
    return network
