"""The kernel cache: a folder with one file for each kernel's machine code.

The folder's name is a hash of every source below `games/`, except pictures, and of the compiler's versions, because a
kernel contains other kernels from other files. Numba's own cache is not used: it loads damaged files (one flipped bit
in six ended in a crash), and it reads two files for each kernel.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

VERSION = r"siqi-[0-9a-f]{16}"
"""The pattern of cache folders' names: nothing else is ever removed."""

STALE_AFTER_S = 30 * 24 * 3600
"""Caches of other versions are removed when they have been unused for this time."""


def _candidates() -> list[Path]:
    """Return folders for the cache, best first. The environment may be empty, and HOME read-only."""
    folders = []
    if explicit := os.environ.get("SIQI_CACHE"):
        folders.append(Path(explicit))
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        folders.append(Path(xdg) / "siqi")
    with contextlib.suppress(RuntimeError):
        folders.append(Path.home() / ".cache" / "siqi")
    user = os.getuid() if hasattr(os, "getuid") else 0
    with contextlib.suppress(OSError):  # no folder for temporary files either
        folders.append(Path(tempfile.gettempdir()) / f"siqi-{user}")
    return folders


def _is_ours(folder: Path) -> bool:
    """True if no other user can write to the folder: cached kernels are machine code that we run."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWOTH | stat.S_IWGRP)


def sources_hash() -> str:
    """Return the name of the cache's folder: a hash of all that decides the kernels' machine code."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version_info[:2]
    digest = hashlib.sha256(repr(versions).encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(root.rglob("*.py")):
        if path.parent.name == "pictures" or path.name == "picture.py":  # pictures have no kernels
            continue
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes())
    digest.update(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())
    return f"siqi-{digest.hexdigest()[:16]}"


def _choose_cache() -> Path | None:
    """Return the first folder that is ours and writable; None if kernels are to be compiled at every start."""
    version = sources_hash()
    for base in _candidates():
        folder = base / version
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(base):
                continue
            folder.mkdir(mode=0o700, exist_ok=True)
            os.utime(folder)
            if not os.access(folder, os.W_OK):
                continue
        except OSError:
            continue
        _remove_stale(base)
        return folder
    return None


def _remove_stale(base: Path) -> None:
    """Remove caches of other versions unused for STALE_AFTER_S; another process may be doing the same."""
    with contextlib.suppress(OSError):
        for other in base.iterdir():
            is_ours = re.fullmatch(VERSION, other.name) and other.is_dir() and not other.is_symlink()
            if is_ours and other.stat().st_mtime < time.time() - STALE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)


CACHE_FOLDER = _choose_cache()

cache_faults = [] if CACHE_FOLDER is not None else ["no folder can be written"]
"""The reasons why kernels have to be compiled at every start; empty if they need not."""

_DIGEST_BYTES = 16


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


@functools.cache
def _source_digest(path: str) -> bytes:
    return _digest(Path(path).read_bytes())


class KernelFile:
    """A kernel's file in the cache folder: a digest, then the data. What does not fit its digest is not there."""

    def __init__(self, folder: Path, function: Callable[..., Any], signature: Any, processor: Any) -> None:
        """`processor`: what the code is made for. Tests have kernels of their own, so the source counts too."""
        code = function.__code__
        parts = repr((signature, processor, code.co_firstlineno)).encode() + _source_digest(code.co_filename)
        stem = re.sub(r"[^\w.]", "_", f"{function.__module__}.{function.__qualname__}")
        self._path = folder / f"{stem}-{_digest(parts).hex()}.kernel"

    def read(self) -> bytes | None:
        """Return the data; None if there is none that is sound."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return None
        digest, data = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        return data if digest == _digest(data) else None

    def write(self, data: bytes) -> None:
        """Keep the data. After the first failure no other is tried: a disk that is full stays so."""
        if cache_faults:
            return
        temporary = f"{self._path}.tmp.{uuid.uuid4().hex}"
        try:
            with open(temporary, "wb") as file:
                file.write(_digest(data) + data)
            if self._path.is_dir():
                shutil.rmtree(self._path)
            os.replace(temporary, self._path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            cache_faults.append(f"{CACHE_FOLDER}: {error.strerror}")
