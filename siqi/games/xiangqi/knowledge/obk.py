"""Opening books of Chinese GUIs, `.obk` and `.pfBook`: a SQLite database with one table, `bhobk` or `pfBook`.

A row is a move in a position. Its columns, of which the others (vmemo, vindex) are not used:

    vkey                    the position, 64 bits: exclusive or of a number for each piece on its square, and of
                            one more if Red is to move
    vmove                   squares of 16 a rank, 0x33 for a9 and 0xCB for i0: 256 * origin + target
    vscore                  the book's own estimate: more is better
    vwin, vdraw, vlost      games with this move, from its mover's view; often 0
    vvalid                  1, or 0 for a move that is switched off

The 1,261 numbers are constants of the format. They stand in `obk.keys` as 64 bits, little-endian: for the pieces
KABNRCPkabnrcp, each on a0, b0, .. i9, then Red's. Public readers of such books have the same ones (cchess on PyPI;
9479421/ChessAI), and with them the start position's key is 7101337512282506414, that of 9 moves in published books.
A key from 2^63 on is stored as a negative integer, by some programs as the double of its bits, or of its value.
"""

from __future__ import annotations

import math
import os
import struct
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from siqi.games.books.book import BookFileError
from siqi.games.books.opening import OpeningMove, SymmetricPosition, by_weight
from siqi.games.xiangqi.rules.notation import FILES
from siqi.games.xiangqi.rules.position import make_move
from siqi.games.xiangqi.rules.symmetry import mirror_move, mirror_square
from siqi.system.files import open_regular

_MAGIC = b"SQLite format 3\0"
_TABLES = ("bhobk", "pfBook")
_PIECES = "KABNRCPkabnrcp"
_KEYS = Path(__file__).with_name("obk.keys")

STEPS = 1_000_000
MAX_STEPS = 300
"""A query ends after MAX_STEPS times STEPS steps of SQLite's machine: a file may be anyone's work."""


class _Row(NamedTuple):
    move: int
    score: int
    games: int
    points: float


class Obk:
    """A book that is asked by SQL: nothing is read but the rows of a position."""

    def __init__(self, path: Path) -> None:
        """Open a book; BookFileError if it has no table of such a book."""
        self._path = path
        names = [str(name) for (name,) in self._rows("select name from sqlite_master where type = 'table'")]
        self._table = next((table for table in _TABLES if table in names), "")
        if not self._table:
            raise BookFileError(f"{path}: a database without a table {' or '.join(_TABLES)}")
        self._find(0)

    def moves(self, position: SymmetricPosition, least: int) -> list[OpeningMove]:
        """Return the position's legal moves, best first; without those of fewer games than `least`, if it has counts.

        A move's weight is its share of the positive scores; if there are none, of the games, else each has the same.
        """
        row_of: dict[int, _Row] = {}
        for is_mirrored, key in enumerate(dict.fromkeys(_keys(position))):
            for vmove, *numbers in self._find(key):
                move = _move(vmove)
                move = mirror_move(move) if is_mirrored and move >= 0 else move
                if move in row_of or move < 0 or not position.is_legal(move):
                    continue
                score, won, drawn, lost = (
                    int(n) if isinstance(n, int | float) and abs(n) < 1e9 else 0 for n in numbers
                )
                games = max(won, 0) + max(drawn, 0) + max(lost, 0)
                if games >= least or not games:
                    row_of[move] = _Row(move, score, games, (max(won, 0) + max(drawn, 0) / 2) / games if games else 0.5)
        rows = list(row_of.values())
        shares = [float(max(row.score, 0)) for row in rows]
        shares = shares if any(shares) else [float(row.games) for row in rows]
        shares = shares if any(shares) else [1.0] * len(rows)
        return by_weight(
            OpeningMove(row.move, row.games, row.points, share / sum(shares))
            for row, share in zip(rows, shares, strict=True)
        )

    def _find(self, key: int) -> list[tuple[object, ...]]:
        columns = "vmove, vscore, vwin, vdraw, vlost"
        keys = _stored(key)
        places = ", ".join("?" * len(keys))
        return self._rows(f"select {columns} from {self._table} where vkey in ({places}) and vvalid = 1", *keys)

    def _rows(self, query: str, *values: int | float) -> list[tuple[object, ...]]:
        import sqlite3

        try:
            address = f"file:{quote(os.path.abspath(self._path))}?mode=ro&immutable=1"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                connection.execute("pragma trusted_schema = off")
                steps = iter(range(MAX_STEPS))
                connection.set_progress_handler(lambda: next(steps, None) is None, STEPS)
                return connection.execute(query, values).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise BookFileError(f"{self._path}: {error}") from None


def open_obk(path: Path) -> Obk | None:
    """Return the book of a file; None if it is no database of SQLite's. BookFileError if it is no book."""
    try:
        with open(open_regular(path), "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
    except OSError:
        return None  # reported where it is opened as a book of ours
    return Obk(path)


@cache
def _numbers() -> tuple[int, ...]:
    data = _KEYS.read_bytes()
    return struct.unpack(f"<{len(data) // 8}Q", data)


def _keys(position: SymmetricPosition) -> tuple[int, int]:
    """Return the keys of a position and of its image with left and right exchanged."""
    numbers = _numbers()
    key = image = 0 if position.turn else numbers[-1]
    for point, letter in position.pieces().items():
        square = 9 * int(point[1]) + FILES.index(point[0])
        first = 90 * _PIECES.index(letter)
        key ^= numbers[first + square]
        image ^= numbers[first + mirror_square(square)]
    return key, image


def _stored(key: int) -> list[int | float]:
    """Return the values under which programs store a key."""
    if key < 1 << 63:
        return [key]
    (bits,) = struct.unpack("<d", struct.pack("<Q", key))
    return [key - (1 << 64), float(key), *([] if math.isnan(bits) else [bits])]


def _move(vmove: object) -> int:
    """Return the move of a row's number, -1 if it is none."""
    if not isinstance(vmove, int) or not 0 <= vmove < 1 << 16:
        return -1
    squares = []
    for value in divmod(vmove, 256):
        rank, file = divmod(value - 0x33, 16)
        if not (0 <= rank < 10 and file < 9):
            return -1
        squares.append((9 - rank) * 9 + file)
    return make_move(*squares)
