"""Opening books of Chinese GUIs: keys, rows, faults."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path
from typing import Any

import pytest

from siqi.games.books.opening import OpeningBooks
from siqi.games.options import Values
from siqi.games.xiangqi import INFO, Settings
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.knowledge.obk import _keys, open_obk

START = XiangqiPosition()
START_KEY = 7101337512282506414
"""The start's key in published books."""

H2E2, G3G4, C3C4, ILLEGAL = 0xAAA7, 0x9989, 0x9585, 0xAA33
ROW = (START_KEY, H2E2, 2985, 3487, 7327, 3772, 1)
"""A row of a published book."""


def write(path: Path, *rows: tuple[Any, ...], table: str = "bhobk", columns: str = "") -> Path:
    names = columns or "vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vmemo, vindex"
    with sqlite3.connect(path) as connection:
        connection.execute(f"create table {table} (id integer primary key autoincrement, {names})")
        places = ", ".join("?" * len(names.split(",")))
        connection.executemany(
            f"insert into {table} ({names}) values ({places})",
            [row + (None,) * (len(names.split(",")) - len(row)) for row in rows],
        )
    connection.close()
    return path


def after(*words: str) -> XiangqiPosition:
    position = XiangqiPosition()
    for word in words:
        position.push(position.parse_move(word))
    return position


def texts(path: Path, position: XiangqiPosition = START, least: int = 1) -> list[tuple[str, int, float, float]]:
    book = open_obk(path)
    assert book is not None
    return [
        (
            position.move_text(opening_move.move),
            opening_move.games,
            round(opening_move.score, 4),
            round(opening_move.weight, 4),
        )
        for opening_move in book.moves(position, least)
    ]


class Books(OpeningBooks):
    """Xiangqi's books, as the game opens them."""

    def __init__(self, warnings: list[str]) -> None:
        super().__init__("xiangqi", Values(INFO.options, Settings).settings, warnings.append, open_obk)

    def open(self, path: Path) -> None:
        self.use(Values(INFO.options, Settings).settings._replace(book_file=str(path)))


def test_keys_are_those_of_published_books() -> None:
    assert _keys(START) == (START_KEY, START_KEY)
    position = after("h2e2")
    key, image = _keys(position)
    assert (key, image) == _keys(after("b2e2"))[::-1] and key != image
    fen = position.fen()
    assert _keys(XiangqiPosition(fen.replace(" b ", " w ")))[0] == key ^ 0xA0CE2AF90C452F58


@pytest.mark.parametrize("table", ["bhobk", "pfBook"])
def test_moves_with_their_counts(table: str, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.obk", ROW, (START_KEY, G3G4, 995, 1, 0, 1, 1), (START_KEY, C3C4, 9, 2, 0, 0, 0), table=table
    )
    assert texts(path) == [("h2e2", 14586, round((3487 + 7327 / 2) / 14586, 4), 0.75), ("g3g4", 2, 0.5, 0.25)]
    assert [row[0] for row in texts(path, least=3)] == ["h2e2"]


def test_images_and_negative_keys(tmp_path: Path) -> None:
    """The book has the position, or its image; a key may be an integer, the double of its bits or of its value."""
    lines = [("h2e2",), ("h2e2", "h9g7"), ("g3g4",), ("c3c4",), ("h2e2", "h9g7", "h0g2"), ("b0c2",), ("b2e2", "b9c7")]
    kinds = set()
    for number, line in enumerate(lines):
        position = after(*line)
        move = position.legal_moves()[0]
        origin, target = (0x33 + 16 * (9 - at // 9) + at % 9 for at in (move & 127, move >> 7 & 127))
        text = position.move_text(move)
        for is_image, key in enumerate(_keys(position)):
            turn = lambda value: value + 2 * (0x37 + (value - 0x33 & 0xF0) - value) if is_image else value  # noqa: E731, B023
            stored: list[int | float] = [key]
            if key >> 63:
                stored = [key - (1 << 64), float(key), struct.unpack("<d", struct.pack("<Q", key))[0]]
            kinds.add(len(stored))
            for kind, value in enumerate(stored):
                path = write(
                    tmp_path / f"{number}{is_image}{kind}.obk",
                    (value, 256 * turn(origin) + turn(target), 1, 0, 0, 0, 1),
                )
                assert texts(path, position) == [(text, 0, 0.5, 1.0)]
    assert kinds == {1, 3}


def test_rows_without_counts_or_sense(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.obk",
        *((START_KEY, move, -5, 0, 0, 0, 1) for move in (H2E2, G3G4, ILLEGAL, H2E2, 0, -1, 1 << 20, "x", None)),
        (START_KEY, C3C4, None, "x", 1e30, -4, 1),
    )
    assert sorted(texts(path)) == [(word, 0, 0.5, round(1 / 3, 4)) for word in ("c3c4", "g3g4", "h2e2")]
    assert texts(path, after("h2e2")) == []


def test_a_game_plays_from_such_a_book_and_goes_on_in_the_shipped_one(tmp_path: Path) -> None:
    warnings: list[str] = []
    books = Books(warnings)
    path = write(tmp_path / "b #%?.obk", (START_KEY, C3C4, 7, 4, 0, 1, 1))
    books.open(path)
    assert [line.text.split()[1] for line in books.consult(START)] == ["c3c4"]
    position = after("h2e2")
    assert books.consult(position)  # the shipped one's
    assert not warnings


def test_files_that_are_no_books(tmp_path: Path) -> None:
    warnings: list[str] = []
    books = Books(warnings)
    good = write(tmp_path / "good.obk", ROW).read_bytes()
    bad = {
        "other.obk": write(tmp_path / "other.obk", table="moves").read_bytes(),
        "columns.obk": write(tmp_path / "columns.obk", columns="vkey, vmove").read_bytes(),
        "cut.obk": good[: len(good) // 2],
        "broken.obk": good[:100] + b"\xff" * (len(good) - 100),
        "text.obk": b"no database",
    }
    for name, data in bad.items():
        path = tmp_path / f"bad-{name}"
        path.write_bytes(data)
        books.open(path)
        warnings.clear()
        for _ in range(2):
            assert all("h2e2" not in line.text or "games 14586" not in line.text for line in books.consult(START))
        assert len(warnings) == 1 and warnings[0].startswith(f"{path}: ") and "\n" not in warnings[0], name
