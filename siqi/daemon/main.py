"""The entry point of `siqi`. Without arguments it is the daemon; it imports only what the handshake needs."""

from __future__ import annotations

import os
import sys


def hide_scipy() -> None:
    """Keep numba from importing SciPy where it is installed: no kernel needs it.

    The time to `readyok` falls from 1.0 s to 0.7 s.
    """
    sys.modules["scipy"] = None  # type: ignore[assignment]


def main() -> None:
    if len(sys.argv) > 1:
        from siqi.system.interrupts import end, end_on_interrupt

        end_on_interrupt()  # before anything else is imported
    import threading

    from siqi.system.faults import trace_to
    from siqi.system.memory import STACK_BYTES, return_large_blocks

    threading.stack_size(STACK_BYTES)
    return_large_blocks()
    hide_scipy()
    trace_to()
    if len(sys.argv) == 1:
        from siqi.daemon.serve import serve

        if sys.stdin is not None and sys.stdin.isatty():  # a person reads what is not of the protocol
            from siqi.system.languages import preferred_language
            from siqi.system.messages import select

            select(preferred_language())
        serve()
    else:
        from siqi.daemon.command_line import run

        if sys.stdout is not None:  # code page 1252 has no Chinese, ASCII no umlaut: no character ends a command
            sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
        status = 0
        try:
            try:
                status = run(sys.argv[1:])
            except SystemExit as ended:  # help, the version or a misuse
                status = ended.code  # type: ignore[assignment]
            if sys.stdout is not None:
                sys.stdout.flush()
        except KeyboardInterrupt:
            end()
        except BrokenPipeError:  # the reader has closed the pipe, as `head` does
            os._exit(0)
        except OSError as error:  # commands report what is wrong with their files themselves
            if not status:
                from siqi.system.pipes import to_stderr

                to_stderr(f"siqi: {error.filename or 'the output'}: {error.strerror or error}")
            os._exit(1)  # what is in the buffer cannot be written
        sys.exit(status)
