"""The numbers of Xiangqi's search: the depths that bound its steps, and their margins.

Kernels read the margins at run time, so that games can tune them. With the environment variable SIQI_TUNE the engine
has an option for each, and scripts/tune/tune_options.py can play with them:

    SIQI_TUNE=1 python scripts/tune/tune_options.py xiangqi --parameter TuneRazor:180:40:500:25 ...
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from siqi.games.contract import Option
from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import record, record_type
from siqi.games.kernel.memory import address_of
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

REDUCTION_MIN_DEPTH, REDUCTION_MIN_MOVE = 3, 3
"""The first depth, and the first move of a node (from 1), that late move reductions shorten."""

MAX_CORRECTION = 256
"""The most by which one search moves the corrections of the evaluation."""

REDUCTIONS = 64
"""Depths and moves in the table of reductions; beyond them its last row and column count."""


class Margins(NamedTuple):
    """Centipawns, where nothing else is said. search.py has the steps, and what each is worth."""

    window: int = 25  # half of the first aspiration window
    capture: int = 150  # quiescence search: gain beyond the victim's value that a capture may bring
    razor: int = 180  # razoring, per ply
    reverse_futility: int = 70  # reverse futility pruning, per ply
    null: int = 180  # null move pruning: eval surplus over beta per extra ply of reduction
    singular: int = 150  # singular extension: hundredths per ply below the tt's score
    futility_base: int = 90  # futility pruning
    futility: int = 80  # futility pruning, per ply
    quiet_loss: int = 25  # exchange pruning: loss allowed to a quiet move, per ply squared
    capture_loss: int = 90  # exchange pruning: loss allowed to a capture, per ply
    history_per_ply: int = 16_000  # late move reductions: history per ply of reduction
    reduction_base: int = 30  # late move reductions: hundredths of a ply
    reduction_divisor: int = 190  # late move reductions: hundredths, divides log(depth) * log(moves before)


LOWEST = Margins(5, 0, 20, 10, 40, 0, 0, 10, 2, 10, 2_000, -100, 80)
HIGHEST = Margins(200, 600, 800, 300, 800, 1_000, 400, 300, 100, 400, 64_000, 200, 600)
"""The options' bounds."""

MARGIN_OPTIONS = {f"Tune{name.title().replace('_', '')}": name for name in Margins._fields}
"""The field of each option."""

MARGINS_DTYPE = record([(name, "i8") for name in Margins._fields[:-2]] + [("reduction", "i1", REDUCTIONS * REDUCTIONS)])
MARGINS = record_type(MARGINS_DTYPE)
margins_at = pointer_to(MARGINS)


def tuning_options() -> tuple[Option, ...]:
    """Return an option for each margin."""
    return tuple(
        Option(name, "spin", str(default), low=low, high=high)
        for name, default, low, high in zip(MARGIN_OPTIONS, Margins(), LOWEST, HIGHEST, strict=True)
    )


class MarginsRecord:
    """Margins as kernels read them."""

    def __init__(self, margins: Margins) -> None:
        self._array: np.ndarray[Any, Any] = np.zeros(1, MARGINS_DTYPE)
        found = self._array[0]
        for name in MARGINS_DTYPE.names or ():
            if name != "reduction":
                found[name] = getattr(margins, name)
        logs = np.log(np.arange(REDUCTIONS, dtype=np.float64).clip(1))
        plies = margins.reduction_base / 100 + np.outer(logs, logs) / (margins.reduction_divisor / 100)
        found["reduction"] = plies.clip(-8, 63).astype(np.int8).ravel()

    @property
    def address(self) -> int:
        """Return the address of the MARGINS, for work.margins; they live as long as this object."""
        return address_of(self._array)
