"""The clock of the side to move: what it has used since that was last stored."""

from __future__ import annotations

from collections.abc import Callable

from siqi.daemon.board.entries import Used

TICK_MS = 5000
"""A clock that runs is stored this often: a killed server loses no more of it."""


class Stopwatch:
    """Runs or stands; `now`: milliseconds that only rise."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: float | None = None  # the time from which the side to move is charged
        self._stored = 0.0

    @property
    def is_running(self) -> bool:
        return self._since is not None

    @property
    def is_due(self) -> bool:
        """True if what has been used is to be stored."""
        return self._now() - self._stored >= TICK_MS

    def run(self, runs: bool) -> None:
        """Begin to run unless it does already, or stop."""
        if not runs:
            self._since = None
        elif self._since is None:
            self._since = self._stored = self._now()

    def stored(self, fact: object) -> None:
        """Begin anew if it runs and a fact that has been stored says what was used."""
        if not hasattr(fact, "used"):
            return
        self._stored = self._now()
        self._since = self._stored if self._since is not None else None

    def used(self, stored: Used, side: int) -> Used:
        """Return what both sides have used, in milliseconds; `stored`: as it was stored, `side`: to move."""
        first, second = stored
        if self._since is None:
            return stored
        more = max(round(self._now() - self._since), 0)
        return (first + more, second) if side == 0 else (first, second + more)
