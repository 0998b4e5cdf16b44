"""The kernel cache: a folder with one file for each kernel's machine code.

The folder's name is a hash of the compiler's versions and of what the games share; a file's name hashes the sources of
its game too. For a kernel contains other kernels from other files, but no game imports another: after an edit of one
game the kernels of the others are still there. Pictures and file formats have no kernels and do not count. Numba's own
cache is not used: it loads damaged files (one flipped bit in six ended in a crash), and it reads two files for each
kernel.

Kernels are read from several folders and written to one, the user's own. Machine code that is read is run, so a folder
counts only if nobody but root and the user can change what its path leads to.
"""

from __future__ import annotations

import contextlib
import errno
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs

GAMES = Path(__file__).resolve().parent.parent
"""The package of the games; a game is a folder in it that has a `game.py`."""

HAS_OWNERS = hasattr(os, "geteuid")
"""True if folders have owners and modes; on Windows the user's own ones are closed to others by default."""

WITHOUT_KERNELS = ("pictures", "records", "formats")
"""Folders without kernels, of a game and of what games share; their `picture.py` has none either."""

_HASH_DIGITS = 16

VERSION = rf"siqi-[0-9a-f]{{{_HASH_DIGITS}}}"
"""The pattern of cache folders' names: nothing else is ever removed."""

STALE_AFTER_S = 30 * 24 * 3600
"""Caches and kernels of other versions are removed when they have been unused for this time."""


LEFT_OVER_AFTER_S = 60.0

SITE_FOLDER = Path("/var/cache/siqi")
"""The cache that root may make for all users, by `siqi warm --cache`."""

MAX_LINKS = 40
"""The most symbolic links of a path, as on Linux."""


def _candidates() -> list[tuple[Path, bool]]:
    """Return folders for the cache, best first, and whether one may be made. The environment may be empty, and HOME
    read-only."""
    folders = []
    if explicit := os.environ.get("SIQI_CACHE"):
        folders.append((Path(explicit), True))
    if HAS_OWNERS:
        folders.append((SITE_FOLDER, False))
    with contextlib.suppress(RuntimeError):  # nobody knows the user's home
        folders.append((platformdirs.user_cache_path("siqi", appauthor=False).expanduser(), True))
    with contextlib.suppress(OSError):  # no folder for temporary files either
        user = os.geteuid() if HAS_OWNERS else 0
        folders.append((Path(tempfile.gettempdir()) / f"siqi-{user}", True))
    return folders


def _is_trusted(status: os.stat_result) -> bool:
    """True if a file or folder is root's or the user's, and no other user can write to it."""
    return not HAS_OWNERS or (status.st_uid in (0, os.geteuid()) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def unsafe_step(folder: Path) -> Path | None:
    """Return the first folder or link on the path to a folder that anyone except root and the user can change.

    None if there is none; missing parts of the path are ignored. In an upper folder that is sticky, like /tmp, others
    can add entries, but not replace ours.
    """
    with contextlib.suppress(FileNotFoundError):
        for step, is_end in _steps(folder) if HAS_OWNERS else ():
            status = step.lstat()
            is_upper = stat.S_ISLNK(status.st_mode) or (status.st_mode & stat.S_ISVTX and not is_end)
            if status.st_uid not in (0, os.geteuid()) or not (is_upper or _is_trusted(status)):
                return step
    return None


def _steps(path: Path) -> Iterator[tuple[Path, bool]]:
    """Yield each folder and symbolic link on the path to a resolved one, and True if no component follows it."""
    whole, links = Path.cwd() / path, 0
    reached, left = Path(whole.anchor), list(whole.parts[1:])
    yield reached, not left
    while left:
        step = reached / left.pop(0)
        if step.name == "..":
            reached = reached.parent
            continue
        yield step, not left
        if not step.is_symlink():
            reached = step
            continue
        if (links := links + 1) > MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = step.readlink()
        reached = Path(target.anchor) if target.is_absolute() else reached
        left[:0] = target.parts[1:] if target.is_absolute() else target.parts


def _version() -> str:
    """Return the name of the cache's folder: a hash of all that decides every kernel's machine code."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version_info[:2]
    parts = repr(versions), os.environ.get("NUMBA_BOUNDSCHECK", ""), _shared_sources()
    return f"siqi-{_hash(repr(parts).encode())}"


def sources_hash() -> str:
    """Return a hash of all that decides the machine code of the kernels of all games."""
    return _hash(repr((_version(), _all_games())).encode())


@functools.cache
def game_hash(game: str) -> str:
    """Return a hash of the sources of one game, without what it shares with others."""
    return _hash_of_files((GAMES / game).rglob("*.py"))


@functools.cache
def _shared_sources() -> str:
    games = _games()
    return _hash_of_files(path for path in GAMES.rglob("*.py") if path.relative_to(GAMES).parts[0] not in games)


@functools.cache
def _all_games() -> str:
    return _hash("".join(map(game_hash, _games())).encode())


@functools.cache
def _games() -> list[str]:
    return sorted(path.parent.name for path in GAMES.glob("*/game.py"))


def _hash_of_files(paths: Iterable[Path]) -> str:
    """Return a hash of the names and contents of sources that can have kernels."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        if path.parent.name not in WITHOUT_KERNELS and path.name != "picture.py":
            digest.update(path.relative_to(GAMES).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:_HASH_DIGITS]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]


def _games_within(module: str) -> str:
    """Return a hash of the sources of the games whose kernels a module's kernels may contain."""
    if not module.startswith("siqi.games."):
        return _all_games()  # scripts and tests import what they like
    folder = module.split(".")[2]
    return game_hash(folder) if folder in _games() else ""


def _choose_folders() -> tuple[list[Path], Path | None]:
    """Return the folders that kernels are read from, best first, and the one that they are written to, if there is any.

    The latter comes last: no folder after it is needed.
    """
    version, readable = _version(), list[Path]()
    for base, may_be_made in _candidates():
        folder = base / version
        with contextlib.suppress(OSError):
            if may_be_made and unsafe_step(base) is None:
                with contextlib.suppress(OSError):  # it may be there for reading
                    _make(folder)
            if not folder.is_dir() or unsafe_step(base) or unsafe_step(folder):
                continue
            readable.append(folder)
            if may_be_made and os.access(folder, os.W_OK):
                os.utime(folder)
                _remove_stale(base)
                _remove_left_over(folder)
                return readable, folder
    return readable, None


def _make(folder: Path) -> None:
    """Make a folder and its missing parents, not writable by others whatever the umask is."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o755, exist_ok=True)


def _remove_stale(base: Path) -> None:
    """Remove caches of other versions unused for STALE_AFTER_S; another process may be doing the same."""
    with contextlib.suppress(OSError):
        for other in base.iterdir():
            is_ours = re.fullmatch(VERSION, other.name) and other.is_dir() and not other.is_symlink()
            if is_ours and other.stat().st_mtime < time.time() - STALE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)


def _remove_left_over(folder: Path) -> None:
    """Remove files that processes were killed at writing, minutes ago: a kernel is written in milliseconds."""
    with contextlib.suppress(OSError):
        for left in folder.glob("*.kernel.tmp.*"):
            if left.stat().st_mtime < time.time() - LEFT_OVER_AFTER_S:
                left.unlink()


CACHE_FOLDERS, CACHE_FOLDER = _choose_folders()

cache_faults = [] if CACHE_FOLDER is not None else ["no folder can be written"]
"""The reasons why kernels have to be compiled at every start; empty if they need not."""


def explicit_fault() -> str:
    """Return why SIQI_CACHE is not used, '' if it is, or is not set."""
    base = Path(os.environ.get("SIQI_CACHE") or ".")
    if base == Path() or any(folder.parent == base for folder in CACHE_FOLDERS):
        return ""
    try:
        if (step := unsafe_step(base)) is not None:
            return f"cache {base}: others can change {step}"
    except OSError as error:
        return f"cache {base}: {error.strerror}"
    return f"cache {base}: no kernels of this version, and they cannot be written"


_DIGEST_BYTES = 16


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


@functools.cache
def _source_digest(path: str) -> bytes:
    return _digest(Path(path).read_bytes())


class KernelFile:
    """A kernel's file in the cache: a digest, then the data. Data that do not match the digest count as absent."""

    def __init__(self, folders: Sequence[Path], function: Callable[..., Any], signature: Any, processor: Any) -> None:
        """`folders`: read from any, written to the last. `processor`: the target of the machine code.

        The name also hashes the source file, because tests define kernels of their own.
        """
        code = function.__code__
        parts = repr((signature, processor, code.co_firstlineno, _games_within(function.__module__))).encode()
        name = _digest(parts + _source_digest(code.co_filename)).hex()
        self._stem = re.sub(r"[^\w.]", "_", f"{function.__module__}.{function.__qualname__}")
        self._paths = [folder / f"{self._stem}-{name}.kernel" for folder in folders]

    def read(self) -> bytes | None:
        """Return the data; None if there is no sound file that only root and the user can have written."""
        for path in self._paths:
            with contextlib.suppress(OSError), path.open("rb") as file:
                if not _is_trusted(os.fstat(file.fileno())):
                    continue
                content = file.read()
                digest, data = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
                if digest == _digest(data):
                    with contextlib.suppress(OSError):
                        os.utime(path)  # or newer versions of the kernel remove it
                    return data
        return None

    def write(self, data: bytes) -> None:
        """Store the data. After the first failure nothing more is written: a full disk stays full."""
        if cache_faults:
            return
        path = self._paths[-1]
        temporary = f"{path}.tmp.{uuid.uuid4().hex}"
        try:
            with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, 0o644)) as file:
                file.write(_digest(data) + data)
            if path.is_dir():
                shutil.rmtree(path)
            os.replace(temporary, path)
            self._remove_stale(path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            if self.read() is None:  # on Windows no file is replaced while another process reads it
                cache_faults.append(f"{CACHE_FOLDER}: {error.strerror}")

    def _remove_stale(self, folder: Path) -> None:
        """Remove versions of the kernel unused for STALE_AFTER_S; another process may be doing the same."""
        with contextlib.suppress(OSError):
            for other in folder.glob(f"{self._stem}-*.kernel"):
                if other.stat().st_mtime < time.time() - STALE_AFTER_S:
                    other.unlink()
