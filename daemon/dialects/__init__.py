"""Dialects of clients: each translates to the core protocol and back, line by line; the first word chooses.

A dialect knows neither rules nor search: what it asks for it asks the session for, in the words of protocol.md.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import NamedTuple, Protocol

CORE_ERROR = "info string error "
"""What a line of the core's begins with that tells of a fault."""

OTHER_ERRORS = ("option ", "unknown option: ", "go ", "go: ", "dice: ", "internal: ")
"""What such a line goes on with where it is not about a position."""

DRAW_BELOW = -30
"""A draw is agreed to where the engine's score is less, in centipawns."""


class Reading(NamedTuple):
    """What a line comes to, the client's or the core's."""

    commands: tuple[str, ...] = ()  # lines for the core, before anything else that the client has sent
    answers: tuple[str, ...] = ()  # lines for the client, at once


class Dialect(Protocol):
    """A client's way to speak. Called by any thread, one call at a time."""

    def read(self, text: str, ns: int) -> Reading:
        """A line of the client's, not blank, read at `ns` (daemon.pipes.now_ns)."""

    def write(self, text: str) -> Reading:
        """A line of the core's."""


def refuses_position(text: str) -> bool:
    """Whether a line of the core's says that a position cannot be, or a move."""
    return text.startswith(CORE_ERROR) and not text.removeprefix(CORE_ERROR).startswith(OTHER_ERRORS)


def is_news(text: str) -> bool:
    """True if a line of the core's reports that kernels are being compiled, or that something is missing."""
    return text.startswith(("info string compiling ", "info string compiled ", "info string warning "))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a line of the core's; where it refuses a limit of `go`, the limit has the client's name."""
    start = f"{CORE_ERROR}go "
    limit, colon, reason = text.removeprefix(start).partition(":")
    return f"{start}{names.get(limit, limit)}{colon}{reason}" if text.startswith(start) else text


class Core:
    """The protocol itself."""

    def read(self, text: str, ns: int) -> Reading:
        return Reading((text,))

    def write(self, text: str) -> Reading:
        return Reading(answers=(text,))


_CLASSES = {
    "ucci": "ucci.Ucci",
    "ugi": "ugi.Ugi",
    "name": "named.Named",
    "xboard": "cecp.Cecp",
    "name?": "connect6.Sau",
    "INFO": "junqi.Referee",
    "{": "botzone.Botzone",
}
"""Who speaks what, by how the first line begins; imported when it is chosen."""


def chosen_by(text: str) -> Dialect:
    """The dialect of a client whose first line this is."""
    word = text.split(maxsplit=1)[0]
    for start, path in _CLASSES.items():
        if word == start or ((not start.isalpha() or start.isupper()) and word.startswith(start)):
            module, name = path.split(".")
            dialect: Dialect = getattr(importlib.import_module(f"daemon.dialects.{module}"), name)()
            return dialect
    return Core()
