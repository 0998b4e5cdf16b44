"""Weights of the Xiangqi evaluation in centipawns: material and piece-square values, Red's view.

Set by hand from the usual values (rook 2 horses and more, a cannon slightly above a horse early) until tuned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = "kabnrcp"
"""Letters of the seven kinds in the order of their codes."""

VALUE = (0, 120, 120, 270, 600, 285, 30)
"""Material by kind; a king is never counted."""

MIRROR = (9 - np.arange(90) // 9) * 9 + np.arange(90) % 9
"""Each square as Black sees it."""


def _place(kind: int, rank: int, file: int) -> int:
    """What a piece of Red's gains by standing on (rank, file)."""
    centre = 4 - abs(file - 4)
    if kind == 0:
        return -8 * rank
    if kind == 1:
        return 5 if rank == 1 else 0
    if kind == 2:
        return 6 if (rank, file) == (2, 4) else 0
    if kind == 3:
        return 4 * centre + 3 * min(rank, 7) - (8 if rank == 0 else 0)
    if kind == 4:
        return 2 * centre + 2 * min(rank, 8)
    if kind == 5:
        return 3 * centre + (6 if rank == 2 else 0)
    if rank < 5:
        return 0
    return 40 + 5 * centre + 6 * min(rank - 5, 3) - (30 if rank == 9 else 0)


PIECE_SQUARE: np.ndarray[Any, np.dtype[np.int16]] = np.array(
    [[VALUE[k] + _place(k, s // 9, s % 9) for s in range(90)] for k in range(7)], np.int16
)
"""[kind, square], material included."""
