"""Outcomes as data, as text, and as results of records."""

from __future__ import annotations

import pytest

from siqi.games.contract import RESULTS, SIDES, Outcome

OUTCOMES = {
    "win first six": (Outcome(0, "six"), "1-0", 1.0),
    "win second checkmate": (Outcome(1, "checkmate"), "0-1", 0.0),
    "draw full-board": (Outcome(None, "full-board"), "1/2-1/2", 0.5),
    "unknown headquarters-taken": (Outcome(None, "headquarters-taken", unknown=True), "*", None),
}


@pytest.mark.parametrize("text", OUTCOMES)
def test_outcomes_as_text_and_back(text: str) -> None:
    outcome, result, points = OUTCOMES[text]
    assert str(outcome) == text and Outcome.parse(text) == outcome
    assert (outcome.result, outcome.points) == (result, points)


@pytest.mark.parametrize(
    "text", ["", "none", "win", "win first", "win third six", "win  six", "draw", "lost first six"]
)
def test_texts_that_are_no_outcomes(text: str) -> None:
    with pytest.raises(ValueError, match=f"^not an outcome: {text}$"):
        Outcome.parse(text)


def test_sides_and_results_by_side() -> None:
    assert [f"win {side} x" for side in SIDES] == [str(Outcome(side, "x")) for side in range(2)]
    assert [RESULTS[winner] for winner in (0, 1, None)] == ["1-0", "0-1", "1/2-1/2"]
