"""Weights of the Xiangqi evaluation in centipawns, Red's view; the numbers themselves are in tuned.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.xiangqi.data.tuned import TUNED_END, TUNED_MIDDLE, TUNED_TERMS

KINDS = "kabnrcp"
"""FEN letters of the seven kinds in the order of their codes."""

EXCHANGE = (10_000, 120, 120, 270, 600, 285, 60)
"""Centipawns by kind in exchanges on a square; a king takes last."""

WORTH = (0, *EXCHANGE[1:])
"""The same without the kings, a measure of the phase of a game."""

FULL_WORTH = 2 * sum(worth * count for worth, count in zip(WORTH, (1, 2, 2, 2, 2, 2, 5), strict=True))
"""WORTH of both sides' pieces at the start."""

MIRROR = (9 - np.arange(90) // 9) * 9 + np.arange(90) % 9
"""Each square as Black sees it."""

TERMS = tuple(TUNED_TERMS)
"""Names of the terms that terms.py counts, in its order."""


def pack(middle: Any, end: Any) -> Any:
    """Return a middle-game and an endgame value in one number.

    Sums of packed numbers are packed sums while each half of the sum stays within 16 bits.
    """
    return middle + 65536 * end


TERM_WEIGHTS = [pack(middle, end) for middle, end in TUNED_TERMS.values()]
"""Packed weights of the terms, in the order of TERMS."""


def _unfold(table: Any) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return [kind, square] from [kind, rank, file a-e]; the right wing mirrors the left."""
    half = np.array(table, np.int32)
    return np.concatenate([half, half[:, :, 3::-1]], axis=2).reshape(7, 90)


PIECE_SQUARE: np.ndarray[Any, np.dtype[np.int32]] = pack(_unfold(TUNED_MIDDLE), _unfold(TUNED_END))
"""[kind, square], packed, material included."""
