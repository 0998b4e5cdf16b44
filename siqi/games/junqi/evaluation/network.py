"""The network of Junqi's evaluation of full positions and worlds: its inputs.

Each piece on its square is an input, as a side sees it: own types 0-11, the enemy's 12-23, whether it has survived a
battle, and the square with the own half at the bottom, columns exchanged if the own flag stands on the right. Flags
never move, so this exchange holds for a game. A piece is row `type * 120 + 2 * square + has fought`. The position's
output bucket is that of its mobile pieces (`output_bucket`). The value, in hundredths of log odds, is added to the sum
of the terms (evaluate.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from siqi.games.books import nnue
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.books.nnue import Architecture, Network
from siqi.games.junqi.rules.lookup import COLUMNS, COUNTS, SQUARES

ARCHITECTURE = Architecture(
    kind="junqi-network",
    version=2,
    inputs="own and enemy types by square and having fought, mirrored by the own flag",
    input_buckets=1,
    pieces=2 * COUNTS,
    places=2 * SQUARES,
    neurons=64,
    hidden=8,
)

NETWORK_BOOK = BOOKS_FOLDER / "junqi.network"
"""The shipped network."""

MAX_MOBILE = 42
"""Mobile pieces of both sides before the first battle."""


def squares_seen(side: int, is_mirrored: bool) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return each square as a side sees it."""
    squares = np.arange(SQUARES)
    if side == 1:
        squares = SQUARES - 1 - squares
    columns = squares % COLUMNS
    return squares + (COLUMNS - 1 - 2 * columns if is_mirrored else 0)


def output_bucket(mobile: Any, buckets: int) -> Any:
    """Return the output for a number of mobile pieces of both sides, or for each of an array."""
    return np.minimum(mobile * buckets // MAX_MOBILE, buckets - 1)


def write_network(path: Path, about: dict[str, Any], network: Network) -> None:
    """Write a network as a book; see nnue.write_network."""
    nnue.write_network(path, about, network, ARCHITECTURE)


def read_network(path: Path) -> Network:
    """Read the network of a book; see nnue.read_network."""
    return nnue.read_network(path, ARCHITECTURE)
