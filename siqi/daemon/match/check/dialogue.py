"""The dialogue with a program, byte for byte and with its times: what a check reads, and what a failed one shows.

Unlike `clients.process` nothing is stripped, no wait ends the program, and no write blocks: a thread writes.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, NamedTuple

from siqi.system.pipes import printable

SHOWN_WIDTH = 110
MAX_LINE = 1 << 16
MAX_LINES = 20_000
"""The lines that are kept; of a program that floods its output the newest."""

MAX_ERRORS = 1 << 16
"""The most bytes of standard error that are kept; all are read."""


class Line(NamedTuple):
    """A line of the dialogue, without its end."""

    ms: float  # since the program's start
    is_sent: bool
    text: str

    @property
    def words(self) -> list[str]:
        return self.text.split()

    def at(self, index: int) -> str:
        """Return a word by its place, '' if there is none."""
        return "".join(self.words[index : index + 1])

    @property
    def word(self) -> str:
        """The first word."""
        return self.at(0)


Fits = Callable[[Line], bool]


class Dialogue:
    """A running program. `close` ends it, and what it has started in its own process group."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, folder: str | None = None
    ) -> None:
        """Start the program; OSError if it cannot be started. `environment` replaces that of this process."""
        self._started = time.monotonic()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=folder, start_new_session=True
        )
        self.has_ended = False
        """True once the end of its output has been read."""
        self._lines: deque[Line] = deque(maxlen=MAX_LINES)
        self._arrived: queue.Queue[Line | None] = queue.Queue(MAX_LINES)
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors = b""
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors, self._write)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ms(self) -> float:
        """Milliseconds since the program's start."""
        return 1000 * (time.monotonic() - self._started)

    # The program's pipes, a thread each

    def _read(self) -> None:
        for raw in _lines_of(self._process.stdout):
            text = raw.removesuffix(b"\n").removesuffix(b"\r").decode(errors="backslashreplace")
            self._arrived.put(Line(self.ms, False, text))
        self._arrived.put(None)

    def _read_errors(self) -> None:
        for raw in _lines_of(self._process.stderr):
            self._errors += raw[: MAX_ERRORS - len(self._errors)]

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        while (data := self._to_write.get()) is not None:
            with contextlib.suppress(OSError):  # it has ended
                stream.write(data)
                stream.flush()
        with contextlib.suppress(OSError):
            stream.close()

    # Words out

    def send(self, *lines: str) -> float:
        """Send lines in one write; return the time in ms."""
        return self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> float:
        sent = self.ms
        self._lines += [Line(sent, True, text.decode(errors="backslashreplace")) for text in data.splitlines()]
        self._to_write.put(data)
        return sent

    def close_input(self) -> float:
        """Close the program's standard input; return the time in ms."""
        self._lines.append(Line(self.ms, True, "(end of input)"))
        self._to_write.put(None)
        return self._lines[-1].ms

    # Words in

    def wait_for(self, fits: Fits, within_s: float) -> Line | None:
        """Return the next line that fits; None if none comes in time, or before the program ends."""
        deadline = time.monotonic() + within_s
        while (line := self._next(deadline - time.monotonic())) is not None:
            if fits(line):
                return line
        return None

    def listen(self, for_s: float) -> list[Line]:
        """Return the lines that come within a time, or before the program ends."""
        deadline = time.monotonic() + for_s
        heard: deque[Line] = deque(maxlen=MAX_LINES)
        while (line := self._next(deadline - time.monotonic())) is not None:
            heard.append(line)
        return list(heard)

    def _next(self, within_s: float) -> Line | None:
        if self.has_ended:
            return None
        try:
            line = self._arrived.get(timeout=max(within_s, 0.0))
        except queue.Empty:
            return None
        if line is None:
            self.has_ended = True
        else:
            self._lines.append(line)
        return line

    def received(self, since_ms: float = 0.0) -> list[Line]:
        """Return the lines read so far that came after a time."""
        return [line for line in self._lines if not line.is_sent and line.ms >= since_ms]

    @property
    def errors(self) -> str:
        """What it has written to standard error so far."""
        return self._errors.decode(errors="backslashreplace")

    # The end

    def end(self, within_s: float) -> int | None:
        """Return the exit status once the program has ended; None if it runs on."""
        deadline = time.monotonic() + within_s
        self.wait_for(lambda line: False, within_s)
        try:
            return self._process.wait(max(deadline - time.monotonic(), 0.05))
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """Kill the program and its group, and read what it had written; harmless when repeated."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._to_write.put(None)
        self.wait_for(lambda line: False, 1.0)  # or the reader waits for space
        for thread in self._threads:
            thread.join(1.0)  # a process that has left the group may hold a pipe open
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None and not any(thread.is_alive() for thread in self._threads):
                stream.close()

    def last(self, count: int) -> list[str]:
        """Return the last lines as text: `ms > sent`, `ms < received`; of a run of like answers the last one."""
        shown: list[tuple[Line, int]] = []
        for line in sorted(self._lines, key=lambda line: line.ms):
            if shown and not line.is_sent and not shown[-1][0].is_sent and line.word == shown[-1][0].word:
                shown[-1] = line, shown[-1][1] + 1
            else:
                shown.append((line, 0))
        return [
            f"{line.ms:7.0f} {'>' if line.is_sent else '<'} {printable(line.text, SHOWN_WIDTH)}"
            + (f"  (and {more} like it before)" if more else "")
            for line, more in shown[-count:]
        ]


def _lines_of(stream: IO[bytes] | None) -> Iterator[bytes]:
    """Yield a stream's lines as they come; a longer one than MAX_LINE comes in parts."""
    assert stream is not None
    return iter(lambda: stream.readline(MAX_LINE), b"")
