"""A run of `siqi analyse` whose positions are searched on a cluster.

One thread takes positions from the backlog and hands them out in batches, a few per worker; another one writes their
answers. When a worker ends, its batch goes to another one, so each position has exactly one final answer. If a
batch is searched again, the answers during its searches may be repeated.
"""

from __future__ import annotations

import itertools
import queue
import threading
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from siqi.daemon.analysis.analyst import PendingPosition
from siqi.daemon.analysis.answers import Final
from siqi.daemon.analysis.remote import PositionJob, answer_position, files_of, forget, terminate
from siqi.daemon.analysis.run import Listeners, Run, RunSettings
from siqi.daemon.cluster.calls import decode_result, encode_call
from siqi.daemon.cluster.errors import ClusterError, KilledError
from siqi.daemon.cluster.jobs import BATCHES_PER_WORKER, BatchSize
from siqi.daemon.cluster.local import Batch
from siqi.daemon.cluster.remote import COUNT_S, ClusterWorkers

LOAD_LIMIT_S = 300.0
"""The time that a batch may take in addition to its searches: a game may have to be compiled."""

SPARE_S = 60.0
"""The time that a search may take beyond twice its limit."""

SLOWEST_NPS = 1000

STOP_WAIT_S = 2.0
"""The time that a run's workers get at its end to stop their searches."""


class SentBatch(NamedTuple):
    """A batch that was handed out."""

    items: list[tuple[str, PendingPosition]]  # with their keys
    handed: Batch
    is_retry: bool  # a position that ended workers before, now tried alone


class PartialAnswer(NamedTuple):
    """An answer during a search."""

    key: str
    answer: dict[str, Any]


class ClusterRun(Run):
    """One run on a cluster."""

    def __init__(
        self, workers: ClusterWorkers, settings: RunSettings, listeners: Listeners, done: Collection[Final]
    ) -> None:
        super().__init__(settings, listeners, done)
        self._workers = workers
        self._id = f"siqi-{uuid.uuid4().hex}"
        self._numbers = itertools.count()
        self._sent: dict[str, PendingPosition] = {}  # handed out and not answered, by key; the lock guards it
        self._events: queue.SimpleQueue[SentBatch | PartialAnswer | None] = queue.SimpleQueue()
        self._size = BatchSize()
        self._may_send = threading.Condition()
        self._batches = 0  # handed out and not done; the condition guards it
        self._retries: deque[tuple[str, PendingPosition]] = (
            deque()
        )  # of batches that ended workers; the collector has them
        self._is_retrying = False  # one of them is handed out
        workers.subscribe(self._id, lambda partial: self._events.put(PartialAnswer(partial["key"], partial["answer"])))

    def carry_out(self, feed: Callable[[], None]) -> None:
        threads = [
            threading.Thread(target=self._guard, args=(task,), daemon=True) for task in (self._hand_out, self._collect)
        ]
        for thread in threads:
            thread.start()
        self._guard(feed)
        self._backlog.end()
        for thread in threads:
            thread.join()

    def _terminate(self, is_meant: Callable[[PendingPosition], bool]) -> None:
        super()._terminate(is_meant)
        if keys := [key for key, item in self._sent.items() if item.is_terminated]:
            self._workers.run_everywhere(terminate, keys, wait_s=STOP_WAIT_S if self._is_stopping else 0.0)

    def _forget(self) -> None:
        self._workers.run_everywhere(forget)

    def _hand_out(self) -> None:
        """Hand out batches until the backlog or the run ends; the body of a thread."""
        while self._wait_for_turn() and (first := self._backlog.get()) is not None and not self._is_stopping:
            self._send(self._keyed(self._following(first)))
        self._events.put(None)

    def _wait_for_turn(self) -> bool:
        """Wait until another batch may be handed out; False if the run ends."""
        with self._may_send:
            while self._batches >= BATCHES_PER_WORKER * max(1, self._workers.count()) and not self._is_stopping:
                self._may_send.wait(COUNT_S)  # more workers may have come
        return not self._is_stopping

    def _following(self, item: PendingPosition) -> Iterator[PendingPosition]:
        """Yield an item and those that come next, to the size of a batch."""
        yield item
        for _ in range(self._size.calls_of(self._backlog.left(), self._workers.counted) - 1):
            if (following := self._backlog.get_like(item)) is None:
                return
            yield following

    def _keyed(self, items: Iterable[PendingPosition]) -> list[tuple[str, PendingPosition]]:
        """Return the items that are not terminated, with new keys."""
        keyed = []
        for item in items:
            with self._lock:
                if not self._is_answered_unsearched(item):
                    key = f"{self._id}/{next(self._numbers)}"
                    self._sent[key] = item
                    keyed.append((key, item))
        return keyed

    def _send(self, items: list[tuple[str, PendingPosition]], is_retry: bool = False) -> None:
        """Hand out a batch."""
        if not items:
            return
        calls = [encode_call(answer_position, self._job(key, item)) for key, item in items]
        with self._may_send:
            self._batches += 1
        handed = self._workers.send(calls, items[0][1].query.priority, time_limit_s(item for _, item in items))
        # The callback gets the batch as its argument: a batch held by its own callback would stay in memory, here and
        # at the scheduler, until Python's garbage collector looks for cycles.
        handed.add_done_callback(lambda done: self._events.put(SentBatch(items, done, is_retry)))

    def _job(self, key: str, item: PendingPosition) -> PositionJob:
        return PositionJob(key, self._id, item.query, item.turn, item.options, item.query_hash, files_of(item.options))

    def _collect(self) -> None:
        """Write answers until all batches are done, or the run ends; the body of a thread."""
        is_complete = False
        while not (is_complete and not self._batches) and not self._is_stopping:
            event = self._events.get()
            if event is None:
                is_complete = True
            elif isinstance(event, PartialAnswer):
                with self._lock:
                    if event.key in self._sent and not self._is_stopping:
                        self._listeners.write(event.answer)
            else:
                self._take(event)
                if self._retries and not self._is_retrying:
                    self._is_retrying = True
                    self._send([self._retries.popleft()], is_retry=True)
                with self._may_send:
                    self._batches -= 1
                    self._may_send.notify()

    def _take(self, sent: SentBatch) -> None:
        """Write the answers of a batch. One that ended several workers is tried again position by position.

        One at a time: Dask also blames a batch if another one, run before it on the same worker, ended the worker.
        """
        if sent.is_retry:
            self._is_retrying = False
        try:
            seconds, results = self._workers.outcome(sent.handed)
        except KilledError as error:
            if not sent.is_retry:
                self._retries += sent.items
                return
            key, item = sent.items[0]
            self._answer(key, {"id": item.query.id, "turn": item.turn, "error": str(error)})
            return
        except ClusterError:
            if not self._is_stopping:
                raise
            return
        self._size.learn(len(results), seconds, self._workers.counted)
        for (key, _), result in zip(sent.items, results, strict=True):
            self._answer(key, decode_result(answer_position, result))

    def _answer(self, key: str, answer: dict[str, Any]) -> None:
        with self._lock:
            self._finish(self._sent.pop(key), answer)

    def stop(self) -> None:
        super().stop()
        self._events.put(None)


def time_limit_s(items: Iterable[PendingPosition]) -> float:
    """Return the time after which a batch counts as hung; 0, none, if a search has a depth limit only."""
    limit_s = LOAD_LIMIT_S
    for item in items:
        query = item.query
        limits_s = [query.movetime / 1000] if query.movetime else []
        limits_s += [query.nodes / SLOWEST_NPS] if query.nodes else []
        if not limits_s:
            return 0.0
        limit_s += 2 * min(limits_s) + SPARE_S
    return limit_s
