"""The modes of the page, and the one that is active."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from siqi.daemon.board.mode import Mode
from siqi.system.files import replace_file

NAME = ".mode"


class Modes:
    """One mode is active; the next server over the same folder begins with it."""

    def __init__(self, modes: Sequence[Mode], folder: Path) -> None:
        """`modes`: the default first."""
        self._modes = {mode.name: mode for mode in modes}
        self._path = folder / NAME
        self.active = modes[0]
        with contextlib.suppress(OSError, ValueError):
            self.active = self._modes.get(self._path.read_text(encoding="utf-8"), self.active)

    @property
    def names(self) -> list[str]:
        return list(self._modes)

    @property
    def every(self) -> list[Mode]:
        return list(self._modes.values())

    def switch(self, name: str) -> None:
        """Make another mode active; KeyError if there is none of this name."""
        mode = self._modes[name]
        self.active.left()
        self.active = mode
        with contextlib.suppress(OSError):  # without it the next server begins with another mode, no more
            replace_file(self._path, [name.encode()], lambda head: head.decode("utf-8", "replace") in self._modes)
