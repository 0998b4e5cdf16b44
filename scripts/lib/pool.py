"""Pools of worker processes that raise an error if a worker is killed; `multiprocessing.Pool` would wait for ever."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Task = TypeVar("Task")
Result = TypeVar("Result")

TASKS_A_WORKER = 2
"""Tasks handed out to a worker at a time: the current one and the next."""


class Workers(ProcessPoolExecutor):
    """Spawned processes. BrokenProcessPool: one was killed.

    Ctrl-C reaches only the main process. The workers end with it, and at once if an error ends the `with` block.
    """

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs, multiprocessing.get_context("spawn"), _end_with_parent)
        self._others = set(multiprocessing.active_children())

    def submit(self, function: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        with _no_interrupt():  # a worker may be started here
            return super().submit(function, *args, **kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if kind is not None:
            for worker in set(multiprocessing.active_children()) - self._others:
                worker.kill()
            # One may have been sending a big result. The executor would wait for the rest of it for ever, as long as
            # the pipe has a writer, which now is this process alone.
            self._result_queue._writer.close()  # type: ignore[attr-defined]
        return super().__exit__(kind, error, trace)


def _end_with_parent() -> None:
    """End this worker when its parent ends; a killed parent cannot do so."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Block Ctrl-C; processes started in the block never receive it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def completed(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, wait_s: float | None = None
) -> Generator[list[Result]]:
    """Yield the results of tasks as they finish, in any order; an empty list if none finished within `wait_s`.

    BrokenProcessPool if a worker was killed, after the results that were there.
    """
    left, running = iter(tasks), set[Future[Result]]()
    with Workers(jobs) as workers:
        while True:
            try:
                for task in itertools.islice(left, TASKS_A_WORKER * jobs - len(running)):
                    running.add(workers.submit(function, task))
            except BrokenProcessPool:
                if not running:
                    raise
            if not running:
                return
            done, running = wait(running, wait_s, FIRST_COMPLETED)
            failed = [future for future in done if future.exception() is not None]
            yield [future.result() for future in done.difference(failed)]
            for future in failed:
                future.result()
