"""The setting up of pieces, of any number and anywhere, until the rules are asked."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from siqi.daemon.board.drawings import Drawing
from siqi.daemon.board.positions import Positions
from siqi.daemon.clients.random_mover import random_setup
from siqi.games.contract import HIDDEN, Game, Position
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.style import PictureStyle


class Editor:
    """The pieces that are being set up."""

    def __init__(self, game: Game[Position], pieces: Mapping[str, str]) -> None:
        self.game = game
        self._pieces = dict(pieces)
        self._rng = random.Random()

    def put(self, point: str, letter: str) -> None:
        """Put a piece on a point, '' to clear it; ValueError for a point or a letter that the game does not have."""
        pieces = {name: kept for name, kept in self._pieces.items() if name != point}
        if letter:
            pieces[point] = letter
        self.game.info.shape.points(point)
        self.game.info.placement(pieces)
        self._pieces = pieces

    def shift(self, first: str, second: str) -> None:
        """Exchange what two points have; ValueError for a point that the game does not have."""
        pieces = dict(self._pieces)
        moved = [(second, pieces.pop(first, "")), (first, pieces.pop(second, ""))]
        pieces |= {point: letter for point, letter in moved if letter}
        self.game.info.shape.points(first + second)
        self._pieces = pieces

    def deploy(self, side: int) -> None:
        """Set up a side at random in place of its pieces; ValueError in games without set-ups."""
        info = self.game.info
        if not info.has_setup:
            raise ValueError("the game has no set-ups")
        new = Positions(self.game, side).set_up(side, random_setup(info, self._rng))
        own = {*info.pieces[side], HIDDEN[side]} if info.has_hidden else {*info.pieces[side]}
        others = {point: letter for point, letter in self._pieces.items() if letter not in own and point not in new}
        self._pieces = others | new

    def fen(self, turn: int, throw: int) -> str:
        """Return the FEN of the pieces; ValueError if the rules forbid them, or the throw (0: none)."""
        fen = self.game.fen_of(self._pieces, turn, throw)
        self.game.position(fen)
        return fen

    def shown(self) -> dict[str, Any]:
        """Return the parts of what the page shows that are of the board."""
        return {"pieces": dict(self._pieces), "turn": 0}

    def drawing(self) -> Drawing:
        """Return the board to draw."""
        return Drawing(self.game.info.name, Diagram(dict(self._pieces), 0, ""), PictureStyle())
