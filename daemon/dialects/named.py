"""What a client speaks that first asks for the name: MyAI or Cloudict's, as its next word has it."""

from __future__ import annotations

from daemon.dialects import Dialect, Reading
from daemon.dialects.connect6 import Cloudict
from daemon.dialects.myai import MyAi
from daemon.dialects.told import NAME


class Named:
    """A `Dialect`."""

    def __init__(self) -> None:
        self._chosen: Dialect | None = None

    def read(self, text: str, ns: int) -> Reading:
        if self._chosen is not None:
            return self._chosen.read(text, ns)
        word = text.split(maxsplit=1)[0]
        if word == "name":
            return Reading(answers=(f"name {NAME}",))
        is_ewn = word in MyAi.commands and word not in Cloudict.commands
        self._chosen = MyAi() if is_ewn else Cloudict()
        game = "ewn" if is_ewn else "connect6"
        reading = self._chosen.read(text, ns)
        return reading._replace(commands=(f"setoption name UCI_Variant value {game}", *reading.commands))

    def write(self, text: str) -> Reading:
        return Reading() if self._chosen is None else self._chosen.write(text)
