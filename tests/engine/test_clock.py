"""Time management: properties of the pure functions over the whole range of clocks; no game is lost on time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from siqi.daemon.engine import clock
from siqi.daemon.engine.limits import Limits
from siqi.daemon.frontends.words import GoRequest, parse_go

clocks = st.floats(1, 10_000_000)


@settings(max_examples=500)
@given(
    clocks,
    st.floats(0, 60_000),
    st.integers(0, 100),
    st.integers(0, 500),
    st.integers(5, 150),
    st.floats(0, 5000),
    st.floats(1, 4),
)
def test_budget_fits_the_clock(
    left: float, increment: float, moves: int, played: int, expected: int, overhead: float, early_weight: float
) -> None:
    budget = clock.allot(left, increment, moves, played, expected, overhead, early_weight=early_weight)
    assert clock.MIN_BUDGET <= budget.soft <= budget.hard
    assert budget.hard + overhead < left or budget.hard == clock.MIN_BUDGET


@given(st.floats(1, 10_000_000), st.floats(0, 5000))
def test_movetime_is_never_overrun(movetime: float, overhead: float) -> None:
    budget = clock.fixed(movetime, overhead)
    assert budget.soft == budget.hard <= max(movetime, clock.MIN_BUDGET)


@pytest.mark.parametrize("minutes, expected", [(45, 50), (15, 22), (4, 12), (30, 100)])
def test_a_whole_game_on_one_clock(minutes: int, expected: int) -> None:
    """Moves that take their soft limits use most of the time in a game of usual length, but not all."""
    left = start = minutes * 60_000.0
    for turn in range(3 * expected):
        budget = clock.allot(left, 0, 0, turn, expected, 10)
        left -= budget.soft + 10
        assert left > 0
        if turn == expected - 1:
            assert 0.1 * start < left < 0.6 * start
    assert left > 0


@pytest.mark.parametrize(("expected", "length"), [(50, 240), (22, 90), (12, 50), (100, 240)])
@pytest.mark.parametrize("seconds", [1, 10])
def test_the_replies_of_a_long_game_are_kept_back(seconds: int, expected: int, length: int) -> None:
    """Without an increment each reply costs 2 ms more than its search; early moves still get more than later ones."""
    left, spent = 1000.0 * seconds, []
    for turn in range(length):
        spent.append(clock.allot(left, 0, 0, turn, expected, 10).soft)
        left -= spent[-1] + 2
        assert left > 0, turn
    assert spent[0] >= 5 and spent[0] > 4 * spent[-1]


@pytest.mark.parametrize("overrun_ms", [0, 5])
def test_always_using_the_hard_limit_never_loses(overrun_ms: float) -> None:
    left = 1000.0
    for turn in range(300):
        budget = clock.allot(left, 10, 0, turn, 50, 10)
        left -= budget.hard + overrun_ms
        assert left > 0
        left += 10


def test_the_first_third_may_get_more() -> None:
    left, spent = 900_000.0, []
    for turn in range(22):
        spent.append(clock.allot(left, 0, 0, turn, 22, 10, early_weight=2.0).soft)
        left -= spent[-1]
    assert spent[0] > 1.4 * clock.allot(900_000, 0, 0, 0, 22, 10).soft
    assert min(spent[:7]) > 1.5 * spent[8]
    assert left > 0


def test_more_time_gives_more_thought() -> None:
    hards = [clock.allot(left, 0, 0, 10, 50, 10).hard for left in (10, 100, 1000, 10_000, 100_000)]
    assert hards == sorted(hards)
    assert clock.allot(60_000, 0, 0, 0, 50, 10, pondering=True).soft > clock.allot(60_000, 0, 0, 0, 50, 10).soft


def test_scale() -> None:
    assert clock.scale(0, 0) > clock.scale(3, 0) > clock.scale(10, 0)
    assert clock.scale(3, 80) > clock.scale(3, 0) == clock.scale(3, -50)


def test_clock_belongs_to_the_side_that_moves() -> None:
    limits = Limits(wtime=60_000, btime=1000)
    first, second = limits.budget(0, 0, 50, 10), limits.budget(1, 0, 50, 10)
    assert first is not None and second is not None and first.hard > 5 * second.hard
    alone = Limits(wtime=60_000).budget(1, 0, 50, 10)
    assert alone == first
    assert Limits(depth=5).budget(0, 0, 50, 10) is None


@pytest.mark.parametrize("left", [900_000, 60_000, 5_000])
def test_movetime_caps_a_clock_and_does_not_stretch_it(left: int) -> None:
    """Both limits hold independently: with little time the clock's plan stays, though its hard limit is larger."""
    clock_only = Limits(left, left).budget(0, 11, 22, 10)
    budget = Limits(left, left, movetime=10_000).budget(0, 11, 22, 10)
    assert clock_only is not None and budget is not None
    assert budget == (min(clock_only.soft, 9_990), min(clock_only.hard, 9_990))


def test_the_smaller_of_clock_and_movetime() -> None:
    budget = Limits(wtime=600_000, btime=600_000, movetime=100).budget(0, 0, 50, 10)
    assert budget == clock.Budget(90, 90)


def test_parse_go() -> None:
    words = ["depth", "5", "searchmoves", "a0a1", "b0c2", "nodes", "7", "fast"]
    assert parse_go(words) == GoRequest(Limits(depth=5, nodes=7), ("a0a1", "b0c2"), 0, ("fast",))
    assert parse_go(["infinite"]).limits.infinite and not parse_go(["infinite"]).limits.is_bounded
    assert parse_go(["perft", "3"]) == GoRequest(Limits(), (), 3, ())
    names = {"p1time": "wtime", "depth": "depth"}
    assert parse_go(["P1TIME", "5", "depth", "2", "wtime", "9"], names) == GoRequest(
        Limits(5, depth=2), (), 0, ("wtime", "9")
    )
    limits = parse_go(["wtime", "-5", "btime", "10"]).limits
    assert limits.wtime == -5 and limits.budget(0, 0, 50, 10) is not None


@pytest.mark.parametrize("words", ["depth", "depth x", "depth 0", "nodes -1", "movetime 1.5", "searchmoves", "mate 0"])
def test_parse_go_refuses(words: str) -> None:
    with pytest.raises(ValueError, match=r"^go "):
        parse_go(words.split())
