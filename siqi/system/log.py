"""Logs: files of lines that only grow, plain or in zstandard frames (`.zst`), each with one writer at a time.

Lines are added in batches, a frame each where the file is compressed. A killed process loses at most its last batch:
the torn part is cut off when the log is opened again, and only then.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec
import zstandard

from siqi.system.files import Owns, is_json, open_append, write_whole

SUFFIXES = (".jsonl", ".zst")

_LEVEL = 10
_STEP = 1 << 16
_MAGIC = b"\x28\xb5\x2f\xfd"
"""The bytes that begin a frame: not UTF-8, so no line has them; in compressed data they occur once in 2**32 bytes."""

_DAMAGE = (msgspec.DecodeError, zstandard.ZstdError, ValueError, TypeError, KeyError, AttributeError)


class Log:
    """A log, open at its end. `is_empty`: it has no line yet, and needs a first one with settings."""

    def __init__(
        self, path: Path, owns: Owns, read: Callable[[bytes], object], is_whole: Callable[[bytes], bool] = is_json
    ) -> None:
        """Open a log and call `read` with each line.

        OSError, with the file unchanged, if it is not ours, damaged (or `read` fails), or another process writes it.
        `is_whole`: true for a last line that lacks only its end, not for one cut short.
        """
        self._path, self._is_compressed = path, path.suffix == ".zst"
        self._file = open_append(path, owns, exclusive=True)
        try:
            end = _read(path, self._file, read, is_whole)
            self._file.truncate(end)
            self.is_empty = end == 0
            if end and not self._is_compressed and _byte_before(self._file, end) != b"\n":
                write_whole(self._file, b"\n")
        except BaseException:
            self._file.close()
            raise

    def add(self, lines: Sequence[bytes]) -> None:
        """Append lines; they are on the disk when this returns. OSError, which names the log, if that fails."""
        data = b"".join(line + b"\n" for line in lines)
        packed = zstandard.ZstdCompressor(_LEVEL, write_checksum=True).compress(data) if self._is_compressed else data
        try:
            write_whole(self._file, packed)
            os.fsync(self._file.fileno())
        except OSError as error:
            error.filename = str(self._path)
            raise

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_log(path: Path, read: Callable[[bytes], object]) -> None:
    """Call `read` with each whole line of a log of JSON lines. OSError if it is damaged."""
    with path.open("rb") as file:
        _read(path, file, read, is_json)


def _read(path: Path, file: BinaryIO, read: Callable[[bytes], object], is_whole: Callable[[bytes], bool]) -> int:
    """Return the offset at which the last whole batch ends."""
    end = 0
    try:
        for batch_end, lines in read_frames(file) if path.suffix == ".zst" else _read_lines(file, is_whole):
            for line in lines:
                read(line)
            end = batch_end
    except _DAMAGE:
        raise OSError(errno.EIO, f"is damaged at byte {end}; left as it is", str(path)) from None
    return end


def _byte_before(file: BinaryIO, end: int) -> bytes:
    file.seek(end - 1)
    return file.read(1)


def _read_lines(file: BinaryIO, is_whole: Callable[[bytes], bool]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the offset at which each whole line ends, and the line."""
    file.seek(0)
    end = 0
    for line in file.read().splitlines(keepends=True):
        end += len(line)
        if line.endswith(b"\n") or is_whole(line):
            yield end, [line.rstrip(b"\r\n")]


def read_frames(file: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the offset at which each whole frame ends, and its lines; as `read_contents`."""
    for end, content in read_contents(file):
        yield end, content.splitlines()


def read_contents(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the offset at which each whole frame ends, and its content. A last frame that was cut short is left out.

    ZstdError if a frame is damaged.
    """
    start = 0
    while True:
        file.seek(start)
        frame, parts, taken = zstandard.ZstdDecompressor().decompressobj(), [], 0
        while not frame.eof:
            data = file.read(_STEP)
            if not data:
                file.seek(start + 1)
                if _MAGIC in file.read():
                    raise zstandard.ZstdError("a frame that is not the last has no end")
                return
            parts.append(frame.decompress(data))
            taken += len(data) - len(frame.unused_data)
        start += taken
        yield start, b"".join(parts)


class RunLog(Log):
    """A log of games played with the same settings; its first line is `{"<kind>":<settings>}`.

    `numbers`: the numbers of the games that it holds.
    """

    def __init__(
        self, path: Path, kind: str, settings: dict[str, Any], take: Callable[[bytes], object] | None = None
    ) -> None:
        """Open the log, and call `take` with the line of each game.

        OSError also if its games are of other settings, compared as JSON decodes them.
        """
        if path.suffix not in SUFFIXES:
            raise OSError(errno.EINVAL, f"the name of the games' file ends in {' or '.join(SUFFIXES)}", str(path))
        self.numbers: set[int] = set()

        def owns(head: bytes) -> bool:
            """True if a file begins with settings of this kind."""
            mark = f'{{"{kind}":'.encode()
            if path.suffix == ".zst":
                try:
                    head = zstandard.ZstdDecompressor().stream_reader(head).read(len(mark))
                except zstandard.ZstdError:
                    return False
            return head.startswith(mark)

        def read(line: bytes) -> None:
            record = msgspec.json.decode(line)
            if kind in record:
                compare(path, "has games of other settings", record[kind], settings)
            else:
                self.numbers.add(record["number"])
                if take is not None:
                    take(line)

        super().__init__(path, owns, read)
        if self.is_empty:
            self.add([msgspec.json.encode({kind: settings})])


def compare(path: Path, what: str, logged: dict[str, Any], now: dict[str, Any]) -> None:
    """Compare settings; if they differ, raise OSError with `what` and the differences as its text."""
    if logged != now:
        raise OSError(errno.EEXIST, f"{what}: {', '.join(differences(logged, now))}", str(path))


def is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def differences(logged: Any, now: Any, name: str = "") -> Iterator[str]:
    """Yield a text for each value in which settings differ. A list is one value, unless it holds as many objects."""
    if isinstance(logged, dict) and isinstance(now, dict):
        for key in logged | now:
            yield from differences(logged.get(key), now.get(key), f"{name}.{key}" if name else key)
    elif is_list_of_objects(logged) and is_list_of_objects(now) and len(logged) == len(now):
        for number, (was, will) in enumerate(zip(logged, now, strict=True)):
            yield from differences(was, will, f"{name}[{number}]")
    elif logged != now:
        yield f"{name} was {logged}, now {now}"
