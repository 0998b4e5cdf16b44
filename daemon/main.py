"""The `siqi` command. Without arguments it is the daemon; what a client needs first is all that is imported."""

from __future__ import annotations

import sys
import threading

STACK_BYTES = 16 << 20
"""Stack of every thread: deep recursion in a kernel would crash the process on the small default of macOS."""


def main() -> None:
    threading.stack_size(STACK_BYTES)
    if len(sys.argv) == 1:
        from daemon.session import serve

        serve()
    else:
        from daemon.command import run

        sys.exit(run(sys.argv[1:]))
