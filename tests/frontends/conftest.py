"""The time of front ends in tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the front ends' time in nanoseconds: lines are read at 1, and time passes only if a test sets it."""
    now = [1]
    monkeypatch.setattr("siqi.daemon.frontends.move_by_move.now_ns", lambda: now[0])
    return now
