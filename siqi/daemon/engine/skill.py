"""The Skill Level that plays at a given UCI_Elo."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


def skill_of_elo(elo: float, ratings: Sequence[float]) -> float:
    """Return the level with this rating, interpolated between two levels and bounded by the lowest and highest.

    `ratings`: the rating of each level from 0 on, rising (`GameInfo.skill_elo`).
    """
    if elo <= ratings[0]:
        return 0.0
    if elo >= ratings[-1]:
        return float(len(ratings) - 1)
    below = bisect_right(ratings, elo) - 1
    return below + (elo - ratings[below]) / (ratings[below + 1] - ratings[below])
