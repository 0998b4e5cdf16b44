"""Lines read from the client, lines to standard error, and foreign text made safe to echo."""

from __future__ import annotations

import codecs
import contextlib
import re
import sys
import time
from collections.abc import Callable

MAX_LINE = 1 << 16
"""The longest line accepted, in bytes without its end: some 13,000 Xiangqi moves."""


QUIT = "quit"
"""The line that ends the process in most protocols. `exit` does so in some only: in XBoard it leaves an analysis."""


_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")


def now_ns() -> int:
    """Return the time in nanoseconds by the clock of all limits: CLOCK_MONOTONIC if there is one, as in kernels."""
    if hasattr(time, "clock_gettime_ns"):
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return time.monotonic_ns()


class ClientLine:
    """A line as it was read, without blanks at its ends.

    `ns`: the time of its arrival. `is_stopped`: a `stop` came while it waited. `ponderhit_ns`: the time of a
    `ponderhit` that came while it waited, 0: none.
    """

    __slots__ = ("is_stopped", "ns", "ponderhit_ns", "text", "too_long")

    def __init__(self, text: str, ns: int, too_long: bool = False) -> None:
        self.text = text
        self.ns = ns
        self.too_long = too_long
        self.is_stopped = False
        self.ponderhit_ns = 0


class EndOfInput:
    """The end of the input; put once, after the last line."""


def read_lines(
    put: Callable[[ClientLine | EndOfInput], None],
    expect_end: Callable[[], None],
    see_quit: Callable[[], None] | None = None,
) -> None:
    """Call `put` with each line of standard input, then with EndOfInput. Blocks on input only.

    Calls `expect_end` at the end of input, and `see_quit`, by default `expect_end`, at a line `quit`. Of a line that is
    too long, its first 80 bytes are kept. A byte order mark before the first line, as shells of Windows write it, is
    skipped.
    """
    try:
        source = sys.stdin.buffer  # None if the process was started without
        mark = codecs.BOM_UTF8
        while raw := source.readline(MAX_LINE + 2):
            ns = now_ns()
            raw, mark = raw.removeprefix(mark), b""
            too_long = len(raw.rstrip(b"\r\n")) > MAX_LINE
            tail = raw
            while len(tail) == MAX_LINE + 2 and not tail.endswith(b"\n"):
                tail = source.readline(MAX_LINE + 2)
            text = raw[:80] if too_long else raw
            line = ClientLine(text.decode("utf-8", "replace").strip(), ns, too_long)
            put(line)
            if line.text == QUIT:
                (see_quit or expect_end)()
    except (AttributeError, OSError, ValueError):
        pass
    put(EndOfInput())
    expect_end()


def to_stderr(line: str) -> None:
    """Write a line to standard error, if there is one, in the user's language.

    Control characters of foreign texts in it are escaped.
    """
    from siqi.system.messages import translated  # late: the handshake needs neither
    from siqi.system.texts import visible

    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"{visible(translated(line))}\n")
        sys.stderr.flush()


def escaped(text: str) -> str:
    """Return a text with escapes for its control characters, which would act on a terminal or end a line."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def printable(text: str, limit: int = 60) -> str:
    """Return foreign text made safe to echo: ASCII without control characters, cut after `limit` characters."""
    shown = escaped(text[:limit].encode("ascii", "backslashreplace").decode())
    return shown + ("..." if len(text) > limit else "")
