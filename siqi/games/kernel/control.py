"""The control block of a search: brings stop, deadline and node limit to running kernels, and node counts back.

It is one small int64 array, shared by the daemon's threads and all kernels of the search. Kernels get its address.
"""

from __future__ import annotations

import math
import time

import numpy as np

from siqi.games.kernel.intrinsics import HAS_CLOCK, clock_ns, load_atomic, store, store_atomic
from siqi.games.kernel.jit import inner, int64
from siqi.games.kernel.memory import address_of

STOP, DEADLINE, NODE_LIMIT, THREADS = 0, 1, 2, 3
"""Indices of words: stop flag, CLOCK_MONOTONIC deadline in ns (0: none), node limit (0: none), number of threads."""

NODES = 8
"""Index of the first node counter. Each thread has one, a cache line apart."""

MAX_THREADS = 64
POLL_INTERVAL = 128
"""Nodes between two polls: 1 ms where nodes are slowest (Connect6 8 us, Junqi 7 us per playout), and less than 0.3 % of
the time where they are fastest (Xiangqi 0.3 us). With 1024, Connect6 took 9 ms to stop."""

NEVER = 1 << 60
"""A node count for `poll_at` that no search reaches."""

STOPPED = -1
"""Returned by `poll` once the search has to stop."""


class Control:
    """The block as Python sees it. Any thread may call any method at any time."""

    def __init__(self, node_limit: int = 0) -> None:
        """Make a block for one thread. `node_limit` counts the nodes of all threads together; 0: no limit."""
        self._words = np.zeros(NODES + 8 * MAX_THREADS, np.int64)
        self._words[NODE_LIMIT] = node_limit
        self._words[THREADS] = 1
        self.address = address_of(self._words)

    @property
    def stopped(self) -> bool:
        """True once `stop` was called, or a poll found the deadline passed or the node limit reached."""
        return bool(self._words[STOP])

    def stop(self) -> None:
        """Make every kernel of the search stop at its next poll."""
        self._words[STOP] = 1

    def check(self) -> bool:
        """Poll the clock and the node limit from Python; return `stopped`."""
        deadline = int(self._words[DEADLINE])
        is_late = deadline and HAS_CLOCK and time.clock_gettime_ns(time.CLOCK_MONOTONIC) >= deadline
        if is_late or 0 < self.node_limit <= self.nodes:
            self.stop()
        return self.stopped

    def time_from(self, ns: int) -> float:
        """Return the nanoseconds from a CLOCK_MONOTONIC time to the deadline, infinity without one."""
        deadline = int(self._words[DEADLINE])
        return deadline - ns if deadline else math.inf

    def set_deadline(self, ns: int) -> None:
        """Stop at this CLOCK_MONOTONIC time; 0 removes the deadline."""
        self._words[DEADLINE] = ns

    def set_threads(self, threads: int) -> None:
        """Set the number of threads, 1..MAX_THREADS, whose node counters the node limit sums."""
        self._words[THREADS] = threads

    @property
    def node_limit(self) -> int:
        """The limit on the nodes of all threads, 0: none."""
        return int(self._words[NODE_LIMIT])

    def report(self, thread: int, nodes: int) -> None:
        """Update a thread's node counter between its polls."""
        self._words[NODES + 8 * thread] = nodes

    @property
    def nodes(self) -> int:
        """The nodes of all threads, each as of its last poll."""
        return int(self._words[NODES::8].sum())


@inner(int64(int64, int64, int64))
def poll(control: int, thread: int, nodes: int) -> int:
    """Report a thread's `nodes`; return STOPPED, or the node count at which to poll again.

    A deadline passed or a node limit reached sets the stop flag, so that the other threads stop too.
    """
    store(control + 8 * (NODES + 8 * thread), nodes)
    if load_atomic(control + 8 * STOP) != 0:
        return STOPPED
    deadline = load_atomic(control + 8 * DEADLINE)
    if deadline != 0 and clock_ns() >= deadline:
        store_atomic(control + 8 * STOP, 1)
        return STOPPED
    limit = load_atomic(control + 8 * NODE_LIMIT)
    if limit == 0:
        return nodes + POLL_INTERVAL
    left = limit
    for other in range(load_atomic(control + 8 * THREADS)):
        left -= load_atomic(control + 8 * (NODES + 8 * other))
    if left <= 0:
        store_atomic(control + 8 * STOP, 1)
        return STOPPED
    return nodes + min(left, POLL_INTERVAL)
