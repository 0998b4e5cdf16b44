"""The points of a board: their names in move texts, their places in FENs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class BoardShape(NamedTuple):
    """The points of a board as FENs and `d` show them: column 0 is on the left, row 0 at the bottom.

    A point's name is its column's name and its row's, or the row's first: its name in move texts with all options at
    their defaults.
    """

    columns: tuple[str, ...]  # names from the left
    rows: tuple[str, ...]  # names from the bottom
    is_row_first: bool = False

    def point_text(self, column: int, row: int) -> str:
        """Return a point's name; ValueError if it is off the board."""
        if not (0 <= column < len(self.columns) and 0 <= row < len(self.rows)):
            raise ValueError(f"point off the board: column {column}, row {row}")
        names = self.columns[column], self.rows[row]
        return "".join(reversed(names) if self.is_row_first else names)

    def points(self, text: str) -> list[tuple[int, int]]:
        """Return (column, row) of each point named in a move's text, in order; ValueError if it names anything else.

        Upper and lower case are alike. A referee's report on the move (`=2@A1`) is left out.
        """
        move, point = _patterns(self)
        match = move.fullmatch(text)
        if match is None:
            raise ValueError(f"not made of points: {text}")
        return [self._place(names) for names in point.findall(match[1])]

    def _place(self, names: tuple[str, str]) -> tuple[int, int]:
        column, row = reversed(names) if self.is_row_first else names
        return _indices(self.columns)[column.lower()], _indices(self.rows)[row.lower()]

    def turned(self, column: int, row: int) -> tuple[int, int]:
        """Return (column, row) of a point after the board is turned by 180 degrees."""
        return len(self.columns) - 1 - column, len(self.rows) - 1 - row

    def placement(self, pieces: Mapping[str, str]) -> str:
        """Return a FEN's first field from letters by point name: rows from the top, runs of empty points as numbers.

        ValueError if a point is off the board.
        """
        texts = _texts(self)
        lacking = pieces.keys() - {text for row in texts for text in row}
        if lacking:
            raise ValueError(f"point off the board: {min(lacking)}")
        return "/".join(_row_text([pieces.get(text, "") for text in row]) for row in texts)

    def read_placement(self, text: str, row: str = "row", column: str = "column") -> Iterator[tuple[int, int, str]]:
        """Yield (column, row, letter) of each piece in a FEN's first field, from the top left on.

        Every character that is not part of a run counts as a letter; the caller checks it. ValueError for a wrong
        number of rows, and after a row of wrong length, whose last letters may be off the board. `row` and `column` are
        the words of its text.
        """
        width, height = len(self.columns), len(self.rows)
        rows = text.split("/")
        if len(rows) != height:
            raise ValueError(f"board has {len(rows)} {row}s, not {height}")
        for index, signs in zip(range(height - 1, -1, -1), rows, strict=True):
            reached = 0
            for sign in re.findall(r"[0-9]{1,2}|." if width > 9 else ".", signs):
                if sign.isascii() and sign.isdigit() and 0 < int(sign) <= (width if width < 10 else 99):
                    reached += int(sign)
                else:
                    yield reached, index, sign
                    reached += 1
            if reached != width:
                raise ValueError(f"{row} {self.rows[index]} has {reached} {column}s, not {width}")


@functools.cache
def _patterns(shape: BoardShape) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the pattern of a whole move text, and that of one point, with a group for each of its two names."""
    names = (shape.rows, shape.columns) if shape.is_row_first else (shape.columns, shape.rows)
    point = "".join(f"({'|'.join(sorted(choices, key=len, reverse=True))})" for choices in names)
    plain = point.replace("(", "(?:")
    flags = re.ASCII | re.IGNORECASE
    return re.compile(f"((?:{plain})+)(?:=[0-9])?(?:@{plain})?", flags), re.compile(point, flags)


@functools.cache
def _texts(shape: BoardShape) -> list[list[str]]:
    """Return the names of all points by row, from the top."""
    columns, rows = range(len(shape.columns)), range(len(shape.rows) - 1, -1, -1)
    return [[shape.point_text(column, row) for column in columns] for row in rows]


@functools.cache
def _indices(names: tuple[str, ...]) -> dict[str, int]:
    return {name.lower(): index for index, name in enumerate(names)}


def _row_text(letters: list[str]) -> str:
    text, run = "", 0
    for letter in letters:
        if letter:
            text += (str(run) if run else "") + letter
            run = 0
        else:
            run += 1
    return text + (str(run) if run else "")


def shift_ranks(word: str, by: int) -> str:
    """Return a Xiangqi move word with its ranks renumbered: `h2e2` by 1 is `h3e3`."""
    return re.sub(r"(?<=[a-i])\d+", lambda rank: str(int(rank[0]) + by), word) if by else word
