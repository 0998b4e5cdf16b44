"""The protocols of clients, one file each: lines into calls of the engine, its events into lines.

A front end knows no other's words, no search and no rules: it asks the engine, and of a game what the contract
declares. The first word that a client says chooses.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daemon.frontends.base import FrontEnd

UCI = "uci.Uci"

CLASSES = {
    "ucci": "ucci.Ucci",
    "ugi": "ugi.Ugi",
    "name": "named.Named",
    "xboard": "cecp.Cecp",
    "name?": "sau.Sau",
    "INFO": "junqi.Referee",
    "{": "botzone.Botzone",
}
"""By how the first line begins; each is imported when it is chosen."""


def front_end_for(line: str) -> type[FrontEnd]:
    """Return the front end of a client whose first line this is."""
    word = line.split(maxsplit=1)[0]
    for start, path in CLASSES.items():
        if word == start or ((not start.isalpha() or start.isupper()) and word.startswith(start)):
            return load_front_end(path)
    return load_front_end(UCI)


def load_front_end(path: str) -> type[FrontEnd]:
    """Import a front end by its module and class."""
    module, name = path.split(".")
    found: type[FrontEnd] = getattr(importlib.import_module(f"daemon.frontends.{module}"), name)
    return found
