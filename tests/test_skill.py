"""Ratings of the Skill Levels: the tables, the level that a rating asks for, and how the ratings are fitted."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from daemon.skill import skill_of_elo
from games import registry

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

RATINGS = (1000, 1100, 1150, 1400)


@pytest.mark.parametrize(
    ("elo", "level"), [(900, 0), (1000, 0), (1050, 0.5), (1100, 1), (1125, 1.5), (1275, 2.5), (1400, 3), (9999, 3)]
)
def test_a_rating_names_a_level(elo: float, level: float) -> None:
    assert skill_of_elo(elo, RATINGS) == pytest.approx(level)


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_game_rates_its_levels(name: str) -> None:
    ratings = registry.info(name).skill_elo
    assert len(ratings) == 20
    assert all(low < high for low, high in pairwise(ratings))
    assert ratings[10] == 2000
    assert [skill_of_elo(elo, ratings) for elo in ratings] == [float(level) for level in range(20)]


def pairs_of(score: float, count: int) -> tuple[int, ...]:
    """Pairs of games whose mean is a score, none drawn: both won, one each, both lost."""
    return round(count * (1 - score) ** 2), 0, round(count * 2 * score * (1 - score)), 0, round(count * score**2)


def test_a_fit_finds_the_ratings_behind_matches() -> None:
    from _stats import expected_score
    from skill_ladder import Result, fit_ratings

    true = {0: 1200, 4: 1700, 8: 1900, 12: 2100, 16: 2200, 19: 2260}
    matches = [*pairwise(true), (4, 12), (8, 16)]
    results = [Result(low, high, pairs_of(expected_score(true[high] - true[low]), 5000)) for low, high in matches]
    ratings = fit_ratings(results)
    for level, elo in true.items():
        assert ratings.elo(level) == pytest.approx(elo, abs=3)
    assert ratings.elo(10) == pytest.approx(2000)
    assert 0 < ratings.bar(8) < ratings.bar(0) < 30


def test_ratings_rise_where_games_cannot_tell_levels_apart() -> None:
    from skill_ladder import Result, fit_ratings

    ratings = fit_ratings([Result(0, 4, (30, 0, 50, 0, 20)), Result(4, 12, (0, 0, 0, 0, 50))])
    elos = [ratings.elo(level) for level in range(13)]
    assert all(low < high for low, high in pairwise(elos))
