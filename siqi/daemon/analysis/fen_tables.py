"""Tables with a column of FENs, as spreadsheets and pandas write them: a comma, semicolon or tab between the cells."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from siqi.daemon.analysis.query import Query
from siqi.daemon.commands.game_files import CommandError, game_of_fen
from siqi.games.records.position_lines import read_line
from siqi.system.encodings import mark_of

FEN, MOVES, ID = "fen", "moves", "id"
"""Names of columns that are read, as queries have them."""

DELIMITERS = ",;\t"

HEAD_LINES = 20
"""Lines in which a column of FENs is looked for."""


class FenColumn(NamedTuple):
    """The column of a table that has its FENs."""

    place: int  # from 0
    delimiter: str
    names: tuple[str, ...]  # of all columns, in small letters; (): the table has no heading
    game: str  # of the first FEN; "": the first lines have none

    @property
    def is_named(self) -> bool:
        """True if the heading says which column it is."""
        return FEN in self.names

    def __str__(self) -> str:
        return self.names[self.place] if self.names else str(self.place + 1)


def fen_column(head: bytes) -> FenColumn | None:
    """Return the column of FENs of a table that begins with these bytes, None if there is none.

    It is the one that is named `fen`, or else the first one that has a FEN in the first lines. Behind a semicolon on
    the first line EPD has its comments, so that such a table needs a heading.
    """
    mark, encoding = mark_of(head)
    lines = head[len(mark) :].decode(encoding, "replace").splitlines()[:HEAD_LINES]
    try:
        columns = [
            column
            for delimiter in DELIMITERS
            if (column := _column([row for row in csv.reader(lines, delimiter=delimiter) if row], delimiter))
        ]
    except csv.Error:
        return None
    return next((column for column in columns if column.is_named), columns[0] if columns else None)


def _column(rows: list[list[str]], delimiter: str) -> FenColumn | None:
    """Return the column of FENs in the first rows of a table, None if they have none."""
    if not rows:
        return None
    names = tuple(cell.strip().lower() for cell in rows[0])
    games = [[game_of_fen(cell) for cell in row] for row in rows]
    if FEN in names:
        place = names.index(FEN)
        game = next((row[place] for row in games[1:] if len(row) > place and row[place]), "")
        return FenColumn(place, delimiter, names, game)
    places = ((at, game) for row in games for at, game in enumerate(row) if game)
    place, game = next(places, (-1, ""))
    if not game or (delimiter == ";" and any(games[0])):
        return None
    return FenColumn(place, delimiter, () if any(games[0]) else names, game)


class TableRow(NamedTuple):
    """A row of a table: its query, or its id alone where it has no FEN."""

    name: str
    query: Query | None


def rows_of(handle: Iterable[str], column: FenColumn, game: str, prefix: str = "") -> Iterator[TableRow]:
    """Yield each row below the heading; CommandError if the text is not a table.

    The id is the row's cell in the column `id`, else the number of its line. The moves after the FEN stand behind it,
    as in a list of FENs, or in the column `moves`.
    """
    reader = csv.reader(handle, delimiter=column.delimiter)
    named = {name: column.names.index(name) for name in (ID, MOVES) if name in column.names}
    try:
        for at, row in enumerate(filter(None, reader)):
            if not at and column.names:
                continue
            cells = {name: row[place].strip() for name, place in named.items() if place < len(row)}
            name = f"{prefix}{cells.get(ID) or reader.line_num}"
            parts = read_line(row[column.place]) if column.place < len(row) else None
            if parts is None:
                yield TableRow(name, None)
                continue
            fen = "" if parts.start == "startpos" else parts.start
            moves = parts.moves + tuple(cells.get(MOVES, "").replace(",", " ").split())
            yield TableRow(name, Query(name, game, fen=fen, moves=moves))
    except csv.Error as error:
        raise CommandError(f"line {reader.line_num}: not a table: {error}") from None
