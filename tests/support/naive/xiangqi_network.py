"""The value of a Xiangqi position by a network, by the simplest means: Python integers, one piece at a time.

Written from the description in siqi/games/xiangqi/evaluation/network.py, and sharing no code with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from naive.xiangqi import Board, side_of

KINDS = "kabnrcp"


def seen(square: tuple[int, int], side: int, is_mirrored: bool) -> tuple[int, int]:
    """Return a square (file, rank) as a side sees it."""
    file, rank = square
    return 8 - file if is_mirrored else file, 9 - rank if side else rank


def usual(square: tuple[int, int], side: int) -> tuple[int, int]:
    """Return the square (file, rank) that a side's pawn counts as standing on."""
    file, rank = square
    advanced = max(3, 9 - rank if side else rank)
    if advanced in (3, 4):
        file = {1: 2, 3: 4, 5: 4, 7: 6}.get(file, file)
    return file, 9 - advanced if side else advanced


def rows(board: Board, side: int) -> list[int]:
    """Return the rows of all pieces, one each, as a side sees them."""
    king = next(square for square, letter in board.items() if letter == "Kk"[side])
    is_mirrored = king[0] == 5
    file, rank = seen(king, side, is_mirrored)
    bucket = 2 * rank + "de".index("abcdefghi"[file])
    rows = []
    for square, letter in board.items():
        kind = KINDS.index(letter.lower()) + (0 if side_of(letter) == side else 7)
        place = usual(square, side_of(letter)) if letter in "Pp" else square
        file, rank = seen(place, side, is_mirrored)
        rows.append(bucket * 14 * 90 + kind * 90 + 9 * rank + file)
    return rows


def network_value(network: Any, board: Board, turn: int) -> int:
    """Return centipawns for the side to move, before the scaling for winnable material; not bounded."""
    bucket = (len(board) - 1) * network.buckets // 32
    total = 255 * int(network.output_biases[bucket])
    hidden = network.hidden_biases[bucket].astype(object)
    for half, side in enumerate((turn, 1 - turn)):
        sums = network.biases.astype(object) + network.feature_weights[rows(board, side)].astype(object).sum(axis=0)
        assert max(map(abs, sums)) < 2**15
        clipped = np.clip(sums, 0, 255)
        columns = slice(half * network.neurons, (half + 1) * network.neurons)
        total += int((clipped * clipped * network.output_weights[bucket][columns].astype(object)).sum())
        hidden = hidden + (clipped * network.hidden_weights[bucket][:, columns].astype(object)).sum(axis=1)
    assert max(map(abs, hidden)) < 2**31
    for value, weight in zip(hidden, network.hidden_outputs[bucket], strict=True):
        total += min(max(value // 512, 0), 255) ** 2 * int(weight)
    return total * network.scale // (255 * 255 * 512)
