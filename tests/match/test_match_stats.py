"""The statistics of matches against published values and those worked out by hand, and the symmetries they must have.

Published: the tests of fastchess (app/tests/elo_test.cpp, sprt_test.cpp), what it printed in a question on
chess.stackexchange.com (45881), and a page of raw statistics of fishtest's code (montytest, 69d3c8dc7c5b3724e29d2712).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_command import match

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.match import statistics
from siqi.daemon.match.command import FILE_FAILED, MISUSED
from siqi.daemon.match.match_log import MatchRecord, MatchSettings
from siqi.daemon.match.ratings import fit_elo
from siqi.daemon.match.sequential import Sprt
from siqi.daemon.match.statistics import LOGISTIC, MODELS, NORMALIZED
from siqi.daemon.match.stats import turned
from siqi.daemon.match.tally import Tally, latency, strength

pair_counts = st.lists(st.integers(0, 500), min_size=5, max_size=5).filter(any)
elo_bounds = st.tuples(st.floats(-50, 49), st.floats(0.5, 30)).map(lambda pair: (pair[0], sum(pair)))


def test_estimate_by_hand() -> None:
    # 20 pairs: mean (2 * 0 + 4 * 0.25 + 8 * 0.5 + 4 * 0.75 + 2 * 1) / 20 = 1/2,
    # variance (4 * 1/4 + 8 * 1/16) / 20 = 0.075, standard error sqrt(0.075 / 20)
    result = statistics.estimate([2, 4, 8, 4, 2])
    assert result.score == 0.5
    assert result.bar == pytest.approx(1.959964 * 0.0612372, rel=1e-5)
    # Wilson's: as many games as have the standard error sqrt(1/4 / n) = sqrt(0.075 / 20), n = 200/3
    z2 = 1.959964**2
    half = (1.959964 * math.sqrt(0.25 / (200 / 3) + z2 / 4 / (200 / 3) ** 2)) / (1 + z2 / (200 / 3))
    assert (result.low, result.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


def test_the_interval_of_single_games_is_wilson_s() -> None:
    # Newcombe 1998, table I: 81 of 263 by the score method: 0.2553 to 0.3662; 15 of 148: 0.0624 to 0.1605
    for won, games, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)):
        result = statistics.estimate([games - won, 0, won])
        assert (result.low, result.high) == pytest.approx((low, high), abs=5e-5)


@given(pair_counts)
def test_the_interval_stays_within_0_and_1(pairs: list[int]) -> None:
    result = statistics.estimate(pairs)
    assert 0 <= result.low < result.score + 1e-12 and result.score - 1e-12 < result.high <= 1
    if result.score not in (0, 1):
        assert result.low > 0 and result.high < 1


def test_estimate_of_pairs_all_alike_is_no_certainty() -> None:
    # 0.95^50 = 0.0769: after 50 pairs alike something else may still happen once in 17 pairs
    result = statistics.estimate([0, 0, 0, 0, 50])
    assert result.score == 1
    assert (1 - result.bar) ** 50 == pytest.approx(0.05)
    assert statistics.estimate([0, 0, 50, 0, 0]).bar == pytest.approx(result.bar / 2)


def test_estimate_needs_a_pair() -> None:
    with pytest.raises(ValueError, match="pair"):
        statistics.estimate([0] * 5)


@given(pair_counts)
def test_estimate_is_symmetric_and_bounded(pairs: list[int]) -> None:
    ours, theirs = statistics.estimate(pairs), statistics.estimate(pairs[::-1])
    assert ours.score == pytest.approx(1 - theirs.score)
    assert ours.bar == pytest.approx(theirs.bar)
    assert 0 <= ours.low <= ours.score <= ours.high <= 1
    assert ours.bar > 0


@pytest.mark.parametrize(
    ("score", "elo"), [(0.5, 0), (10 / 11, 400), (0.75, 190.848502), (0, -math.inf), (1, math.inf)]
)
def test_elo(score: float, elo: float) -> None:
    assert statistics.elo(score) == pytest.approx(elo)


@given(st.floats(-1000, 1000))
def test_expected_score_inverts_elo(difference: float) -> None:
    assert statistics.elo(statistics.expected_score(difference)) == pytest.approx(difference, abs=1e-6)


def test_likelihood_of_superiority() -> None:
    assert statistics.likelihood_of_superiority(statistics.Estimate(0.5, 0.1)) == 0.5
    # the whole bar above one half: Phi(1.96)
    assert statistics.likelihood_of_superiority(statistics.Estimate(0.6, 0.1)) == pytest.approx(0.975)
    assert statistics.likelihood_of_superiority(statistics.Estimate(0.4, 0.1)) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("pairs", "elo", "elo_bar", "nelo", "nelo_bar", "los"),
    [
        ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 28.28, "100.00%"),
        ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, 10.96, "5.05%"),
        ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, -19.01, 2.65, "0.00%"),
        ([4, 3, 34, 42, 117], 277.00, 40.90, 345.17, 34.05, "100.00%"),
    ],
)
def test_published_strength(
    pairs: list[int], elo: float, elo_bar: float, nelo: float, nelo_bar: float, los: str
) -> None:
    printed = strength(pairs)
    assert printed.startswith(f"Elo {elo:+.2f} +- {elo_bar:.2f}  nElo {nelo:+.2f} +- {nelo_bar:.2f}  LOS {los}  draw")


def test_published_ratios() -> None:
    assert "draw ratio 17.00%  pair ratio 22.71" in strength([4, 3, 34, 42, 117])
    assert f"{statistics.normalized_elo([13, 37, 50, 25, 3]).mean:.2f}" == "-63.97"
    assert f"{statistics.draw_ratio([13, 37, 50, 25, 3]):.5f}" == "0.39062"


def test_strength_of_pairs_all_alike() -> None:
    assert strength([0, 0, 0, 0, 3]).startswith("Elo -  nElo -  LOS")
    assert "pair ratio -\n" in strength([0, 0, 0, 0, 3])
    assert strength([0, 0, 5, 0, 0]).startswith("Elo +0.00 +- 168.72  nElo -  LOS 50.00%")
    assert "pair ratio -\n" in strength([0, 0, 5, 0, 0])
    assert strength([1, 0, 0, 0, 1]).startswith("Elo -  nElo +0.00 +- 340.48  LOS 50.00%")


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "model", "llr"),
    [
        ([365, 16618, 36229, 16974, 390], 0, 2, NORMALIZED, "2.25"),
        ([127, 4883, 10712, 5150, 104], -1.75, 0.25, NORMALIZED, "3.01"),
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, LOGISTIC, "-3.07"),
        ([871, 26175, 55983, 26678, 821], 0, 2, LOGISTIC, "-4.98"),
        ([13, 37, 50, 25, 3], 0, 4, NORMALIZED, "-0.54912"),
        ([13, 37, 50, 25, 3], 0, 2.71575, LOGISTIC, "-0.53772"),  # the page rounds to 2.716
        ([111, 17977, 55561, 18578, 105], 0.5, 2.5, NORMALIZED, "2.94"),  # stockfishchess.org, "Passed LTC"
    ],
)
def test_published_llr(pairs: list[int], elo0: float, elo1: float, model: str, llr: str) -> None:
    digits = len(llr.partition(".")[2])
    assert f"{Sprt(elo0, elo1, model).llr(pairs):.{digits}f}" == llr


def test_sprt_bounds() -> None:
    assert Sprt(0, 5).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 5, alpha=0.1, beta=0.2).bounds == pytest.approx((math.log(2 / 9), math.log(8)))
    assert [Sprt(0, 5).verdict(llr) for llr in (-2.95, -2.94, 2.94, 2.95)] == ["H0", "", "", "H1"]


@pytest.mark.parametrize(
    "test", [Sprt(5, 5), Sprt(0, 201), Sprt(-1001, 0, LOGISTIC), Sprt(0, math.nan), Sprt(0, 5, alpha=0.5)]
)
def test_tests_that_there_are_not(test: Sprt) -> None:
    assert test.fault() and not Sprt(0, 5).fault()


def test_llr_of_two_kinds_of_pairs_is_binomial() -> None:
    # With pairs of only 0 and 2 points, the constrained fit is the binomial itself; the tiny counts
    # that stand for zero shift it by less than their size.
    s0, s1 = statistics.expected_score(0), statistics.expected_score(20)
    expected = 60 * math.log(s1 / s0) + 40 * math.log((1 - s1) / (1 - s0))
    assert Sprt(0, 20, LOGISTIC).llr([40, 0, 0, 0, 60]) == pytest.approx(expected, rel=1e-3)
    # of these, t = (2 s - 1) / sqrt(4 s (1 - s)), hence s = (1 + t / sqrt(1 + t^2)) / 2
    t = 20 * math.sqrt(2) * math.log(10) / 800
    s1 = (1 + t / math.sqrt(1 + t * t)) / 2
    expected = 60 * math.log(2 * s1) + 40 * math.log(2 * (1 - s1))
    assert Sprt(0, 20).llr([40, 0, 0, 0, 60]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "llr"),
    [  # from an independent 40-digit computation that checks sum and mean of each fit
        ([10, 30, 60, 40, 12], 0, 5, 0.32583603687425),
        ([3, 10, 20, 17, 10], 0, 5, 0.44334459176663),
        ([0, 0, 4, 6, 10], -5, 5, 0.57562157899006),
        ([100, 2000, 5000, 2100, 90], 0, 2, 0.58357465785963),
        ([0, 0, 0, 0, 50], 0, 10, 1.41846390538297),
    ],
)
def test_llr_reference_values(pairs: list[int], elo0: float, elo1: float, llr: float) -> None:
    assert Sprt(elo0, elo1, LOGISTIC).llr(pairs) == pytest.approx(llr, rel=1e-9)


def test_llr_near_its_normal_approximation() -> None:
    # n (s1 - s0) (2 m - s0 - s1) / (2 var), good for many pairs and close hypotheses
    pairs = [100, 2000, 5000, 2300, 120]
    result = statistics.estimate(pairs)
    variance = (result.bar / statistics.Z) ** 2 * sum(pairs)
    s0, s1 = statistics.expected_score(0), statistics.expected_score(2)
    approximation = sum(pairs) * (s1 - s0) * (2 * result.score - s0 - s1) / (2 * variance)
    assert Sprt(0, 2, LOGISTIC).llr(pairs) == pytest.approx(approximation, rel=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_llr_without_pairs(model: str) -> None:
    assert Sprt(0, 5, model).llr([0] * 5) == 0


@pytest.mark.parametrize("model", MODELS)
@given(pairs=pair_counts, bounds=elo_bounds)
def test_llr_changes_sign_with_the_sides(model: str, pairs: list[int], bounds: tuple[float, float]) -> None:
    elo0, elo1 = bounds
    mirrored = Sprt(-elo1, -elo0, model).llr(pairs[::-1])
    assert mirrored == pytest.approx(-Sprt(elo0, elo1, model).llr(pairs), abs=1e-4 if model == NORMALIZED else 1e-7)


@pytest.mark.parametrize("model", MODELS)
@given(pairs=pair_counts, bounds=elo_bounds)
def test_llr_adds_up_over_hypotheses(model: str, pairs: list[int], bounds: tuple[float, float]) -> None:
    elo0, elo1 = bounds
    middle = (elo0 + elo1) / 2
    halves = Sprt(elo0, middle, model).llr(pairs) + Sprt(middle, elo1, model).llr(pairs)
    assert Sprt(elo0, elo1, model).llr(pairs) == pytest.approx(halves, abs=1e-4 if model == NORMALIZED else 1e-7)


def test_many_tests_at_once_are_those_one_by_one() -> None:
    counts = [[3, 10, 20, 17, 10], [0, 0, 0, 0, 50], [111, 17977, 55561, 18578, 105]]
    for model in MODELS:
        test = Sprt(-5, 10, model)
        assert list(test.llrs(np.array(counts, float))) == pytest.approx([test.llr(each) for each in counts], abs=1e-4)


def test_expected_pairs() -> None:
    # fishtest's rule of thumb: 25,600 games for [0, 5] at alpha = beta = 5 %, if one of the hypotheses is true
    assert 2 * Sprt(0, 5).expected_pairs()[0] == pytest.approx(25_591, abs=1)
    assert 2 * Sprt(0, 20).expected_pairs()[1] == pytest.approx(2616, abs=1)


def test_ratings_of_two_are_their_match() -> None:
    pairs = [34, 54, 63, 64, 75]
    (a, b), covariance = fit_elo(np.array([[1.0, -1.0]]), [pairs])
    elo = statistics.elo(statistics.estimate(pairs).score)
    assert a - b == pytest.approx(elo, abs=1e-3) and a + b == pytest.approx(0, abs=1e-9)
    deviation = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert statistics.Z * deviation == pytest.approx(statistics.elo_of(statistics.estimate(pairs)).bar, rel=0.01)


def test_ratings_of_three_agree_with_all_matches_at_once() -> None:
    # a beats b by 100 Elo and b beats c by 50: then a beats c by 150, and the fit is exact
    rows = np.array([[1.0, -1, 0], [0, 1, -1], [1, 0, -1]])
    shares = [statistics.expected_score(elo) for elo in (100, 50, 150)]
    values, _ = fit_elo(rows, [[round(1e6 * (1 - share)), 0, 0, 0, round(1e6 * share)] for share in shares])
    assert list(values - values[0]) == pytest.approx([0, -100, -150], abs=1e-2)


# ---------------------------------------------------------------- results in words

SPECS = (EngineSpec("A", "a"), EngineSpec("B", "b"))


def tally_of(*games: tuple[int | None, str], **settings: object) -> Tally:
    """Return a tally of games by winner and cause, B on the first side in every other one."""
    tally = Tally(MatchSettings("ewn", SPECS, **settings))  # type: ignore[arg-type]
    for game, (winner, cause) in enumerate(games):
        players = ("A", "B") if game % 2 == 0 else ("B", "A")
        moves = [str(game)]
        tally.add(MatchRecord(game, game // 2, game % 2, players, "", [], moves, 1, winner, cause, "", (1, 1)))
    return tally


def test_who_is_better() -> None:
    won, lost = (0, "rules"), (1, "rules")
    assert "A is better: A scores 100%" in tally_of(*[won] * 12).report()
    assert "B is better: A scores 0%, with 95 % confidence 0% to 39%" in tally_of(*[lost] * 12).report()
    assert "neither is shown to be better: A scores 50%" in tally_of(*[won, lost] * 6).report()


def test_illegal_moves_show_no_strength() -> None:
    report = tally_of(*[(0, "illegal")] * 20, sprt=(0, 10)).report()
    assert "no Elo: B lost every game by an illegal move" in report
    assert "Elo +" not in report and "LOS" not in report and "H1" not in report and "better" not in report
    assert "no Elo" not in tally_of(*[(0, "illegal")] * 19, (0, "rules")).report()


def test_losses_on_time_are_named() -> None:
    rules = [(0, "rules"), (1, "rules")] * 49
    assert "lost on time:" not in tally_of(*rules, (0, "time"), (1, "time")).report()
    assert "lost on time: 3.0% of the games" in tally_of(*rules[1:], *[(0, "time")] * 3).report()


def test_the_latency_of_each_engine_is_named() -> None:
    tally = tally_of((0, "rules"), (1, "rules"))
    assert "above its limit" not in tally.report()
    for ms in range(1, 101):
        tally.over_ms[1].append(float(ms))
    assert "\nB: time of a move above its limit: 99 % up to +99.0 ms, worst +100.0 ms" in tally.report()
    assert "A: time" not in tally.report()
    assert latency([-3.5]) == (-3.5, -3.5)


def test_old_logs_are_logistic() -> None:
    assert MatchSettings("ewn", SPECS, sprt=(0, 5)).test == Sprt(0, 5, LOGISTIC)
    assert MatchSettings("ewn", SPECS).test is None


# ---------------------------------------------------------------- commands


def test_the_sprt_of_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert match("sprt", "127,4883,10712,5150,104", "--bounds=-1.75,0.25") == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "SPRT normalized [-1.75, 0.25] LLR 3.01 (-2.94, 2.94) H1: decided for Elo 0.25, against -1.75"
    assert printed[1].startswith("Elo +1.83 +- 1.70  nElo +3.58 +- 3.32  LOS 98.26%")
    assert printed[3].startswith("LOS: the chance that the first engine is stronger; nElo: Elo, whatever the share of")
    assert printed[-1] == "such a test takes on average 159,942 games if H0 or H1 is right, 261,634 midway"
    assert match("sprt", "1,0,0,0,1", "--model", "logistic") == 0
    assert capsys.readouterr().out.startswith("SPRT logistic [0, 5] LLR 0.00 (")  # not -0.00
    assert match("sprt", "0,0,0,0,0", "--model", "logistic") == 0
    assert capsys.readouterr().out == "SPRT logistic [0, 5] LLR 0.00 (-2.94, 2.94): not decided, play on\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("1,2,3",), "five numbers of pairs"),
        (("1,2,3,4,x",), "five numbers of pairs"),
        (("1,2,3,4,5", "--bounds", "5"), "two numbers"),
        (("1,2,3,4,5", "--bounds", "5,0"), "ELO0 must be below ELO1"),
        (("1,2,3,4,5", "--beta", "0.9"), "alpha and beta"),
    ],
)
def test_counts_that_make_no_test(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str) -> None:
    assert match("sprt", *words) == MISUSED
    assert complaint in capsys.readouterr().err


def write_log(path: Path, played: Sequence[tuple[int | None, str]], names: str = "AB", **settings: object) -> Path:
    """Write a log of games by winner and cause."""
    specs = tuple(EngineSpec(name, name.lower()) for name in names)
    lines = [msgspec.json.encode(MatchSettings("ewn", specs, **settings))]  # type: ignore[arg-type]
    for game, (winner, cause) in enumerate(played):
        players = (names[0], names[1]) if game % 2 == 0 else (names[1], names[0])
        moves = [f"{path.stem}-{game}"]
        record = MatchRecord(game, game // 2, game % 2, players, "", [], moves, 9, winner, cause, "corner", (1, 1))
        lines.append(msgspec.json.encode(record))
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_stats_of_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games: list[tuple[int | None, str]] = [(0, "rules"), (1, "rules"), (0, "rules"), (0, "time"), (None, "adjudicated")]
    assert match("stats", write_log(tmp_path / "m.jsonl", games)) == 0
    printed = capsys.readouterr().out
    assert "ewn: A against B, 5 games\nW-D-L 3-1-1" in printed
    assert "pairs with 0, 1/2, 1, 3/2, 2 points: 0, 0, 1, 0, 1\n" in printed
    assert "A on the first side: W-D-L 2-1-0" in printed and "A on the second side: W-D-L 1-0-1" in printed
    assert "the first side: W-D-L 3-1-1" in printed
    assert "ends: corner 3, time 1, corner 1" in printed and "plies: 9 on average, 9 to 9" in printed


def test_logs_of_the_same_conditions_are_counted_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_log(tmp_path / "one.jsonl", [(0, "rules")] * 4)
    two = write_log(tmp_path / "two.jsonl", [(0, "rules"), (1, "rules")], names="BA", seed=2, games=6, concurrency=2)
    assert match("stats", one, two) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{one}, {two}\newn: A against B, 6 games\nW-D-L 5-0-1")
    assert "pairs with 0, 1/2, 1, 3/2, 2 points: 0, 0, 1, 0, 2\n" in printed  # a pair of each log has the number 0
    assert "A on the first side: W-D-L 3-0-0" in printed and "A on the second side: W-D-L 2-0-1" in printed


def test_what_belongs_to_engines_is_turned_with_them() -> None:
    spread = {"over_ms": ([1.0], [2.0]), "versions": ("a 1", "b 2"), "start_ms": (3, 4)}
    record = MatchRecord(0, 0, 1, ("B", "A"), "", [], [], 0, 0, "rules", "", (5, 6), **spread)  # type: ignore[arg-type]
    other = turned(record)
    assert other.names == ("B", "A") and other.winner == 1 and other.time_ms == (6, 5)
    assert (other.over_ms, other.versions, other.start_ms) == (([2.0], [1.0]), ("b 2", "a 1"), (4, 3))
    assert turned(other) == record


def test_logs_of_other_conditions_stay_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_log(tmp_path / "one.jsonl", [(0, "rules")] * 4)
    two = write_log(tmp_path / "two.jsonl", [(1, "rules")] * 2, max_plies=300)
    assert match("stats", one, two) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    assert "A against B, 4 games" in first and "A against B, 2 games" in second
    assert f"counted apart from {one}: max_plies was 0, now 300" in second


def test_logs_make_a_table_of_all_engines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    won, lost = (0, "rules"), (1, "rules")
    one = write_log(tmp_path / "one.jsonl", [won, won, lost, won])
    two = write_log(tmp_path / "two.jsonl", [won, lost, won, won], names="BC")
    assert match("stats", one, two) == 0
    printed = capsys.readouterr().out
    assert "ewn: matches of 3 engines, 8 games" in printed
    assert re.search(r"1 A +\+191 .* - +3/4 +-\n 2 B +[+-]0 .* 1/4 +- +3/4\n 3 C +-191 .* 1/4 +-\n", printed)
    assert "A against B, 4 games\n" in printed and "B against C, 4 games\n" in printed


def test_stats_of_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("notes\n")
    (tmp_path / "empty").write_text("")
    for name, complaint in (
        ("none", "No such file"),
        ("notes", "damaged at byte 0"),
        ("empty", "has no game yet"),
    ):
        assert match("stats", tmp_path / name) == FILE_FAILED
        assert complaint in capsys.readouterr().err
