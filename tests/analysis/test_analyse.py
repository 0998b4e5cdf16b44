"""`siqi analyse` in its own process, lines in and lines out."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import forked
import msgspec
import pytest
from forked import ForkedProcess

from siqi.daemon.analysis.answers import read_answers
from siqi.daemon.analysis.inputs import RECORD, InputKind
from siqi.daemon.analysis.query import REFUSALS, Action, BadLineError, Query, parse, query_hash, resolve_options
from siqi.daemon.analysis.run import Listeners, Run, RunSettings
from siqi.daemon.analysis.tables import CsvOutput
from siqi.daemon.command_line import build_parser
from siqi.daemon.command_line import run as run_siqi
from siqi.daemon.commands.arguments import workers_of
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.kernel import jit
from siqi.games.xiangqi.library.pgn import read_games
from siqi.system.encodings import detected
from siqi.version import __version__

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "siqi", "analyse")
TIMEOUT_S = 200

LAYOUT = "diahcbgkkfiecfigjhedjljhg"
C6 = "{[C6][A B][B W][][][];B(J,10);W(I,11);W(K,9)}"
PGN = '[Game "Chinese Chess"]\n[Red "A"]\n\n1. 炮二平五 马8进7 2. 马二进三 *\n'


def without_compiling(errors: str) -> str:
    """Return standard error without the lines of a cold kernel cache."""
    return re.sub(r"siqi analyse: compil.*\n", "", errors)


def siqi(*arguments: object, given: bytes = b"") -> tuple[int, bytes, str]:
    """Run `siqi analyse`; return exit status, standard output and standard error."""
    done = forked.run("analyse", *map(str, arguments), given=given, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, without_compiling(done.stderr.decode())


def run(*lines: Any, arguments: tuple[str, ...] = (), errors: int = 0) -> list[dict[str, Any]]:
    """Return one worker's answers to lines, given as text or as objects for JSON; `errors` of them must be errors."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    status, out, err = siqi("--workers", 1, *arguments, given=text.encode())
    what = "is an error" if errors == 1 else "are errors"
    assert err == (f"siqi analyse: {errors} of the answers {what}\n" if errors else "")
    assert status == (1 if errors else 0)
    return [json.loads(line) for line in out.splitlines()]


def test_all_games_and_all_turns() -> None:
    answers = run(
        {"id": "x", "moves": ["h2e2", "h9g7"], "analyseTurns": [0, 1, 2], "multipv": 3, "nodes": 3000},
        {"id": "c", "game": "connect6", "position": "startpos moves j10", "nodes": 500, "options": {"Width": 5}},
        {"id": "e", "game": "ewn", "moves": ["123456", "654321"], "dice": 3, "depth": 3},
        {"id": "E", "game": "ewn", "moves": ["123456", "654321"], "depth": 2},
        {"id": "j", "game": "junqi", "moves": [LAYOUT, "?"], "nodes": 3000},
        {"id": "m", "fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w", "mate": 1},
        {"id": "o", "fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w", "moves": ["a7a9"]},
        {"id": "s", "moves": [], "searchmoves": ["a0a1"], "movetime": 30},
    )
    by_turn = {(answer["id"], answer["turn"]): answer for answer in answers}
    assert set(by_turn) == {("x", 0), ("x", 1), ("x", 2)} | {
        ("c", 1), ("e", 2), ("E", 2), ("j", 2), ("m", 0), ("o", 1), ("s", 0)
    }  # fmt: skip
    assert len(answers) == len(by_turn)
    assert [len(by_turn["x", turn]["lines"]) for turn in range(3)] == [3, 3, 3]
    assert [by_turn["x", turn]["toMove"] for turn in range(3)] == ["first", "second", "first"]
    for answer in answers:
        assert answer["isDuringSearch"] is False
        if answer["id"] != "o":
            assert answer["lines"][0]["move"] == answer["lines"][0]["pv"][0]
            assert answer.get("bestmove") == (None if answer["id"] == "E" else answer["lines"][0]["move"])
            assert answer["nodes"] > 0
    assert by_turn["e", 2]["fen"].endswith("f 3")
    assert 0 < by_turn["e", 2]["lines"][0]["score"]["win"] < 1
    assert [line["throw"] for line in by_turn["E", 2]["lines"]] == [1, 2, 3, 4, 5, 6]
    assert by_turn["m", 0]["lines"][0]["score"] == {"mate": 1, "win": 1.0, "expected": 1.0}
    assert "expected" in by_turn["E", 2]["value"]
    scores = [line["score"] for answer in answers for line in answer["lines"]]
    for score in scores:
        assert score["expected"] == pytest.approx(score["win"] + score.get("draw", 0) / 2, abs=6e-5)
    assert any("draw" in score for score in scores)
    assert by_turn["o", 1]["lines"] == []
    assert by_turn["o", 1]["outcome"] == "win first checkmate"
    assert by_turn["s", 0]["bestmove"] == "a0a1"


def test_each_bad_line_is_reported_and_stops_nothing() -> None:
    bad = {
        "nope": "",
        "[1]": "",
        '{"nodes": 5}': "id",
        '{"id": "a", "nodes": "5"}': "nodes",
        '{"id": "a", "nodes": -5}': "nodes",
        '{"id": "a", "game": "chess"}': "game",
        '{"id": "a", "fen": "foo"}': "fen",
        '{"id": "a", "moves": ["h2e2", "h2e2"]}': "moves",
        '{"id": "a", "analyseTurns": [1]}': "analyseTurns",
        '{"id": "a", "position": "foo"}': "position",
        '{"id": "a", "position": "startpos", "fen": "x"}': "position",
        '{"id": "a", "options": {"Hash": 0}}': "options",
        '{"id": "a", "options": {"Nothing": true}}': "options",
        '{"id": "a", "dice": 3}': "dice",
        '{"id": "a", "searchmoves": ["a0a9"]}': "searchmoves",
    }
    answers = run(*bad, {"id": "good", "depth": 1, "colour": "red"}, errors=len(bad))
    errors = [answer for answer in answers if "error" in answer]
    assert sorted(error.get("field", "") for error in errors) == sorted(bad.values())
    assert {"id": "good", "warning": "unknown field", "field": "colour"} in answers
    assert [answer["id"] for answer in answers if "lines" in answer] == ["good"]


def test_lines_that_are_odd_beyond_measure_stop_nothing() -> None:
    answers = run(
        "[" * 60_000,
        {"id": "p", "nodes": 50, "priority": -5 * 10**18},
        {"id": "m", "movetime": 10**14},
        {"id": "d", "game": "ewn", "fen": "ABE2/FC3/D3d/3cf/2eba f -", "dice": 100, "nodes": 5},
        {"id": "a", "depth": 1},
        errors=4,
    )
    assert [answer.get("field") for answer in answers[:4]] == [None, "priority", "movetime", "dice"]
    assert answers[4]["bestmove"]


def test_moves_that_do_not_answer_their_throws_are_reported() -> None:
    moves = ["123456", "615243", "c5c4", "e2e3"]
    first, second = run(
        {"id": "t", "game": "ewn", "moves": moves, "dice": [1, 2], "nodes": 50},
        {"id": "u", "game": "ewn", "moves": moves, "dice": [3, 2, 4], "nodes": 50},
        errors=1,
    )
    assert first["error"].startswith("illegal move after a throw of 1: c5c4")
    assert second["bestmove"] and second["fen"].endswith(" 4")


def test_unreadable_input_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text(C6)
    for arguments, status, err in (
        (("--encoding", "nonsense", "--from", "record"), 2, "siqi analyse: no such encoding: nonsense\n"),
        (("--from", "record", "--output", "record"), 1, "siqi analyse: no record of xiangqi in the input\n"),
    ):
        assert siqi(*arguments, path) == (status, b"", err)


def test_katagos_spellings() -> None:
    query = parse('{"id": "a", "analyzeTurns": [0], "reportDuringSearchEvery": 0.5, "maxVisits": 7}').request
    assert isinstance(query, Query)
    assert (query.analyseTurns, query.reportEvery, query.nodes) == ((0,), 0.5, 7)
    with pytest.raises(BadLineError, match=r'a list of numbers of moves, .*, not "0"') as caught:
        parse('{"id": "a", "analyzeTurns": "0"}')
    assert caught.value.field == "analyzeTurns"


@pytest.mark.parametrize(
    ("line", "field", "error"),
    [
        ('{"id": "a", "maxVisits": "x"}', "maxVisits", 'a whole number from 1 to 1000000000000000, not "x"'),
        ('{"id": "a", "maxVisits": 0}', "maxVisits", "a whole number from 1 to 1000000000000000, not 0"),
        ('{"id": "a", "nodes": 0}', "nodes", "not 0"),
        ('{"id": "a", "depth": 0}', "depth", "not 0"),
        ('{"id": "a", "movetime": 0}', "movetime", "not 0"),
        ('{"id": "a", "mate": 0}', "mate", "not 0"),
        ('{"id": "a", "multipv": 0}', "multipv", "not 0"),
        ('{"id": "a", "reportDuringSearchEvery": 0}', "reportDuringSearchEvery", "above 0, not 0"),
        ('{"id": "a", "analyzeTurns": []}', "analyzeTurns", "at least one, not []"),
        ('{"id": "a", "searchmoves": []}', "searchmoves", "at least one, not []"),
        ('{"id": "a", "maxVisits": 5, "nodes": 5}', "nodes", "maxVisits and nodes are the same field"),
        ('{"id": "a", "analyseTurns": [0], "analyzeTurns": [0]}', "analyzeTurns", "are the same field"),
        ('{"id": "a", "nodes": 5, "nodes": 6}', "nodes", "nodes is there twice"),
        ('{"id": "a", "action": "terminate_all", "turnNumbers": "x"}', "turnNumbers", "numbers of moves"),
        ('{"id": "a", "action": "terminate"}', "terminateId", "terminateId is missing"),
        ('{"id": 5}', "id", "a text that is not empty, not 5"),
        ('{"nodes": 5}', "id", "id is missing"),
        ('{"id": "a", "options": {"Hash": null}}', "options", "an object of names of options"),
        ('{"id": "a", "position": ""}', "position", "expected startpos or fen"),
        ('{"id": "a", "position": "fen"}', "position", "no FEN follows"),
        ('{"id": "a", "nodes": 5', "", "not JSON: "),
        ('{"id": "a", nodes: 5}', "", "not JSON from byte 13 on: nodes: 5}"),
        (b'{"id": "\xff"}', "", "not UTF-8: "),
        ("", "", "not JSON: "),
        ("nope", "", "not JSON: nope"),
    ],
)
def test_an_error_names_the_field_as_it_was_written(line: str | bytes, field: str, error: str) -> None:
    with pytest.raises(BadLineError) as caught:
        parse(line)
    assert (caught.value.field, error in str(caught.value)) == (field, True), str(caught.value)


def test_each_field_s_values_have_words() -> None:
    assert set(REFUSALS) == {field.name for kind in (Query, Action) for field in msgspec.structs.fields(kind)}


def test_errors_that_the_search_finds_name_the_field_too() -> None:
    answers = run(
        {"id": "p", "position": "fen foo"},
        {"id": "m", "position": "startpos moves h2e9"},
        {"id": "t", "analyzeTurns": [5]},
        {"id": "w", "depth": 1, "turnNumbers": [0]},
        errors=3,
    )
    fields = {answer["id"]: answer["field"] for answer in answers if "error" in answer}
    assert fields == {"p": "position", "m": "position", "t": "analyzeTurns"}
    assert {"id": "w", "warning": "unknown field", "field": "turnNumbers"} in answers


def test_every_query_has_an_answer_however_little_it_asks_for() -> None:
    """A finished game is answered by its outcome, any other position by a line."""
    starts: list[dict[str, Any]] = [
        {}, {"fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w", "moves": ["a7a9"]}, {"game": "connect6"},
        {"game": "connect6", "moves": ["j10"]}, {"game": "ewn"}, {"game": "ewn", "moves": ["123456", "615243"]},
        {"game": "ewn", "moves": ["123456", "615243"], "dice": 2}, {"game": "ewn", "fen": "5/5/5/5/A3b f -"},
        {"game": "junqi"}, {"game": "junqi", "moves": [LAYOUT, "?"]}, {"game": "junqi", "moves": [LAYOUT, LAYOUT]},
    ]  # fmt: skip
    limits: list[dict[str, Any]] = [
        {"maxVisits": 1}, {"movetime": 1}, {"depth": 1}, {"mate": 1}, {"nodes": 1, "movetime": 1, "multipv": 256},
        {"nodes": 1, "options": {"Threads": 4}},
    ]  # fmt: skip
    queries = [{"id": f"{a} {b}", **start, **limit} for a, start in enumerate(starts) for b, limit in enumerate(limits)]
    answers = run(*queries, arguments=("--workers", "2"))
    assert sorted(answer["id"] for answer in answers) == sorted(query["id"] for query in queries)
    assert all(answer["lines"] or "outcome" in answer for answer in answers)


ENDED = {
    "draw repetition": {"moves": ["b0c2", "b9c7", "c2b0", "c7b9"] * 2},
    "draw sixty-moves": {"fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 120 100"},  # with a mate in one
    "draw no-attackers": {"fen": "3k5/9/9/9/9/9/9/9/4A4/4K4 w"},
    "win second perpetual": {
        "fen": "9/1N1k2P2/1n1a1a3/9/2n6/2B6/2p6/3AB4/4AK3/3C5 w - - 86 108",
        "moves": ["e2c0", "b7a5", "e1f2", "a5b7", "d2e1", "d7e8", "e1d2", "e8d7", "d2e1", "d7e8", "e1d2", "e8d7"],
    },
    "win first quiet": {"game": "junqi", "fen": "1l3/a4/5/5/5/5/5/5/5/5/A4/1L3 f - 31"},
}
"""Games that have ended although there are legal moves, by their outcomes."""


def test_a_game_that_is_over_has_its_outcome_and_no_chance() -> None:
    """An end by counting or by repetition is the answer, as one on the board is: no search, line or book beside it."""
    for answer in run(*({"id": outcome, "book": True, "nodes": 500, **query} for outcome, query in ENDED.items())):
        assert answer["outcome"] == answer["id"] and answer["lines"] == []
        assert not {"bestmove", "depth", "value", "book", "ending"} & answer.keys()
    unknown = {"game": "junqi", "fen": "1x1x1/1A3/5/x4/5/5/5/5/5/5/B4/1L3 f f 0", "moves": ["B1A1=1"]}
    (answer,) = run({"id": "it may go on", "nodes": 500, **unknown})
    assert answer["outcome"] == "unknown headquarters-taken" and answer["lines"]


def test_an_end_by_repetition_in_a_table_and_in_comments(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[Game "Chinese Chess"]\n\n' + "1. H2+3 H2+3 2. H3-2 H3-2 " * 2 + "*\n")
    status, out, _ = siqi(path, "--output", "csv", "--nodes", "500")
    last = next(row for row in csv.DictReader(out.decode().splitlines()) if row["turn"] == "8")
    assert (status, last["outcome"], last["cp"] + last["mate"] + last["win"]) == (0, "draw repetition", "")
    status, out, _ = siqi(path, "--output", "record", "--nodes", "500")
    assert status == 0 and out.decode().count("{Siqi 1/2-1/2 repetition}") == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_before_the_queries_is_skipped(encoding: str, tmp_path: Path) -> None:
    """A byte order mark, which shells of Windows write, is skipped."""
    path = tmp_path / "queries"
    path.write_text('{"id": "a", "depth": 1}\n{"id": "b", "depth": 1}\n', encoding)
    for arguments, given in (((path,), b""), ((), path.read_bytes())):
        status, out, err = siqi(*arguments, given=given)
        assert (status, err, sorted(json.loads(line)["id"] for line in out.splitlines())) == (0, "", ["a", "b"])


TWO_GAMES = """[Event "Cup, final"]
[Date "1999.01.01"]
[Red "胡荣华"]
[Black "B"]
[ECCO "A01"]
[Result "1-0"]

1. C2.5 H8+7 1-0

[Red "C"]

1. C8.5 *
"""


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


def test_the_json_progress_says_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(TWO_GAMES)
    lines = siqi(tmp_path / "a.pgn", "--nodes", "20", "--json-progress")[2].splitlines()
    assert json.loads(lines[-1])["reading"] == str(tmp_path / "a.pgn")


def test_all_cores_work_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("siqi.daemon.commands.arguments.cores", lambda: 12)
    for arguments, workers in (([], 12), (["--threads", "5"], 2), (["--threads", "64"], 1), (["--workers", "3"], 3)):
        assert workers_of(build_parser().parse_args(["analyse", *arguments])) == workers
        assert workers_of(build_parser().parse_args(["review", "x", "-o", "x.html", *arguments])) == workers


class Live:
    """A `siqi analyse` process for dialogues, which takes one query after the other."""

    def __init__(self, *arguments: str) -> None:
        self.process = ForkedProcess(ROOT, "analyse", "--workers", "1", *arguments)

    def send(self, *lines: dict[str, Any]) -> None:
        self.process.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> list[dict[str, Any]]:
        """End the input and return the remaining answers."""
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait(TIMEOUT_S) == 0
        return rest


FOREVER = 10**15


def test_a_query_can_be_left() -> None:
    live = Live()
    live.send({"id": "long", "nodes": FOREVER, "reportEvery": 0.01}, {"id": "next", "nodes": FOREVER})
    first = live.answer()
    assert (first["id"], first["isDuringSearch"]) == ("long", True)
    live.send({"id": "t", "action": "terminate", "terminateId": "next"})
    live.send({"id": "u", "action": "terminate", "terminateId": "long", "turns": [0]})
    rest = [answer for answer in live.close() if not answer.get("isDuringSearch")]
    assert {answer["id"] for answer in rest} == {"t", "u", "long", "next"}
    by_id = {answer["id"]: answer for answer in rest}
    assert by_id["long"]["bestmove"]
    assert by_id["next"]["noResults"] is True
    assert len(rest) == 4


def test_what_matters_more_comes_first() -> None:
    live = Live()
    live.send({"id": "long", "nodes": FOREVER, "reportEvery": 0.01})
    live.answer()
    live.send(*({"id": f"{n}", "depth": 1, "priority": n} for n in (1, 3, 2)))
    live.send({"id": "t", "action": "terminate", "terminateId": "long"})
    order = [answer["id"] for answer in live.close() if not answer.get("isDuringSearch")]
    assert [name for name in order if name.isdigit()] == ["3", "2", "1"]


def test_the_queue_is_bounded_and_all_is_answered() -> None:
    answers: list[dict[str, Any]] = []
    most = 0
    threads = threading.active_count()  # other tests may have left some

    def write(answer: dict[str, Any]) -> None:
        nonlocal most
        answers.append(answer)
        most = max(most, run._backlog._queue.qsize())

    failures: list[Exception] = []
    run = Run(RunSettings(workers=2, nodes=1), Listeners(write, failures.append))
    run.carry_out(lambda: [run.take_line(f'{{"id": "{number}", "depth": 1}}') for number in range(1500)] and None)
    assert sorted(int(answer["id"]) for answer in answers) == list(range(1500))
    assert not failures
    assert 0 < most <= 1000
    assert threading.active_count() <= threads + 2


BROKEN_WRITER = """
import siqi.daemon.analysis.tables
def fail(*_):
    raise RuntimeError("cannot write")
siqi.daemon.analysis.tables.CsvOutput.write = fail
from siqi.daemon.main import main
main()
"""


def test_a_writer_that_fails_ends_the_run(tmp_path: Path) -> None:
    """The run ends if the writer fails in a worker or in the reader, with a full queue or in a wait for input."""
    arguments = ("analyse", "--depth", "1", "--output", "csv")
    path = tmp_path / "queries.jsonl"
    expected = "siqi analyse: internal: RuntimeError: cannot write\n"
    for text in ("".join(f'{{"id": "{number}"}}\n' for number in range(2500)), "no JSON\n"):
        path.write_text(text)
        done = forked.run(*arguments, str(path), program=BROKEN_WRITER, timeout=TIMEOUT_S)
        assert (done.returncode, without_compiling(done.stderr.decode())) == (1, expected)
    process = ForkedProcess(ROOT, *arguments, program=BROKEN_WRITER)
    process.stdin.write(b'{"id": "a"}\n')
    process.stdin.flush()
    try:
        assert process.wait(TIMEOUT_S) == 1
    finally:
        process.kill()
    assert without_compiling(process.stderr.read().decode()) == expected


def test_the_same_questions_have_the_same_answers() -> None:
    rng = random.Random(1)
    position, moves = registry.load("xiangqi").position(), []
    for _ in range(30):
        moves.append(position.move_text(rng.choice(position.legal_moves())))
        position.push(position.parse_move(moves[-1]))
    query = {"id": "a", "moves": moves, "analyseTurns": list(range(0, 31, 3)), "nodes": 3000, "clear": True}
    runs = []
    for workers in ("1", "2"):
        answers = run(query, arguments=("--workers", workers))
        runs.append({answer["turn"]: (answer["lines"], answer["nodes"]) for answer in answers})
    assert runs[0] == runs[1]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    query = {"id": "a", "moves": ["h2e2", "h9g7"], "analyseTurns": [0, 1, 2], "depth": 2}
    assert run(query, arguments=("--resume", str(path))) == []
    lines = path.read_text().splitlines()
    assert len(lines) == 3
    path.write_text(lines[0] + "\n" + lines[1][:50])
    run(query, arguments=("--resume", str(path)))
    again = lines_of(path)
    assert again[0] == json.loads(lines[0])
    assert sorted((answer["id"], answer["turn"]) for answer in again) == [("a", 0), ("a", 1), ("a", 2)]
    run(query, arguments=("--resume", str(path)))
    assert len(path.read_text().splitlines()) == 3


ANSWER = '{"id":"a","turn":0,"isDuringSearch":false,"lines":[]}\n'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (PGN * 50, "is another kind of file"),
        (PGN.strip() + "\n" + ANSWER, "is another kind of file"),
        ("no line end", "is another kind of file"),
        ('{"id": "a", "moves": ["h2e2"]}\n', "is another kind of file"),
        ('{"id": "t", "action": "terminate", "terminateId": "a"}\n', "is another kind of file"),
        ('{"id":"a","isDuringSearch":false,"moveInfos":[],"turnNumber":2}\n', "is another kind of file"),
        ('{"precious": 1', "is another kind of file"),
        ("[" * 100_000 + "\n", "is another kind of file"),
        ("[]\n", "is another kind of file"),
        (ANSWER + "nonsense\n" + ANSWER, "line 2"),
        (ANSWER * 2 + '{"id": ["a"], "turn": 0, "isDuringSearch": false}\n', "line 3"),
        (ANSWER + '{"id": "a", "turn": "0", "isDuringSearch": false}\n', "line 2"),
        (ANSWER + "[" * 100_000 + "\n", "line 2"),
        (ANSWER + "\n", "line 2"),
        (ANSWER + "a note of mine", "line 2"),
        (ANSWER + '{"precious":1}', "line 2"),
        (ANSWER.encode() + b'{"id":"\xff","turn":0,"isDuringSearch":false}\n', "line 2"),
    ],
)
def test_a_file_that_is_not_ours_is_left_as_it_is(content: str | bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(data)
    status, out, err = siqi("--resume", path, given=b'{"id": "x", "depth": 1}\n')
    assert (status, out, err.count("\n")) == (2, b"", 1)
    assert reason in err and str(path) in err
    assert path.read_bytes() == data


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs")
def test_answers_go_into_no_pipe_and_no_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, reason in ((tmp_path, "is a folder"), (tmp_path / "pipe", "is not a regular file")):
        assert siqi("--resume", path) == (2, b"", f"siqi analyse: --resume {path}: {reason}\n")


def test_an_answer_stands_for_what_was_asked(tmp_path: Path) -> None:
    """A position is searched again if the query differs in anything that changes the answer, and only then."""
    path = tmp_path / "out.jsonl"
    query = {"id": "a", "moves": ["h2e2", "h9g7"], "analyseTurns": [1], "nodes": 300}
    others = ({"moves": ["b2e2", "h9g7"]}, {"nodes": 400}, {"options": {"UseEndgames": False}})
    same = ({"priority": 3}, {"reportEvery": 100}, {"moves": ["h2e2", "b9c7"]}, {"options": {"Seed": 1}})
    resume = ("--resume", str(path))
    run(query, arguments=resume)
    (first,) = lines_of(path)
    assert (first["limits"], first["version"]) == ({"nodes": 300}, __version__)
    run(*(query | change for change in same + others), arguments=resume)
    answers = lines_of(path)
    assert answers[0] == first and len(answers) == len({answer["query"] for answer in answers}) == 4
    run(*(query | change for change in same + others), arguments=resume)
    assert lines_of(path) == answers
    run(query, arguments=(*resume, "--hash", "4"))
    assert len(lines_of(path)) == len(read_answers(path).finals) == 5


def test_a_network_that_cannot_be_used_is_reported_once(tmp_path: Path) -> None:
    options = {"NetworkFile": str(tmp_path / "missing")}
    queries = [{"id": str(number), "moves": [], "nodes": 50, "options": options} for number in range(6)]
    text = "".join(json.dumps(query) + "\n" for query in queries)
    status, out, err = siqi("--workers", 2, given=text.encode())
    assert status == 0 and len(out.splitlines()) == 6
    (line,) = err.splitlines()
    assert line.endswith("missing: No such file or directory; evaluating by the shipped network")


def test_what_an_identity_depends_on() -> None:
    def of(**changes: Any) -> str:
        query = Query(**({"id": "a", "game": "ewn", "moves": ("123456", "615243", "c5c4"), "nodes": 3} | changes))
        return query_hash(query, 2, resolve_options(query, {"Hash": "16", "Threads": "1", "Seed": "1"}))

    assert of() == of(id="b") == of(priority=1) == of(reportEvery=1.0) == of(options={"seed": 1, "Threads": "1"})
    assert of() == of(moves=("123456", "615243")), "later moves"
    for name in ("Width", "MultiPV", "UCI_Variant", "Skill Level", "GameLog"):  # another game's, or without effect
        with pytest.raises(BadLineError, match=r"unknown option: .* \(ewn has Hash"):
            of(options={name: 7})
    changes: list[dict[str, Any]] = [
        {}, {"nodes": 4}, {"depth": 1}, {"movetime": 1}, {"mate": 1}, {"multipv": 2}, {"book": True}, {"clear": True},
        {"dice": (1,)}, {"dice": (2,)}, {"moves": ("123456", "123456", "c5c4")}, {"searchmoves": ("c5c4",)},
        {"options": {"Threads": 2}}, {"options": {"Hash": 4}}, {"options": {"Seed": 2}}, {"fen": "x"},
        {"game": "junqi"},
    ]  # fmt: skip
    assert len({of(**change) for change in changes}) == len(changes)


def test_answers_of_another_version_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(ANSWER)
    run({"id": "a", "depth": 1}, arguments=("--resume", str(path)))
    assert [answer.get("version") for answer in lines_of(path)] == [None, __version__]


def test_errors_are_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lines = (
        "nope",
        {"id": "b", "fen": "foo"},
        {"id": "w", "depth": 1, "colour": 1},
        {"id": "v", "action": "query_version"},
    )
    for _ in range(2):
        assert run(*lines, arguments=("--resume", str(path)), errors=2) == []
        assert len(lines_of(path)) == 4
    run("nope", "no", arguments=("--resume", str(path)), errors=2)
    assert len(lines_of(path)) == 5


def test_a_search_that_was_left_is_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    live = Live("--resume", str(path))
    query = {"id": "a", "nodes": FOREVER, "reportEvery": 0.01}
    live.send(query)
    while not path.exists() or not path.read_bytes():
        time.sleep(0.01)
    live.send({"id": "t", "action": "terminate_all"})
    live.close()
    assert not read_answers(path).finals
    assert [answer["isDuringSearch"] for answer in lines_of(path)].count(False) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_runs_give_each_position_one_answer(tmp_path: Path) -> None:
    path, fens = tmp_path / "out.jsonl", tmp_path / "many.fen"
    fens.write_text("4k4/9/9/9/9/9/9/9/9/3K5 w\nrnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\n" * 40)
    arguments = ["--from", "fen", "--nodes", "5000", "--workers", "2", "--resume", str(path), str(fens)]
    for wanted in (10, 30):
        process = ForkedProcess(ROOT, "analyse", *arguments)
        while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < wanted):
            time.sleep(0.005)
        process.kill()
        process.wait()
    assert path.read_bytes().count(b"\n") < 80
    assert siqi(*arguments)[0] == 0
    assert sorted(int(answer["id"]) for answer in lines_of(path)) == list(range(1, 81))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_an_interrupt_leaves_no_half_answer() -> None:
    live = Live()
    live.send({"id": "long", "nodes": FOREVER, "reportEvery": 0.01})
    live.answer()
    live.process.send_signal(signal.SIGINT)
    assert all(json.loads(line)["isDuringSearch"] for line in live.process.stdout)
    assert live.process.wait(20) == 130


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


HANGING = "4k4/9/9/9/9/9/9/r8/R8/3K5 w"
"""Red may take a rook, or lose one."""


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


@pytest.mark.parametrize("game", ["connect6", "ewn", "junqi"])
def test_records_that_cannot_store_comments_are_refused_at_once(game: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(C6)
    status, out, err = siqi(tmp_path / "games.txt", "--from", "record", "--output", "record", "--game", game)
    assert (status, out) == (2, b"")
    assert err == f"siqi analyse: --output record: records of {game} cannot store comments\n"


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


ANNOTATED_PGN = """[Game "Chinese Chess"]
[Event "杯赛 \\"A\\""]
[Odd "kept"]
[Red "胡荣华"]
[Result "1-0"]
[Date "1999.01.01"]

{开局} 1. 炮二平五 {the usual
move} 马8进7 (1... 炮８平５ 2. 马二进三 (2. 炮五进四 {a } 士４进５)) 2.马二进三! $14 ; to the end ) } {
% an escape
车9平8
3. 车一平二 1-0
{behind the game}
====== between games

[Event "broken"]

1. 炮二平五 马8进7 2. 炮二平五 {lost?} 0-1

[Event "traditional"]
[Result "*"]

1. 炮二平五 馬８進７ 2. 馬二進三 *

[Event "a rook up"]
[FEN "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 0 1"]

1... K4+1 2. R9+3 *

[Event "coordinates"]
[Format "ICCS"]

1. H2-E2 H9-G7 2. h0g2 {} *
behind all
"""


def own_notes(text: str) -> list[str]:
    return re.findall(r"\{(Siqi [^}]*)\}", text)


@pytest.mark.parametrize(("encoding", "newline"), [("utf-8", "\n"), ("gb18030", "\r\n"), ("utf-8-sig", "\n")])
def test_records_come_out_as_they_went_in_with_notes(encoding: str, newline: str, tmp_path: Path) -> None:
    source = ANNOTATED_PGN.replace("\n", newline)
    path, again = tmp_path / "games.pgn", tmp_path / "again.pgn"
    path.write_bytes(source.encode(encoding))
    arguments = ("--format", "record", "--output", "record", "--depth", "3")  # the earlier name of --from
    status, out, err = siqi(path, *arguments, "--workers", "2")
    assert status == 1 and err.startswith("siqi analyse: game 2: 2. ") and err.count("\n") == 2
    text = out.decode(encoding)

    def without_notes(annotated: str) -> str:
        return re.sub(r"\r?\n\{Siqi [^}]*\}", "", annotated).replace(f'[SiqiScoreSide "Red"]{newline}', "")

    assert without_notes(text) == source
    assert text.count('[SiqiScoreSide "Red"]') == 4
    notes = own_notes(text)
    assert len(notes) == 6 + 4 + 3 + 4
    assert all(re.match(r"Siqi [+-]\d+\.\d\d/\d+ \S{4}|Siqi \+M\d+/", note) for note in notes)
    games = list(read_games(io.StringIO(text), report=lambda game: None))
    assert [len(game.moves) for game in games] == [5, 3, 2, 3]
    assert re.search(r" [炮马车兵相仕帅]", notes[0]) and re.search(r" [马炮车][1-9][进平][1-9]", notes[1])
    assert re.search(r"[馬車進]", "".join(notes[6:10])) and not re.search(r"[马车进]", "".join(notes[6:10]))
    rook_up = notes[10:13]
    assert all(note.startswith("Siqi +") for note in rook_up), "the side to move changes, Red is ahead"
    assert re.search(r" [KRA]\S{3}", rook_up[0])
    assert re.search(r" [A-I]\d-[A-I]\d", notes[13])
    again.write_bytes(out)
    text = siqi(again, *arguments, "--depth", "2")[1].decode(encoding)
    assert without_notes(text) == source and len(own_notes(text)) == len(notes)
    assert "/3 " not in "".join(own_notes(text)), "the notes of the first run are gone"


def test_traditional_characters_in_big5_and_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    text = '[Event "棋賽"]\n[Red "楊官璘"]\n\n1. 炮二平五 {好棋} 馬８進７ 2. 馬二進三 車９平８ *\n'
    path.write_bytes(text.encode("big5"))
    status, out, err = siqi(path, "--from", "record", "--output", "record", "--nodes", "300", "--multipv", "2")
    assert (status, err) == (0, "")
    assert "{好棋} 馬８進７" in out.decode("big5")
    assert all(note.count(" | ") == 1 for note in own_notes(out.decode("big5")))


def test_text_in_no_encoding_is_kept_and_a_hint_given(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    data = '[Event "棋"]\n\n1. C2.5 {马} *\n'.encode() + '[Event "杨"]\n\n1. C2.5 *\n'.encode("gb18030")
    path.write_bytes(data)
    arguments = (path, "--from", "record", "--nodes", "100", "--encoding", "utf-8")
    hint = "siqi analyse: 2 characters of the input are not utf-8; --encoding gb18030 may read them\n"
    status, out, err = siqi(*arguments, "--output", "record")
    assert (status, err) == (0, hint)
    assert re.sub(rb'\n\{Siqi [^}]*\}|\[SiqiScoreSide "Red"\]\n', b"", out) == data
    assert siqi(*arguments)[2] == hint


def without_notes(data: bytes, encoding: str) -> bytes:
    text = data.decode(encoding)
    return re.sub(r'\n\{Siqi [^}]*\}|\[SiqiScoreSide "Red"\]\n', "", text).encode(encoding)


@pytest.mark.parametrize(
    ("encoding", "source", "moves"),
    [
        (
            "big5",
            '[Event "棋賽"]\n[Red "楊官璘"]\n\n1. 炮二平五 *\n',
            r"[炮砲馬車兵卒相仕象士帥將][一二三四五六七八九１-９][進退平]",
        ),
        ("big5", '[Event "棋賽"]\n[Red "楊官璘"]\n\n*\n', r"[炮馬車兵相仕帥][一二三四五六七八九][進退平]"),
        ("cp1252", '[Event "Köln"]\n[Red "Müller"]\n\n*\n', r"[A-Z]\d[.+-]\d"),
        ("cp1252", '[Event "Köln"]\n[Format "ICCS"]\n\n*\n', r"[A-I]\d-[A-I]\d"),
        ("gb2312", '[Event "杨"]\n\n*\n', r"[炮马车兵相仕帅][一二三四五六七八九][进退平]"),
    ],
)
def test_notes_are_written_as_the_encoding_allows(encoding: str, source: str, moves: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(source.encode(encoding))
    arguments = ("--from", "record", "--output", "record", "--encoding", encoding, "--nodes", "300")
    status, out, err = siqi(path, *arguments)
    assert (status, err) == (0, "")
    assert without_notes(out, encoding) == source.encode(encoding)
    notes = own_notes(out.decode(encoding))
    assert len(notes) == source.count("炮二平五") + 1
    assert all(re.search(moves, note) for note in notes)


TRUNCATED = PGN.encode("utf-16") + b" "
UNPAIRED = PGN.replace("A", "\ud800").encode("utf-16", "surrogatepass")
"""A surrogate without its other half."""


@pytest.mark.parametrize("data", [TRUNCATED, TRUNCATED[:-1] + b"\xe9", UNPAIRED])
def test_broken_utf_16_is_not_annotated(data: bytes, tmp_path: Path) -> None:
    """A file with a fault is refused; from a pipe, the games before the fault are written."""
    path = tmp_path / "games.pgn"
    path.write_bytes(data)
    arguments = ("--from", "record", "--output", "record", "--nodes", "100")
    status, out, err = siqi(path, *arguments)
    assert (status, out) == (2, b"")
    assert re.fullmatch(r"siqi analyse: the input is not utf-16-le: .*\n", err)
    status, out, again = siqi(*arguments, given=data)
    assert (status, again) == (1, err)
    assert without_notes(out, "utf-16-le") == (b"" if data == UNPAIRED else data[:-1])


@pytest.mark.parametrize("data", [TRUNCATED, UNPAIRED])
def test_broken_utf_16_is_analysed(data: bytes, tmp_path: Path) -> None:
    """Each fault in UTF-16 becomes U+FFFD."""
    status, out, err = siqi("--from", "record", "--nodes", "100", given=data)
    assert (status, out.count(b"\n")) == (0, 4)
    assert re.fullmatch(r"siqi analyse: \d characters of the input are not utf-16; .*\n", err)


@pytest.mark.parametrize("input_format", ["record", "fen"])
def test_an_encoding_that_cannot_go_on_after_a_fault_ends_the_run(input_format: str) -> None:
    status, out, err = siqi("--from", input_format, "--encoding", "undefined", given=b"1. C2.5 *\n")
    assert (status, out) == (1, b"")
    assert err == "siqi analyse: undefined encoding\n"


@pytest.mark.parametrize(
    ("mark", "encoding", "arguments"),
    [
        ("\ufeff", "utf-16-be", ()),
        ("\ufeff", "utf-16-le", ()),
        ("\ufeff", "utf-16-le", ("--encoding", "utf-16-le")),
        ("\ufeff", "utf-32-be", ()),
        ("", "utf-8", ("--encoding", "utf-8-sig")),
    ],
)
def test_byte_order_marks_stay_as_they_are(mark: str, encoding: str, arguments: tuple[str, ...]) -> None:
    source = (mark + PGN).encode(encoding)
    status, out, err = siqi("--from", "record", "--output", "record", "--nodes", "100", *arguments, given=source)
    assert (status, err) == (0, "")
    assert without_notes(out, encoding) == source and own_notes(out.decode(encoding))


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


def test_what_katago_answers_to_its_actions() -> None:
    actions: list[dict[str, Any]] = [
        {"id": "v", "action": "query_version"},
        {"id": "c", "action": "clear_cache"},
        {"id": "t", "action": "terminate", "terminateId": "x", "turnNumbers": [1, 2]},
        {"id": "a", "action": "terminate_all"},
    ]
    version, *others = run(*actions)
    assert version == {**actions[0], "version": __version__, "git_hash": "<omitted>"}
    assert others == actions[1:]
    (unknown, missing) = run({"id": "q", "action": "dance"}, {"id": "r", "action": "terminate"}, errors=2)
    assert unknown["error"] == "one of query_version clear_cache terminate terminate_all, not dance"
    assert (missing["field"], missing["id"], missing["line"]) == ("terminateId", "r", 2)


def test_all_queries_can_be_left_and_ids_used_again() -> None:
    live = Live()
    live.send(
        {"id": "long", "nodes": FOREVER, "reportEvery": 0.01}, *({"id": f"{n}", "nodes": FOREVER} for n in range(5))
    )
    live.answer()
    live.send({"id": "some", "action": "terminate_all", "turnNumbers": [1]}, {"id": "t", "action": "terminate_all"})
    live.send({"id": "3", "depth": 1}, {"id": "long", "depth": 1})
    rest = [answer for answer in live.close() if not answer.get("isDuringSearch")]
    assert sorted(answer["id"] for answer in rest if answer.get("noResults")) == list("01234")
    assert sorted(answer["id"] for answer in rest if "bestmove" in answer) == ["3", "long", "long"]


def test_a_cleared_cache_is_empty() -> None:
    """After clearing, a second search repeats the first without using its results."""
    live = Live()
    lines = []
    for clears in (False, True, False):
        if clears:
            live.send({"id": "c", "action": "clear_cache"})
            live.answer()
        live.send({"id": "a", "nodes": 3000})
        lines.append(live.answer()["lines"])
    live.close()
    assert lines[0] == lines[1] != lines[2]


def test_errors_name_what_there_is_and_their_line() -> None:
    game, option, value, turn = run(
        "",
        {"id": "g", "game": "chess"},
        {"id": "o", "options": {"Wdith": 1}, "game": "connect6"},
        {"id": "v", "options": {"UseRules": "maybe"}},
        {"id": "t", "analyseTurns": [1]},
        errors=4,
    )
    assert (game["error"], game["line"]) == ("one of xiangqi connect6 ewn junqi, not chess", 2)
    assert option["error"].startswith("unknown option: Wdith, did you mean Width? (connect6 has Hash, Threads, Seed, ")
    assert "Width" in option["error"] and option["line"] == 3
    assert value["error"] == "option UseRules: one of true false checked paper, not maybe"
    assert turn["field"] == "analyseTurns"


@pytest.mark.long
def test_the_compiling_is_reported(tmp_path: Path) -> None:
    """The compiling of a kernel that is not in the cache is reported, since it takes time."""
    run({"id": "e", "game": "ewn", "moves": ["123456", "615243"], "depth": 1})
    assert jit.CACHE_FOLDER is not None
    shutil.copytree(jit.CACHE_FOLDER, tmp_path / jit.CACHE_FOLDER.name, ignore=shutil.ignore_patterns("*.tmp.*"))
    victims = list(tmp_path.rglob("*ewn.search.search.*"))
    assert victims
    for victim in victims:
        victim.unlink()
    done = subprocess.run(
        COMMAND, input=b'{"id": "e", "game": "ewn", "moves": ["123456", "615243"], "depth": 1}\n', capture_output=True,
        env={**os.environ, "SIQI_CACHE": str(tmp_path)}, cwd=ROOT, timeout=TIMEOUT_S, check=True,
    )  # fmt: skip
    first, last = done.stderr.decode().splitlines()
    assert victims and first == "siqi analyse: compiling ewn for the first time; later starts use the cache"
    assert re.fullmatch(r"siqi analyse: compiled ewn: \d+ kernels in [\d.]+ s", last)


def test_compiling_is_announced_by_threes() -> None:
    lines: list[str] = []
    before = jit.on_compile
    with announce_compiling(lines.append, "all"):
        for _ in range(7):
            assert jit.on_compile is not None
            jit.on_compile("kernel")
    assert jit.on_compile is before
    assert [line.split(" in ")[0] for line in lines[1:]] == [
        "compiling all: 3 kernels", "compiling all: 6 kernels", "compiled all: 7 kernels"
    ]  # fmt: skip
    assert lines[0].startswith("compiling all")
    with announce_compiling(lines.append, "nothing"):
        pass
    assert len(lines) == 4


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
