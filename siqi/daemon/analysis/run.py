"""One run of `siqi analyse`: a reader, a bounded queue, workers, and a lock for the output.

Answers are written as they are found; each position of a query has exactly one final answer. The reader waits while the
queue is full, so that memory stays bounded for any length of input.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from siqi.daemon.analysis.answers import Final, no_results
from siqi.daemon.analysis.query import Action, BadLineError, Query, error_answer, parse, query_hash, resolve_options
from siqi.version import __version__

if TYPE_CHECKING:
    from siqi.daemon.analysis.analyst import Analyst, PendingPosition
    from siqi.daemon.engine.search_job import SearchJob

WAITING = 1000
"""The most positions in the queue."""

DEFAULT_NODES = 100_000
"""The node limit of a query that names no limit."""

LAST = 1 << 62
"""The priority of the mark that ends a worker, behind all positions."""

GIT_HASH = "<omitted>"
"""The commit in the answer to `query_version`: builds do not record theirs."""


class RunSettings(NamedTuple):
    """The settings of a run. Limits and `multipv` apply to queries that name none."""

    workers: int = 1
    threads: int = 1
    hash_mb: int = 16
    nodes: int = DEFAULT_NODES
    depth: int = 0
    movetime: int = 0
    multipv: int = 1
    given: Mapping[str, str] = {}
    """Options of the engine, by name; they go before `threads` and `hash_mb`."""
    no_files: bool = False
    """True if queries cannot set options that name files."""

    @property
    def options(self) -> dict[str, str]:
        """The engine's options that follow from these settings, for queries that name none."""
        return {"Hash": str(self.hash_mb), "Threads": str(self.threads), "Seed": "1", **self.given}


class Backlog:
    """The positions that wait for a worker, by falling priority, then in the order of their arrival."""

    def __init__(self) -> None:
        self._queue: queue.PriorityQueue[tuple[int, int, PendingPosition | None]] = queue.PriorityQueue(WAITING)
        self._order = itertools.count()
        self._is_ended = False

    def put(self, item: PendingPosition) -> None:
        """Add a position. Blocks while the queue is full."""
        self._queue.put((-item.query.priority, next(self._order), item))

    def end(self) -> None:
        """Make one worker end once all positions are taken."""
        self._is_ended = True
        self._queue.put((LAST, next(self._order), None))

    def left(self) -> int | None:
        """Return the number of positions that wait, and the marks of the end; None if more may come."""
        return self._queue.qsize() if self._is_ended else None

    def get(self) -> PendingPosition | None:
        """Remove and return the next position, None at the end. Blocks while there is none."""
        return self._queue.get()[2]

    def get_like(self, item: PendingPosition) -> PendingPosition | None:
        """Remove and return the next position if it has an item's priority or a higher one; None otherwise.

        Only one thread may call this method and `get`. Does not block.
        """
        with self._queue.mutex:
            head = self._queue.queue[0] if self._queue.queue else None
        return self._queue.get()[2] if head is not None and head[0] <= -item.query.priority else None


def ignore(*_: object) -> None:
    """A listener that does nothing."""


class Listeners(NamedTuple):
    """The functions that a run calls, from several threads.

    `write`: with one answer at a time. `fail`: with the first exception after which the run cannot go on, in the thread
    that raised it; the run may then never end by itself, as the reader waits for input. `expect`: with an id, the turns
    that will be answered, and the keys of earlier answers to its other turns. `note`: with lines for the user that are
    no answers.
    """

    write: Callable[[dict[str, Any]], None]
    fail: Callable[[Exception], object]
    expect: Callable[[str, tuple[int, ...], list[Final]], None] = ignore
    note: Callable[[str], None] = ignore


class Run:
    """One run. `errors` is the number of answers that are errors."""

    def __init__(self, settings: RunSettings, listeners: Listeners, done: Collection[Final] = frozenset()) -> None:
        """Answers in `done` are not computed again."""
        self.errors = 0
        self._settings = settings
        self._listeners = listeners
        self._done = done
        self._lock = threading.Lock()
        self._backlog = Backlog()
        self._open: set[PendingPosition] = set()  # waiting or being searched
        self._analysts: list[Analyst] = []
        self._noted: set[str] = set()
        self._is_stopping = False
        self._failure = threading.Lock()  # held by the first thread that fails

    def carry_out(self, feed: Callable[[], None]) -> None:
        """Run `feed`, which calls `take_line` and `take_query`; return when the last answer is written."""
        workers = [
            threading.Thread(target=self._guard, args=(self._work,), daemon=True) for _ in range(self._settings.workers)
        ]
        for worker in workers:
            worker.start()
        self._guard(feed)
        for _ in workers:
            self._backlog.end()
        for worker in workers:
            worker.join()

    def _guard(self, task: Callable[[], None]) -> None:
        try:
            task()
        except Exception as error:
            if not self._is_stopping and self._failure.acquire(blocking=False):
                self._listeners.fail(error)

    def stop(self) -> None:
        """End the run: searches end without an answer, waiting positions are not searched."""
        self._is_stopping = True
        with self._lock:
            self._terminate(lambda item: True)

    def _terminate(self, is_meant: Callable[[PendingPosition], bool]) -> None:
        """Terminate the open positions for which `is_meant` is true; the caller holds the lock."""
        for item in filter(is_meant, self._open):
            item.is_terminated = True
            if item.job is not None:
                item.job.stop()

    def _write_answer(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._write_locked(answer)

    def _write_locked(self, answer: dict[str, Any]) -> None:
        self.errors += "error" in answer
        self._listeners.write(answer)

    def report_error(self, what: str, name: str) -> None:
        """Write the error of a game that cannot be analysed."""
        self._write_answer(error_answer(BadLineError(what, "", name)))

    def take_line(self, line: str | bytes, number: int = 0) -> None:
        """Carry out a line of JSON, a query or an action; errors in it are answered, with its number if not 0."""
        try:
            parsed = parse(line)
            for field in parsed.unknown:
                self._write_answer({"id": parsed.request.id, "warning": "unknown field", "field": field})
            if isinstance(parsed.request, Action):
                self._act(parsed.request, parsed.fields)
            else:
                self.take_query(parsed.request, parsed.written)
        except BadLineError as error:
            self._write_answer(error_answer(error) | ({"line": number} if number else {}))

    def take_query(self, query: Query, written: Mapping[str, str] = MappingProxyType({})) -> None:
        """Queue the positions of a query. Blocks while the queue is full. BadLineError for a bad option or value.

        `written`: the client's names of fields, by ours, where they differ.
        """
        from siqi.daemon.analysis.analyst import PendingPosition

        changes: dict[str, Any] = {}
        if not query.limits:
            changes = {name: getattr(self._settings, name) or None for name in ("nodes", "depth", "movetime")}
        if query.multipv is None:
            changes["multipv"] = self._settings.multipv
        query = msgspec.structs.replace(query, **changes)
        options = resolve_options(query, self._settings.options, self._settings.no_files)
        turns = tuple(dict.fromkeys((len(query.moves),) if query.analyseTurns is None else query.analyseTurns))
        items = []
        done = []
        for turn in turns:
            if turn > len(query.moves):
                what = f"turn {turn} is after the last move, {len(query.moves)}"
                field = written.get("analyseTurns", "analyseTurns")
                self._write_answer(error_answer(BadLineError(what, field, query.id)) | {"turn": turn})
                continue
            item = PendingPosition(query, turn, options, query_hash(query, turn, options), written=written)
            if (final := (query.id, turn, item.query_hash)) in self._done:
                done.append(final)
            else:
                items.append(item)
        self._listeners.expect(query.id, tuple(item.turn for item in items), done)
        for item in items:
            with self._lock:
                self._open.add(item)
            self._backlog.put(item)

    def _act(self, request: Action, fields: dict[str, Any]) -> None:
        """Carry out an action; its answer repeats its fields."""
        result: dict[str, Any] = {}
        with self._lock:
            if request.action == "query_version":
                result = {"version": __version__, "git_hash": GIT_HASH}
            elif request.action == "clear_cache":
                self._forget()
            else:
                self._terminate(
                    lambda item: (
                        (request.action == "terminate_all" or item.query.id == request.terminateId)
                        and (request.turns is None or item.turn in request.turns)
                    )
                )
            self._listeners.write(fields | result)

    def _forget(self) -> None:
        """Have all searchers forget what they found; the caller holds the lock."""
        for analyst in self._analysts:
            analyst.forget()

    def _begin(self, item: PendingPosition, job: SearchJob) -> None:
        """Keep the search of an item for actions that terminate it; such an action may have come already."""
        with self._lock:
            item.job = job
            if item.is_terminated:
                job.stop()

    def _work(self) -> None:
        """Analyse queued positions until the queue or the run ends; the body of a worker's thread."""
        from siqi.daemon.analysis.analyst import Analyst

        analyst = Analyst(self._note_once)
        self._analysts.append(analyst)
        while (item := self._backlog.get()) is not None and not self._is_stopping:
            with self._lock:
                if self._is_answered_unsearched(item):
                    continue
            answer = analyst.answer(item, self._begin, self._write_answer)
            with self._lock:
                self._finish(item, answer)

    def _note_once(self, line: str) -> None:
        """Pass on a line for the user, unless another worker, or a game loaded before, has reported the same."""
        with self._lock:
            if line in self._noted:
                return
            self._noted.add(line)
        self._listeners.note(line)

    def _is_answered_unsearched(self, item: PendingPosition) -> bool:
        """Answer a position that was terminated before its search; False for any other. The caller holds the lock."""
        if item.is_terminated:
            self._finish(item, no_results(item.query.id, item.turn))
        return item.is_terminated

    def _finish(self, item: PendingPosition, answer: dict[str, Any]) -> None:
        """Write a position's final answer; the caller holds the lock."""
        self._open.discard(item)
        if item.is_terminated:
            answer.pop("query", None)  # a terminated search is no answer for its limits
        if "field" in answer:
            answer["field"] = item.written.get(answer["field"], answer["field"])
        if not self._is_stopping:
            self._write_locked(answer)
