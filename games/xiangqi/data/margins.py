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
    capture: int = 150  # beside its victim, that a capture may gain in quiescence (nodes 1.03)
    razor: int = 180  # step 7, a ply
    reverse_futility: int = 70  # step 8, a ply
    null: int = 180  # step 9: over beta, that reduce the search by a ply more
    singular: int = 150  # step 11, hundredths a ply
    futility_base: int = 90  # step 14
    futility: int = 80  # step 14, added a ply
    quiet_loss: int = 25  # step 15: that a quiet move may lose, a ply squared
    capture_loss: int = 90  # step 15: that a capture may lose, a ply
    history_a_ply: int = 16_000  # step 16: history that lengthens or shortens a search by a ply
    reduction_base: int = 30  # step 16, hundredths of a ply
    reduction_divisor: int = 190  # step 16, hundredths: of log(depth) * log(move number)


LOWEST = Margins(5, 0, 20, 10, 40, 0, 0, 10, 2, 10, 2_000, -100, 80)
HIGHEST = Margins(200, 600, 800, 300, 800, 1_000, 400, 300, 100, 400, 64_000, 200, 600)
"""The options' bounds."""

MARGIN_OPTIONS = {f"Tune{name.title().replace('_', '')}": name for name in Margins._fields}
"""The field of each option."""


def tuning_options() -> tuple[Option, ...]:
    """Return an option for each margin."""
    return tuple(
        Option(name, "spin", str(default), low=low, high=high)
        for name, default, low, high in zip(MARGIN_OPTIONS, Margins(), LOWEST, HIGHEST, strict=True)
    )
