"""Whole games of the daemon against itself under short limits: no time lost, no illegal move, an end by the rules."""

from __future__ import annotations

import contextlib
import shlex
import sys

import pytest

from scripts.lib.engine import EngineSpec, Limits
from scripts.play import match

from games import registry

COMMAND = shlex.join([sys.executable, "-m", "daemon"])
MARGIN_MS = 1000
"""A busy machine may halt a process for tenths of a second; without a margin, see RESULTS.md."""


@pytest.mark.parametrize(
    "limits", [Limits(clock_ms=1000, increment_ms=10), Limits(movetime_ms=100)], ids=["clock", "movetime"]
)
@pytest.mark.parametrize("name", registry.NAMES)
def test_no_time_is_lost(name: str, limits: Limits) -> None:
    engines = (EngineSpec("A", COMMAND, limits=limits), EngineSpec("B", COMMAND, limits=limits))
    settings = match.Settings(name, engines, games=2, margin_ms=MARGIN_MS)
    with contextlib.closing(
        match.play_games(match.Match(settings, registry.load(name), [match.Opening()]), [])
    ) as games:
        record = next(games)
    assert record.cause == "rules", record.reason
