"""The analyst of a worker's process on a cluster: it answers positions that come as data, and stays warm."""

from __future__ import annotations

import functools
import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import msgspec

from siqi.daemon.analysis.analyst import Analyst, Files, PendingPosition
from siqi.daemon.analysis.answers import no_results
from siqi.daemon.analysis.query import BadLineError, OptionValue, Query, error_answer
from siqi.daemon.cluster.identity import digest_of
from siqi.daemon.cluster.node import load
from siqi.daemon.engine.search_job import SearchJob
from siqi.games import registry
from siqi.games.contract import silent

MAX_KEYS = 100_000
"""The most terminated positions that are remembered; the oldest are forgotten."""


class PositionJob(msgspec.Struct, frozen=True):
    """A position to be answered. `key` names it among all clients of a cluster."""

    key: str
    topic: str  # of Dask's events, for the answers during the search
    query: Query
    turn: int
    options: tuple[OptionValue, ...]
    query_hash: str
    files: Files


class RemoteAnalyst:
    """The analyst, with the requests that other threads may make."""

    def __init__(self) -> None:
        self.analyst = Analyst(silent, load)
        self._lock = threading.Lock()
        self._terminated: OrderedDict[str, None] = OrderedDict()
        self._running: tuple[str, SearchJob] | None = None
        self._checked: set[tuple[tuple[OptionValue, ...], Files]] = set()  # options whose files are the client's

    def answer(self, job: PositionJob) -> dict[str, Any]:
        """Return the final answer of a position. Blocks until then."""
        from siqi.daemon.cluster.plugin import emit

        item = PendingPosition(job.query, job.turn, job.options, job.query_hash, job.files)
        fault: str | None = None

        def begin(item: PendingPosition, search: SearchJob) -> None:
            with self._lock:
                self._running = (job.key, search)
                if job.key in self._terminated:
                    search.stop()

        if self._is_terminated(job.key):
            return no_results(item.query.id, item.turn)
        if (job.options, job.files) not in self._checked:
            fault = file_fault(job.options, job.files)
            if fault is None:
                self._checked.add((job.options, job.files))
        if fault is not None:
            return error_answer(BadLineError(fault, "options", job.query.id)) | {"turn": job.turn}
        answer = self.analyst.answer(item, begin, lambda answer: emit(job.topic, {"key": job.key, "answer": answer}))
        with self._lock:
            self._running = None
        if self._is_terminated(job.key):
            answer.pop("query", None)  # it was cut short
        return answer

    def _is_terminated(self, key: str) -> bool:
        with self._lock:
            return key in self._terminated

    def terminate(self, keys: list[str]) -> None:
        """Stop the search of a position if it runs; begin none if it does not run yet. Any thread may call this."""
        with self._lock:
            self._terminated |= dict.fromkeys(keys)
            while len(self._terminated) > MAX_KEYS:
                self._terminated.popitem(last=False)
            if self._running is not None and self._running[0] in self._terminated:
                self._running[1].stop()


@functools.cache
def _remote_analyst() -> RemoteAnalyst:
    return RemoteAnalyst()


def answer_position(job: PositionJob) -> dict[str, Any]:
    """Return the final answer of a position."""
    return _remote_analyst().answer(job)


def terminate(keys: list[str]) -> None:
    """Terminate positions; all workers get this, as their client does not know which one has them."""
    _remote_analyst().terminate(keys)


def forget() -> None:
    """Drop all games and searchers."""
    _remote_analyst().analyst.forget()


# ---------------------------------------------------------------- files that options name


@functools.lru_cache(256)
def files_of(options: tuple[OptionValue, ...]) -> Files:
    """Return the digests of the files or folders that options name, as they are at the first call."""
    return tuple((name, _digest(value)) for name, value in options if value and _is_path(name))


def file_fault(options: tuple[OptionValue, ...], files: Files) -> str | None:
    """Return which file is missing here, or another than the client's; None if there is none."""
    values = dict(options)
    for name, digest in files:
        if digest != _digest(values[name]):
            return f"{name}: {values[name]} is missing on a worker, or not the same there"
    return None


def _digest(value: str) -> str:
    """Return a digest of files and folders, given as a list like `$PATH`."""
    parts = []
    for path in map(Path, value.split(os.pathsep)):
        inner = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        parts.append(digest_of(path.parent, inner) if path.exists() else "")
    return "/".join(parts)


@functools.cache
def _is_path(name: str) -> bool:
    """True if an option's value is the name of a file."""
    declared = [option for game in registry.NAMES for option in registry.info(game).options]
    return any(option.name == name and option.kind == "string" for option in declared)
