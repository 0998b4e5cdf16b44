"""Work that the session has on a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class JobDone:
    """Posted by a job's thread as its last act."""


class Job:
    """Long work on a thread of its own. `stop` asks it to end soon; loading cannot be stopped."""

    def __init__(self, stop: Callable[[], None] | None = None) -> None:
        self._stop = stop
        self._stopping = False
        self.is_compiling = False  # a load that has not found all kernels in the cache
        self.thinker: Any = None
        self.line: Any = None  # the game that the thinker plays
        self.searched: Any = None  # the session's position that the thinker has a copy of, and its ply then

    @property
    def is_load(self) -> bool:
        return self._stop is None

    @property
    def is_pingable(self) -> bool:
        """Whether `isready` is answered beside it; told to stop, or its best move out, it is done first."""
        is_answering = self.thinker is not None and self.thinker.is_answering
        return not (self.is_load or self._stopping or is_answering)

    def stop(self) -> None:
        if self._stop is not None:
            self._stopping = True
            self._stop()
