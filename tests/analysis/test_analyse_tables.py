"""`siqi analyse`: answers as a table of comma-separated values."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from analyse_command import (
    TWO_GAMES,
    siqi,
)

from siqi.daemon.analysis.inputs import RECORD, InputKind
from siqi.daemon.analysis.tables import CsvOutput


def test_an_end_by_repetition_in_a_table_and_in_comments(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[Game "Chinese Chess"]\n\n' + "1. H2+3 H2+3 2. H3-2 H3-2 " * 2 + "*\n")
    status, out, _ = siqi(path, "--output", "csv", "--nodes", "500")
    last = next(row for row in csv.DictReader(out.decode().splitlines()) if row["turn"] == "8")
    assert (status, last["outcome"], last["cp"] + last["mate"] + last["win"]) == (0, "draw repetition", "")
    status, out, _ = siqi(path, "--output", "record", "--nodes", "500")
    assert status == 0 and out.decode().count("{Siqi 1/2-1/2 repetition}") == 1


HANGING = "4k4/9/9/9/9/9/9/r8/R8/3K5 w"
"""Red may take a rook, or lose one."""


def test_a_table_of_fens_goes_on_and_takes_no_games(tmp_path: Path) -> None:
    """Games have tags, for which such a table has no columns: they are refused, not written without."""
    (tmp_path / "p.csv").write_text(f"id,fen\na,{HANGING}\n")
    (tmp_path / "a.pgn").write_text(TWO_GAMES)
    run = ("--resume", tmp_path / "t.csv", "--output", "csv", "--nodes", "50")
    assert siqi(tmp_path / "p.csv", *run)[0] == 0
    text = (tmp_path / "t.csv").read_text()
    assert [row["id"] for row in csv.DictReader(text.splitlines())] == ["a"] and "Event" not in text
    assert siqi(tmp_path / "p.csv", *run)[0] == 0
    status, _, err = siqi(tmp_path / "a.pgn", *run)
    assert status == 1 and "the table of --resume has no columns for the tags of games\n" in err
    assert (tmp_path / "t.csv").read_text() == text


def positions(rows: list[dict[str, str]]) -> list[list[str]]:
    return sorted([row[name] for name in ("id", "turn", "rank", "error")] for row in rows)


def test_a_table_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    """Only a position whose rows may be incomplete is searched again; no row of the table is changed or repeated."""
    games, whole, part = tmp_path / "a.pgn", tmp_path / "whole.csv", tmp_path / "part.csv"
    games.write_text(TWO_GAMES + "\n1. R9.9 *\n")
    arguments = (games, "--depth", "2", "--multipv", "2", "--workers", "1", "--output", "csv", "--resume")
    assert siqi(*arguments, whole)[0] == 1
    text = whole.read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 13 and all(row["lost"] for row in rows if row["played"])
    assert siqi(*arguments, whole)[0] == 1 and whole.read_text() == text
    for cut in (0, 20, len(text) // 3, len(text) // 2, len(text) - 3):
        part.write_bytes(text.encode()[:cut])
        assert siqi(*arguments, part)[0] == 1
        again = list(csv.DictReader(part.read_text().splitlines()))
        assert positions(again) == positions(rows)
        assert all(row["lost"] for row in again if row["played"]) and part.read_text().count("error") == 1
    spoilt = ",".join("won" if name == "outcome" else "" for name in text.partition("\n")[0].split(","))
    for content in ("mine\n", text + "mine\n", text.replace("turn", "Turn", 1), f"{text}{spoilt}\n"):
        part.write_text(content)
        status, out, err = siqi(*arguments, part)
        assert (status, out, err.count("\n"), part.read_text()) == (2, b"", 1, content)


def test_fens_in_a_table_out(tmp_path: Path) -> None:
    path = tmp_path / "positions.epd"
    text = '# mine\nrnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves h2e2; id "x"\n\nfoo\n  # 馬\n'
    path.write_bytes(text.encode("gb18030"))
    status, out, err = siqi(path, "--from", "fen", "--output", "csv", "--depth", "2")
    assert (status, err) == (1, "siqi analyse: 1 of the answers is an error\n")
    rows = sorted(csv.DictReader(out.decode().splitlines()), key=lambda row: row["id"])  # as they are done
    assert [(row["id"], row["turn"], bool(row["error"])) for row in rows] == [("2", "1", False), ("4", "0", True)]
    assert rows[0]["pv"].split()[0] == rows[0]["bestmove"]


def test_a_table_has_the_chances_of_an_answer() -> None:
    query = b'{"id": "a", "nodes": 500}'
    answer = json.loads(siqi(given=query)[1])
    row = next(csv.DictReader(siqi("--output", "csv", given=query)[1].decode().splitlines()))
    score = answer["lines"][0]["score"]
    assert 0 < score["draw"] < 1
    assert all(row[name] == str(score[name]) for name in ("win", "draw", "expected"))


def test_a_table_has_every_line_and_what_the_move_played_lost() -> None:
    queries = (
        {"id": "blunder", "fen": HANGING, "moves": ["d0d1", "a2a1"], "analyseTurns": [2, 0, 1], "depth": 4},
        {"id": "best", "fen": HANGING, "moves": ["a1a2"], "analyseTurns": [0], "depth": 4},
        {"id": "unknown", "fen": HANGING, "moves": ["d0d1"], "analyseTurns": [0], "depth": 4},
        {"id": "mate", "fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w", "moves": ["b8b7"], "analyseTurns": [0, 1], "depth": 4},
        {"id": "mated", "fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w", "moves": ["a7a9"], "analyseTurns": [0, 1], "multipv": 1},
        {"id": "bad", "moves": ["a0a9"], "analyseTurns": [0, 1, 2]},
    )
    given = "".join(json.dumps(query) + "\n" for query in queries).encode()
    for multipv in (1, 2):
        status, out, _ = siqi("--output", "csv", "--multipv", multipv, "--workers", "2", given=given)
        assert status == 1
        by_turn: dict[tuple[str, str], list[dict[str, str]]] = {}
        for row in csv.DictReader(out.decode().splitlines()):
            by_turn.setdefault((row["id"], row["turn"]), []).append(row)
        assert [row["rank"] for row in by_turn["blunder", "0"]] == ["1", "2"][:multipv]
        assert all(row["pv"].split()[0] == row["move"] for row in by_turn["blunder", "0"])
        row = by_turn["blunder", "0"][0]
        assert (row["played"], row["bestmove"], row["move"]) == ("d0d1", "a1a2", "a1a2")
        assert int(row["lost"]) > 500
        assert int(by_turn["blunder", "1"][0]["lost"]) < 100
        assert (by_turn["blunder", "2"][0]["played"], by_turn["blunder", "2"][0]["lost"]) == ("", "")
        assert by_turn["best", "0"][0]["lost"] == "0"
        assert (by_turn["unknown", "0"][0]["lost"] != "") == (multipv == 9)
        assert by_turn["mated", "0"][0]["lost"] == "0" and by_turn["mated", "1"][0]["outcome"] == "win first checkmate"
        assert [row["error"] != "" for row in by_turn["bad", "1"] + by_turn["bad", "2"]] == [True, True]
        assert by_turn["bad", "0"][0]["played"] == ""


def test_rows_come_though_the_run_is_broken_off(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """A row that waits for the next position's score is written without it."""
    table = CsvOutput(None)
    table.begin(InputKind(RECORD, "xiangqi"), are_many=False)
    table.expect("a", (0, 1), [])
    line = {"move": "a0a1", "score": {"cp": 30}, "depth": 1, "pv": ["a0a1"]}
    table.write({"id": "a", "turn": 0, "game": "xiangqi", "played": "b0c2", "isDuringSearch": False, "lines": [line]})
    assert capsysbinary.readouterr().out.count(b"\n") == 1
    table.finish()
    rows = capsysbinary.readouterr().out
    assert rows.count(b"\n") == 1 and b",30," in rows


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    """Texts of the input that begin like a formula stand behind an apostrophe; a resumed run knows them again."""
    names = ["=1+1", "+1", "-1", "@a", "'=1", "'quoted", "plain"]
    queries = "".join(json.dumps({"id": name, "game": "ewn", "nodes": 10}) + "\n" for name in names)
    path, table = tmp_path / "queries", tmp_path / "table.csv"
    path.write_text(queries + '{"id": "=x", "game": "ewn", "fen": "=bad"}\n')
    for _ in range(2):
        siqi("--output", "csv", "--resume", table, path)
        rows = list(csv.reader(table.read_text().splitlines()))[1:]
        assert sorted(row[0] for row in rows) == sorted(
            ["'=1+1", "'+1", "'-1", "'@a", "''=1", "'quoted", "plain", "'=x"]
        )
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]
