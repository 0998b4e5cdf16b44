"""Runs: results of tasks, added to a log as they finish."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from siqi.daemon.cluster.jobs import Jobs, completed
from siqi.daemon.cluster.progress import Bar
from siqi.system.log import RunLog

Task = TypeVar("Task")


def digest(data: bytes) -> str:
    """Return a hash by which settings name a file's content."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


BATCH_S = 1.0
"""Lines of games that finish within this time are written together: 32 at a time take 0.6 of their bytes one by one."""


def add_finished(log: RunLog, work: Callable[[Task], bytes], tasks: Sequence[Task], jobs: Jobs, progress: Bar) -> None:
    """Add the line of each task to a log as it finishes, in any order; close the log."""
    batch: list[bytes] = []
    written = time.monotonic()

    def write() -> None:
        nonlocal batch, written
        lines, batch, written = batch, [], time.monotonic()  # cleared first: a failed write is not repeated
        if lines:
            log.add(lines)

    finished = completed(work, tasks, jobs, BATCH_S)
    with contextlib.closing(log), progress, contextlib.closing(finished):
        try:
            for lines in finished:
                batch += lines
                progress.update(len(lines))
                if time.monotonic() - written >= BATCH_S:
                    write()
        finally:
            write()
