"""The control block: how stop, deadline and node limit reach running kernels, and node counts come back.

One small int64 array shared by the daemon's threads and all kernels of a search. Kernels see it as an address.
"""

from __future__ import annotations

import math
import time

import numpy as np

from games.kernel.intrinsics import HAS_CLOCK, clock_ns, load_atomic, store, store_atomic
from games.kernel.jit import inner, int64
from games.kernel.memory import address_of

STOP, DEADLINE, NODE_LIMIT, THREADS = 0, 1, 2, 3
"""Words: stop flag, CLOCK_MONOTONIC deadline in ns (0: none), node limit (0: none), number of threads."""

NODES = 8
"""First node counter; one a thread, a cache line apart."""

MAX_THREADS = 64
POLL_INTERVAL = 128
"""Nodes between two looks at the clock: 1 ms where a node is dearest (Connect6 8 us, Junqi 7 us a playout),
under 0.3 % of the time where it is cheapest (Xiangqi 0.3 us). With 1024 Connect6 took 9 ms to stop."""

STOPPED = -1


class Control:
    """The Python side of the block."""

    def __init__(self, node_limit: int = 0) -> None:
        self._words = np.zeros(NODES + 8 * MAX_THREADS, np.int64)
        self._words[NODE_LIMIT] = node_limit
        self._words[THREADS] = 1
        self.address = address_of(self._words)

    @property
    def stopped(self) -> bool:
        return bool(self._words[STOP])

    def stop(self) -> None:
        self._words[STOP] = 1

    def check(self) -> bool:
        """Look at the clock from Python, for searchers whose loop runs there; whether to stop."""
        deadline = int(self._words[DEADLINE])
        if deadline and HAS_CLOCK and time.clock_gettime_ns(time.CLOCK_MONOTONIC) >= deadline:
            self.stop()
        return self.stopped

    def time_from(self, ns: int) -> float:
        """Return the nanoseconds from a moment to the deadline, infinite without one."""
        deadline = int(self._words[DEADLINE])
        return deadline - ns if deadline else math.inf

    def set_deadline(self, ns: int) -> None:
        """Stop at this CLOCK_MONOTONIC time; 0 takes the deadline away."""
        self._words[DEADLINE] = ns

    def set_threads(self, threads: int) -> None:
        self._words[THREADS] = threads

    @property
    def node_limit(self) -> int:
        return int(self._words[NODE_LIMIT])

    def report(self, thread: int, nodes: int) -> None:
        """Bring a thread's node counter up to date between its polls."""
        self._words[NODES + 8 * thread] = nodes

    @property
    def nodes(self) -> int:
        """Nodes of all threads, as of their last poll."""
        return int(self._words[NODES::8].sum())


@inner(int64(int64, int64, int64))
def poll(control: int, thread: int, nodes: int) -> int:
    """Report `nodes` and look whether to stop: STOPPED, or the node count at which to poll again."""
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
