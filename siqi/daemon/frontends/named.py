"""The choice between MyAI and Cloudict's protocol: both begin with `name`, the next word decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from siqi.daemon.engine.events import Refusal
from siqi.daemon.frontends.base import AT_ONCE, Command, FrontEnd
from siqi.daemon.frontends.cloudict import Cloudict
from siqi.daemon.frontends.move_by_move import NAME
from siqi.daemon.frontends.myai import MyAi
from siqi.system.pipes import ClientLine


class Named(FrontEnd):
    """The front end of a client that has sent nothing but `name`."""

    page = "protocol/other"

    def chosen_by(self, text: str) -> FrontEnd:
        word = text.split(maxsplit=1)[0]
        if word in self.commands:
            return self
        is_ewn = word in MyAi.commands and word not in Cloudict.commands
        return (MyAi if is_ewn else Cloudict)(self.engine, self.out, self.leave)

    def name(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"name {NAME}")

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        """Ignore a refusal: how to report it is not known yet."""

    commands: ClassVar[Mapping[str, Command]] = {"name": Command(name, AT_ONCE)}
