"""Files of labelled Xiangqi positions, to train networks on: compact, append-only, intact if the writer is killed.

A file is a sequence of zstandard frames. The first holds MAGIC and JSON with the format's version and the settings.
Each other is a block: its head (_HEAD), then its samples byte by byte, the first byte of every sample first (0.7 of the
bytes of samples one by one). A block holds whole games, numbered from 0 on without a gap, so that a resumed run knows
which it has. Integers are little-endian.
"""

from __future__ import annotations

import errno
import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import zstandard

from siqi.system.files import HEAD_BYTES, open_append, open_regular, write_whole
from siqi.system.log import compare, read_contents

SAMPLE_DTYPE = np.dtype(
    [
        ("square", "u1", 32),  # 0..89 by slot, Red's sixteen pieces first (position.py); CAPTURED if off the board
        ("turn", "u1"),  # 0 Red to move, 1 Black
        ("result", "i1"),  # of the game that the position comes from: 1 Red won, 0 draw, -1 Black won
        ("ply", "<u2"),  # moves before it in the game, and in the search that reached it
        ("score", "<i2"),  # centipawns, in the view of the side to move
    ]
)
"""A labelled position, packed."""

Samples = np.ndarray[Any, np.dtype[np.void]]
"""An array of SAMPLE_DTYPE."""

VERSION = 1
MAGIC = b"siqi positions of Xiangqi\n"

_HEAD = struct.Struct("<III")  # number of samples, number of the first game, number of games
_LEVEL = 6
"""The level of compression: 1.7 million samples a second; level 10 takes twice the time for 0.99 of the bytes."""

_DAMAGE = (zstandard.ZstdError, struct.error, ValueError, TypeError, KeyError, AttributeError, RecursionError)


class SampleFile:
    """A file of samples, open at its end; one process may write it at a time.

    `count`: the number of its samples. `games`: the number of its games, which is also the next game's number.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """Open a file or make a new one; cut off an incomplete last block of a killed process.

        OSError, with the file unchanged, if it is of another kind, version or settings, if it is damaged, or if another
        process writes it. Settings are compared as JSON decodes them.
        """
        self._path, self._failed = path, False
        settings = json.loads(json.dumps(settings))
        self._file = open_append(path, _is_ours, exclusive=True)
        try:
            self.count = self.games = end = 0
            for block_end, block in _blocks(path, self._file):
                if isinstance(block, dict):
                    compare(path, "has positions of other settings", block, settings)
                else:
                    self.count += block[0]
                    self.games += block[1]
                end = block_end
            self._file.truncate(end)
            if end == 0:
                about = json.dumps({"version": VERSION, "settings": settings})
                self._write(MAGIC + about.encode())
        except BaseException:
            self._file.close()
            raise

    def append(self, samples: Samples, games: int = 0) -> None:
        """Append the samples of the next `games` games as one block; it is on the disk when this returns.

        After OSError the file is as it was, and no later block is written.
        """
        samples = np.ascontiguousarray(samples, SAMPLE_DTYPE)
        head = _HEAD.pack(len(samples), self.games, games)
        self._write(head + samples.view(np.uint8).reshape(-1, SAMPLE_DTYPE.itemsize).T.tobytes())
        self.count += len(samples)
        self.games += games

    def _write(self, content: bytes) -> None:
        if self._failed:
            raise OSError(errno.EIO, "could not be written before", str(self._path))
        self._failed = True
        try:
            write_whole(self._file, zstandard.ZstdCompressor(_LEVEL, write_checksum=True).compress(content))
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        self._failed = False

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings of a file. OSError if it is no file of samples."""
    with _open(path) as file:
        for _, block in _blocks(path, file):
            if isinstance(block, dict):
                return block
    raise OSError(errno.EINVAL, "has no settings: its writer was killed at once", str(path))


def read_samples(path: Path) -> Iterator[Samples]:
    """Yield the samples block by block, in the order of games; an incomplete last block is left out.

    OSError if it is no file of samples, or damaged.
    """
    with _open(path) as file:
        for _, block in _blocks(path, file, with_samples=True):
            if not isinstance(block, dict) and block[0]:
                yield block[2]


def _is_ours(head: bytes) -> bool:
    """True if a file begins with a frame of this format."""
    try:
        return bool(zstandard.ZstdDecompressor().stream_reader(head).read(len(MAGIC)) == MAGIC)
    except zstandard.ZstdError:
        return False


def _open(path: Path) -> BinaryIO:
    file = os.fdopen(open_regular(path), "rb")
    head = file.read(HEAD_BYTES)
    if not _is_ours(head):
        file.close()
        raise OSError(errno.EINVAL, "holds no positions of Xiangqi", str(path))
    return file


def _blocks(
    path: Path, file: BinaryIO, with_samples: bool = False
) -> Iterator[tuple[int, dict[str, Any] | tuple[int, int, Samples]]]:
    """Yield the offset at which each whole frame ends, and its content.

    The content is first the settings, then for each block its number of samples, its number of games, and the samples
    (an empty array unless requested). OSError if the file is damaged or of another version.
    """
    end = games = 0
    try:
        for frame_end, content in read_contents(file):
            if end == 0:
                yield frame_end, _settings(path, content)
            else:
                count, first, held = _HEAD.unpack_from(content)
                if first != games or len(content) != _HEAD.size + count * SAMPLE_DTYPE.itemsize:
                    raise ValueError("a block that does not fit its head")
                games += held
                yield frame_end, (count, held, _samples(content) if with_samples else np.empty(0, SAMPLE_DTYPE))
            end = frame_end
    except _DAMAGE:
        raise OSError(errno.EIO, f"is damaged at byte {end}; left as it is", str(path)) from None


def _settings(path: Path, content: bytes) -> dict[str, Any]:
    about = json.loads(content.removeprefix(MAGIC))
    if about["version"] != VERSION:
        raise OSError(errno.EINVAL, f"is of version {about['version']}; this is version {VERSION}", str(path))
    settings: dict[str, Any] = dict(about["settings"])
    return settings


def _samples(content: bytes) -> Samples:
    columns = np.frombuffer(content, np.uint8, offset=_HEAD.size).reshape(SAMPLE_DTYPE.itemsize, -1)
    return columns.T.copy().view(SAMPLE_DTYPE).reshape(-1)
