"""A process that carries out calls, on this machine or on another."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import zstandard
from filelock import FileLock

from siqi.daemon.cluster.calls import perform
from siqi.games import registry
from siqi.games.contract import Game, Position, Warn, silent
from siqi.system.memory import STACK_BYTES, return_large_blocks

_LEVEL = 1

HUNG_STATUS = 70
"""The exit status of a worker that ends itself because a call took longer than allowed."""


@functools.cache
def _thread() -> ThreadPoolExecutor:
    """Return the one thread that carries out calls: a process has one engine at work, with all of its cores."""
    return_large_blocks()
    before = threading.stack_size(STACK_BYTES)
    pool = ThreadPoolExecutor(1)
    pool.submit(int).result()
    threading.stack_size(before)
    return pool


def run_calls(packed: bytes, limit_s: float) -> bytes:
    """Carry out packed calls in order; return the seconds that they took, and their results, packed.

    An error of a call ends them and is raised. If they take longer than `limit_s` (0: no limit) the process
    ends: a kernel that hangs can be stopped by nothing else. Dask then gives the calls to another worker.
    """
    calls = _unpacked(packed, list[bytes])
    started = time.monotonic()
    running = _thread().submit(lambda: [perform(call) for call in calls])
    try:
        results = running.result(limit_s or None)
    except TimeoutError:
        if running.done():
            raise  # an error of a call's own
        os._exit(HUNG_STATUS)
    return pack((time.monotonic() - started, results))


def unpack_results(packed: bytes) -> tuple[float, list[bytes]]:
    """Return the seconds and the results that `run_calls` returned."""
    unpacked: tuple[float, list[bytes]] = _unpacked(packed, tuple[float, list[bytes]])
    return unpacked


def pack(value: object) -> bytes:
    """Return calls for `run_calls`, or results, compressed: a scheduler need not inspect one object.

    The positions of a batch are much alike, and Dask keeps its last messages.
    """
    return zstandard.compress(msgspec.msgpack.encode(value), _LEVEL)


def _unpacked(data: bytes, kind: Any) -> Any:
    return msgspec.msgpack.decode(zstandard.decompress(data), type=kind)


# ---------------------------------------------------------------- one compiles, the others wait


@functools.cache
def warm(name: str) -> None:
    """Load a game's kernels; of several processes of a machine only one compiles them, while the others wait."""
    with _one_per_machine(name):
        registry.load(name)


def load(name: str, warn: Warn = silent) -> Game[Position]:
    """Return a new game, as `registry.load` does, compiled by one process of the machine at a time."""
    warm(name)
    return registry.load(name, warn)


@contextlib.contextmanager
def _one_per_machine(name: str) -> Iterator[None]:
    """Hold a lock in the kernel cache, unless the game has been loaded from it before."""
    from siqi.games.kernel.cache import CACHE_FOLDER, game_hash

    if CACHE_FOLDER is None or (loaded := CACHE_FOLDER / f"{name}-{game_hash(name)}.loaded").exists():
        yield
        return
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, NotImplementedError):  # a file system without locks: each compiles
            stack.enter_context(FileLock(CACHE_FOLDER / f"{name}.lock"))
        yield
        with contextlib.suppress(OSError):
            loaded.touch()
