"""The SPRT's simulation: a short one, and what the committed one shows."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from fixture_files import ROOT

from scripts.measure.simulate_sprt import KINDS, LEAST_PAIRS, MARGIN, nearly, shares_of, simulate

from siqi.daemon.match.sequential import Sprt
from siqi.daemon.match.statistics import normalized_elo

WIDE = Sprt(0, 150)
"""A test of some 14 pairs."""


@pytest.mark.parametrize("kind", KINDS)
def test_distributions_have_the_elo_that_is_asked_for(kind: str) -> None:
    pairs = [round(1e9 * share) for share in shares_of(kind, 20)]
    assert normalized_elo(pairs).mean == pytest.approx(20, abs=1e-3)


def test_a_short_simulation() -> None:
    rng = np.random.default_rng(1)
    for nelo in (0, 150):
        h1, lengths = simulate(WIDE, shares_of("usual", nelo), 100, rng)
        wrong = h1 if nelo == 0 else 1 - h1
        assert wrong < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)
        assert 1 < lengths.mean() / WIDE.expected_pairs()[0] < 1.6  # Wald's has no overshoot, which is much of so few


@pytest.mark.parametrize("kind", KINDS)
def test_the_approximation_skips_no_decision(kind: str) -> None:
    test, rng = Sprt(0, 20), np.random.default_rng(2)
    for pairs in (LEAST_PAIRS, 4 * LEAST_PAIRS):
        for nelo in (0, 20):
            counts = rng.multinomial(pairs, shares_of(kind, nelo), 200).astype(float)
            exact = test.llrs(counts)
            near = np.abs(np.abs(exact) - test.bounds[1]) < MARGIN
            assert np.abs(nearly(counts, test) - exact)[near].max(initial=0) < MARGIN / 2


def test_the_committed_simulation() -> None:
    """Errors are 5 %, and lengths are Wald's, within three standard errors and the overshoot."""
    lines = (ROOT / "scripts/results/sprt-simulation.jsonl").read_text().splitlines()
    for row in map(json.loads, lines):
        (elo0, elo1), nelo, runs = row["test"], row["nelo"], row["runs"]
        right = {elo0: 0.05, elo1: 0.95}.get(nelo, 0.5)
        assert abs(row["h1"] - right) < 3 * math.sqrt(right * (1 - right) / runs)
        assert row["games"] == pytest.approx(row["expected"], rel=0.05, abs=1.5 * row["bar"])
