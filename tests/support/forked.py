"""Daemon processes for tests, forked from a server that has numba imported: a start costs 0.2 s of a core, not 0.7 s.

They run the program's `main` on pipes of their own, as a started process does.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.forkserver import ensure_running
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

CHANGES = frozenset({"PYTEST_CURRENT_TEST"})
"""Variables that a daemon does not read."""


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in CHANGES}


_before = environment()


@functools.cache
def _server() -> Any:
    """Start the server; return multiprocessing's context. Its modules are found by the environment alone."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["preloaded"])
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    try:
        ensure_running()
    finally:
        del os.environ["PYTHONPATH"]
        if path is not None:
            os.environ["PYTHONPATH"] = path
    return context


class _Pipes:
    """Descriptors that become a started process's 0, 1 and 2."""

    def __init__(self, *descriptors: int) -> None:
        self._descriptors = descriptors

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, ([DupFd(descriptor) for descriptor in self._descriptors],)


def _run(pipes: tuple[Any, ...], folder: str) -> None:
    """Be a daemon."""
    for number, pipe in enumerate(pipes):
        descriptor = pipe.detach()
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", 1)
    sys.argv = ["siqi"]
    os.chdir(folder)
    from siqi.daemon.main import main

    main()


class ForkedProcess:
    """A daemon process, with the attributes of subprocess.Popen that tests use."""

    def __init__(self, folder: str | Path) -> None:
        pipes = [os.pipe() for _ in range(3)]
        theirs = (pipes[0][0], pipes[1][1], pipes[2][1])
        self._process = _server().Process(target=_run, args=(_Pipes(*theirs), str(folder)), daemon=True)
        self._process.start()
        for descriptor in theirs:
            os.close(descriptor)
        self.stdin = os.fdopen(pipes[0][1], "wb")
        self.stdout, self.stderr = os.fdopen(pipes[1][0], "rb"), os.fdopen(pipes[2][0], "rb")
        assert self._process.pid is not None
        self.pid = self._process.pid

    @staticmethod
    def fits(variables: Mapping[str, str] | None) -> bool:
        """True if a process with this environment (None: the present one) can be forked."""
        return (
            variables is None and "forkserver" in multiprocessing.get_all_start_methods() and environment() == _before
        )

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("siqi", timeout or 0.0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()
