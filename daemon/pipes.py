"""Lines into the process, and foreign text made safe to echo."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

MAX_LINE = 1 << 16
"""Bytes of the longest line accepted, its end not counted: some 13,000 Xiangqi moves."""


QUIT = "quit"
"""The line that ends the process in every protocol. `exit` ends it in some only: XBoard leaves an analysis by it."""


def now_ns() -> int:
    """The clock of all limits: the one kernels read (CLOCK_MONOTONIC), where there is one."""
    if hasattr(time, "clock_gettime_ns"):
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return time.monotonic_ns()


class ClientLine:
    """A line as it was read. `is_stopped`: a `stop` came before its turn did; `ponderhit_ns`, if not 0: likewise."""

    __slots__ = ("is_stopped", "ns", "ponderhit_ns", "text", "too_long")

    def __init__(self, text: str, ns: int, too_long: bool = False) -> None:
        self.text = text
        self.ns = ns
        self.too_long = too_long
        self.is_stopped = False
        self.ponderhit_ns = 0


class EndOfInput:
    """Put once, after the last line."""


def read_lines(put: Callable[[ClientLine | EndOfInput], None], expect_end: Callable[[], None]) -> None:
    """Put each line of standard input, then EndOfInput. Never blocks on anything but input.

    Calls `expect_end` once the client wants no more than what it has asked for.
    """
    try:
        source = sys.stdin.buffer  # None if the process was started without
        while raw := source.readline(MAX_LINE + 2):
            ns = now_ns()
            too_long = len(raw.rstrip(b"\r\n")) > MAX_LINE
            tail = raw
            while len(tail) == MAX_LINE + 2 and not tail.endswith(b"\n"):
                tail = source.readline(MAX_LINE + 2)
            text = raw[:80] if too_long else raw
            line = ClientLine(text.decode("utf-8", "replace").strip(), ns, too_long)
            put(line)
            if line.text == QUIT:
                expect_end()
    except (AttributeError, OSError, ValueError):
        pass
    put(EndOfInput())
    expect_end()


def printable(text: str, limit: int = 60) -> str:
    """Foreign text made safe to echo: ASCII, no control characters, not long."""
    shown = text[:limit].encode("ascii", "backslashreplace").decode()
    shown = "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in shown)
    return shown + ("..." if len(text) > limit else "")
