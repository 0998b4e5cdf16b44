"""How kernels are compiled and cached: the one place that spells numba's options.

Kernels are free functions over numpy records with explicit signatures, so each has exactly one
specialisation and compiles when its module is imported, which happens when its game is selected.

The cache folder is keyed by a hash of every source below `games/` and the compiler's versions, for a kernel
contains others that its own file does not show. The cache is not numba's own: that one loads machine code from
files that were damaged, and one flipped bit in six ended in a crash; and it reads two files for each kernel.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import llvmlite
import numba
import numpy as np
from numba import from_dtype, njit
from numba.core import serialize
from numba.core.compiler import CompileResult
from numba.core.typeinfer import register_dispatcher
from numba.extending import register_jitable

__all__ = [
    "Record",
    "accessor",
    "entry",
    "float64",
    "generic",
    "inner",
    "int64",
    "new_record",
    "record",
    "record_type",
    "void",
]

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
    with contextlib.suppress(OSError):  # nor is there any room for temporary files
        folders.append(Path(tempfile.gettempdir()) / f"siqi-{user}")
    return folders


def _is_ours(folder: Path) -> bool:
    """Whether nobody else may plant code in the folder: cached kernels are machine code that we will run."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWOTH | stat.S_IWGRP)


def _sources_hash() -> str:
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version_info[:2]
    digest = hashlib.sha256(repr(versions).encode())
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

# Kernels' loops are short: vectorised they run no faster in any game (bench, side by side), and Xiangqi compiles in
# 13.4 s instead of 15.0.
numba.config.LOOP_VECTORIZE = 0

_OPTIONS: dict[str, Any] = dict(nogil=True, error_model="numpy", _nrt=False)

_DIGEST_BYTES = 16


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


@functools.cache
def _source_digest(path: str) -> bytes:
    return _digest(Path(path).read_bytes())


class _Cache:
    """One kernel's file in the cache folder, as numba's dispatchers ask for it: a digest, then the pickled kernel.

    What does not fit its digest is never unpickled: the kernel is compiled again, and the file replaced.
    """

    cache_path = str(CACHE_FOLDER)

    def __init__(self, folder: Path, function: Callable[..., Any]) -> None:
        self._function = function
        self._stem = str(folder / re.sub(r"[^\w.]", "_", f"{function.__module__}.{function.__qualname__}"))

    def _path(self, signature: Any, codegen: Any) -> str:
        """The file of a signature and a processor. Tests have kernels of their own, so the source counts too."""
        code = self._function.__code__
        parts = repr((signature, codegen.magic_tuple(), code.co_firstlineno)).encode()
        return f"{self._stem}-{_digest(parts + _source_digest(code.co_filename)).hex()}.kernel"

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled kernel; None if the cache has none that is sound."""
        target.refresh()
        path = self._path(signature, target.codegen())
        try:
            with open(path, "rb") as file:
                digest, data = file.read(_DIGEST_BYTES), file.read()
        except OSError:
            return None
        if digest != _digest(data):
            return None
        try:
            return CompileResult._rebuild(target, *pickle.loads(data))
        except Exception:  # written by a build of numba that the folder's name does not tell from this one
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a kernel. After the first failure no other is tried: a disk that is full stays so."""
        if cache_faults or compiled.library.has_dynamic_globals:  # addresses of this process
            return
        path = self._path(signature, compiled.codegen)
        data = serialize.dumps(compiled._reduce())
        temporary = f"{path}.tmp.{uuid.uuid4().hex}"
        try:
            with open(temporary, "wb") as file:
                file.write(_digest(data) + data)
            if os.path.isdir(path):
                shutil.rmtree(path)
            os.replace(temporary, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            cache_faults.append(f"{CACHE_FOLDER}: {error.strerror}")


def _compile(signature: Any, options: dict[str, Any]) -> Callable[[Kernel], Kernel]:
    def decorate(function: Kernel) -> Kernel:
        kernel = njit(**options)(function)
        if CACHE_FOLDER is not None and os.path.isfile(function.__code__.co_filename):  # nothing typed in or piped in
            kernel._cache = _Cache(CACHE_FOLDER, function)
        with register_dispatcher(kernel):  # kernels may call themselves
            kernel.compile(signature)
        kernel.disable_compile()
        if on_compile is not None and not kernel.stats.cache_hits:
            on_compile(function.__name__)
        compiled: Kernel = kernel
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
    options = _OPTIONS | dict(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
    compiled: Kernel = njit(**options)(function)
    return compiled


def accessor(function: Kernel) -> Kernel:
    """A small function of integers that reads or makes a code: Python calls it as it is, kernels have it inlined."""
    both: Kernel = register_jitable(**_OPTIONS, forceinline=True)(function)
    return both


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a kernel record; each field `(name, type[, shape])`."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_type(dtype: np.dtype[Any]) -> Any:
    """The numba type of a record, for signatures."""
    return from_dtype(dtype)


def new_record(dtype: np.dtype[Any]) -> Record:
    """A zeroed record that kernels can change in place."""
    return np.zeros(1, dtype)[0]
