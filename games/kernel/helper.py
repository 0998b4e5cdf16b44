"""A second process that compiles kernels into the cache, for the first load of a game where there are cores to spare.

It imports the game as the first does, is sent names of kernels over a pipe, and answers each once it is in the cache.
It ends when its input does, which is when the first process ends, however that comes.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Self

MOST_HELPERS = 3


def spare_cores() -> int:
    """Return how many helpers may run beside this process; none where it is no interpreter that could start one."""
    if not sys.executable or getattr(sys, "frozen", False):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores - 1, MOST_HELPERS)


class Helper:
    """One process. `module`: what it imports. Whatever goes wrong with it is an answer that does not come."""

    def __init__(self, module: str) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from games.kernel import jit; jit.help_with({module!r})"
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
        """Have a kernel compiled; False if the process has died. Blocks."""
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
