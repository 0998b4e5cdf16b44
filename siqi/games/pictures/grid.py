"""Points on a picture, and the marks that all games share: coordinates, last move, rings, coloured points, arrows."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

from siqi.games.pictures.drawing import Drawing, number, shape
from siqi.games.pictures.style import PictureStyle
from siqi.games.shape import BoardShape

RULES = """\
.arrow{opacity:.6}
.ring{fill:none;stroke:$square;stroke-width:3}
.fill{opacity:.6}
.last{fill:none;stroke:$lastmove;stroke-width:3}
.labels{fill:$label}"""
"""CSS of the marks, for each design."""

PALETTE = {"arrow": ("#15781b", "#4fae57"), "square": ("#2f6fb5", "#6ab0ff"), "lastmove": ("#1f8a4c", "#58c784")}
"""Colours of the marks; a design adds `label`."""


class Grid(NamedTuple):
    """The places of a board's points and pieces in a picture; `left` and `top` are the centre of the top left point."""

    shape: BoardShape
    left: float
    top: float
    step: tuple[float, float]  # from a point to the next, rightwards and downwards
    piece: tuple[float, float]  # half the width and half the height of a piece
    is_round: bool = True  # pieces are circles, or rectangles
    gap: float = 0  # between the two halves of the board
    flipped: bool = False

    def at(self, column: int, row: int) -> tuple[float, float]:
        """Return the centre of a point: column from the left, row from the bottom of the board unflipped."""
        if self.flipped:
            column, row = self.shape.turned(column, row)
        down = len(self.shape.rows) - 1 - row
        below = self.gap if 2 * down >= len(self.shape.rows) else 0
        return self.left + column * self.step[0], self.top + down * self.step[1] + below

    def place(self, point: str) -> tuple[float, float]:
        """Return the centre of a point by its name; ValueError if there is none."""
        points = self.shape.points(point)
        if len(points) != 1:
            raise ValueError(f"not a point: {point}")
        return self.at(*points[0])

    def centres(self) -> dict[str, tuple[float, float]]:
        """Return the centres of all points by name, row by row from the top of the picture."""
        columns, rows = range(len(self.shape.columns)), range(len(self.shape.rows))
        placed = {self.shape.point_text(column, row): self.at(column, row) for row in rows for column in columns}
        return dict(sorted(placed.items(), key=lambda item: (item[1][1], item[1][0])))

    def outline(self, point: str, larger: float, class_: str, **values: str) -> str:
        """Return the outline of a piece on a point, `larger` units wider on each side."""
        x, y = self.place(point)
        width, height = self.piece[0] + larger, self.piece[1] + larger
        if self.is_round:
            return shape("circle", class_=class_, cx=x, cy=y, r=width, **values)
        box = dict(x=x - width, y=y - height, width=2 * width, height=2 * height, rx=min(4 + larger, height))
        return shape("rect", class_=class_, **box, **values)

    def brackets(self, point: str, larger: float) -> str:
        """Return the path of four corners around a point."""
        x, y = self.place(point)
        width, height = self.piece[0] + larger, self.piece[1] + larger
        arm = 0.45 * min(width, height)
        parts = []
        for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            start = f"M{number(x + right * (width - arm))} {number(y + down * height)}"
            parts.append(f"{start}h{number(right * arm)}v{number(-down * arm)}")
        return shape("path", class_="last", d="".join(parts))

    def arrow(self, tail: str, head: str, is_taken: bool) -> str:
        """Return the points of an arrow's polygon; its tip stays outside the piece on its target."""
        (x1, y1), (x2, y2) = self.place(tail), self.place(head)
        whole = math.hypot(x2 - x1, y2 - y1)
        if not whole:
            return ""
        dx, dy = (x2 - x1) / whole, (y2 - y1) / whole
        size = min(self.step)
        length = whole - (self.reach(dx, dy) + 0.04 * size if is_taken else 0.12 * size)
        wing, half = 0.2 * size, 0.075 * size
        neck = max(length - 0.38 * size, 0.0)
        corners = [(0, half), (neck, half), (neck, wing), (length, 0), (neck, -wing), (neck, -half), (0, -half)]
        return " ".join(
            f"{number(x1 + along * dx - aside * dy)},{number(y1 + along * dy + aside * dx)}" for along, aside in corners
        )

    def reach(self, dx: float, dy: float) -> float:
        """Return the distance from a piece's centre to its edge in the direction of a unit vector."""
        if self.is_round:
            return self.piece[0]
        across, along = (half / abs(d) if d else math.inf for half, d in zip(self.piece, (dx, dy), strict=True))
        return min(across, along)


def fills(drawing: Drawing, grid: Grid) -> Iterator[str]:
    """Yield the coloured points, which lie below the pieces."""
    for point, colour in drawing.style.fill.items():
        yield grid.outline(point, 0.12 * min(grid.step), "fill", style=f"fill:{drawing.colour(colour)}")


def arrows(drawing: Drawing, grid: Grid, taken: Collection[str]) -> Iterator[str]:
    """Yield the arrows, which lie below the pieces; `taken` are the points with a piece."""
    for tail, head, colour in drawing.style.arrows:
        points = grid.arrow(tail, head, head in taken)
        if points:
            yield shape("polygon", class_="arrow", points=points, style=f"fill:{drawing.colour(colour)}")


def rings(style: PictureStyle, grid: Grid) -> Iterator[str]:
    """Yield the rings, which lie around pieces."""
    for point in style.squares:
        yield grid.outline(point, 0.03 * min(grid.step), "ring")


def labels(drawing: Drawing, grid: Grid, below: float, aside: float, height: float) -> str:
    """Return the names of columns `below` the lowest points, and of rows `aside` of the leftmost."""
    columns, rows = grid.shape.columns, grid.shape.rows
    last_row, last_column = len(rows) - 1, len(columns) - 1
    lowest = grid.at(0, last_row if grid.flipped else 0)[1]
    leftmost = grid.at(last_column if grid.flipped else 0, 0)[0]
    placed = [(name, grid.at(i, 0)[0], lowest + below) for i, name in enumerate(columns)]
    placed += [(name, leftmost - aside, grid.at(0, i)[1]) for i, name in enumerate(rows)]
    return drawing.words(placed, height, class_="labels")
