"""A program in its own process, which reads and writes lines; a process's status as the system reports it."""

from __future__ import annotations

import contextlib
import math
import queue
import re
import shlex
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

QUIT_TIMEOUT_S = 1.0

KEPT_LINES, KEPT_ERRORS = 200, 50
"""The lines of a dialogue, and of standard error, that are kept."""

LONGEST, MAX_WAITING = 1 << 20, 200_000
"""The characters of the longest line, and the most lines that wait to be read: an engine may write without end."""

MAX_CHARACTERS = 500
"""The beginning of a line that is kept."""

FRAME, KEPT_FRAMES = re.compile(r"\s+at |\s*\.\.\. \d+ "), 5
"""A line of a stack trace of Java, C# or JavaScript, and how many in a row are kept: the exception stands above."""


TRACEBACK, CAUSE = "Traceback (most recent call last):", "Caused by:"
"""The beginnings of a trace of Python, and of a cause in one of Java."""


class Ended(Exception):
    """The program ended; the message has its exit status, and what it complained of."""


class Silent(Exception):
    """The line that was awaited did not come in time; the program was killed. The message has its complaint, too."""


class Process:
    """A running program. A thread stamps each line as it arrives, in seconds of the monotonic clock."""

    def __init__(self, command: str) -> None:
        """Start the program; OSError if it cannot be started."""
        self.started = time.monotonic()
        # In its own session Ctrl-C does not reach the program: else its end would count as a crash.
        self._process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            bufsize=1,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input = self._process.stdin
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._errors: deque[str] = deque(maxlen=KEPT_ERRORS)
        self._lines: queue.SimpleQueue[tuple[float, str | None]] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True).start()
        self._keeper = threading.Thread(target=_keep, args=(self._process.stderr, self._errors), daemon=True)
        self._keeper.start()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def status(self, field: str) -> int:
        """Return a number of /proc/PID/status, such as `VmRSS` in KiB."""
        return status(self._process.pid, field)

    @property
    def dialogue(self) -> list[str]:
        """The last lines since `begin`: `> ms text` sent, `< ms text` read, then `! text` of standard error."""
        return [*self._said, *(f"! {line}" for line in self._errors)]

    def begin(self) -> None:
        """Begin a new dialogue: what came before is forgotten."""
        self._said.clear()
        self._errors.clear()
        self.started = time.monotonic()

    def _note(self, sign: str, at: float, line: str) -> None:
        self._said.append(f"{sign} {1000 * (at - self.started):.0f} {line[:MAX_CHARACTERS]}")

    def send(self, *lines: str) -> float:
        """Write lines at once; return the time after that. Ended if the program does not read them."""
        for line in lines:
            self._note(">", time.monotonic(), line)
        try:
            self._input.write("".join(line + "\n" for line in lines))
            self._input.flush()
        except (OSError, ValueError) as error:
            raise self._ended() from error
        return time.monotonic()

    def wait_for(
        self, *wanted: str, timeout_s: float = math.inf, passing: Callable[[str], object] = str
    ) -> tuple[float, str]:
        """Return the time and text of the next line that starts with a wanted word (any, if none is named).

        Lines before it go to `passing`; empty ones are skipped. Raises Ended or Silent.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            left_s = None if math.isinf(timeout_s) else max(0.0, deadline - time.monotonic())
            try:
                arrived, line = self._lines.get(timeout=left_s)
            except queue.Empty:
                raise self._silent(wanted, timeout_s) from None
            if line is None:
                raise self._ended()
            if arrived > deadline:  # a program that floods its output hangs, too
                raise self._silent(wanted, timeout_s) from None
            self._note("<", arrived, line)
            if line and (not wanted or line.partition(" ")[0] in wanted):
                return arrived, line
            if line:
                passing(line)

    def close(self) -> None:
        """Ask the program to quit, and kill it if it does not; harmless when repeated."""
        with contextlib.suppress(OSError, ValueError):  # broken, or already closed
            self._input.write("quit\n")
            self._input.close()
        try:
            self._process.wait(QUIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _ended(self) -> Ended:
        """Close, and return the exception for a broken pipe."""
        self.close()
        return Ended(f"engine ended with status {self._process.returncode}{self._complaint()}")

    def _silent(self, wanted: Sequence[str], timeout_s: float) -> Silent:
        """Kill the program, and return the exception for it."""
        self.kill()
        return Silent(f"hung: no {wanted[-1] if wanted else 'line'} within {timeout_s:g} s{self._complaint()}")

    def _complaint(self) -> str:
        """Return what the program, which has ended, wrote last to standard error, as the end of a sentence."""
        self._keeper.join(QUIT_TIMEOUT_S)
        said = complaint(self._errors)
        return f"; on standard error: {said}" if said else ""


def _keep(stream: IO[str], lines: deque[str]) -> None:
    """Read a program's standard error to its end, or it would block; keep the last lines."""
    with contextlib.suppress(ValueError), stream:  # closed with the process
        frames = 0
        for line in lines_of(stream):
            frames = frames + 1 if FRAME.match(line) else 0
            if frames <= KEPT_FRAMES:
                lines.append(line.rstrip()[:MAX_CHARACTERS])


def lines_of(stream: IO[str]) -> Iterator[str]:
    """Yield a program's lines as they come; one longer than LONGEST comes in parts."""
    return iter(lambda: stream.readline(LONGEST), "")


def complaint(lines: Iterable[str]) -> str:
    """Return the line of standard error that says what is wrong: of a stack trace the exception, else the last line.

    Of Java's traces it is the exception with its last cause, of Python's the line below the last traceback.
    """
    said = [line for line in lines if line.strip()]
    if TRACEBACK in said:
        below = said[len(said) - said[::-1].index(TRACEBACK) :]
        return next((line for line in below if not line[0].isspace()), said[-1].strip())
    last_frame = max((place for place, line in enumerate(said) if FRAME.match(line)), default=len(said))
    above = [line.strip() for line in said[:last_frame] if not FRAME.match(line)]
    if not above:
        return "".join(said[-1:]).strip()
    if above[-1].startswith(CAUSE):
        return "; ".join([*[line for line in above if not line.startswith(CAUSE)][-1:], above[-1]])
    return above[-1]


def _pump(stream: IO[str], lines: queue.SimpleQueue[tuple[float, str | None]]) -> None:
    """Put lines into the queue with their time of arrival, None at the end; drop them while too many wait there."""
    with stream:
        for line in lines_of(stream):
            if lines.qsize() < MAX_WAITING:
                lines.put((time.monotonic(), line.strip()))
    lines.put((time.monotonic(), None))


def status(pid: int, field: str) -> int:
    """Return a number of /proc/PID/status: `VmRSS` in KiB, `Threads`. ValueError for an unknown field."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise ValueError(f"process {pid} has no {field}")
