"""What the engine plays Junqi with, as the options name it."""

from __future__ import annotations

from games.contract import Tell
from games.junqi import INFO


class Knowledge:
    """The values of the options."""

    def __init__(self, tell: Tell) -> None:
        """`tell` gets a line for a file that cannot be used."""
        self.tell = tell
        self._values = {option.name: option.default for option in INFO.options}

    def set_option(self, name: str, value: str) -> None:
        self._values[name] = value

    @property
    def searcher(self) -> str:
        return self._values["Searcher"]

    @property
    def alpha(self) -> float:
        return float(self._values["Alpha"])

    @property
    def gamma(self) -> float:
        return float(self._values["Gamma"])

    @property
    def activate(self) -> int:
        return int(self._values["Activate"])

    @property
    def cooperation_file(self) -> str:
        return self._values["CooperationFile"]
