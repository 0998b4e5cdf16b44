"""What a person has given to be analysed: a text or a file, read once the rules of its game are loaded."""

from __future__ import annotations

import base64
import binascii

from siqi.daemon.board.analyse import imports
from siqi.daemon.board.analyse.entries import Begun


class Reader:
    """The content that was given last, and its games."""

    def __init__(self) -> None:
        self._source: imports.Source | None = None
        self._imported: imports.Imported | None = None
        self.notes: list[str] = []
        """Lines on what could not be read."""

    @property
    def game(self) -> str:
        """The game whose rules are needed to read what was given; '' if nothing waits."""
        return "" if self._source is None else self._source.game

    def give(self, name: str, data: bytes, game: str) -> None:
        """Take a content, of `game` if it has moves alone; ValueError if nothing shows what it is."""
        self._source = imports.source_of(name, data, game)

    def give_file(self, name: str, data: str, game: str) -> None:
        """Take a file's content in base64; ValueError as of `give`."""
        try:
            content = base64.b64decode(data, validate=True)
        except binascii.Error:
            raise ValueError("not a file") from None
        self.give(name, content, game)

    def drop(self) -> None:
        """Leave what was given."""
        self._source = None

    def read(self, at: str) -> tuple[Begun, imports.Imported]:
        """Return the first fact of an analysis of what was given, and its games; ValueError if it has none."""
        source, self._source = self._source, None
        assert source is not None
        imported = imports.read(source)
        return imports.begun(imported, 0, at), imported

    def keep(self, imported: imports.Imported | None) -> None:
        """Let the person choose among games that were read; None: there are none."""
        self._imported = imported
        self.notes = [] if imported is None else imported.faults

    def choose(self, number: int, at: str) -> Begun:
        """Return the first fact of an analysis of another game; ValueError if there is no such game."""
        if self._imported is None or number >= len(self._imported.games):
            raise ValueError("no such game was read")
        return imports.begun(self._imported, number, at)

    def choices(self) -> list[str]:
        """Return the lines by which the games of a file are chosen; none if it has one only."""
        return [] if self._imported is None or len(self._imported.games) < 2 else list(imports.choices(self._imported))
