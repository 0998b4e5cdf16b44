"""Junqi's positions as inputs of the evaluation's network (siqi/games/junqi/evaluation/network.py) in training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from scripts.common import script
from scripts.network.adam import KERNEL_OPTIONS
from scripts.network.kernels import Inputs

from siqi.games.game_record import GameRecord, replay
from siqi.games.junqi.evaluation.network import ARCHITECTURE, output_bucket, squares_seen
from siqi.games.junqi.evaluation.terms import CONTACT_WEIGHT, count_terms_here, steps_overdue_here
from siqi.games.junqi.rules.lookup import COLUMNS, FLAG, LOOKUP_RECORD, PIECES, SQUARES, TYPES
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.kernel.jit import new_record

UNIT = 100
"""Hundredths of log odds that a logit is."""

_SEEN = np.array([[squares_seen(side, is_mirrored) for is_mirrored in (False, True)] for side in range(2)])
_PLACES = ARCHITECTURE.places


class Samples(NamedTuple):
    """Positions of games as arrays."""

    inputs: Inputs
    results: Any  # float32 [n]: of the side to move, 1, 0.5 or 0


@njit(**KERNEL_OPTIONS)
def list_rows(board: Any, may: Any, fought: Any, turn: Any, rows: Any) -> int:
    """List the rows of a full position's pieces, int32 [2, 2 * PIECES], the side to move first; return their number."""
    is_right = np.zeros(2, np.int64)  # by side: its flag on the board as it is stored
    for square in range(SQUARES):
        piece = np.int64(board[square]) - 1
        if piece >= 0 and may[piece] == 1 << FLAG:
            is_right[piece // PIECES] = square % COLUMNS > COLUMNS // 2
    count = 0
    for half in range(2):
        side = turn ^ half
        is_mirrored = is_right[side] ^ side
        count = 0
        for square in range(SQUARES):
            piece = np.int64(board[square]) - 1
            if piece >= 0:
                kind = np.int64(0)
                while may[piece] >> kind & 1 == 0:
                    kind += 1
                kind += len(TYPES) * np.int64(piece // PIECES != side)
                place = 2 * _SEEN[side, is_mirrored, square] + (fought >> piece & 1)
                rows[half, count] = kind * _PLACES + place
                count += 1
    return count


def result_of(position: Any) -> float | None:
    """Return the first side's result of a game by its last position, None if the rules did not end it."""
    outcome = position.outcome()
    if outcome is None:
        return None
    return 0.5 if outcome.winner is None else 1.0 - outcome.winner


def base_of(record: Any, work: Any) -> float:
    """Return the terms' sum in logits, the first side's view; work.mobile is set, too."""
    count_terms_here(record, work, LOOKUP_RECORD)
    total = float(work.terms @ LOOKUP_RECORD.weights)
    return (total + CONTACT_WEIGHT * steps_overdue_here(record, work, LOOKUP_RECORD)) / UNIT


def samples_of(games: Iterable[list[str]], every: int, buckets: int) -> Samples:
    """Return each `every`-th position of games that goes on, for a network with a number of output buckets.

    Games that the rules did not end give none.
    """
    game: Any = script.load_once("junqi")
    work = new_record(WORK_DTYPE)
    rows: list[Any] = []
    counts, mobile, bases, results = list[int](), list[int](), list[float](), list[float]()
    for number, words in enumerate(games):
        records = []
        for ply, position in enumerate(replay(game, GameRecord(tuple(words)))):
            if (ply + number) % every == 0 and position.has_pieces and position.outcome() is None:
                records.append(position.record.copy())
        result = result_of(position)
        if result is None:
            continue
        for record in records:
            turn, base, listed = int(record.turn), base_of(record, work), np.zeros((2, 2 * PIECES), np.int32)
            counts.append(list_rows(record.board, record.may, int(record.fought), turn, listed))
            rows.append(listed)
            mobile.append(sum(int(bits).bit_count() for bits in work.mobile))
            bases.append(-base if turn else base)
            results.append(1 - result if turn else result)
    outputs = output_bucket(np.array(mobile, np.int64), buckets).astype(np.int32)
    shown = np.array(rows, np.int32).reshape(-1, 2, 2 * PIECES)
    inputs = Inputs(shown, np.array(counts, np.int32), outputs, np.array(bases, np.float32))
    return Samples(inputs, np.array(results, np.float32))
