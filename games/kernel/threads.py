"""Helper threads of a search that runs on more than one core."""

from __future__ import annotations

import threading
from collections.abc import Callable

from games.kernel.control import Control


class Helpers:
    """Threads 1..threads-1 of a search, each running `work(thread)` until the control block says stop."""

    def __init__(self, control: Control, threads: int, work: Callable[[int], None]) -> None:
        self._control = control
        self._threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(1, threads)]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        if self._threads:
            self._control.stop()
        for thread in self._threads:
            thread.join()
        self._threads = []
