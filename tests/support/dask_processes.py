"""A scheduler and workers of Dask as processes on the loopback interface, started by Dask's own commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
START_TIMEOUT_S = 120.0


class DaskProcesses:
    """A scheduler, and the workers that are started one by one; leaving the `with` block kills all."""

    def __init__(self, folder: Path, heartbeat_s: int = 60) -> None:
        """`heartbeat_s`: silence after which Dask drops a worker (at least 5 s)."""
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._settings = {
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{heartbeat_s}s",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
            "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
            "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "10",
        }
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self.start_scheduler()
        return self

    def start_scheduler(self, port: int = 0) -> None:
        self._file.unlink(missing_ok=True)
        where = ("--host", "127.0.0.1", "--port", str(port), "--dashboard-address", "127.0.0.1:0")
        self.scheduler = self._start("scheduler", *where, "--scheduler-file", str(self._file))
        self.wait_until(self._file.exists)
        time.sleep(0.1)
        self.address: str = json.loads(self._file.read_text())["address"]

    def start_worker(self, nanny: bool = True, package: Path = ROOT) -> subprocess.Popen[bytes]:
        """Start a worker; a `nanny` restarts it whenever it ends. `package`: the folder of its Siqi."""
        where = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--local-directory", str(self._folder))
        options = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--nanny" if nanny else "--no-nanny")
        worker = self._start("worker", self.address, *where, *options, package=package)
        self.workers.append(worker)
        return worker

    def _start(self, *arguments: str, package: Path = ROOT) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | self._settings | {"PYTHONPATH": str(package)},
            cwd=self._folder,
        )

    @staticmethod
    def wait_until(is_true: object, timeout_s: float = START_TIMEOUT_S) -> None:
        """Wait until a call without arguments returns a true value; AssertionError if it never does."""
        assert callable(is_true)
        end = time.monotonic() + timeout_s
        while not is_true():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.02)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def child_of(process: subprocess.Popen[bytes]) -> int:
    """Return the process that a nanny watches over: its child that is a Python process of a worker."""
    children: Sequence[int] = []

    def look() -> bool:
        nonlocal children
        path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        threads = Path(f"/proc/{process.pid}/task").glob("*/children")
        pids = [int(pid) for file in (path, *threads) for pid in file.read_text().split()]
        children = [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        return bool(children)

    DaskProcesses.wait_until(look)
    return children[0]
