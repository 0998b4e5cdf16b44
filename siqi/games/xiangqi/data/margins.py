"""The margins of Xiangqi's search: numbers that kernels read at run time, so that games can tune them.

With the environment variable SIQI_TUNE the engine has an option for each, and scripts/tune/tune_options.py can play
with them:

    SIQI_TUNE=1 python scripts/tune/tune_options.py xiangqi --parameter TuneRazor:180:40:500:25 ...
"""

from __future__ import annotations

from typing import NamedTuple

from siqi.games.contract import Option


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
    mate_at_hand: int = 0  # quiescence search: 1 looks for a mate in one of a king that is hemmed in
    experience: int = 0  # mined rules: what the answer of a sure one gains near the root
    history_per_ply: int = 16_000  # late move reductions: history per ply of reduction
    reduction_base: int = 30  # late move reductions: hundredths of a ply
    reduction_divisor: int = 190  # late move reductions: hundredths, divides log(depth) * log(moves before)


LOWEST = Margins(5, 0, 20, 10, 40, 0, 0, 10, 2, 10, 0, 0, 2_000, -100, 80)
HIGHEST = Margins(200, 600, 800, 300, 800, 1_000, 400, 300, 100, 400, 1, 200, 64_000, 200, 600)
"""The options' bounds."""

MARGIN_OPTIONS = {f"Tune{name.title().replace('_', '')}": name for name in Margins._fields}
"""The field of each option."""


def tuning_options() -> tuple[Option, ...]:
    """Return an option for each margin."""
    return tuple(
        Option(name, "spin", str(default), low=low, high=high)
        for name, default, low, high in zip(MARGIN_OPTIONS, Margins(), LOWEST, HIGHEST, strict=True)
    )
