"""The network of the evaluation: its inputs, and the book that holds it (nnue.py has its layers).

Inputs: each piece on its square, as a side sees it. A side's view has its own kinds 0-6 (KINDS), the enemy's 7-13, and
its own palace at the bottom: Black's view exchanges the ranks. If the own king stands on file f, the files are
exchanged too, so that it stands on d or e; its six squares there are buckets, each with inputs of its own. A piece is
row `bucket * 1260 + kind * 90 + square` of the feature weights, bucket = king's rank * 2 + (king's file - d). No game
brings a pawn behind its start rank, nor before the river off its five files, so nothing is learnt for it there: it
counts as on its start rank and, before the river, on the next of these files towards the middle (`pawn_square`).

A position's output bucket is that of its material (`material_bucket`); a value is in centipawns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from siqi.games.books import nnue
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.books.nnue import Architecture, Network
from siqi.games.xiangqi.data.weights import MIRROR

KING_BUCKETS, KINDS_SEEN, SQUARES = 6, 14, 90

ARCHITECTURE = Architecture(
    kind="xiangqi-network",
    version=2,
    inputs="own and enemy kinds by square, six buckets of the own king, mirrored",
    input_buckets=KING_BUCKETS,
    pieces=(1, 2, 2, 2, 2, 2, 5) * 2,
    places=SQUARES,
    neurons=128,
    hidden=8,
)

ROWS = ARCHITECTURE.rows

NETWORK_BOOK = BOOKS_FOLDER / "xiangqi.network"
"""The shipped network."""


def material_bucket(pieces: Any, buckets: int) -> Any:
    """Return the output for a number of pieces left, or for each of an array; both kings included: 2 to 32."""
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


def write_network(path: Path, about: dict[str, Any], network: Network) -> None:
    """Write a network as a book; see nnue.write_network."""
    nnue.write_network(path, about, network, ARCHITECTURE)


def read_network(path: Path, architecture: Architecture = ARCHITECTURE) -> Network:
    """Read the network of a book; see nnue.read_network. `architecture`: that of the kernels, or other sizes."""
    return nnue.read_network(path, architecture)
