"""The board that a mode shows, as its picture is drawn from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from siqi.daemon.board.positions import Positions
from siqi.daemon.review.pictures import marks_of
from siqi.games.contract import Position
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.style import PictureStyle


class Drawing(NamedTuple):
    """A board to draw."""

    game: str
    drawn: Position | Diagram
    style: PictureStyle
    extras: Mapping[str, Any] = MappingProxyType({})  # that the game's pictures alone have


def drawing_of(
    positions: Positions, shown: Position, pieces: Mapping[str, str], last: Sequence[str], hint: str = ""
) -> Drawing:
    """Return the drawing of a position, or of `pieces` during the set-ups; `hint`: a move to mark."""
    arrows, squares = marks_of(positions.info, hint)
    ends = tuple(point for arrow in arrows for point in (arrow.tail, arrow.head))  # pieces may hide the arrow
    style = PictureStyle(arrows=arrows, squares=squares or ends)
    drawn: Position | Diagram
    if positions.has_pieces:
        drawn = shown.copy()
    else:
        drawn = Diagram(dict(pieces), positions.whole.turn, positions.whole.fen())
        drawn.has_pieces = False
    if positions.info.has_hidden:  # what the referee's position would mark is the same, and known
        style = style._replace(lastmove=tuple(last))
    return Drawing(positions.info.name, drawn, style)
