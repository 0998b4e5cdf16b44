"""Lines written to the client, and a log of all traffic."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from siqi.system.pipes import escaped


def _owns(head: bytes) -> bool:
    """True if a file begins with a line of a traffic log."""
    return re.match(rb"\d+\.\d{3} (?:>>|<<) ", head) is not None


READER_WAIT_S = 10.0
"""After the end of input, a line that the client does not read for this long ends the process."""


class Output:
    """Standard output, line by line and flushed; for one thread. Ends the process if the client has closed it."""

    def __init__(self, warn: Callable[[str], None], trace_to: Callable[[int | None], None] = lambda file: None) -> None:
        """`warn` gets one line when the log can no longer be written.

        `trace_to` gets the log's file descriptor, and None once there is none.
        """
        self._warn, self._trace_to = warn, trace_to
        self._writing_since = 0.0  # time.monotonic() at which the current write began; 0: no write
        self._is_ending = False
        self._log: BinaryIO | None = None

    def line(self, *texts: str) -> None:
        """Write lines. Blocks while the client does not read."""
        for text in texts:
            self._write(text)

    def _write(self, text: str) -> None:
        text = escaped(text)  # much of it is what the client has sent
        self._write_log("<<", text)
        self._writing_since = time.monotonic()
        try:
            sys.stdout.buffer.write(text.encode("ascii", "backslashreplace") + b"\n")
            sys.stdout.buffer.flush()
        except (AttributeError, OSError, ValueError):  # AttributeError: there is no standard output
            os._exit(0)
        self._writing_since = 0.0

    def expect_end(self) -> None:
        """From now on, end the process if the client does not read a line within READER_WAIT_S."""
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

    def log_input(self, text: str) -> None:
        self._write_log(">>", escaped(text))

    def log_to(self, path: str) -> None:
        """Append all traffic to a file from now on; '' ends the log.

        OSError if the file cannot be opened or is no log of ours; the log before then stays.
        """
        from siqi.system.files import open_append

        log = open_append(path, _owns) if path else None
        self._trace_to(None if log is None else log.fileno())
        if self._log is not None:
            self._log.close()
        self._log = log

    def _write_log(self, mark: str, text: str) -> None:
        if self._log is not None:
            from siqi.system.files import write_whole

            try:
                write_whole(self._log, f"{time.time():.3f} {mark} {text}\n".encode(errors="replace"))
            except OSError as error:
                self._trace_to(None)
                with contextlib.suppress(OSError):
                    self._log.close()
                self._log = None
                self._warn(f"Debug Log File: {error.strerror}; the log ends here")
