"""The options of Junqi, and the layouts that they name."""

from __future__ import annotations

from pathlib import Path

from siqi.games.contract import Warn
from siqi.games.junqi import INFO
from siqi.games.junqi.rules.notation import check_setup
from siqi.games.options import Values
from siqi.system.encodings import read_text

MAX_BYTES = 1 << 20
"""The largest file of layouts, in bytes: 40,000 layouts."""


def read_layouts(path: Path) -> list[str]:
    """Return a file's set-up words, one per line; `#` begins a comment.

    OSError; ValueError, with line and reason, if it is no text, a word is not a legal set-up, or there is none.
    """
    layouts = []
    for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), 1):
        word = line.partition("#")[0].strip()
        if word:
            try:
                check_setup(word)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            layouts.append(word)
    if not layouts:
        raise ValueError("no layouts")
    return layouts


PLAYERS = {"paper": {"CooperationChoice": "q"}}
"""The options of paper 4's player whole, by the value of Algorithm."""


class Knowledge:
    """The values of the options."""

    def __init__(self, warn: Warn) -> None:
        """`warn` gets a line for a file that cannot be used."""
        self.warn = warn
        self._values = Values(INFO.options)
        self._layouts: list[str] = []

    def set_option(self, name: str, value: str) -> None:
        self._values.change(name, value)
        if name == "Algorithm":
            self._values.preset(PLAYERS.get(value, {}))
        if name == "LayoutFile":  # read again if it is named again
            self._layouts = self._read_layouts(value) if value else []

    def _read_layouts(self, path: str) -> list[str]:
        try:
            return read_layouts(Path(path))
        except OSError as error:
            self.warn(f"cannot read {path}: {error.strerror}")
        except ValueError as error:
            self.warn(f"{path}: {error}")
        return []

    @property
    def layouts(self) -> list[str]:
        """Set-up words of the user's file; without any the engine draws its own."""
        return self._layouts

    @property
    def searcher(self) -> str:
        return self._values.text("Algorithm")

    @property
    def threads(self) -> int:
        """The threads of the player, whatever the option Threads says; 0: as it says."""
        return 1 if self.searcher == "paper" else 0

    @property
    def alpha(self) -> float:
        return self._values.number("CooperationAlpha")

    @property
    def gamma(self) -> float:
        return self._values.number("CooperationGamma")

    @property
    def activate(self) -> int:
        return self._values.integer("CooperationPieces")

    @property
    def choice(self) -> str:
        """How the cooperative player chooses its move: by `q`, or by `combined` values."""
        return self._values.text("CooperationChoice")

    @property
    def cooperation_file(self) -> str:
        return self._values.text("CooperationFile")
