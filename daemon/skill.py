"""Ratings of the Skill Levels: which level plays as strongly as UCI_Elo asks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


def skill_of_elo(elo: float, ratings: Sequence[float]) -> float:
    """The level, a fraction between two, that has this rating; the lowest or highest rated beyond their ratings.

    `ratings`: of each level from 0 on, rising (`GameInfo.skill_elo`).
    """
    if elo <= ratings[0]:
        return 0.0
    if elo >= ratings[-1]:
        return float(len(ratings) - 1)
    below = bisect_right(ratings, elo) - 1
    return below + (elo - ratings[below]) / (ratings[below + 1] - ratings[below])
