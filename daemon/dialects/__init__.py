"""Dialects of clients: each translates to the core protocol and back, line by line; the first word chooses.

A dialect knows neither rules nor search: what it asks for it asks the session for, in the words of protocol.md.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Reading(NamedTuple):
    """What a client's line comes to."""

    commands: tuple[str, ...] = ()  # lines for the core
    answers: tuple[str, ...] = ()  # lines for the client, at once


class Dialect(Protocol):
    """A client's way to speak. `read` is called in the session's thread, `write` in any, one call at a time."""

    def read(self, text: str, ns: int) -> Reading:
        """A line of the client's, not blank, read at `ns` (daemon.pipes.now_ns)."""

    def write(self, text: str) -> tuple[str, ...]:
        """The client's lines for a line of the core's."""


class Core:
    """The protocol itself."""

    def read(self, text: str, ns: int) -> Reading:
        return Reading((text,))

    def write(self, text: str) -> tuple[str, ...]:
        return (text,)


def chosen_by(text: str) -> Dialect:
    """The dialect of a client whose first line this is."""
    word = text.split(maxsplit=1)[0]
    if word.startswith("INFO"):
        from daemon.dialects.junqi import Referee

        return Referee()
    return Core()
