"""The announcement that kernels are being compiled: the first load of a game takes some seconds."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

KERNELS_PER_LINE = 3

_COMPILE_LOCK = threading.RLock()  # a process has one `jit.on_compile`


def ignored_settings() -> Iterator[str]:
    """Yield a line with the settings of numba that have no effect, once in a process."""
    from siqi.games.kernel.environment import ignored

    if names := ", ".join(ignored):
        ignored.clear()
        yield f"ignored: {names} (of numba's settings only NUMBA_BOUNDSCHECK, NUMBA_DISABLE_JIT and NUMBA_CPU_* count)"


@contextlib.contextmanager
def announce_compiling(write: Callable[[str], None], name: str) -> Iterator[None]:
    """Within the context, write a line when the first kernel was compiled, after every third, and at the end.

    Settings of numba that are ignored are named first; nothing more is written if the cache has all kernels. `name`
    names what is loaded. `write` is called in the thread that compiles; a second thread that enters waits for the
    first.
    """
    with _COMPILE_LOCK:
        from siqi.games.kernel import jit

        for line in ignored_settings():
            write(line)
        compiled, started = 0, time.monotonic()

        def see(kernel: str) -> None:
            nonlocal compiled
            compiled += 1
            if compiled == 1:
                if fault := jit.explicit_fault():
                    write(fault)
                cached = "" if jit.cache_faults else " for the first time; later starts use the cache"
                write(f"compiling {name}{cached}")
            if compiled % KERNELS_PER_LINE == 0:
                write(f"compiling {name}: {compiled} kernels in {time.monotonic() - started:.1f} s")

        before, jit.on_compile = jit.on_compile, see
        try:
            yield
        finally:
            jit.on_compile = before
        if compiled:
            write(f"compiled {name}: {compiled} kernels in {time.monotonic() - started:.1f} s")
