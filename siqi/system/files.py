"""Opening and writing the user's files, so that no file is lost and none blocks the process.

A file is written only if it is new, empty, or begins as our own files do. A symbolic link leads to the file that it
names. Only regular files are opened: a FIFO would block for ever, and a device is not ours. Every refusal is an
`OSError` whose `strerror` gives the reason in a few words.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Owns = Callable[[bytes], bool]
"""True if a file that begins with these bytes is one of ours."""

HEAD_BYTES = 1 << 16
"""Bytes that `Owns` gets at most."""

_NEVER_BLOCK = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEW_FILE_MODE = 0o666
_COPY_BYTES = 1 << 16
_LEFT_OVER_S = 24 * 3600.0

_IS_WINDOWS = os.name == "nt"

_REPLACE_WAIT_S = 1.0
"""Seconds in which another program, a virus scanner perhaps, may close a file that is to be replaced on Windows."""

NUL_IN_NAME = "a name cannot hold a NUL"
"""The reason of a `ValueError` for a path."""

LOCK_WAIT_S = 1.0
"""Seconds that a short write waits for another process to end its own."""
_RETRY_S = 0.005


def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of a regular file, opened without blocking. OSError for any other kind, /dev/null
    included."""
    try:
        with contextlib.suppress(FileNotFoundError):
            _check_regular(os.stat(path), path)
        descriptor = os.open(path, flags | _NEVER_BLOCK, _NEW_FILE_MODE)
    except ValueError:
        raise OSError(errno.EINVAL, NUL_IN_NAME, str(path)) from None
    try:
        _check_regular(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(status: os.stat_result, path: str | Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, "is a folder", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))


def read_bytes(path: str | Path, limit: int) -> bytes:
    """Return the content of a regular file; OSError, before it is read, if it has more than `limit` bytes."""
    with os.fdopen(open_regular(path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise OSError(errno.EFBIG, f"{size} bytes, more than the {limit} it may have", str(path))
        return file.read(limit)


def check_owned(path: str | Path, owns: Owns) -> None:
    """Raise OSError if a file must not be replaced or appended to: it exists and is not ours, or not a regular file."""
    try:
        descriptor = open_regular(path)
    except FileNotFoundError:
        return
    with os.fdopen(descriptor, "rb") as file:
        _check_head(file, owns, path)


def _check_head(file: BinaryIO, owns: Owns, path: str | Path) -> None:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    if head and not owns(head):
        raise OSError(errno.EEXIST, "is another kind of file, left as it is", str(path))


def replace_file(path: str | Path, parts: Iterable[bytes | memoryview], owns: Owns) -> None:
    """Write a whole file in one step: a reader sees the old content or the new, whatever fails in between.

    OSError if the file is not ours or cannot be written; it is then unchanged.
    """
    check_owned(path, owns)
    target = Path(os.path.realpath(path))
    if target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):  # root may write all
        raise OSError(errno.EACCES, "is read-only", str(path))
    mode = _mode_of(target)
    try:
        # `os.open` applies the umask of a new file: to read the umask, a process changes it for a moment in all threads
        with _written(target, parts, _NEW_FILE_MODE if mode is None else mode) as name:
            if mode is not None:
                os.chmod(name, mode)
            _replace(name, target)
    except OSError as error:
        if error.filename is None:  # of `write`: the disk is full
            error.filename = str(path)
        raise


@contextlib.contextmanager
def _written(target: Path, parts: Iterable[bytes | memoryview], mode: int = _NEW_FILE_MODE) -> Iterator[Path]:
    """Write a new file beside another one, and yield its name; whatever is left under it at the end is removed.

    It is locked until then: what is not was left by a process that was killed, and is removed by the next write.
    """
    _remove_left_over(target)
    name, descriptor = _open_locked(target, mode)
    held = -1 if fcntl is None else os.dup(descriptor)  # the lock, while the file has another name
    try:
        with os.fdopen(descriptor, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if held >= 0:
            os.close(held)


def _open_locked(target: Path, mode: int) -> tuple[Path, int]:
    """Return the name and the descriptor of a new, locked file beside another one."""
    while True:
        name = target.parent / f".{target.name[:64]}.{secrets.token_hex(8)}.tmp"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NEVER_BLOCK, mode)
        if fcntl is None:
            return name, descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if name.exists():
                return name, descriptor
        except BlockingIOError:
            pass  # another process removes it before it was locked
        except OSError:  # a file system without locks
            return name, descriptor
        os.close(descriptor)


def _remove_left_over(target: Path) -> None:
    """Remove what killed processes have left of their writes to a file, or to one whose name has other numbers."""
    stem = re.sub(r"\d+", r"\\d+", re.escape(target.name[:64]))
    pattern = re.compile(rf"\.{stem}\.[0-9a-f]{{16}}\.tmp")
    with contextlib.suppress(OSError):
        for entry in [entry for entry in os.scandir(target.parent) if pattern.fullmatch(entry.name)]:
            with contextlib.suppress(OSError):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    """Remove a file that no process has locked; without locks one that is a day old. OSError if that fails."""
    if fcntl is None:
        if time.time() - os.stat(path).st_mtime > _LEFT_OVER_S:
            os.unlink(path)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | _NEVER_BLOCK)
    try:
        _check_regular(os.fstat(descriptor), path)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(descriptor)


def _replace(old: Path, new: Path) -> None:
    """Rename a file over another one; OSError if another program holds that open, where this prevents it."""
    deadline = time.monotonic() + _REPLACE_WAIT_S
    while True:
        try:
            os.replace(old, new)
        except PermissionError as error:
            if not _IS_WINDOWS:
                raise
            if time.monotonic() >= deadline:
                raise OSError(error.errno, "is open in another program", str(new)) from None
            time.sleep(_RETRY_S)
        else:
            return


def check_folder(path: str | Path) -> None:
    """Raise OSError unless new files can be made in a folder."""
    try:
        mode = os.stat(path).st_mode
    except ValueError:
        raise OSError(errno.EINVAL, NUL_IN_NAME, str(path)) from None
    if not stat.S_ISDIR(mode):
        raise OSError(errno.ENOTDIR, "is not a folder", str(path))
    if not os.access(path, os.W_OK | os.X_OK):
        raise OSError(errno.EACCES, "is read-only", str(path))


def create_file(path: Path, data: bytes) -> None:
    """Write a new file in one step: no reader sees a part of it. FileExistsError if the name is taken.

    After any OSError nothing is left.
    """
    with _written(path, [data]) as name:
        _rename_new(name, path)


def _rename_new(old: Path, new: Path) -> None:
    """Give a file another name, or one more; FileExistsError if that is taken."""
    if _IS_WINDOWS:
        os.rename(old, new)  # never replaces a file there
        return
    try:
        os.link(old, new)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        # No hard links on this file system: the name is taken first, by an empty file of ours.
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NEVER_BLOCK, _NEW_FILE_MODE))
        os.replace(old, new)


def _mode_of(path: Path) -> int | None:
    """Return the permissions of a file, None if it does not exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


class AppendedFile(io.FileIO):
    """An unbuffered file, which holds a lock until it is closed."""

    lock: BaseFileLock | None = None
    """A lock on another file, on a system without advisory locks (Windows)."""

    def close(self) -> None:
        super().close()
        if self.lock is not None:
            self.lock.release()


def open_append(path: str | Path, owns: Owns, exclusive: bool = False) -> AppendedFile:
    """Open a file of ours for reading and appending, unbuffered, at its end; create it if it does not exist.

    `exclusive`: lock it until it is closed; OSError if another process holds the lock.
    """
    file = AppendedFile(open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT), "r+b")
    try:
        _check_head(file, owns, path)
        if exclusive:
            _lock(file, path)
        file.seek(0, os.SEEK_END)
    except BaseException:
        file.close()
        raise
    return file


def open_to_replace(path: str | Path, owns: Owns, wait_s: float = 0.0) -> AppendedFile:
    """Open a file of ours, or a new one, that is to be read, changed and replaced, at its end.

    It is locked against other processes and engines until it is closed; OSError if one holds the lock for `wait_s`.
    """
    while True:
        file = open_append(path, owns)
        try:
            _lock(file, path, wait_s)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    file.seek(0, os.SEEK_END)
                    return file
        except BaseException:
            file.close()
            raise
        file.close()  # it has just been replaced


def _lock(file: AppendedFile, path: str | Path, wait_s: float = 0.0) -> None:
    """Lock the file until it is closed; OSError if another process holds the lock for `wait_s`.

    On a file system without locks nothing is locked. On Windows a lock would keep readers out, so a file beside it is
    locked in its place.
    """
    if fcntl is None:
        _lock_beside(file, path, wait_s)
        return
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise OSError(errno.EBUSY, "is being written by another process", str(path)) from None
            time.sleep(_RETRY_S)
        except OSError:
            return
        else:
            return


def _lock_beside(file: AppendedFile, path: str | Path, wait_s: float) -> None:
    """Lock the file `.NAME.lock` of the same folder in place of the file itself."""
    from filelock import FileLock, Timeout

    real = Path(os.path.realpath(path))
    lock = FileLock(real.with_name(f".{real.name}.lock"), timeout=wait_s, thread_local=False)
    try:
        lock.acquire(poll_interval=_RETRY_S)
    except Timeout:
        raise OSError(errno.EBUSY, "is being written by another process", str(path)) from None
    except OSError:
        return
    file.lock = lock


def open_json_lines(path: str | Path, owns: Owns, exclusive: bool = False) -> BinaryIO:
    """Open a file of JSON lines as `open_append` does, and mend a last line that lacks its end.

    A last line that is whole JSON gets its end; any other is cut, because a process was killed while writing it. The
    file stays locked until it is closed: another process may be writing its last line now. OSError if one holds the
    lock: at once if `exclusive` (such callers keep the file open), else after LOCK_WAIT_S.
    """
    file = open_append(path, owns)
    try:
        _lock(file, path, 0.0 if exclusive else LOCK_WAIT_S)
        _mend_last_line(file)
    except BaseException:
        file.close()
        raise
    return file


def is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _mend_last_line(file: BinaryIO) -> None:
    """End the last line if it is whole JSON, else cut it; leave the file at its end."""
    end = file.seek(0, os.SEEK_END)
    start, tail = end, b""
    while start > 0 and b"\n" not in tail:
        step = min(start, _COPY_BYTES)
        start -= step
        file.seek(start)
        tail = file.read(step) + tail
    line = tail[tail.rfind(b"\n") + 1 :]
    if not line:
        return
    if is_json(line):
        write_whole(file, b"\n")
    else:
        file.truncate(end - len(line))
    file.seek(0, os.SEEK_END)


def write_whole(file: BinaryIO, data: bytes) -> None:
    """Append all of `data` in one write, or nothing: OSError if the disk is full.

    A part that was written stays if another process has appended after it, whose lines must not be lost.
    """
    written = file.write(data)
    if written < len(data):
        end = file.tell()
        if os.fstat(file.fileno()).st_size == end:
            file.truncate(end - written)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def append_json_line(path: str | Path, text: str, owns: Owns) -> None:
    """Append a line to a file of JSON lines; it is on the disk when this returns. After OSError the file is as it
    was."""
    with open_json_lines(path, owns) as file:
        write_whole(file, text.encode() + b"\n")
        os.fsync(file.fileno())
