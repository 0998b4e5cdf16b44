"""Tables with a column of FENs: which column it is, and the queries of its rows."""

from __future__ import annotations

import csv
import io

import pytest

from siqi.daemon.analysis.fen_tables import fen_column, rows_of
from siqi.daemon.analysis.inputs import FEN, RECORD, InputKind, kind_of
from siqi.daemon.analysis.tables import COLUMNS, CsvOutput
from siqi.daemon.commands.game_files import CommandError, game_of_fen
from siqi.games import registry

KINGS = "4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1"
EWN = "5/1A3/2e2/3d1/5 f 4"


@pytest.mark.parametrize(
    ("text", "place", "game"),
    [
        (f"id,fen\na,{KINGS}\n", "fen", "xiangqi"),
        (f"a;FEN;b\n1;{EWN};2\n", "fen", "ewn"),
        (f"name\tposition\nx\t{EWN}\n", "position", "ewn"),
        (f"fen\n{KINGS}\n", "fen", "xiangqi"),
        (f'"x, y",1,{KINGS}\n', "3", "xiangqi"),
        (f"board,fen\n{KINGS},{EWN}\n", "fen", "ewn"),
        ("id,name\n1,a/b/c/d/e.txt\n", None, ""),
        (f'{KINGS.replace(" 0 1", "")}; id "x";\n', "1", "xiangqi"),
        ("", None, ""),
    ],
)
def test_the_column_is_found(text: str, place: str | None, game: str) -> None:
    for data in (text.encode(), text.encode("utf-16"), text.encode("utf-8-sig")):
        column = fen_column(data)
        assert (None if column is None else str(column)) == place
        assert column is None or column.game == game


def test_the_game_of_a_fen_is_that_of_its_rows() -> None:
    for game in registry.NAMES:
        columns, rows = (len(names) for names in registry.info(game).shape[:2])
        assert game_of_fen("/".join([str(columns)] * rows) + " w") == game
    assert game_of_fen("startpos moves h2e2") == game_of_fen("8/8/8/8/8/8/8/8 w") == game_of_fen("a.b/c/d/e/f") == ""


def test_rows_are_queries() -> None:
    text = f'id,note,fen,moves\na,"x, y",{KINGS},d0d1 e9e8\n,,{KINGS} moves d0d1,\nc,,,\n'
    column = fen_column(text.encode())
    assert column is not None
    rows = list(rows_of(io.StringIO(text), column, "xiangqi", "p.csv:"))
    assert [row.name for row in rows] == ["p.csv:a", "p.csv:3", "p.csv:c"]
    assert [row.query and (row.query.fen, row.query.moves) for row in rows] == [
        (KINGS, ("d0d1", "e9e8")),
        (KINGS, ("d0d1",)),
        None,
    ]


def test_what_is_no_table_of_fens_is_one_clear_line() -> None:
    with pytest.raises(CommandError, match=r"p.csv: a table without a column of FENs; its first line may name one fen"):
        kind_of("p.csv", b"a,b\n1,2\n", "", "")
    with pytest.raises(CommandError, match="without a column of FENs"):
        kind_of("p.txt", b"1,2\n", "", "csv")
    text = f"id,fen\na,{KINGS}\nb,{'x' * 200_000}\n"
    column = fen_column(text.encode()[:100])
    assert column is not None
    with pytest.raises(CommandError, match="line 3: not a table: "):
        list(rows_of(io.StringIO(text), column, "xiangqi"))


@pytest.mark.parametrize(
    ("name", "text", "way", "game"),
    [
        ("-", f"id,fen\na,{EWN}\n", "csv", "ewn"),
        ("p.csv", f"{KINGS},1\n", "csv", "xiangqi"),
        ("p.csv", '{"id": "a"}\n', "json", "xiangqi"),
        ("p.csv", '[Red "A"]\n\n1. C2.5 *\n', "record", "xiangqi"),
        ("p.fen", f"{KINGS}\n", "fen", "xiangqi"),
        ("p.txt", f"{EWN}\n{EWN}\n", "csv", "ewn"),
    ],
)
def test_inputs_are_told_apart(name: str, text: str, way: str, game: str) -> None:
    kind = kind_of(name, text.encode(), "", "")
    assert (kind.way, kind.game) == (way, game)


@pytest.mark.parametrize(("way", "are_many"), [(RECORD, False), (FEN, False), (FEN, True)])
def test_only_games_have_columns_of_tags(way: str, are_many: bool, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    table = CsvOutput(None)
    table.begin(InputKind(way, "xiangqi"), are_many)
    table.expect("a", (0,), [])
    line = {"move": "a0a1", "score": {"cp": 30}, "depth": 1, "pv": ["a0a1"]}
    table.write({"id": "a", "turn": 0, "game": "xiangqi", "isDuringSearch": False, "toMove": "first", "lines": [line]})
    head, row = csv.reader(capsysbinary.readouterr().out.decode().splitlines())
    assert (tuple(head) == COLUMNS) is not (way == RECORD or are_many) and len(head) == len(row)
