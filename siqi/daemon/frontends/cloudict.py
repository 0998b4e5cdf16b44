"""The front end for Cloudict's protocol for Connect6 (letters.py), which the GUI ConnectMore speaks.

Rows count from the bottom. The first turn's stone is written twice. `black` and `white` play a turn of either side;
`next` requests the engine's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from siqi.daemon.frontends.base import AT_ONCE, GAME, IN_ORDER, Command
from siqi.daemon.frontends.letters import Letters, Notation
from siqi.daemon.frontends.move_by_move import number
from siqi.system.pipes import ClientLine

NOTATION = Notation(is_from_top=False, no_stone="")


class Cloudict(Letters):
    """The front end for Cloudict's protocol."""

    page = "protocol/cloudict"
    notation = NOTATION
    sides = ("xxx", *Letters.sides)

    def is_search(self, text: str) -> bool:
        return text.split(maxsplit=1)[0] == "next" or super().is_search(text)

    def put(self, words: list[str], line: ClientLine) -> None:
        """Play a turn without an answer."""
        self.play(self.notation.turn_of(words[0]))

    def next(self, words: list[str], line: ClientLine) -> None:
        self.search(line.ns)

    def depth(self, words: list[str], line: ClientLine) -> None:
        depth = str(number(words[0]))
        self.engine.call_when_ready(lambda: self.engine.set_option("Depth", depth))

    def threats(self, words: list[str], line: ClientLine) -> None:
        """Ignore `vcf` and `unvcf`: the engine always searches for wins by threats."""

    commands: ClassVar[Mapping[str, Command]] = {
        "name": Command(Letters.name, AT_ONCE),
        "new": Command(Letters.new, GAME),
        "move": Command(Letters.move, GAME),
        "black": Command(put, GAME),
        "white": Command(put, GAME),
        "next": Command(next, GAME),
        "depth": Command(depth, IN_ORDER),
        "vcf": Command(threats, AT_ONCE),
        "unvcf": Command(threats, AT_ONCE),
        "quit": Command(Letters.quit, AT_ONCE),
        "exit": Command(Letters.quit, AT_ONCE),
    }
