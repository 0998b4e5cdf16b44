"""Open a run whose searches run in this process or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from siqi.daemon.analysis.answers import Final
from siqi.daemon.analysis.run import Listeners, Run, RunSettings
from siqi.system.interrupts import raised


def open_run(
    address: str | None,
    stack: contextlib.ExitStack,
    settings: RunSettings,
    listeners: Listeners,
    done: Collection[Final] = frozenset(),
) -> Run:
    """Return a run whose searches run in this process, or on the cluster at an address, which `stack` leaves.

    Until then Ctrl-C raises KeyboardInterrupt. ClusterError if the cluster has no worker that can be used.
    """
    from siqi.daemon.analysis import analyst  # noqa: F401  # while Ctrl-C ends the process at once

    if address is None:
        stack.enter_context(raised())
        return Run(settings, listeners, done)
    from siqi.daemon.analysis.cluster import ClusterRun  # late: most runs need none of it
    from siqi.daemon.cluster.remote import Cluster, ClusterWorkers

    stack.enter_context(raised())
    workers = stack.enter_context(ClusterWorkers(Cluster(address), listeners.note))
    return ClusterRun(workers, settings, listeners, done)
