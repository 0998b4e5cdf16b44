"""Front ends: one file for each protocol, which turns lines into engine calls and events into lines.

A front end knows no other protocol, no search and no rules; it uses the engine and the game's contract. The client's
first word selects it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from siqi.daemon.frontends.base import FrontEnd

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
"""The front ends by the beginning of the first line; each is imported when it is selected. Any other line: UCI."""


def front_end_for(line: str) -> type[FrontEnd]:
    """Return the front end for a client's first line."""
    word = line.split(maxsplit=1)[0]
    for start, path in CLASSES.items():
        if word == start or ((not start.isalpha() or start.isupper()) and word.startswith(start)):
            return load_front_end(path)
    return load_front_end(UCI)


def load_front_end(path: str) -> type[FrontEnd]:
    """Import a front end; `path` is its module and class."""
    module, name = path.split(".")
    front_end: type[FrontEnd] = getattr(importlib.import_module(f"siqi.daemon.frontends.{module}"), name)
    return front_end
