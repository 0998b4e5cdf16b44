"""`siqi analyse`: files, folders, positions and pipes of any format and encoding as input."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from analyse_command import (
    C6,
    COMMAND,
    PGN,
    TWO_GAMES,
    siqi,
)

from siqi.daemon.command_line import run as run_siqi
from siqi.system.encodings import detected


def test_unreadable_input_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text(C6)
    for arguments, status, err in (
        (("--encoding", "nonsense", "--from", "record"), 2, "siqi analyse: no such encoding: nonsense\n"),
        (("--from", "record", "--output", "record"), 1, "siqi analyse: no record of xiangqi in the input\n"),
    ):
        assert siqi(*arguments, path) == (status, b"", err)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_before_the_queries_is_skipped(encoding: str, tmp_path: Path) -> None:
    """A byte order mark, which shells of Windows write, is skipped."""
    path = tmp_path / "queries"
    path.write_text('{"id": "a", "depth": 1}\n{"id": "b", "depth": 1}\n', encoding)
    for arguments, given in (((path,), b""), ((), path.read_bytes())):
        status, out, err = siqi(*arguments, given=given)
        assert (status, err, sorted(json.loads(line)["id"] for line in out.splitlines())) == (0, "", ["a", "b"])


def test_a_game_s_format_is_found_and_its_tags_are_in_the_table(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(TWO_GAMES)
    status, out, err = siqi(path, "--nodes", "50", "--output", "csv")
    assert (status, err) == (0, f"siqi analyse: {path}: pgn, xiangqi\n")
    rows = list(csv.DictReader(out.decode().splitlines()))
    assert sorted((row["id"], row["turn"]) for row in rows) == [
        ("1", "0"),
        ("1", "1"),
        ("1", "2"),
        ("2", "0"),
        ("2", "1"),
    ]
    games = {tuple(row[name] for name in ("id", "Event", "Date", "Red", "Black", "Result", "Tags")) for row in rows}
    assert games == {
        ("1", "Cup, final", "1999.01.01", "胡荣华", "B", "1-0", '{"ECCO":"A01"}'),
        ("2", "", "", "C", "", "*", ""),
    }


def test_files_and_folders_of_any_format(tmp_path: Path) -> None:
    """Unreadable input is named; the rest is analysed."""
    folder = tmp_path / "games"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "a.pgn").write_text(TWO_GAMES)
    assert run_siqi(["convert", str(tmp_path / "a.pgn"), str(folder / "b.xqf"), "--number", "1"]) == 0
    (folder / "inner" / "c.txt").write_text(C6)
    (folder / "readme.txt").write_text("no game")
    (folder / "d.xqf").write_bytes(b"XQ")
    (tmp_path / "e.jsonl").write_text('{"id": "e", "depth": 1}\n')
    (tmp_path / "f.epd").write_text("startpos moves h2e2\n")
    names = [tmp_path / name for name in ("a.pgn", "games", "e.jsonl", "missing.pgn", "f.epd")]
    status, out, err = siqi(*names, "--nodes", "20", "--workers", "2")
    ids = sorted({json.loads(line)["id"] for line in out.splitlines()})
    assert status == 1 and ids == sorted(
        [
            f"{names[0]}:1",
            f"{names[0]}:2",
            f"{folder / 'b.xqf'}:1",
            f"{folder / 'inner' / 'c.txt'}:1",
            "e",
            f"{names[4]}:1",
        ]
    )
    lines = err.splitlines()
    assert lines[0] == f"siqi analyse: {folder}: files of no known format, left out: 1"
    assert f"siqi analyse: {folder / 'inner' / 'c.txt'}: championship, connect6 (4 of 7)" in lines
    assert f"siqi analyse: {names[3]}: No such file or directory" in lines
    failed = f"{folder / 'd.xqf'}, {names[3]}"
    assert lines[-1] == f"siqi analyse: 7 files; 2 could not be read, or not whole: {failed}"


def test_what_is_of_no_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photo").write_bytes(b"\xff\xd8\xff")
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.pgn").write_text(TWO_GAMES)
    for arguments, why in (
        (["photo"], "not a format that is known"),
        (["empty"], "no file in this folder"),
        (["a.pgn", "a.pgn", "--output", "record"], "--output record takes one file"),
        (["a.pgn", "--from", "what"], "--from what: json, fen, csv, record, or a format"),
        (
            ["a.pgn", "--resume", "x.csv", "--output", "csv", "--plot", "x.svg"],
            "--plot with --resume needs --output json",
        ),
        (["a.pgn", "--cluster", "local:1", "--workers", "1"], "--workers and --cluster exclude each other"),
    ):
        given = [str(tmp_path / word) if (tmp_path / word).exists() else word for word in arguments]
        status, out, err = siqi(*given)
        assert (status, out, err.count("\n")) == (2, b"", 1) and why in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pgn", "empty", "photo"]


def test_the_json_progress_says_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(TWO_GAMES)
    lines = siqi(tmp_path / "a.pgn", "--nodes", "20", "--json-progress")[2].splitlines()
    assert json.loads(lines[-1])["reading"] == str(tmp_path / "a.pgn")


@pytest.mark.parametrize(
    "words, turn",
    [
        ("startpos moves h2e2 h9g7", 2),
        ("3k5/1R7/R8/9/9/9/9/9/9/4K4 w", 0),
        ("fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w moves a7a8", 1),
        ("position startpos", 0),
    ],
)
def test_a_position_stands_in_place_of_files(words: str, turn: int) -> None:
    for arguments in ([words], words.split()):  # with quotes or without
        status, out, err = siqi(*arguments, "--nodes", 50)
        assert (status, err) == (0, "")
        assert [json.loads(line)["turn"] for line in out.splitlines()] == [turn]


def test_a_file_is_no_position(tmp_path: Path) -> None:
    (tmp_path / "startpos").write_text("startpos moves h2e2\n")
    done = subprocess.run([*COMMAND, "startpos", "--nodes", "50"], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout)["turn"] == 1
    for name in ("/no/such/path/of/a/file", "no/such/path/of/a/file.pgn"):
        assert siqi(name) == (1, b"", f"siqi analyse: {name}: No such file or directory\n")


def test_records_of_connect6_are_analysed(tmp_path: Path) -> None:
    """A malformed game is an error, and the games after it are read; UTF-8 is recognised."""
    path = tmp_path / "games.txt"
    for encoding in ("gb18030", "utf-8"):
        path.write_text(f"{C6}\n{{nonsense}}\n{C6.replace('A B', '甲 B')}", encoding=encoding)
        status, out, _ = siqi(path, "--from", "record", "--game", "connect6", "--nodes", "50")
        answers = [json.loads(line) for line in out.splitlines()]
        assert status == 1
        assert [answer["id"] for answer in answers if "error" in answer] == ["2"]
        assert sorted((answer["id"], answer["turn"]) for answer in answers if "turn" in answer) == [
            (name, turn) for name in "13" for turn in range(3)
        ]


def test_the_moves_before_a_fault_are_analysed(tmp_path: Path) -> None:
    """As by `siqi convert` and `siqi review`, in every game; the fault is an error of the game."""
    path = tmp_path / "games"
    pgn = '[Event "bad"]\n\n1. C2.5 H8+7 2. C2.5 R9.8 *\n[Event "good"]\n\n1. C2.5 *\n'
    for text, turns in (
        (pgn, {"1": [0, 1, 2], "2": [0, 1]}),
        (f"{C6.replace('K,9', 'J,10')}\n{C6}", {"1": [0, 1], "2": [0, 1, 2]}),
    ):
        path.write_text(text)
        for output in ("json", "csv"):
            status, out, err = siqi(path, "--nodes", "50", "--output", output)
            lines = csv.DictReader(io.StringIO(out.decode())) if output == "csv" else map(json.loads, out.splitlines())
            answers = list(lines)
            assert status == 1 and "1 of the answers is an error" in err
            assert [answer["id"] for answer in answers if answer.get("error")] == ["1"]
            for name, expected in turns.items():
                answered = [
                    int(answer["turn"]) for answer in answers if answer["id"] == name and not answer.get("error")
                ]
                assert sorted(answered) == expected


@pytest.mark.parametrize("input_format", ["record", "fen"])
def test_an_encoding_that_cannot_go_on_after_a_fault_ends_the_run(input_format: str) -> None:
    status, out, err = siqi("--from", input_format, "--encoding", "undefined", given=b"1. C2.5 *\n")
    assert (status, out) == (1, b"")
    assert err == "siqi analyse: undefined encoding\n"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16", "utf-8-sig"])
def test_encodings_are_known_by_what_a_text_begins_with(encoding: str) -> None:
    text = '[Event "棋賽"]\n[Red "楊官璘"]\n\n1. 炮二平五 馬８進７ 2. 馬二進三 車９平８ *\n'
    for size in range(len('[Event "棋賽"]\n') + 20, len(text)):
        known = detected(text[:size].encode(encoding), "utf-8")
        assert text[:size].encode(encoding).decode(known) == text[:size]
    assert detected(b"1. C2.5 *", "gb18030") == "gb18030"


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs")
def test_the_input_may_be_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(PGN.encode("gb18030"),), daemon=True)
    writer.start()
    status, out, err = siqi(tmp_path / "pipe", "--from", "record", "--nodes", "50")
    writer.join(60)
    assert (status, out.count(b"\n"), err) == (0, 4, "")
