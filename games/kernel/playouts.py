"""What the searchers by playouts share: how iterations grow, scores from winning rates, root parallelism."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

FIRST_PLAYOUTS = 256
MAX_DEPTH = 60


def playouts_at(depth: int) -> int:
    """Playouts in all after iteration `depth`: a 'depth' costs half as much again as the one before (x 1.41)."""
    return int(FIRST_PLAYOUTS * 2 ** ((depth - 1) / 2))


def expected_cp(win: float) -> int:
    """Centipawns of an expected result 0..1: 400 log10 of the odds, as Elo differences go."""
    win = min(max(win, 0.001), 0.999)
    return round(400 * math.log10(win / (1 - win)))


def run_parallel(work: Callable[[int], None], threads: int) -> None:
    """Run work(0) here and work(1..threads-1) beside it; return when all are done."""
    others = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(1, threads)]
    for other in others:
        other.start()
    work(0)
    for other in others:
        other.join()
