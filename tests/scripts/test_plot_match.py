"""Plots of matches: each point is the tally's standing, foreign files stay, refusals are one line."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import forked
import msgspec
import pytest

from scripts.match.plot_match import MAX_ELO, MAX_POINTS, draw, histories_of

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchRecord, MatchSettings
from siqi.daemon.match.tally import Tally

ROOT = Path(__file__).parents[2]
SPECS = tuple(EngineSpec(name, name) for name in ("old", "new", "odd"))
SPRT = (0.0, 10.0)


def records_of(settings: MatchSettings, games: int, seed: int = 1) -> list[MatchRecord]:
    """Return random games in an order in which some pairs overlap."""
    rng = random.Random(seed)
    records = []
    for game in range(games):
        pair, first = divmod(game, 2)
        winner = rng.choice((0, 0, 1, None))
        cause = "rules"
        names = ("old", "new")
        records.append(MatchRecord(game, pair, first, names, "", [], [str(game)], 1, winner, cause, "", (1, 1)))
    for start in range(0, games - 4, 4):
        records[start : start + 4] = rng.sample(records[start : start + 4], 4)
    return records


def test_each_point_is_the_tally_s_standing() -> None:
    settings = MatchSettings("ewn", SPECS[:2], games=60, sprt=SPRT)
    records = records_of(settings, 60)
    ((name, points),) = histories_of(settings, records)
    assert name == "old against new" and [point.pairs for point in points] == list(range(1, 31))
    tally = Tally(settings)
    for point in points:
        while sum(tally.pairs) < point.pairs:
            tally.add(records.pop(0))
        result = statistics.estimate(tally.pairs)
        assert point.llr == tally.sprt()[0]
        for shown, score in ((point.elo, result.score), (point.low, result.low), (point.high, result.high)):
            assert shown == min(max(statistics.elo(score), -MAX_ELO), MAX_ELO)


def test_long_matches_have_fewer_points_and_the_last() -> None:
    settings = MatchSettings("ewn", SPECS[:2])
    ((_, points),) = histories_of(settings, records_of(settings, 4 * MAX_POINTS + 6))
    pairs = [point.pairs for point in points]
    assert len(pairs) <= MAX_POINTS and pairs[-1] == 2 * MAX_POINTS + 3
    assert {after - before for before, after in pairwise(pairs)} == {3}


def test_a_tournament_has_a_course_for_each_pairing() -> None:
    settings = MatchSettings("ewn", SPECS, tournament="round-robin")
    histories = histories_of(settings, records_of(settings, 24))
    assert [name for name, _ in histories] == ["old against new", "old against odd", "new against odd"]
    assert [points[-1].pairs for _, points in histories] == [4, 4, 4]


@pytest.mark.parametrize("games", [2, 18, 400])
def test_all_of_a_plot_is_seen(games: int) -> None:
    """The bounds' names are within the plot, whatever the number of pairs; a single pair is a point with its bar."""
    figure_module = pytest.importorskip("matplotlib.figure")
    settings = MatchSettings("ewn", SPECS[:2], games=games, sprt=SPRT)
    figure = figure_module.Figure()
    draw(figure, settings, histories_of(settings, records_of(settings, games)))
    figure.draw_without_rendering()
    elo, llr = figure.axes
    assert [text.get_text()[:2] for text in llr.texts] == ["H0", "H1"]
    for text in llr.texts:
        box, frame = text.get_window_extent(), llr.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1 and frame.y0 <= box.y0 <= box.y1 <= frame.y1
    assert (elo.lines[0].get_marker() == ".") == (games < 60)
    assert len(elo.collections) == (2 if games == 2 else 1)


def plot(*words: str) -> tuple[int, str]:
    """Return the command's exit status and its errors."""
    done = forked.run(*words, program=ROOT / "scripts/match/plot_match.py")
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_command(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    settings = MatchSettings("ewn", SPECS[:2], games=40, sprt=SPRT)
    log, out = tmp_path / "match.jsonl", tmp_path / f"plot{suffix}"
    encode = msgspec.json.encode
    log.write_bytes(b"".join(encode(line) + b"\n" for line in (settings, *records_of(settings, 40))))
    for _ in range(2):  # a plot of ours is replaced
        assert plot(str(log), "--out", str(out)) == (0, "")
    assert out.read_bytes().startswith(b"<?xml" if suffix == ".svg" else b"\x89PNG")
    out.write_text("mine")
    status, errors = plot(str(log), "--out", str(out))
    assert status == 2 and "another kind of file" in errors and out.read_text() == "mine"
    out.unlink()
    log.write_bytes(encode(settings) + b"\n")
    status, errors = plot(str(log), "--out", str(out))
    assert status == 2 and errors.splitlines()[-1].endswith("has no complete pair of games")
    assert plot(str(log), "--out", str(tmp_path / "x.pdf"))[0] == 2 and not out.exists()
