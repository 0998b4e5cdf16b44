"""Lines in and out of the process."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TextIO

from daemon.dialects import Core, Dialect, Reading

MAX_LINE = 1 << 16
"""Bytes of the longest line accepted, its end not counted: some 13,000 Xiangqi moves."""


def now_ns() -> int:
    """The clock of all limits: the one kernels read (CLOCK_MONOTONIC), where there is one."""
    if hasattr(time, "clock_gettime_ns"):
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return time.monotonic_ns()


class Entry:
    """A line as it was read. `stopped`: a `stop` came before its turn did; `ponderhit_ns` likewise."""

    __slots__ = ("ns", "ponderhit_ns", "stopped", "text", "too_long")

    def __init__(self, text: str, ns: int, too_long: bool = False) -> None:
        self.text = text
        self.ns = ns
        self.too_long = too_long
        self.stopped = False
        self.ponderhit_ns = 0


class EndOfInput:
    """Posted once, after the last line."""


def read_lines(events: SimpleQueue[object]) -> None:
    """Post each line of standard input as an Entry, then EndOfInput. Never blocks on anything but input."""
    source = sys.stdin.buffer
    try:
        while raw := source.readline(MAX_LINE + 2):
            ns = now_ns()
            too_long = len(raw.rstrip(b"\r\n")) > MAX_LINE
            tail = raw
            while len(tail) == MAX_LINE + 2 and not tail.endswith(b"\n"):
                tail = source.readline(MAX_LINE + 2)
            text = raw[:80] if too_long else raw
            events.put(Entry(text.decode("utf-8", "replace").strip(), ns, too_long))
    except (OSError, ValueError):
        pass
    events.put(EndOfInput())


def printable(text: str, limit: int = 60) -> str:
    """Foreign text made safe to echo: ASCII, no control characters, not long."""
    shown = text[:limit].encode("ascii", "backslashreplace").decode()
    shown = "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in shown)
    return shown + ("..." if len(text) > limit else "")


class Output:
    """Whole lines to standard output, each flushed; safe from every thread. Ends the process if nobody reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._log: TextIO | None = None
        self.dialect: Dialect = Core()
        self.ask: Callable[[str], None] = lambda command: None
        """What the dialect asks of the core when it hears a line of the core's goes here."""

    def line(self, text: str) -> None:
        """A line of the core's, as the client's dialect has it."""
        with self._lock:
            reading = self._said(self.dialect.write, text)
            self._write_all(reading.answers)
        for command in reading.commands:
            self.ask(command)

    def read(self, text: str, ns: int) -> tuple[str, ...]:
        """A client's line: answers what its dialect answers, returns what it asks of the core."""
        with self._lock:
            reading = self._said(self.dialect.read, text, ns)
            self._write_all(reading.answers)
        return reading.commands

    def _said(self, translate: Callable[..., Reading], *line: object) -> Reading:
        """A line translated; a fault of the dialect's own is told and ends nothing."""
        try:
            return translate(*line)
        except Exception as error:
            return Reading(answers=(f"info string error internal: {type(error).__name__}: {error}",))

    def _write_all(self, lines: tuple[str, ...]) -> None:
        for line in lines:
            self._write(line)

    def _write(self, text: str) -> None:
        self._write_log("<<", text)
        try:
            sys.stdout.buffer.write(text.encode("ascii", "backslashreplace") + b"\n")
            sys.stdout.buffer.flush()
        except (OSError, ValueError):
            os._exit(0)

    def info(self, text: str) -> None:
        self.line(f"info string {text}")

    def error(self, text: str) -> None:
        """What a line of the client's asked for cannot be."""
        self.line(f"info string error {printable(text, 400)}")

    def warn(self, text: str) -> None:
        """Something that a line needs is not there, a book or memory; it is done as well as can be without."""
        self.line(f"info string warning {printable(text, 400)}")

    def log_input(self, text: str) -> None:
        if self._log is not None:
            with self._lock:
                self._write_log(">>", text)

    def log_to(self, path: str) -> None:
        """Append all traffic to a file from now on; an empty path ends that. OSError if it cannot be opened."""
        log = open(path, "a", encoding="utf-8", errors="replace") if path else None  # noqa: SIM115
        with self._lock:
            if self._log is not None:
                self._log.close()
            self._log = log

    def _write_log(self, mark: str, text: str) -> None:
        if self._log is not None:
            try:
                self._log.write(f"{time.time():.3f} {mark} {text}\n")
                self._log.flush()
            except OSError:
                self._log = None
