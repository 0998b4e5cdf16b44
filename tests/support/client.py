"""A client of the daemon for tests: a process, its pipes, and a deadline on every wait."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from forked import ForkedProcess

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "siqi")
START_TIMEOUT_S = 300.0
"""Longest wait for the first `readyok`: with a cold kernel cache, a busy machine compiles for minutes."""

TIMEOUT_S = 30.0
"""Longest wait for all other answers, ten times what any takes."""

Predicate = Callable[[str], bool]


class ClientError(AssertionError):
    """The awaited line, or the end, did not come in time; the text has the daemon's last lines."""


class Client:
    """One daemon process. `expect` returns every line up to the awaited one, so that tests can check them all."""

    def __init__(
        self,
        *setup: str,
        environment: Mapping[str, str] | None = None,
        folder: str | Path = ROOT,
        command: tuple[str, ...] | None = None,
        program: str | Path | None = None,
        arguments: tuple[str, ...] = (),
    ) -> None:
        """Start a process and send it the lines `setup`. `environment` replaces that of this process.

        `command`: the command to start; without one the process is forked (forked.py) if possible, else COMMAND starts.
        `program`: Python code or a script that a forked process runs in place of the program's `main`.
        """
        self.process = self._started(environment, folder, command, program, arguments)
        self.seen: list[str] = []
        """Every line read so far."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: list[bytes] = []
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()
        self.send(*setup)

    @staticmethod
    def _started(
        environment: Mapping[str, str] | None,
        folder: str | Path,
        command: tuple[str, ...] | None,
        program: str | Path | None,
        arguments: tuple[str, ...],
    ) -> subprocess.Popen[bytes] | ForkedProcess:
        if command is None and ForkedProcess.fits(environment):
            return ForkedProcess(folder, *arguments, program=program)
        if program is not None:
            start = (str(program),) if isinstance(program, Path) else ("-c", program)
            command = (sys.executable, *start, *arguments)
        env = dict(os.environ if environment is None else environment)
        env["PYTHONPATH"] = str(ROOT)
        pipe = subprocess.PIPE
        command = command or (*COMMAND, *arguments)
        return subprocess.Popen(command, cwd=folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for raw in self.process.stdout:
            self._lines.put(raw.decode("ascii").removesuffix("\n"))
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self._errors.append(self.process.stderr.read())

    def send(self, *lines: str) -> None:
        """Send lines in one write, so that none can be answered before the last is sent."""
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def expect(self, awaited: str | Predicate, timeout_s: float = TIMEOUT_S) -> list[str]:
        """Return all lines up to the first that satisfies a predicate, or whose first word is `awaited`.

        ClientError after `timeout_s`, or if the process ends before.
        """
        fits = (lambda line: line.split()[:1] == [awaited]) if isinstance(awaited, str) else awaited
        deadline = time.monotonic() + timeout_s
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise ClientError(f"waited {timeout_s} s for {awaited}; last lines: {lines[-5:]}") from None
            if line is None:
                raise ClientError(f"the process ended before {awaited}; last lines: {lines[-5:]}; {self._errors}")
            lines.append(line)
            self.seen.append(line)
            if fits(line):
                return lines

    def ask(self, *lines: str, until: str | Predicate, timeout_s: float = TIMEOUT_S) -> list[str]:
        """Call `send`, then `expect`."""
        self.send(*lines)
        return self.expect(until, timeout_s)

    def sync(self, timeout_s: float = START_TIMEOUT_S) -> list[str]:
        """Send `isready` and return all lines before its `readyok`."""
        return self.ask("isready", until="readyok", timeout_s=timeout_s)[:-1]

    def answers(self, *lines: str) -> list[str]:
        """Send lines that start no search and return the answers."""
        self.send(*lines)
        return self.sync()

    def search(self, *lines: str, timeout_s: float = TIMEOUT_S) -> list[str]:
        """Send lines and return the answers up to the `bestmove`."""
        return self.ask(*lines, until="bestmove", timeout_s=timeout_s)

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def rest(self, timeout_s: float = TIMEOUT_S) -> list[str]:
        """Return all lines until the process ends by itself; ClientError after `timeout_s`."""
        lines = []
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise ClientError(f"the process has not ended after {timeout_s} s; last lines: {lines[-5:]}") from None
            if line is None:
                return lines
            lines.append(line)
            self.seen.append(line)

    def end(self, timeout_s: float = TIMEOUT_S) -> int:
        """Wait until the process ends by itself and return its exit status; ClientError after `timeout_s`."""
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise ClientError(f"the process has not ended after {timeout_s} s") from None

    @property
    def errors(self) -> str:
        """Return the text written to stderr, complete once the process has ended."""
        self._threads[1].join(TIMEOUT_S)
        return b"".join(self._errors).decode(errors="replace")

    def close(self) -> None:
        """Kill the process if it still runs, and close its pipes; harmless when repeated."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):  # it had not read all its input
                pipe.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
