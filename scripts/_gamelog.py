"""The file that self_play.py adds games to: JSON lines, plain (`.jsonl`) or in zstandard frames (`.zst`).

The first line has the settings, each later one a game with its number. Games are added a batch at a time, a frame of
its own where the file is compressed, so that a process that is killed loses no batch before: what it left of a last one
is cut off when the file is opened again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import zstandard
from _records import SELF_PLAY

from games.files import open_append, open_json_lines, write_whole

SUFFIXES = (".jsonl", ".zst")

_MARK = SELF_PLAY.encode()
_LEVEL = 10
_STEP = 1 << 16


class GameLog:
    """An open file of games; nobody else may write it meanwhile. `numbers`: of the games that it holds."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """OSError if the file is not ours, is damaged, or has games of other settings; it is then as it was."""
        if path.suffix not in SUFFIXES:
            raise OSError(errno.EINVAL, f"the name of the games' file ends in {' or '.join(SUFFIXES)}", str(path))
        self._is_compressed = path.suffix == ".zst"
        if self._is_compressed:
            self._file = open_append(path, _begins_compressed, exclusive=True)
        else:
            self._file = open_json_lines(path, lambda head: head.startswith(_MARK), exclusive=True)
        try:
            self.numbers = self._read(path, settings)
        except BaseException:
            self._file.close()
            raise

    def add(self, games: list[bytes]) -> None:
        """Append games, a line each; they are on the disk when this returns."""
        self._write(b"".join(game + b"\n" for game in games))

    def close(self) -> None:
        self._file.close()

    def _read(self, path: Path, settings: dict[str, Any]) -> set[int]:
        """The numbers of the games. An empty file gets the settings."""
        numbers: set[int] = set()
        header = msgspec.json.encode({"self_play": settings})

        def see(line: bytes) -> None:
            record = msgspec.json.decode(line)
            if "self_play" not in record:
                numbers.add(record["number"])
            elif record["self_play"] != settings:
                found = record["self_play"]
                names = [name for name in settings if found.get(name) != settings[name]]
                told = ", ".join(f"{name} was {found.get(name)}, now {settings[name]}" for name in names)
                raise OSError(errno.EEXIST, f"has games of other settings: {told}", str(path))

        self._file.seek(0)
        try:
            if self._is_compressed:
                self._file.truncate(read_frames(self._file, see))
            else:
                for line in self._file.readlines():
                    see(line)
        except (msgspec.DecodeError, zstandard.ZstdError, TypeError, KeyError) as error:
            raise OSError(errno.EIO, f"is damaged: {error}", str(path)) from None
        if self._file.seek(0, os.SEEK_END) == 0:
            self._write(header + b"\n")
        return numbers

    def _write(self, lines: bytes) -> None:
        packed = zstandard.ZstdCompressor(_LEVEL, write_checksum=True).compress(lines) if self._is_compressed else lines
        write_whole(self._file, packed)
        os.fsync(self._file.fileno())


def _begins_compressed(head: bytes) -> bool:
    """True if a file's first frame begins as ours."""
    try:
        return zstandard.ZstdDecompressor().stream_reader(head).read(len(_MARK)) == _MARK
    except zstandard.ZstdError:
        return False


def read_frames(file: BinaryIO, see: Callable[[bytes], None]) -> int:
    """Show all lines of a file's whole frames to `see`; return where the last of them ends. ZstdError: damaged."""
    position = file.tell()
    while True:
        file.seek(position)
        frame, parts, taken = zstandard.ZstdDecompressor().decompressobj(), [], 0
        while not frame.eof:
            data = file.read(_STEP)
            if not data:
                return position
            parts.append(frame.decompress(data))
            taken += len(data) - len(frame.unused_data)
        for line in b"".join(parts).splitlines():
            see(line)
        position += taken
