"""Whole games of the daemon against itself under short limits: no time lost, no illegal move, an end by the rules."""

from __future__ import annotations

import contextlib
import shlex
import sys

import pytest

from siqi.daemon.clients.player import EngineSpec, PlayerLimits
from siqi.daemon.match import match_log, matches, schedule
from siqi.daemon.match.game_loop import BY_RULES
from siqi.games import registry

COMMAND = shlex.join([sys.executable, "-m", "siqi"])
MARGIN_MS = 1000
"""Grace beyond the time: a busy machine can halt a process for tenths of a second.

docs/history/daemon.md has games without it.
"""


LIMITS = {"clock": PlayerLimits(clock_ms=1000, increment_ms=10), "movetime": PlayerLimits(movetime_ms=100)}
UNMARKED = (("xiangqi", "clock"), ("ewn", "movetime"))
"""The games played by default; the others are marked `long`."""

CASES = [
    pytest.param(name, limits, marks=() if (name, kind) in UNMARKED else pytest.mark.long, id=f"{name}-{kind}")
    for name in registry.NAMES
    for kind, limits in LIMITS.items()
]


@pytest.mark.parametrize(("name", "limits"), CASES)
def test_no_time_is_lost(name: str, limits: PlayerLimits) -> None:
    engines = (EngineSpec("A", COMMAND, limits=limits), EngineSpec("B", COMMAND, limits=limits))
    settings = match_log.MatchSettings(name, engines, games=2, margin_ms=MARGIN_MS)
    match = matches.Match(settings, registry.load(name), [matches.Opening()], BY_RULES)
    with contextlib.closing(matches.play_games(match, schedule.missing(settings, []))) as games:
        record = next(games)
    assert record.cause == "rules", record.reason
