"""A file of games played with the same settings: JSON lines, plain (`.jsonl`) or in zstandard frames (`.zst`).

The first line has the settings, each later one a game with its number. Games are added a batch at a time, a frame of
its own where the file is compressed, so that a process that is killed loses no batch before: what it left of a last one
is cut off when the file is opened again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import zstandard

from games.files import mend_json_lines, open_append, read_json_lines, write_whole

SUFFIXES = (".jsonl", ".zst")

_LEVEL = 10
_STEP = 1 << 16
_MAGIC = b"\x28\xb5\x2f\xfd"
"""Begins a frame. It is not UTF-8, so no line has it; compressed data has it at one byte of 2**32."""


class GameLog:
    """An open file of games; nobody else may write it meanwhile. `numbers`: of the games that it holds."""

    def __init__(self, path: Path, kind: str, settings: dict[str, Any]) -> None:
        """OSError if the file is not of that kind, is damaged, or has games of other settings; it is then as it was.

        The first line of a kind is `{"<kind>":<settings>}`; settings are as JSON gives them back.
        """
        if path.suffix not in SUFFIXES:
            raise OSError(errno.EINVAL, f"the name of the games' file ends in {' or '.join(SUFFIXES)}", str(path))
        self._path, self._kind, self._settings = path, kind, settings
        self._is_compressed = path.suffix == ".zst"
        self._file = open_append(path, self._owns, exclusive=True)
        try:
            self.numbers = self._read()
        except BaseException:
            self._file.close()
            raise

    def add(self, games: list[bytes]) -> None:
        """Append games, a line each; they are on the disk when this returns."""
        self._write(b"".join(game + b"\n" for game in games))

    def close(self) -> None:
        self._file.close()

    def _owns(self, head: bytes) -> bool:
        """True if a file begins with settings of our kind."""
        mark = f'{{"{self._kind}":'.encode()
        if self._is_compressed:
            try:
                head = zstandard.ZstdDecompressor().stream_reader(head).read(len(mark))
            except zstandard.ZstdError:
                return False
        return head.startswith(mark)

    def _read(self) -> set[int]:
        """Return the numbers of the games, and cut off what a kill left. An empty file gets the settings."""
        numbers: set[int] = set()
        end = 0
        try:
            for batch_end, lines in read_frames(self._file) if self._is_compressed else _read_lines(self._file):
                for line in lines:
                    record = msgspec.json.decode(line)
                    if self._kind in record:
                        self._compare(record[self._kind])
                    else:
                        numbers.add(record["number"])
                end = batch_end
        except (msgspec.DecodeError, zstandard.ZstdError, TypeError, KeyError, AttributeError):
            raise OSError(errno.EIO, f"is damaged at byte {end}; left as it is", str(self._path)) from None
        if self._is_compressed:
            self._file.truncate(end)
        else:
            mend_json_lines(self._file)
        if self._file.seek(0, os.SEEK_END) == 0:
            self._write(msgspec.json.encode({self._kind: self._settings}) + b"\n")
        return numbers

    def _compare(self, found: dict[str, Any]) -> None:
        """OSError for other settings."""
        now = self._settings
        names = [name for name in found | now if found.get(name) != now.get(name)]
        if names:
            differences = ", ".join(f"{name} was {found.get(name)}, now {now.get(name)}" for name in names)
            raise OSError(errno.EEXIST, f"has games of other settings: {differences}", str(self._path))

    def _write(self, lines: bytes) -> None:
        packed = zstandard.ZstdCompressor(_LEVEL, write_checksum=True).compress(lines) if self._is_compressed else lines
        write_whole(self._file, packed)
        os.fsync(self._file.fileno())


def _read_lines(file: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Yield where each line ends, and the line."""
    end = 0
    for line in read_json_lines(file):
        end += len(line)
        yield end, [line]


def read_frames(file: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Yield where each whole frame of a file ends, and its lines. A last frame that was cut short is left out.

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
        yield start, b"".join(parts).splitlines()
