"""How kernels are compiled and cached: the one place that spells numba's options.

Kernels are free functions over numpy records with explicit signatures, so each has exactly one
specialisation and compiles when its module is imported, which happens when its game is selected.

The cache folder is keyed by a hash of every source below `games/` and the compiler's versions: numba
itself stamps only the file of the kernel, so an edited callee in another file would go unseen.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import llvmlite
import numba
import numpy as np
from numba import from_dtype, njit

__all__ = ["Record", "entry", "float64", "generic", "inner", "int64", "new_record", "record", "record_type", "void"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Record: TypeAlias = Any
"""A numpy record inside a kernel; attribute access, one pointer."""

int64: Any = numba.int64
float64: Any = numba.float64
void: Any = numba.void

VERSION = r"siqi-[0-9a-f]{16}"
"""Names of cache folders: nothing else is ever removed."""

STALE_AFTER_S = 30 * 24 * 3600
"""Caches of other versions unused for so long are removed."""

on_compile: Callable[[str], None] | None = None
"""Called with a kernel's name when it had to be compiled (the cache had none)."""


def _candidates() -> list[Path]:
    """Folders for the cache, best first. The environment may be empty, and HOME unwritable."""
    folders = []
    if explicit := os.environ.get("SIQI_CACHE"):
        folders.append(Path(explicit))
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        folders.append(Path(xdg) / "siqi")
    with contextlib.suppress(RuntimeError):
        folders.append(Path.home() / ".cache" / "siqi")
    user = os.getuid() if hasattr(os, "getuid") else 0
    folders.append(Path(tempfile.gettempdir()) / f"siqi-{user}")
    return folders


def _is_ours(folder: Path) -> bool:
    """Whether nobody else may plant code in the folder: cached kernels are machine code that we will run."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWOTH | stat.S_IWGRP)


def _sources_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]}".encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes())
    digest.update(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())
    return f"siqi-{digest.hexdigest()[:16]}"


def _choose_cache() -> Path | None:
    """The first folder that is ours and writable; None means that kernels are compiled at every start."""
    version = _sources_hash()
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
    """Remove caches of other versions that were not used for long; another process may be doing the same."""
    with contextlib.suppress(OSError):
        for other in base.iterdir():
            is_ours = re.fullmatch(VERSION, other.name) and other.is_dir() and not other.is_symlink()
            if is_ours and other.stat().st_mtime < time.time() - STALE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)


CACHE_FOLDER = _choose_cache()

cache_faults = [] if CACHE_FOLDER is not None else ["no folder can be written"]
"""Why kernels have to be compiled at every start, if they have."""

if CACHE_FOLDER is not None:
    numba.config.CACHE_DIR = str(CACHE_FOLDER)

# Kernels' loops are short: vectorised they run no faster in any game (bench, side by side), and Xiangqi compiles in
# 13.4 s instead of 15.0.
numba.config.LOOP_VECTORIZE = 0

_OPTIONS: dict[str, Any] = dict(cache=CACHE_FOLDER is not None, nogil=True, error_model="numpy", _nrt=False)


def _compile(signature: Any, options: dict[str, Any]) -> Callable[[Kernel], Kernel]:
    def decorate(function: Kernel) -> Kernel:
        uncached = options | dict(cache=False)
        try:
            compiled = njit(signature, **(uncached if cache_faults else options))(function)
        except Exception as error:  # a full disk, a damaged file; a fault of the kernel's own comes up again
            compiled = njit(signature, **uncached)(function)
            cache_faults.append(f"{CACHE_FOLDER}: {getattr(error, 'strerror', None) or error!r}")
        if on_compile is not None and not compiled.stats.cache_hits:
            on_compile(function.__name__)
        return compiled

    return decorate


def entry(signature: Any) -> Callable[[Kernel], Kernel]:
    """A kernel that Python calls. A function pointer for C is left out: nobody takes it, and it costs compile time."""
    return _compile(signature, _OPTIONS | dict(no_cfunc_wrapper=True))


def inner(signature: Any, forceinline: bool = False) -> Callable[[Kernel], Kernel]:
    """A kernel that only kernels call: no wrappers, which halves its compile time."""
    options = _OPTIONS | dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=forceinline)
    return _compile(signature, options)


def generic(function: Kernel) -> Kernel:
    """A small kernel without a signature, compiled into each kernel that calls it: for records of any type."""
    options = _OPTIONS | dict(cache=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
    compiled: Kernel = njit(**options)(function)
    return compiled


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a kernel record; each field `(name, type[, shape])`."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_type(dtype: np.dtype[Any]) -> Any:
    """The numba type of a record, for signatures."""
    return from_dtype(dtype)


def new_record(dtype: np.dtype[Any]) -> Record:
    """A zeroed record that kernels can change in place."""
    return np.zeros(1, dtype)[0]
