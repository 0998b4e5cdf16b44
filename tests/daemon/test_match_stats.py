"""The match runner's statistics against values worked out by hand, and the symmetries they must have."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siqi.daemon.match import statistics

pair_counts = st.lists(st.integers(0, 500), min_size=5, max_size=5).filter(any)
elo_bounds = st.tuples(st.floats(-50, 49), st.floats(0.5, 30)).map(lambda pair: (pair[0], sum(pair)))


def test_estimate_by_hand() -> None:
    # 20 pairs: mean (2 * 0 + 4 * 0.25 + 8 * 0.5 + 4 * 0.75 + 2 * 1) / 20 = 1/2,
    # variance (4 * 1/4 + 8 * 1/16) / 20 = 0.075, standard error sqrt(0.075 / 20)
    result = statistics.estimate([2, 4, 8, 4, 2])
    assert result.score == 0.5
    assert result.bar == pytest.approx(1.959964 * 0.0612372, rel=1e-5)
    assert (result.low, result.high) == pytest.approx((0.379977, 0.620023), abs=1e-6)


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


def test_sprt_bounds() -> None:
    assert statistics.sprt_bounds() == pytest.approx((-math.log(19), math.log(19)))
    assert statistics.sprt_bounds(0.1, 0.2) == pytest.approx((math.log(2 / 9), math.log(8)))


def test_llr_of_two_kinds_of_pairs_is_binomial() -> None:
    # With pairs of only 0 and 2 points, the constrained fit is the binomial itself; the tiny counts
    # that stand for zero shift it by less than their size.
    s0, s1 = statistics.expected_score(0), statistics.expected_score(20)
    expected = 60 * math.log(s1 / s0) + 40 * math.log((1 - s1) / (1 - s0))
    assert statistics.llr([40, 0, 0, 0, 60], 0, 20) == pytest.approx(expected, rel=1e-3)


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
    assert statistics.llr(pairs, elo0, elo1) == pytest.approx(llr, rel=1e-9)


def test_llr_near_its_normal_approximation() -> None:
    # n (s1 - s0) (2 m - s0 - s1) / (2 var), good for many pairs and close hypotheses
    pairs = [100, 2000, 5000, 2300, 120]
    result = statistics.estimate(pairs)
    variance = (result.bar / statistics.Z) ** 2 * sum(pairs)
    s0, s1 = statistics.expected_score(0), statistics.expected_score(2)
    approximation = sum(pairs) * (s1 - s0) * (2 * result.score - s0 - s1) / (2 * variance)
    assert statistics.llr(pairs, 0, 2) == pytest.approx(approximation, rel=0.01)


def test_llr_without_pairs() -> None:
    assert statistics.llr([0] * 5, 0, 5) == 0


@given(pair_counts, elo_bounds)
def test_llr_changes_sign_with_the_sides(pairs: list[int], bounds: tuple[float, float]) -> None:
    elo0, elo1 = bounds
    assert statistics.llr(pairs[::-1], -elo1, -elo0) == pytest.approx(-statistics.llr(pairs, elo0, elo1), abs=1e-7)


@given(pair_counts, elo_bounds)
def test_llr_adds_up_over_hypotheses(pairs: list[int], bounds: tuple[float, float]) -> None:
    elo0, elo1 = bounds
    middle = (elo0 + elo1) / 2
    halves = statistics.llr(pairs, elo0, middle) + statistics.llr(pairs, middle, elo1)
    assert statistics.llr(pairs, elo0, elo1) == pytest.approx(halves, abs=1e-7)
