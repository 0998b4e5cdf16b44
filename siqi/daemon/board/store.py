"""The folder of games: one file each, of one JSON line a fact, which is on the disk before it is shown."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from siqi.system.files import open_regular, read_bytes, replace_file
from siqi.system.log import Log

SUFFIX = ".siqi.jsonl"

OPENED = ".opened"
"""The note of the game that was opened last, which the next server goes on with."""

_MAX_FILES = 500
"""The youngest files that are listed."""

_BEGINNING = b'{"entry":"begun",'


class FirstEntry(Protocol):
    """The first fact of a file, of the tag `begun`."""

    @property
    def game(self) -> str:
        """The game's name, which the file's name has."""


class Head(msgspec.Struct, frozen=True):
    """What the first facts of all modes say of their files."""

    at: str
    game: str
    name: str = ""
    players: tuple[str, str] = ("?", "?")
    teams: tuple[str, str] = ("?", "?")


class KeptFile(NamedTuple):
    """A file of the folder: its name there, without its suffix, and what its first fact says."""

    name: str
    head: Head


class _Opened(msgspec.Struct, frozen=True):
    """A note, which is void once there is a younger file."""

    opened: str
    youngest: str


E = TypeVar("E")
S = TypeVar("S")


class Store(Generic[E]):
    """The games' folder, and the game that is being written."""

    def __init__(self, folder: Path, facts: Any) -> None:
        """Make the folder if there is none; OSError if that fails. `facts`: the union of the facts' types."""
        self.root = self.folder = folder
        self._read = msgspec.json.Decoder(facts).decode
        self._log: Log | None = None
        self._path: Path | None = None
        self._lines: list[bytes] = []
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def stem(self) -> str:
        """The name of the game's file without its suffix; '' if there is none."""
        return "" if self._path is None else self._path.name.removesuffix(SUFFIX)

    def latest(self) -> list[E]:
        """Open the game that was opened last, or the youngest; return its facts, none if the folder has no game.

        OSError if the file is damaged or another process writes it.
        """
        paths = self._paths()
        with contextlib.suppress(OSError, msgspec.DecodeError, StopIteration):
            note = msgspec.json.decode(read_bytes(self.root / OPENED, 4096), type=_Opened)
            if paths and note.youngest == self._name(paths[0]):
                paths.insert(0, next(path for path in paths if self._name(path) == note.opened))
        for path in paths:
            if entries := self._open(path):
                return entries
        return []

    def open(self, name: str, fold: Callable[[list[E]], S]) -> S:
        """Open another game by its name among `files`; return what `fold` makes of its facts.

        The next server goes on with it. ValueError if there is none, if it cannot be read, or of `fold`: the game
        before is then still open.
        """
        paths = self._paths()
        path = next((path for path in paths if self._name(path) == name), None)
        if path is None or path == self._path:
            raise ValueError("there is no such file" if path is None else "this is what is shown")
        states: list[S] = []
        try:
            if not self._open(path, lambda entries: states.append(fold(entries))):
                raise ValueError("there is no such file")
        except OSError as error:
            raise ValueError(f"the file cannot be opened: {error.strerror or error}") from None
        note = msgspec.json.encode(_Opened(name, self._name(paths[0])))
        with contextlib.suppress(OSError):  # without it the next server begins with another game, no more
            replace_file(self.root / OPENED, [note], lambda head: head.startswith(b'{"opened":'))
        return states[0]

    def files(self) -> list[KeptFile]:
        """Return the games of the folder, the youngest first; those that cannot be read are left out."""
        kept = []
        for path in self._paths()[:_MAX_FILES]:
            with contextlib.suppress(OSError, msgspec.DecodeError), os.fdopen(open_regular(path), "rb") as file:
                kept.append(KeptFile(self._name(path), msgspec.json.decode(file.readline(), type=Head)))
        return kept

    @property
    def name(self) -> str:
        """The name of the game that is open among `files`; '' if there is none."""
        return "" if self._path is None else self._name(self._path)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix().removesuffix(SUFFIX)

    def _paths(self) -> list[Path]:
        """Return all games, the youngest first."""
        return sorted(self.root.glob(f"*{SUFFIX}"), reverse=True)

    def _open(self, path: Path, check: Callable[[list[E]], None] = lambda entries: None) -> list[E]:
        """Open a game; return its facts, none if a process was killed before the first one was whole.

        What `check` raises leaves the game before open.
        """
        entries: list[E] = []
        lines: list[bytes] = []

        def read(line: bytes) -> None:
            entries.append(self._read(line))
            lines.append(line)

        log = Log(path, _owns, read)
        try:
            if entries:
                check(entries)
        except BaseException:
            log.close()
            raise
        if entries:
            self._take(log, path, lines)
            self.folder = path.parent
        else:
            log.close()
            path.unlink()
        return entries

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
