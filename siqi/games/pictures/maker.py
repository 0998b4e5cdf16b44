"""The contract of a game's pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.drawing import Drawing
from siqi.games.pictures.grid import Grid
from siqi.games.pictures.style import PictureStyle
from siqi.games.pictures.terminal import TerminalStyle


class PictureMaker(Protocol):
    """The module `siqi/games/<game>/picture.py`: pictures of a game's positions, as SVG and as text."""

    EXTRAS: tuple[str, ...]
    """Names of arguments of `draw` that may be True."""

    MARGINS: tuple[str, ...]
    """Names of further such arguments: what they put on the margin stands there in place of coordinates."""

    FACES: tuple[str, ...]
    """Kinds of faces on pieces, for the argument `faces` of `draw`, the default first; empty: no choice."""

    def draw(self, position: Any, style: PictureStyle = ..., **more: Any) -> Drawing:
        """Return the picture of a position. ValueError for a point off the board.

        `more`: what only this game's pictures show; TypeError for an unknown name.
        """

    def grid_of(self, style: PictureStyle) -> Grid:
        """Return the grid of the pictures of `draw`."""

    def text(self, position: Any, style: TerminalStyle) -> Iterator[str]:
        """Yield the lines of a picture for a terminal."""

    def diagram(self, fen: str) -> Diagram:
        """Return the placement of a FEN, which `draw` without `more`, except faces, and `text` take as a position.

        ValueError if the text is no FEN. The rules are not checked.
        """
