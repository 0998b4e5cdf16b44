"""From jobs to answers: the one way in which work goes to other processes, of this machine or of a cluster."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from queue import Empty, SimpleQueue
from typing import Generic, TypeAlias, TypeVar

from siqi.daemon.cluster.calls import decode_result, encode_call
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.cluster.local import Batch, LocalWorkers
from siqi.daemon.cluster.remote import COUNT_S, Cluster, ClusterWorkers
from siqi.system.interrupts import held_back
from siqi.system.pipes import to_stderr

Task = TypeVar("Task")
Result = TypeVar("Result")
Carried = TypeVar("Carried")

Jobs: TypeAlias = int | Cluster
"""The place where jobs run: a number of local processes, or a cluster."""

Workers: TypeAlias = LocalWorkers | ClusterWorkers

BATCHES_PER_WORKER = 2
"""Batches handed out to a worker at a time: the current one and the next."""

TARGET_S = 1.0
"""The work of a batch: scheduling one costs some 3 ms at the scheduler, and 5 ms at its worker."""

WORKERS_PER_SECOND = 100
"""With more workers than this, batches become longer, so that a scheduler handles no more of them per second."""

SHORTEST = 10
"""The last batches have at least the calls of a whole one divided by this: a tenth of a second of work."""

MAX_CALLS = 1000
"""The most calls of a batch."""


def open_workers(jobs: Jobs, note: Callable[[str], None] = to_stderr) -> Workers:
    """Return workers; ClusterError if they are not available. `note` gets lines on refused ones."""
    return ClusterWorkers(jobs, note) if isinstance(jobs, Cluster) else LocalWorkers(jobs)


class _Running(Generic[Carried]):
    """Batches that run, each with what its sender wants to know of it when it is done.

    `concurrent.futures.wait` would take a lock of each batch. Ctrl-C within it left some of them locked, and a worker's
    end then waited for ever.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._carried: dict[Batch, Carried] = {}
        self._finished: SimpleQueue[Batch] = SimpleQueue()

    def __len__(self) -> int:
        return len(self._carried)

    def values(self) -> Iterable[Carried]:
        """Return what the batches carry."""
        return self._carried.values()

    def send(self, calls: Sequence[bytes], carried: Carried) -> None:
        """Hand out a batch."""
        batch = self._workers.send(calls)
        self._carried[batch] = carried
        with held_back():
            batch.add_done_callback(self._finished.put)

    def take_done(self, patience_s: float | None) -> list[tuple[Batch, Carried]]:
        """Return the batches that are done, which run no more; none if none is done within `patience_s`."""
        done: list[tuple[Batch, Carried]] = []
        try:
            done.append(self._take(self._finished.get(timeout=patience_s)))
            while True:
                done.append(self._take(self._finished.get_nowait()))
        except Empty:
            return done

    def _take(self, batch: Batch) -> tuple[Batch, Carried]:
        return batch, self._carried.pop(batch)


class BatchSize:
    """The number of calls of the next batch: as many as take TARGET_S, by the time of the last ones."""

    def __init__(self, most_calls: int = MAX_CALLS) -> None:
        self.calls = 1
        self._most_calls = most_calls
        self._mean_s = 0.0

    def calls_of(self, left: int | None, workers: int) -> int:
        """Return the number of calls of the next batch if `left` calls remain after its first one (None: not known).

        The last batches become shorter, so that workers end together.
        """
        if left is None:
            return self.calls
        fair = -(-(left + 1) // (BATCHES_PER_WORKER * max(1, workers)))
        return min(self.calls, max(fair, -(-self.calls // SHORTEST)))

    def learn(self, calls: int, seconds: float, workers: int) -> None:
        """Take the time of a batch into account. A size at most doubles: the first batches may be of easy jobs."""
        mean_s, target_s = seconds / calls, TARGET_S * max(1.0, workers / WORKERS_PER_SECOND)
        self._mean_s = mean_s if not self._mean_s else 0.8 * self._mean_s + 0.2 * mean_s
        self.calls = max(1, min(2 * self.calls, self._most_calls, int(target_s / max(self._mean_s, 1e-6))))


def completed(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    jobs: Jobs,
    wait_s: float | None = None,
    most_calls: int = MAX_CALLS,
) -> Generator[list[Result]]:
    """Yield the results of tasks as they finish, in any order; an empty list if none finished within `wait_s`.

    Tasks and results are data (`calls`), and short ones are handed out in batches, of at most `most_calls`. A task is
    taken from `tasks` when it is handed out. BrokenProcessPool or ClusterError if workers were lost, after the results
    that had arrived.
    """
    for results in _completed(function, tasks, jobs, wait_s, most_calls):
        yield [result for _, result in results]


def in_order(function: Callable[[Task], Result], tasks: Iterable[Task], jobs: Jobs) -> Generator[Result]:
    """Yield the results of tasks in the order of the tasks; errors as of `completed`."""
    early: dict[int, Result] = {}
    following = itertools.count()
    wanted = next(following)
    for results in _completed(function, tasks, jobs, None):
        early |= results
        while wanted in early:
            yield early.pop(wanted)
            wanted = next(following)


def in_graph(
    function: Callable[[Task], Result], tasks: Iterable[Task], needs: Callable[[Task], Iterable[Task]], jobs: Jobs
) -> Generator[Result]:
    """Yield the results of tasks as they finish; a task begins once those of the tasks that it needs are there.

    Tasks are hashable, and each is a batch of its own. Errors as of `completed`.
    """
    waiting = dict.fromkeys(tasks)
    with open_workers(jobs) as workers:
        running = _Running[Task](workers)
        while waiting or running:
            pending = {*waiting, *running.values()}
            ready = [task for task in waiting if pending.isdisjoint(needs(task))]
            for task in ready[: max(0, max(1, workers.count()) - len(running))]:
                del waiting[task]
                running.send([encode_call(function, task)], task)
            for batch, _ in running.take_done(COUNT_S):
                yield decode_result(function, workers.outcome(batch)[1][0])


def _completed(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    jobs: Jobs,
    wait_s: float | None,
    most_calls: int = MAX_CALLS,
) -> Generator[list[tuple[int, Result]]]:
    """Yield the numbers and results of tasks as they finish."""
    left, size = enumerate(tasks), BatchSize(most_calls)
    with open_workers(jobs) as workers:
        running = _Running[tuple[int, ...]](workers)
        patience_s = wait_s if isinstance(workers, LocalWorkers) else min(wait_s or COUNT_S, COUNT_S)
        while True:
            lost: Exception | None = None
            try:
                while len(running) < max(1, BATCHES_PER_WORKER * workers.count()):
                    if not (batch := tuple(itertools.islice(left, size.calls))):
                        break
                    calls = [encode_call(function, task) for _, task in batch]
                    running.send(calls, tuple(number for number, _ in batch))
            except (ClusterError, BrokenProcessPool) as error:
                lost = error
            if lost is not None and not running:
                raise lost
            if not running:
                return
            done = running.take_done(patience_s)
            results: list[tuple[int, Result]] = []
            for batch_done, numbers in done:
                try:
                    seconds, answers = workers.outcome(batch_done)
                except Exception as error:
                    lost = error
                    continue
                size.learn(len(numbers), seconds, workers.count())
                results += [
                    (number, decode_result(function, data)) for number, data in zip(numbers, answers, strict=True)
                ]
            if results or wait_s is not None:
                yield results
            if lost is not None and done:
                raise lost
