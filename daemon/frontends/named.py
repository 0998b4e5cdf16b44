"""A client that first asks for the name speaks MyAI or Cloudict's protocol, as its next word shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from daemon.engine import Engine
from daemon.events import Event
from daemon.frontends.base import Command, FrontEnd
from daemon.frontends.cloudict import Cloudict
from daemon.frontends.move_by_move import NAME
from daemon.frontends.myai import MyAi
from daemon.output import Output
from daemon.pipes import ClientLine


class Named(FrontEnd):
    """A client whose protocol is not known yet; then all goes to that front end."""

    commands: ClassVar[Mapping[str, Command]] = {}

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._chosen: Cloudict | MyAi | None = None

    def read(self, line: ClientLine) -> None:
        word = line.text.split(maxsplit=1)[0]
        if self._chosen is None and word == "name":
            self.out.line(f"name {NAME}")
            return
        if self._chosen is None:
            is_ewn = word in MyAi.commands and word not in Cloudict.commands
            self._chosen = (MyAi if is_ewn else Cloudict)(self.engine, self.out, self.leave)
            self._chosen.mailbox = self.mailbox
            self._chosen.select_game(self._chosen.game)
        self._chosen.read(line)

    def drain(self) -> None:
        if self._chosen is not None:
            self._chosen.drain()

    def write(self, event: Event) -> None:
        if self._chosen is not None:
            self._chosen.write(event)
