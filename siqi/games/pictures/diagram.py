"""A placement to draw: the fields of a position that pictures read, without rules, moves or history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class Diagram:
    """Pieces on points, of any number and anywhere, and a side to move."""

    placed: Mapping[str, str]  # the FEN's letters by points
    turn: int
    text: str  # the FEN
    dice: int = 0
    viewer: int | None = None
    ply = 0
    has_pieces = True

    def pieces(self) -> dict[str, str]:
        return dict(self.placed)

    def fen(self) -> str:
        return self.text

    def is_check(self) -> bool:
        """Return False: a king in check is not marked."""
        return False

    def outcome(self) -> None:
        """Return None: no game is over."""
        return
