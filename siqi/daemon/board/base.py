"""What the modes have in common: the numbers of their events, refusals, and what cannot be stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from siqi.daemon.board.events import Event, Loading, Refused
from siqi.daemon.board.mode import numbers


class Refusal(ValueError):
    """A command that cannot be carried out; the text is for the person."""


class StoredMode(ABC):
    """A mode with a store: a fact that cannot be stored is refused by its reason."""

    def __init__(self, numbering: Iterator[int] | None) -> None:
        """`numbering`: of the events of all modes; None: of this one alone."""
        self._numbering = numbers() if numbering is None else numbering

    def do(self, command: Any) -> Sequence[Event]:
        """Carry out a command; return what is to be shown: a snapshot, or the reason of a refusal."""
        try:
            return self._done(command)
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

    def loading(self, text: str) -> Sequence[Event]:
        """Return the event for a line of progress."""
        return [Loading(number=self.next_number(), text=text)]

    def next_number(self) -> int:
        """Return the number of the next event or picture."""
        return next(self._numbering)

    def _refused(self, reason: str) -> Refused:
        return Refused(number=self.next_number(), reason=reason)

    def _not_stored(self, error: OSError) -> list[Event]:
        where = f": {error.filename}" if error.filename else ""
        return [self._refused(f"not saved: {error.strerror or error}{where}"), self.snapshot()]
