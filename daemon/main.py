"""The `siqi` command. Without arguments it is the daemon; what a client needs first is all that is imported."""

from __future__ import annotations

import ctypes
import sys
import threading

STACK_BYTES = 16 << 20
"""Stack of every thread: deep recursion in a kernel would crash the process on the small default of macOS."""

LARGE_BYTES = 1 << 20
"""From this size on a block of memory goes back to the system when it is freed."""

M_MMAP_THRESHOLD = -3  # glibc's malloc.h


def return_large_blocks() -> None:
    """Fix glibc's threshold, which otherwise rises to 32 MiB as large blocks are freed, and arrays then leave holes.

    A process that loads game after game, at 280 to 490 MiB before, stays at 250 to 270.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)


def main() -> None:
    threading.stack_size(STACK_BYTES)
    return_large_blocks()
    if len(sys.argv) == 1:
        from daemon.serve import serve

        serve()
    else:
        from daemon.command import run

        sys.exit(run(sys.argv[1:]))
