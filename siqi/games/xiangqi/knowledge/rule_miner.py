"""The rule base that grows during play: a process mines, and the new rules wait for the next game.

mining.py does the work in a process of its own, at the lowest priority: the daemon's threads are not delayed, and a
process that is killed leaves the rule base as it was. It ends with this process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from siqi.games.books.book import BookFileError
from siqi.games.contract import Warn
from siqi.games.xiangqi.knowledge.rulebook import RuleBook

LOWEST_PRIORITY = 19

_CODE = (
    "import os, sys; getattr(os, 'nice', int)({nice}); sys.path[:] = {path!r};"
    " from siqi.games.xiangqi.knowledge import mining; mining.main(*sys.argv[1:])"
)


class MiningJob(NamedTuple):
    """The file of `GameLog`, and the rule base to mine it into."""

    games: str
    rules: str


class RuleMiner:
    """Mines on request, one job at a time, on a thread that waits for the process."""

    def __init__(self, warn: Warn) -> None:
        """`warn` gets each line for the user once, from the thread."""
        self._warn = warn
        self._lock = threading.Lock()
        self._next: MiningJob | None = None
        self._is_running = False
        self._fresh: tuple[str, RuleBook] | None = None
        self._said: set[str] = set()

    def start(self, job: MiningJob) -> None:
        """Mine, now or after the job that runs; a job that waits is replaced. Does not block."""
        with self._lock:
            self._next = job
            if self._is_running:
                return
            self._is_running = True
        threading.Thread(target=self._run, name="learner", daemon=True).start()

    def take(self, rules: str) -> RuleBook | None:
        """Return the rule base that was mined into a file since the last call; None if there is none."""
        with self._lock:
            if self._fresh is None or self._fresh[0] != rules:
                return None
            (_, book), self._fresh = self._fresh, None
            return book

    def _run(self) -> None:
        while True:
            with self._lock:
                job, self._next = self._next, None
                if job is None:
                    self._is_running = False
                    return
            try:
                for line in mine(job):
                    self._say(line)
                if os.path.getsize(job.rules):
                    book = RuleBook(Path(job.rules))
                    with self._lock:
                        self._fresh = job.rules, book
            except BookFileError as error:
                self._say(str(error))
            except OSError as error:
                self._say(f"{job.rules}: {error.strerror or error}")
            except Exception as error:
                self._say(f"option MineRules: {type(error).__name__}: {error}")

    def _say(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self._warn(line)


def mine(job: MiningJob, nice: int = LOWEST_PRIORITY) -> list[str]:
    """Run a mining process to its end; return its lines for the user. OSError if it cannot be started."""
    if not sys.executable or getattr(sys, "frozen", False):
        return ["option MineRules: there is no Python interpreter to mine with"]
    code = _CODE.format(nice=nice, path=sys.path)
    below_normal = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    with subprocess.Popen(
        [sys.executable, "-c", code, *job],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) | below_normal,
    ) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        if process.wait():
            lines.append(f"{job.rules}: mining ended with status {process.returncode}; the rules stay as they were")
    return lines
