"""The knowledge that the settings select for Junqi: the user's layouts."""

from __future__ import annotations

from pathlib import Path

from siqi.games.contract import Warn
from siqi.games.junqi import Settings
from siqi.games.junqi.rules.notation import check_deployment
from siqi.system.encodings import read_text

MAX_BYTES = 1 << 20
"""The largest file of layouts, in bytes: 40,000 layouts."""


def read_layouts(path: Path) -> list[str]:
    """Return a file's deployment words, one per line; `#` begins a comment.

    OSError; ValueError, with line and reason, if it is no text, a word is not a legal deployment, or there is none.
    """
    layouts = []
    for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), 1):
        word = line.partition("#")[0].strip()
        if word:
            try:
                check_deployment(word)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            layouts.append(word)
    if not layouts:
        raise ValueError("no layouts")
    return layouts


class Knowledge:
    """The user's layouts."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        """`warn` gets a line for a file that cannot be used."""
        self.settings = settings
        self.warn = warn
        self.layouts: list[str] = []
        """Set-up words of the user's file; without any the engine draws its own."""

    def use(self, settings: Settings) -> None:
        """Take other settings."""
        self.settings = settings

    def read_layouts(self, path: str) -> None:
        """Read the user's file, again if the same one is named again; '': there is none."""
        self.layouts = self._read_layouts(path) if path else []

    def _read_layouts(self, path: str) -> list[str]:
        try:
            return read_layouts(Path(path))
        except OSError as error:
            self.warn(f"cannot read {path}: {error.strerror}")
        except ValueError as error:
            self.warn(f"{path}: {error}")
        return []
