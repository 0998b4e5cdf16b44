"""Says that kernels are being compiled: the first load of a game takes some seconds."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

KERNELS_A_LINE = 10

_ONE_AT_A_TIME = threading.RLock()  # the hook is one for the process


def to_stderr(line: str) -> None:
    """Write a line to standard error, where there is one."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


@contextlib.contextmanager
def announce_compiling(write: Callable[[str], None], name: str) -> Iterator[None]:
    """Within the context, `write` gets a line when the first kernel was compiled, after every tenth, and at the end.

    It gets none if all kernels are in the cache. `name` is what is loaded. A second thread waits for the first.
    """
    with _ONE_AT_A_TIME:
        from games.kernel import jit

        compiled, started = 0, time.monotonic()

        def see(kernel: str) -> None:
            nonlocal compiled
            compiled += 1
            if compiled == 1:
                cached = "" if jit.cache_faults else " for the first time; later starts use the cache"
                write(f"compiling {name}{cached}")
            if compiled % KERNELS_A_LINE == 0:
                write(f"compiling {name}: {compiled} kernels in {time.monotonic() - started:.1f} s")

        before, jit.on_compile = jit.on_compile, see
        try:
            yield
        finally:
            jit.on_compile = before
        if compiled:
            write(f"compiled {name}: {compiled} kernels in {time.monotonic() - started:.1f} s")
