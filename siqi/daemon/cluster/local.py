"""Workers that are processes of this machine, started for one piece of work."""

from __future__ import annotations

import multiprocessing
import multiprocessing.resource_tracker
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from types import TracebackType
from typing import TypeAlias

from siqi.daemon.cluster.node import pack, run_calls, unpack_results
from siqi.system.interrupts import held_back

Batch: TypeAlias = "Future[bytes]"
"""Calls that run."""

Outcome: TypeAlias = tuple[float, list[bytes]]
"""The seconds that a batch took, and its results."""


class LocalWorkers(ProcessPoolExecutor):
    """Spawned processes. Calls raise BrokenProcessPool if one was killed.

    Ctrl-C reaches only the main process. The workers end with it, and at once if an error ends the `with` block.
    """

    def __init__(self, jobs: int) -> None:
        start_tracker()
        super().__init__(jobs, multiprocessing.get_context("spawn"), _end_with_parent)
        self._jobs = jobs
        self._others = set(multiprocessing.active_children())

    def count(self) -> int:
        """Return the number of workers that take jobs."""
        return self._jobs

    def send(self, calls: Sequence[bytes]) -> Batch:
        """Hand out a batch."""
        with held_back():  # a worker may be started here
            return self.submit(run_calls, pack(calls), 0.0)

    def outcome(self, batch: Batch) -> Outcome:
        """Return the outcome of a batch that is done, or raise the error that ended it."""
        with held_back():
            packed = batch.result()
        return unpack_results(packed)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        with held_back():
            if kind is not None:
                for worker in set(multiprocessing.active_children()) - self._others:
                    worker.kill()
                # One may have been sending a big result. The executor would wait for the rest of it for ever, as long
                # as the pipe has a writer, which now is this process alone.
                self._result_queue._writer.close()  # type: ignore[attr-defined]
            return super().__exit__(kind, error, trace)


def _end_with_parent() -> None:
    """End this worker when its parent ends; a killed parent cannot do so."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def start_tracker() -> None:
    """Start multiprocessing's process that removes lost semaphores, before `held_back`.

    Its start, at the first process otherwise, lets Ctrl-C into the thread again, and so into all that follow.
    """
    if sys.platform != "win32":
        multiprocessing.resource_tracker.ensure_running()
