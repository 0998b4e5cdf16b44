"""The threads of a search: helpers, work in parallel, and the preparation of their working memories."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from siqi.games.kernel.control import NEVER, Control
from siqi.games.kernel.jit import Record

HELPER = "search helper"
"""The name of each helper's thread."""

ALONE_NODES = 1000
"""Nodes after which helpers start: a shorter search ends before they are of use."""


def assign(works: Sequence[Record], control: Control) -> None:
    """Give each thread's working memory its control block, and set its counters to 0.

    Nothing stops the threads until `allow_stop`: every answer comes from a search, however little time there is.
    """
    control.set_threads(len(works))
    for thread, work in enumerate(works):
        work.control, work.thread = control.address, thread
        work.nodes = work.stopped = 0
        work.poll_at = NEVER


def allow_stop(works: Sequence[Record], control: Control) -> None:
    """Let the threads poll the control block from now on: the first iteration has found a best line.

    A stop that came meanwhile makes it the last one.
    """
    is_stopped = control.check()
    for work in works:
        work.poll_at, work.stopped = 0, work.stopped or is_stopped


def run_parallel(work: Callable[[int], None], threads: int) -> None:
    """Run work(0) in this thread and work(1..threads-1) in new ones; return when all are done."""
    others = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(1, threads)]
    for other in others:
        other.start()
    work(0)
    for other in others:
        other.join()


class Helpers:
    """Threads 1..threads-1 of a search, each of which runs `work(thread)` until the control is stopped."""

    def __init__(self, control: Control, threads: int, work: Callable[[int], None]) -> None:
        self._control = control
        self._threads = [threading.Thread(target=work, args=(i,), name=HELPER, daemon=True) for i in range(1, threads)]
        self._are_running = False

    def start_after(self, nodes: int) -> None:
        """Start the threads, unless they run or thread 0 has searched fewer than ALONE_NODES `nodes`."""
        if nodes >= ALONE_NODES and not self._are_running:
            self._are_running = True
            for thread in self._threads:
                thread.start()

    def join(self) -> None:
        """Stop the search and wait for the threads, if they run. They cannot be started again."""
        if self._threads and self._are_running:
            self._control.stop()
            for thread in self._threads:
                thread.join()
        self._threads = []
