"""Dask's plugin on each worker, and what else runs in Dask's own processes. It needs Dask."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin

from siqi.daemon.cluster.identity import Identity, identity

if TYPE_CHECKING:
    from distributed import Worker

REFUSALS = "siqi-refused"
"""The topic of Dask's events with refused workers."""

JOIN_POLL_S = 0.01

_workers: list[Worker] = []
"""The process's worker."""


def emit(topic: str, message: dict[str, Any]) -> None:
    """Send a message to the clients that have subscribed to a topic of Dask's events."""
    for worker in _workers:
        worker.log_event(topic, message)


class Warden(WorkerPlugin):  # type: ignore[misc]
    """Admits a worker of the client's own identity, and refuses any other.

    Admitted workers have the resource that all jobs of such clients need, one per process. A refused one, or one that
    is still checked, never gets a job, whether it was there before the client or joins later.
    """

    def __init__(self, wanted: dict[str, str]) -> None:
        """`wanted`: the fields of the client's identity."""
        self._wanted = wanted

    def setup(self, worker: Worker) -> None:
        _workers[:] = [worker]
        worker.loop.add_callback(self._check, worker)

    async def _check(self, worker: Worker) -> None:
        wanted = Identity(**self._wanted)
        try:
            own = await asyncio.to_thread(identity)
            refusal = own.differences(wanted)
        except Exception as error:
            refusal = f"{type(error).__name__}: {error}"
        if refusal:
            worker.log_event(REFUSALS, {"digest": wanted.digest, "worker": worker.address, "refusal": refusal})
        else:
            await _admit(worker, resource(wanted))


async def _admit(worker: Worker, resource: str) -> None:
    """Give a worker a resource, and the jobs that wait for one that has it.

    Dask looks through jobs without a worker when one joins or ends a pause, not when one gets a resource.
    """
    if worker.state.total_resources.get(resource):
        return
    while worker.status == Status.init:
        await asyncio.sleep(JOIN_POLL_S)
    await worker.set_resources(**{resource: 1})
    if worker.status == Status.running:
        worker.status = Status.paused
        worker.status = Status.running


def resource(wanted: Identity) -> str:
    """Return the name of the resource that workers of an identity have."""
    return f"siqi-{wanted.digest}"


def count_workers(resource: str, dask_scheduler: Any = None) -> tuple[int, int]:
    """Return the number of workers that have a resource, and of all; runs on the scheduler."""
    return len(dask_scheduler.resources.get(resource) or ()), len(dask_scheduler.workers)
