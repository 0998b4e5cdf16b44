"""A client that first asks for the name speaks MyAI or Cloudict's protocol, as its next word shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from daemon.events import Refusal
from daemon.frontends.base import AT_ONCE, Command, FrontEnd
from daemon.frontends.cloudict import Cloudict
from daemon.frontends.move_by_move import NAME
from daemon.frontends.myai import MyAi
from daemon.pipes import ClientLine


class Named(FrontEnd):
    """A client that has said no other word."""

    def chosen_by(self, text: str) -> FrontEnd:
        word = text.split(maxsplit=1)[0]
        if word in self.commands:
            return self
        is_ewn = word in MyAi.commands and word not in Cloudict.commands
        chosen = (MyAi if is_ewn else Cloudict)(self.engine, self.out, self.leave)
        chosen.select_game(chosen.game)
        return chosen

    def name(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"name {NAME}")

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        """Nobody knows yet how this client is told."""

    commands: ClassVar[Mapping[str, Command]] = {"name": Command(name, AT_ONCE)}
