"""Helpers: processes that compile kernels into the cache in parallel, when a game is first loaded.

A helper imports the game's module, reads kernels' symbols from its own standard input, and answers each with the same
line once the cache has it. It ends with its input, so it never outlives the first process by more than one kernel.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Self

MAX_HELPERS = 3


def spare_cores() -> int:
    """Return how many helpers may run; none if this process is not a Python interpreter that could start one."""
    if not sys.executable or getattr(sys, "frozen", False):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores - 1, MAX_HELPERS)


class Helper:
    """One process, killed at the end of the context. OSError if it cannot be started."""

    def __init__(self, module: str) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from siqi.games.kernel import jit; jit.help_with({module!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def build(self, kernel: str) -> bool:
        """Block until the cache has a kernel; False if the process failed."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            print(kernel, file=self._process.stdin, flush=True)
            return self._process.stdout.readline() == f"{kernel}\n"
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()
