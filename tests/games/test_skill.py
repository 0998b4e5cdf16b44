"""Ratings of the Skill Levels: the tables, the level for a given rating, and the fit of the ratings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from siqi.daemon.engine.skill import skill_of_elo
from siqi.games import registry
from siqi.games.books.book import BOOKS_FOLDER

RATINGS = (1000, 1100, 1150, 1400)


@pytest.mark.parametrize(
    ("elo", "level"), [(900, 0), (1000, 0), (1050, 0.5), (1100, 1), (1125, 1.5), (1275, 2.5), (1400, 3), (9999, 3)]
)
def test_a_rating_names_a_level(elo: float, level: float) -> None:
    assert skill_of_elo(elo, RATINGS) == pytest.approx(level)


@pytest.mark.parametrize("name", [name for name in registry.NAMES if registry.info(name).skill_elo])
def test_every_game_rates_its_levels(name: str) -> None:
    ratings = registry.info(name).skill_elo
    assert len(ratings) == 20
    assert all(low < high for low, high in pairwise(ratings))
    assert ratings[10] == 2000
    assert [skill_of_elo(elo, ratings) for elo in ratings] == [float(level) for level in range(20)]


def pairs_of(score: float, count: int) -> tuple[int, ...]:
    """Return counts of game pairs with this mean score, without draws, by results from both lost to both won."""
    return round(count * (1 - score) ** 2), 0, round(count * 2 * score * (1 - score)), 0, round(count * score**2)


def test_a_fit_finds_the_ratings_behind_matches() -> None:
    from scripts.tune.rate_skill_levels import LevelMatch, fit_ratings

    from siqi.daemon.match.statistics import expected_score

    true = {0: 1200, 4: 1700, 8: 1900, 12: 2100, 16: 2200, 19: 2260}
    matches = [*pairwise(true), (4, 12), (8, 16)]
    results = [LevelMatch(low, high, pairs_of(expected_score(true[high] - true[low]), 5000)) for low, high in matches]
    ratings = fit_ratings(results)
    for level, elo in true.items():
        assert ratings.elo(level) == pytest.approx(elo, abs=3)
    assert ratings.elo(10) == pytest.approx(2000)
    assert 0 < ratings.bar(8) < ratings.bar(0) < 30


def test_ratings_rise_where_games_cannot_tell_levels_apart() -> None:
    from scripts.tune.rate_skill_levels import LevelMatch, fit_ratings

    ratings = fit_ratings([LevelMatch(0, 4, (30, 0, 50, 0, 20)), LevelMatch(4, 12, (0, 0, 0, 0, 50))])
    elos = [ratings.elo(level) for level in range(13)]
    assert all(low < high for low, high in pairwise(elos))


def test_openings_are_made_whole_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from scripts.tune import rate_skill_levels

    played: list[tuple[int, int]] = []

    def play_match(folder: Path, game: str, command: str, low: int, high: int, games: int, jobs: object) -> str:
        played.append((low, high))
        return ""

    def run(*words: str, out: Path = tmp_path) -> str:
        played.clear()
        with pytest.raises(SystemExit) as ended:  # at the latest since there are no games to rate
            rate_skill_levels.main(["xiangqi", "--out", str(out), "--levels", "0", "19", *words])
        assert ended.value.code == 2
        return capsys.readouterr().err

    monkeypatch.setattr(rate_skill_levels, "play_match", play_match)
    path = tmp_path / "xiangqi-openings.txt"

    def broken_off(*arguments: object) -> Iterator[list[str]]:
        yield ["h2e2"]
        raise OSError("the disk is gone")

    with monkeypatch.context() as context:
        context.setattr(rate_skill_levels, "random_openings", broken_off)
        assert "the disk is gone" in run("--games", "8")
    assert not played and not list(tmp_path.iterdir())
    run("--games", "8")
    made = path.read_text().splitlines()
    assert played == [(0, 19)] and made[0] == "# Openings of skill_ladder.py: xiangqi, seed 1" and len(made) == 5
    run("--games", "20")
    assert played == [(0, 19)] and path.read_text().splitlines() == made
    assert "has openings of xiangqi, seed 1, not of xiangqi, seed 2" in run("--games", "8", "--seed", "2")
    assert not played and path.read_text().splitlines() == made
    path.write_text("h2e2 h9g7\n")
    assert f"{path}: is another kind of file, left as it is" in run("--games", "8")
    assert not played and path.read_text() == "h2e2 h9g7\n"
    assert "belongs to what is shipped" in run(out=BOOKS_FOLDER / "ladder")
    assert not (BOOKS_FOLDER / "ladder").exists()
