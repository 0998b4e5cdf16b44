"""The folder of games: one file each, of one JSON line a fact, which is on the disk before it is shown."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from siqi.system.log import Log

SUFFIX = ".siqi.jsonl"

_BEGINNING = b'{"entry":"begun",'


class FirstEntry(Protocol):
    """The first fact of a file, of the tag `begun`."""

    @property
    def game(self) -> str:
        """The game's name, which the file's name has."""


E = TypeVar("E")


class Store(Generic[E]):
    """The games' folder, and the game that is being written."""

    def __init__(self, folder: Path, facts: Any) -> None:
        """Make the folder if there is none; OSError if that fails. `facts`: the union of the facts' types."""
        self.folder = folder
        self._read = msgspec.json.Decoder(facts).decode
        self._log: Log | None = None
        self._path: Path | None = None
        self._lines: list[bytes] = []
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def stem(self) -> str:
        """The name of the game's file without its ending; '' if there is none."""
        return "" if self._path is None else self._path.name.removesuffix(SUFFIX)

    def latest(self) -> list[E]:
        """Open the youngest game, go on with its file, and return its facts; none if the folder has no game.

        OSError if the file is damaged or another process writes it.
        """
        for path in sorted(self.folder.glob(f"*{SUFFIX}"), reverse=True):
            entries: list[E] = []
            lines: list[bytes] = []

            def read(line: bytes, entries: list[E] = entries, lines: list[bytes] = lines) -> None:
                entries.append(self._read(line))
                lines.append(line)

            log = Log(path, _owns, read)
            if entries:
                self._take(log, path, lines)
                return entries
            log.close()
            path.unlink()  # a process was killed before the first fact was whole
        return []

    def begin(self, entry: FirstEntry) -> None:
        line = msgspec.json.encode(entry)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self._next_number():05}-{entry.game}{SUFFIX}"
        log = Log(path, _owns, lambda line: None)
        try:
            log.add([line])
            _sync_folder(self.folder)
        except OSError:
            log.close()
            path.unlink(missing_ok=True)
            raise
        self._take(log, path, [line])

    def _next_number(self) -> int:
        """Return the number of the next game: numbers order games, as clocks may be set back."""
        names = [path.name.partition("-")[0] for path in self.folder.glob(f"*{SUFFIX}")]
        return max([int(name) for name in names if name.isdecimal()], default=0) + 1

    def add(self, entry: E) -> None:
        assert self._log is not None and self._path is not None
        line = msgspec.json.encode(entry)
        if self._is_gone(self._path):
            self._write_anew(line)
        else:
            self._log.add([line])
        self._lines.append(line)

    def _is_gone(self, path: Path) -> bool:
        """True if the file has been deleted or moved away, folder and all: what is appended to it would be lost."""
        try:
            return path.stat().st_ino != self._inode
        except FileNotFoundError:
            return True

    def _write_anew(self, line: bytes) -> None:
        """Write the whole game again, with one more fact, into a file of the same name."""
        assert self._path is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        log = Log(self._path, _owns, lambda line: None)
        try:
            if not log.is_empty:
                raise OSError(errno.EEXIST, "is another game's file", str(self._path))
            log.add([*self._lines, line])
            _sync_folder(self.folder)
        except OSError:
            log.close()
            raise
        self._take(log, self._path, self._lines)

    def _take(self, log: Log, path: Path, lines: list[bytes]) -> None:
        self.close()
        self._log, self._path, self._lines = log, path, lines
        self._inode = path.stat().st_ino

    def close(self) -> None:
        """Close the game's file."""
        if self._log is not None:
            self._log.close()
            self._log = None


def _owns(head: bytes) -> bool:
    return head.startswith(_BEGINNING) or _BEGINNING.startswith(head)  # a process may have been killed in it


def _sync_folder(folder: Path) -> None:
    """Have a new file's name on the disk, too, where the system can do so."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
