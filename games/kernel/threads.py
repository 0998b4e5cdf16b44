"""Helper threads of a search that runs on more than one core."""

from __future__ import annotations

import threading
from collections.abc import Callable

from games.kernel.control import Control

ALONE_NODES = 1000
"""A shorter search ends before threads would have begun to help."""


class Helpers:
    """Threads 1..threads-1 of a search, each running `work(thread)` until the control block says stop."""

    def __init__(self, control: Control, threads: int, work: Callable[[int], None]) -> None:
        self._control = control
        self._threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(1, threads)]
        self._are_running = False

    def start_after(self, nodes: int) -> None:
        """Start the threads unless they run, or thread 0 has searched only a few nodes yet."""
        if nodes >= ALONE_NODES and not self._are_running:
            self._are_running = True
            for thread in self._threads:
                thread.start()

    def join(self) -> None:
        if self._threads and self._are_running:
            self._control.stop()
            for thread in self._threads:
                thread.join()
        self._threads = []
