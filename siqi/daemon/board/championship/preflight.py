"""The checks before a contest: what may fail in the middle of a game is tried before it."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.championship.events import Check

LEAST_BYTES = 50 << 20
"""Of free space: a contest needs less than one MiB, the system some more."""

JUMP_MS = 500
"""A clock of the system that differs by more from the time that passed has been set meanwhile."""

EARLIEST = "2026"
"""The year of this program: no clock that is right shows an earlier one."""


def disk(folder: Path) -> Check:
    """Try to write a file to the disk."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"ready\n")
            file.flush()
            os.fsync(file.fileno())
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Check("disk", False, error.strerror or str(error))
    return Check("disk", free >= LEAST_BYTES, f"{free >> 20} MiB")


def clock(now: str, last_day: str, drift_ms: float) -> Check:
    """Compare the date with the youngest folder, and the system's clock with the time that has passed."""
    is_good = now[:4] >= EARLIEST and now[:10] >= last_day and abs(drift_ms) <= JUMP_MS
    return Check("clock", is_good, now.replace("T", " "))


class Preflight:
    """The checks for one game, from `begin` to `leave`."""

    def __init__(self, store: Days, clock: Callable[[], float]) -> None:
        """`clock`: milliseconds that only rise."""
        self._store = store
        self._drift = Drift(clock)
        self.game = ""
        self.checks: list[Check] = []

    def begin(self, game: str, now: str) -> None:
        """Check what does not depend on the engine, which is to load the game; `now`: the time of the day."""
        self.game = game
        self._drift.reset()
        self._look(now)

    def leave(self) -> None:
        """Show no checks."""
        self.game, self.checks = "", []

    def loaded(self, game: str, now: str) -> bool:
        """Take that the engine has loaded a game; return True if it is the one that is checked."""
        if self.game == game:
            self._look(now)
            self.checks[0] = Check("engine", True, game)
        return self.game == game

    def failed(self, reason: str) -> bool:
        """Take that the engine has failed; return True if its game is checked."""
        if self.game:
            self.checks[0] = Check("engine", False, reason)
        return bool(self.game)

    @property
    def waits_for_engine(self) -> bool:
        """True if the engine is to load the game."""
        return any(check.name == "engine" and check.is_good is None for check in self.checks)

    def _look(self, now: str) -> None:
        self.checks = [
            Check("engine", None),
            disk(self._store.root),
            clock(now, self._store.last_day, self._drift.ms),
            Check("folder", True, str(self._store.root / now[:10])),
        ]


class Drift:
    """The difference between the system's clock and the time that has passed since this was made."""

    def __init__(self, clock: Callable[[], float], wall: Callable[[], float] = time.time) -> None:
        self._clock, self._wall = clock, wall
        self.reset()

    def reset(self) -> None:
        self._difference = self._wall() * 1000 - self._clock()

    @property
    def ms(self) -> float:
        return self._wall() * 1000 - self._clock() - self._difference
