"""Ctrl-C in the commands: it ends the process with status 130, quietly and at any moment.

Python's own way raises KeyboardInterrupt between any two instructions of the main thread. During imports and in
callbacks that ends in tracebacks, and while a compiler or a kernel runs it waits for their end. So a command ends at
once (`end_on_interrupt`), except where it has something to leave in order (`raised`, `held_back`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator

TYPE_CHECKING = False  # `typing` takes as long to import as all of the interpreter's start: Ctrl-C may come before
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130
"""The exit status after Ctrl-C."""

_AGAIN_S = 0.01


def end(*_: object) -> NoReturn:
    """End the process at once; on a terminal the prompt begins a line of its own."""
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\n")
    os._exit(INTERRUPTED)


def end_on_interrupt() -> None:
    """Make Ctrl-C end the process at once from now on. A process that ignores Ctrl-C goes on ignoring it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, end)
    if sys.platform != "win32":  # elsewhere the main thread ends the process, once it runs Python again
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        import threading  # later: the handler is there by now

        threading.Thread(target=_watch, args=(reading,), daemon=True).start()


def _watch(reading: int) -> None:
    """End the process when a signal comes, if nothing else is to be done then; the body of a thread."""
    while os.read(reading, 1):
        if signal.getsignal(signal.SIGINT) is end:
            end()


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Make Ctrl-C raise KeyboardInterrupt within the block, as without `end_on_interrupt`."""
    if signal.getsignal(signal.SIGINT) is not end:
        yield
        return
    # The watching thread may be slow to see a signal: then the block has been left, and it would end the process.
    watched = signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before, sys.unraisablehook = sys.unraisablehook, _raise_again
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, end)
        signal.set_wakeup_fd(watched, warn_on_full_buffer=False)
        sys.unraisablehook = before


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise a KeyboardInterrupt again that a finaliser has swallowed, once it has returned."""
    import threading

    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        threading.Timer(_AGAIN_S, signal.raise_signal, (signal.SIGINT,)).start()
    else:
        sys.__unraisablehook__(unraisable)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block; threads and processes started in the block never receive it."""
    import threading

    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    is_ours = threading.current_thread() is threading.main_thread() and callable(handler)
    if is_ours:  # a thread that was there before may receive it, and Python then calls the handler in the main thread
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        with _blocked():
            yield
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, handler)
            if came:
                signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread and in all that is started from it, where a system can."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
