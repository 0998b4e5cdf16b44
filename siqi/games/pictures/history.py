"""The past of a game as pictures show it, from any position that keeps its history."""

from __future__ import annotations

from siqi.games.contract import Position
from siqi.games.shape import BoardShape


def past(position: Position) -> list[str]:
    """Return the words of the moves that led to a position, set-ups included."""
    twin = position.copy()
    words = []
    while twin.ply:
        move = twin.pop()
        words.append(twin.move_text(move))
    return words[::-1]


def last_points(position: Position, shape: BoardShape) -> tuple[str, ...]:
    """Return the points of the last move; none before the first move and after a set-up."""
    if not position.ply:
        return ()
    twin = position.copy()
    move = twin.pop()
    try:
        points = shape.points(twin.move_text(move))
    except ValueError:  # a set-up
        return ()
    return tuple(shape.point_text(column, row) for column, row in points)
