"""The setting up of pieces, of any number and anywhere, until the rules are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from siqi.daemon.board.drawings import Drawing
from siqi.games.contract import Game, Position
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.look import Look


class Editor:
    """The pieces that are being set up."""

    def __init__(self, game: Game[Position], pieces: Mapping[str, str]) -> None:
        self.game = game
        self._pieces = dict(pieces)

    def put(self, point: str, letter: str) -> None:
        """Put a piece on a point, '' to clear it; ValueError for a point or a letter that the game does not have."""
        pieces = {name: kept for name, kept in self._pieces.items() if name != point}
        if letter:
            pieces[point] = letter
        self.game.info.board.points(point)
        self.game.info.placement(pieces)
        self._pieces = pieces

    def fen(self, turn: int) -> str:
        """Return the FEN of the pieces; ValueError if the rules forbid them."""
        fen = self.game.fen_of(self._pieces, turn)
        self.game.position(fen)
        return fen

    def shown(self) -> dict[str, Any]:
        """Return the parts of what the page shows that are of the board."""
        return {"pieces": dict(self._pieces), "turn": 0}

    def drawing(self) -> Drawing:
        """Return the board to draw."""
        return Drawing(self.game.info.name, Diagram(dict(self._pieces), 0, ""), Look())
