"""The constants of Xiangqi's search: depths of its steps, and its margins (data/margins.py) as kernels read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import record, record_type
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.data.margins import Margins
from siqi.games.xiangqi.rules.work import MAX_PLY

RAZOR_MAX_DEPTH, REVERSE_FUTILITY_MAX_DEPTH = 3, 7
"""The last depths of razoring and of reverse futility pruning."""

NULL_MIN_DEPTH, NULL_VERIFY_MIN_DEPTH = 3, 12
"""The first depths of null move pruning, and of the second search that verifies it."""

NULL_REDUCTION, NULL_DEPTH_DIVISOR, NULL_MAX_SURPLUS = 3, 4, 3
"""Plies by which a null move is reduced: 3, one per 4 plies of depth, one per margin over beta up to 3."""

INTERNAL_REDUCTION_MIN_DEPTH = 4
"""The first depth of internal reduction."""

SINGULAR_MIN_DEPTH, SINGULAR_MAX_AGE, SINGULAR_MAX_PLY = 6, 3, MAX_PLY - 9
"""The first depth at which the tt's move is tested, the plies by which its stored search may be shallower, and the last
ply with a test."""

SINGULAR_MAX_SCORE = 299
"""The largest score (centipawns) at which singularity is tested. Of 1,539 mates, 200,000 nodes each, 1,531 are found;
1,523 without this bound, 1,531 without the step (network of 10.1 million positions, f2ba965)."""

LATE_MOVE_MAX_DEPTH, FUTILITY_MAX_DEPTH, EXCHANGE_MAX_DEPTH = 6, 5, 6
"""The last depths of late move pruning, futility pruning (the reduced depth), and exchange pruning."""

LMR_MIN_DEPTH, LMR_MIN_MOVE = 3, 3
"""The first depth, and the first move of a node (from 1), that late move reductions shorten."""

MAX_CORRECTION = 256
"""The most by which one search moves the corrections of the evaluation."""

REDUCTIONS = 64
"""Depths and moves in the table of reductions; beyond them its last row and column count."""

MARGINS_DTYPE = record([(name, "i8") for name in Margins._fields[:-2]] + [("reduction", "i1", REDUCTIONS * REDUCTIONS)])
MARGINS = record_type(MARGINS_DTYPE)
margins_at = pointer_to(MARGINS)


class MarginsRecord:
    """Margins as kernels read them."""

    def __init__(self, margins: Margins) -> None:
        self._array: np.ndarray[Any, Any] = np.zeros(1, MARGINS_DTYPE)
        record = self._array[0]
        for name in MARGINS_DTYPE.names or ():
            if name != "reduction":
                record[name] = getattr(margins, name)
        logs = np.log(np.arange(REDUCTIONS, dtype=np.float64).clip(1))
        plies = margins.reduction_base / 100 + np.outer(logs, logs) / (margins.reduction_divisor / 100)
        record["reduction"] = plies.clip(-8, 63).astype(np.int8).ravel()

    @property
    def address(self) -> int:
        """Return the address of the MARGINS, for work.margins; they live as long as this object."""
        return address_of(self._array)
