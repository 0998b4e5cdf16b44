"""Lines out of the process, as the client's dialect has them."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from daemon.dialects import Core, Dialect, Reading
from daemon.pipes import printable
from games.files import open_append, write_whole


def _owns(head: bytes) -> bool:
    """True if a file begins with a line of a traffic log."""
    return re.match(rb"\d+\.\d{3} (?:>>|<<) ", head) is not None


READER_WAIT_S = 10.0
"""Once the client has ended its input, a line that it does not take for so long ends the process."""


class Output:
    """Whole lines to standard output, each flushed; safe from every thread. Ends the process if nobody reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writing_since = 0.0  # time.monotonic() when the line being written was begun; 0: none is
        self._is_ending = False
        self._log: BinaryIO | None = None
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
        self._writing_since = time.monotonic()
        try:
            sys.stdout.buffer.write(text.encode("ascii", "backslashreplace") + b"\n")
            sys.stdout.buffer.flush()
        except (AttributeError, OSError, ValueError):  # AttributeError: there is no standard output
            os._exit(0)
        self._writing_since = 0.0

    def expect_end(self) -> None:
        """End the process if from now on a line is not taken by the reader within READER_WAIT_S."""
        if not self._is_ending:
            self._is_ending = True
            threading.Thread(target=self._watch_reader, name="end", daemon=True).start()

    def _watch_reader(self) -> None:
        ending_since = time.monotonic()
        while True:
            time.sleep(READER_WAIT_S / 20)
            since = self._writing_since
            if since and time.monotonic() - max(since, ending_since) > READER_WAIT_S:
                os._exit(1)

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
        """Append all traffic to a file from now on; an empty path ends that.

        OSError if it cannot be opened or is no such log.
        """
        log = open_append(path, _owns) if path else None
        with self._lock:
            if self._log is not None:
                self._log.close()
            self._log = log

    def _write_log(self, mark: str, text: str) -> None:
        if self._log is not None:
            try:
                write_whole(self._log, f"{time.time():.3f} {mark} {text}\n".encode(errors="replace"))
            except OSError as error:
                with contextlib.suppress(OSError):
                    self._log.close()
                self._log = None
                warning = f"info string warning Debug Log File: {error.strerror}; the log ends here"
                self._write_all(self._said(self.dialect.write, warning).answers)
