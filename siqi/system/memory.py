"""The stack of threads, and how freed memory is returned to the system; light to import."""

from __future__ import annotations

import ctypes
import sys

STACK_BYTES = 16 << 20
"""The stack size of every thread: deep recursion in a kernel would crash the process on the small default of macOS."""

LARGE_BYTES = 1 << 20
"""Freed blocks of memory of at least this size are returned to the system."""

M_MMAP_THRESHOLD = -3  # glibc's malloc.h


def return_large_blocks() -> None:
    """Fix glibc's mmap threshold, which otherwise rises to 32 MiB as large blocks are freed: arrays then leave holes.

    A process that loads game after game stays at 250 to 270 MiB; without this it needs 280 to 490 MiB.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
