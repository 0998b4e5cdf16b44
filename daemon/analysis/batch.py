"""The run of `siqi analyse`: a reader, a bounded queue, workers, and one writer's lock.

Answers come as they are found; each position of a query has exactly one that is final. The reader waits while the queue
is full, so that memory stays bounded however long the input is.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from daemon.analysis.query import BadLineError, Query, Terminate, parse

WAITING = 1000
"""Positions in the queue at the most."""

DEFAULT_NODES = 100_000
"""Of a query that names no limit."""

LAST = 1 << 62
"""The priority of the end."""

Write = Callable[[dict[str, Any]], None]


class Settings(NamedTuple):
    """Of a run; limits are those of queries that name none."""

    workers: int = 1
    threads: int = 1
    hash_mb: int = 16
    nodes: int = DEFAULT_NODES
    depth: int = 0
    movetime: int = 0


class Batch:
    """One run."""

    def __init__(
        self,
        settings: Settings,
        write: Write,
        expect: Callable[[], None] = lambda: None,
        done: frozenset[tuple[str, int]] = frozenset(),
    ) -> None:
        """`write` takes one answer at a time, `expect` is told of each position queued; those `done` are skipped."""
        self._settings = settings
        self._write = write
        self._expect = expect
        self._done = done
        self._lock = threading.Lock()
        self._queue: queue.PriorityQueue[tuple[int, int, Any]] = queue.PriorityQueue(WAITING)
        self._order = itertools.count()
        self._running: dict[tuple[str, int], Any] = {}  # controls
        self._left: dict[str, set[int] | None] = {}  # queries left, and which of their turns (None: all)
        self._is_stopping = False

    def run(self, feed: Callable[[], None]) -> None:
        """Answer what `feed` asks for (by `take` and `ask`); returns when the last answer is written."""
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(self._settings.workers)]
        for worker in workers:
            worker.start()
        feed()
        for _ in workers:
            self._queue.put((LAST, next(self._order), None))
        for worker in workers:
            worker.join()

    def stop(self) -> None:
        """Leave what runs without an answer; what waits is not begun."""
        self._is_stopping = True
        with self._lock:
            for control in self._running.values():
                control.stop()

    def _say(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._write(answer)

    def complain(self, what: str, name: str) -> None:
        """Tell what is wrong with a game that cannot be asked for."""
        self._say(complaint(BadLineError(what, "", name)))

    def take(self, line: str | bytes) -> None:
        """Do what a line of JSON asks for."""
        try:
            asked, unknown = parse(line)
        except BadLineError as error:
            self._say(complaint(error))
            return
        for field in unknown:
            self._say({"id": asked.id, "warning": "unknown field", "field": field})
        if isinstance(asked, Terminate):
            self._terminate(asked)
        else:
            self.ask(asked)

    def ask(self, query: Query) -> None:
        """Queue the positions of a query."""
        from daemon.analysis.analyst import Item

        if not query.is_bounded:
            limits = {name: getattr(self._settings, name) for name in ("nodes", "depth", "movetime")}
            query = msgspec.structs.replace(query, **limits)
        turns = (len(query.moves),) if query.analyseTurns is None else query.analyseTurns
        for turn in dict.fromkeys(turns):
            if turn > len(query.moves):
                what = f"turn {turn} is after the last move, {len(query.moves)}"
                self._say(complaint(BadLineError(what, "analyseTurns", query.id)) | {"turn": turn})
            elif (query.id, turn) not in self._done:
                self._expect()
                self._queue.put((-query.priority, next(self._order), Item(query, turn)))

    def _terminate(self, asked: Terminate) -> None:
        with self._lock:
            before = self._left.get(asked.terminateId, set())
            wanted = None if asked.turns is None or before is None else before | set(asked.turns)
            self._left[asked.terminateId] = wanted
            for (name, turn), control in self._running.items():
                if name == asked.terminateId and (asked.turns is None or turn in asked.turns):
                    control.stop()
            self._write(msgspec.to_builtins(asked))

    def _is_left(self, name: str, turn: int) -> bool:
        if name not in self._left:
            return False
        turns = self._left[name]
        return turns is None or turn in turns

    def _work(self) -> None:
        from daemon.analysis.analyst import Analyst
        from games.kernel.control import Control

        analyst = Analyst(self._settings.hash_mb, self._settings.threads)
        while (item := self._queue.get()[2]) is not None and not self._is_stopping:
            key = item.query.id, item.turn
            control = Control(item.query.nodes)
            with self._lock:
                is_left = self._is_left(*key)
                if not is_left:
                    self._running[key] = control
            if is_left:
                self._say({"id": key[0], "turn": key[1], "isDuringSearch": False, "noResults": True})
                continue
            try:
                answer = analyst.analyse(item, control, self._say)
            except BadLineError as error:
                answer = complaint(error) | {"turn": item.turn}
            except Exception as error:
                answer = {"id": key[0], "turn": key[1], "error": f"internal: {type(error).__name__}: {error}"}
            with self._lock:
                self._running.pop(key, None)
                if not self._is_stopping:
                    self._write(answer)


def complaint(error: BadLineError) -> dict[str, Any]:
    found = {"error": str(error), "field": error.field, "id": error.id}
    return {name: value for name, value in found.items() if value}


def finals(answers: Iterable[dict[str, Any]]) -> frozenset[tuple[str, int]]:
    """Which positions have had their final answer, errors not counted."""
    return frozenset(
        (answer["id"], answer["turn"])
        for answer in answers
        if {"id", "turn"} <= answer.keys() and not answer.get("isDuringSearch", True) and "noResults" not in answer
    )
