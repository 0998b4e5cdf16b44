"""The scheduler and the workers of `local:N`: processes of this machine that no other user can use.

By Dask's design, any client of a scheduler can have code run. So these use TLS only, with a certificate that is made at
each start, that these processes alone have, and that both ends of a connection must show. They have no HTTP server, and
their folder, which Dask puts into the search path of modules, is one that only the user can write to. Needs Dask.
"""

from __future__ import annotations

import logging
import tempfile
from contextlib import ExitStack
from typing import Any

import dask
from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

LOOPBACK = "127.0.0.1"


class _NoHttp:
    def start_http_server(self, *arguments: object, **more: object) -> None:
        """Do nothing. Dask has no setting for this: without a dashboard it serves metrics, on port 8787 if that is
        free."""


class LocalScheduler(_NoHttp, Scheduler):  # type: ignore[misc]
    """Dask's scheduler without its HTTP server."""


class LocalWorker(_NoHttp, Worker):  # type: ignore[misc]
    """Dask's worker without its HTTP server."""


def start(workers: int, stack: ExitStack) -> Any:
    """Return a cluster of `workers` processes, which `stack` ends. ImportError if `cryptography` is missing."""
    security = Security.temporary()
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="siqi-", ignore_cleanup_errors=True))
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
