"""The scheduler and the workers of `local:N`: processes of this machine that no other user can use.

By Dask's design, any client of a scheduler can have code run. So these use TLS only, with a certificate that is made at
each start, that these processes alone have, and that both ends of a connection must show. They have no HTTP server, and
their folder, which Dask puts into the search path of modules, is one that only the user can write to. Needs Dask.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dask
from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

from siqi.system.files import open_append

LOOPBACK = "127.0.0.1"


class _NoHttp:
    def start_http_server(self, *arguments: object, **more: object) -> None:
        """Do nothing. Dask has no setting for this: without a dashboard it serves metrics, on port 8787 if that is
        free."""


class LocalScheduler(_NoHttp, Scheduler):  # type: ignore[misc]
    """Dask's scheduler without its HTTP server."""


class LocalWorker(_NoHttp, Worker):  # type: ignore[misc]
    """Dask's worker without its HTTP server."""


PREFIX, LOCK = "siqi-cluster-", "lock"


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """Yield a temporary folder that is locked while it is used; those of processes that were killed are removed."""
    for old in filter(_is_own, Path(tempfile.gettempdir()).glob(f"{PREFIX}*")):
        with contextlib.suppress(OSError), open_append(old / LOCK, lambda head: False, exclusive=True):
            shutil.rmtree(old, ignore_errors=True)
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder,
        open_append(Path(folder, LOCK), lambda head: False, exclusive=True),
    ):
        yield folder


def _is_own(folder: Path) -> bool:
    """True if a folder, no link, is the user's and has a lock: others may write to the folder around it."""
    status = folder.lstat()
    is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return stat.S_ISDIR(status.st_mode) and is_own and (folder / LOCK).is_file()


def start(workers: int, stack: ExitStack) -> Any:
    """Return a cluster of `workers` processes, which `stack` ends. ImportError if `cryptography` is missing."""
    security = Security.temporary()
    folder = stack.enter_context(_folder())
    stack.enter_context(dask.config.set({"temporary-directory": folder}))
    where = {"host": LOOPBACK, "protocol": "tls://", "security": security, "dashboard_address": None}
    worker = {"worker_class": LocalWorker, "nthreads": 1, "memory_limit": 0, "silence_logs": logging.CRITICAL}
    return stack.enter_context(
        SpecCluster(
            scheduler={"cls": LocalScheduler, "options": where | {"port": 0, "dashboard": False}},
            workers={number: {"cls": Nanny, "options": where | worker} for number in range(workers)},
            security=security,
            silence_logs=logging.CRITICAL,
        )
    )
