"""Boards as lines of text for a terminal: colours, letters where characters fail."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from siqi.games.shape import BoardShape
from siqi.system.columns import padded, width_of

COLOURS = {"red": "1;31", "blue": "1;34", "black": "1", "white": "1;36", "green": "1;32", "dim": "2", "mark": "7"}
"""ANSI codes. Black and white are of no use as colours, as a terminal's background may be either."""


class TerminalStyle(NamedTuple):
    """The abilities and the size of a terminal."""

    chinese: bool = False
    colour: bool = False
    flipped: bool = False
    columns: int = 80


class Cell(NamedTuple):
    """The text of a point, and its colour in COLOURS."""

    text: str
    colour: str = ""


def painted(text: str, colours: Collection[str], style: TerminalStyle) -> str:
    """Return a text in colours, unless the style has none."""
    codes = ";".join(COLOURS[colour] for colour in colours if colour)
    return f"\x1b[{codes}m{text}\x1b[0m" if style.colour and codes else text


def rows(
    shape: BoardShape,
    cells: Mapping[str, Cell],
    style: TerminalStyle,
    marked: Collection[str] = (),
    empty: Mapping[str, str] | str = ".",
) -> Iterator[str]:
    """Yield the rows of a board from the top, with the names of rows and columns.

    Without colours the points of the last move, `marked`, are followed by a `<` where it fits. `empty`: the text
    of points without a cell, by point or one for all. Blanks between cells go if the terminal is too narrow.
    """
    width = max([width_of(cell.text) for cell in cells.values()] + [1])
    names = max(map(len, shape.rows))
    gap = 1 if names + 2 + len(shape.columns) * (width + 1) <= style.columns + 1 else 0
    order = range(len(shape.columns))
    up = range(len(shape.rows) - 1, -1, -1)
    for row in reversed(up) if style.flipped else up:
        line = shape.rows[row].rjust(names) + " "
        for column in reversed(order) if style.flipped else order:
            point = shape.point_text(column, row)
            cell = cells.get(point, Cell(empty if isinstance(empty, str) else empty.get(point, "."), "dim"))
            is_marked = point in marked
            line += " " if column == (order[-1] if style.flipped else 0) else ""
            line += painted(padded(cell.text, width), [cell.colour, "mark" if is_marked else ""], style)
            line += ("<" if is_marked and not style.colour else " ") * gap
        yield line.rstrip()
    middle = " " * ((width - 1) // 2)
    feet = [padded(middle + shape.columns[column], width) for column in (reversed(order) if style.flipped else order)]
    yield (" " * (names + 2) + (" " * gap).join(feet)).rstrip()
