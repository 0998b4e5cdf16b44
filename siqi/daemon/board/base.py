"""What the modes have in common: the numbers of their events, refusals, and what cannot be stored."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from siqi.daemon.board.commands import ListFiles
from siqi.daemon.board.events import Event, FileLine, Files, Loading, Refused
from siqi.daemon.board.mode import numbers
from siqi.daemon.board.store import Head, Store
from siqi.system.messages import Catalogue, load


class Refusal(ValueError):
    """A command that cannot be carried out; the text is for the person."""


class StoredMode(ABC):
    """A mode with a store: a fact that cannot be stored is refused by its reason."""

    def __init__(self, store: Store[Any], numbering: Iterator[int] | None) -> None:
        """`numbering`: of the events of all modes; None: of this one alone."""
        self._store = store
        self._numbering = numbers() if numbering is None else numbering

    def do(self, command: Any) -> Sequence[Event]:
        """Carry out a command; return what is to be shown: a snapshot, or the reason of a refusal."""
        try:
            return [self._files()] if isinstance(command, ListFiles) else self._done(command)
        except ValueError as error:
            return [self._refused(str(error))]
        except OSError as error:
            return self._not_stored(error)

    @abstractmethod
    def _done(self, command: Any) -> Sequence[Event]:
        """Carry out a command; ValueError if that cannot be done, OSError if a fact cannot be stored."""

    @abstractmethod
    def snapshot(self) -> Event:
        """Return the mode as it is now."""

    def _files(self) -> Files:
        """Return the files of the mode, to choose one."""
        files = [FileLine(file.name, file.head.at, file.head.game, _title(file.head)) for file in self._store.files()]
        return Files(number=self.next_number(), files=files, current=self._store.name)

    @property
    def file(self) -> str:
        """The name of the file that is shown, without its ending."""
        return self._store.stem

    def loading(self, text: str) -> Sequence[Event]:
        """Return the event for a line of progress."""
        return [Loading(number=self.next_number(), text=text, chinese=_chinese().translate(text))]

    def next_number(self) -> int:
        """Return the number of the next event or picture."""
        return next(self._numbering)

    def _refused(self, reason: str) -> Refused:
        return Refused(number=self.next_number(), reason=reason)

    def _not_stored(self, error: OSError) -> list[Event]:
        where = f": {error.filename}" if error.filename else ""
        return [self._refused(f"not saved: {error.strerror or error}{where}"), self.snapshot()]


@functools.cache
def _chinese() -> Catalogue:
    """Return the catalogue for Chinese pages, whatever the language of this process is."""
    return load("zh")


def _title(head: Head) -> str:
    """Return the names of a file's first fact: of teams, of players, or of what it was read from."""
    for pair in (head.teams, head.players):
        if any(name != "?" for name in pair):
            return " – ".join(pair)
    return head.name
