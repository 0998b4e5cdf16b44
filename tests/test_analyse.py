"""`siqi analyse`: the real process, lines in and lines out."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from daemon.analysis.batch import Batch, Settings, finals
from daemon.analysis.query import BadLineError, Query, parse
from games import registry

ROOT = Path(__file__).parents[1]
COMMAND = (sys.executable, "-m", "daemon", "analyse")
TIMEOUT_S = 200

LAYOUT = "diahcbgkkfiecfigjhedjljhg"
C6 = "{[C6][A B][B W][][][];B(J,10);W(I,11);W(K,9)}"
PGN = '[Game "Chinese Chess"]\n[Red "A"]\n\n1. 炮二平五 马8进7 2. 马二进三 *\n'


def run(*lines: Any, arguments: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The answers to lines, given as text or as what is to be written as JSON."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run(
        [*COMMAND, *arguments], input=text, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=ROOT, check=True
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


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
    found = {(answer["id"], answer["turn"]): answer for answer in answers}
    assert set(found) == {("x", 0), ("x", 1), ("x", 2)} | {
        ("c", 1), ("e", 2), ("E", 2), ("j", 2), ("m", 0), ("o", 1), ("s", 0)
    }  # fmt: skip
    assert len(answers) == len(found)
    assert [len(found["x", turn]["lines"]) for turn in range(3)] == [3, 3, 3]
    assert [found["x", turn]["toMove"] for turn in range(3)] == ["first", "second", "first"]
    for answer in answers:
        assert answer["isDuringSearch"] is False
        if answer["id"] != "o":
            assert answer["lines"][0]["move"] == answer["lines"][0]["pv"][0]
            assert answer.get("bestmove") == (None if answer["id"] == "E" else answer["lines"][0]["move"])
            assert answer["nodes"] > 0
    assert found["e", 2]["fen"].endswith("f 3")
    assert 0 < found["e", 2]["lines"][0]["score"]["win"] < 1
    assert [line["throw"] for line in found["E", 2]["lines"]] == [1, 2, 3, 4, 5, 6]
    assert found["m", 0]["lines"][0]["score"] == {"mate": 1, "win": 1.0}
    assert found["o", 1]["lines"] == []
    assert found["o", 1]["outcome"] == "win first checkmate"
    assert found["s", 0]["bestmove"] == "a0a1"


def test_each_bad_line_is_told_and_stops_nothing() -> None:
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
    answers = run(*bad, {"id": "good", "depth": 1, "colour": "red"})
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
    )
    assert [answer.get("field") for answer in answers[:4]] == [None, "priority", "movetime", "dice"]
    assert answers[4]["bestmove"]


def test_moves_that_do_not_answer_their_throws_are_told() -> None:
    moves = ["123456", "615243", "c5c4", "e2e3"]
    first, second = run(
        {"id": "t", "game": "ewn", "moves": moves, "dice": [1, 2], "nodes": 50},
        {"id": "u", "game": "ewn", "moves": moves, "dice": [3, 2, 4], "nodes": 50},
    )
    assert first["error"].startswith("illegal move after a throw of 1: c5c4")
    assert second["bestmove"] and second["fen"].endswith(" 4")


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text(C6)
    for arguments, told in (
        (("--encoding", "nonsense", "--format", "record"), "siqi analyse: unknown encoding: nonsense\n"),
        (("--format", "record", "--output", "record"), "siqi analyse: no record of xiangqi in the input\n"),
    ):
        done = subprocess.run(
            [*COMMAND, *arguments, str(path)], capture_output=True, text=True, timeout=TIMEOUT_S, cwd=ROOT, check=False
        )
        assert (done.stdout, done.stderr) == ("", told)


def test_katagos_spellings() -> None:
    query = parse('{"id": "a", "analyzeTurns": [0], "reportDuringSearchEvery": 0.5, "maxVisits": 7}').asked
    assert isinstance(query, Query)
    assert (query.analyseTurns, query.reportEvery, query.nodes) == ((0,), 0.5, 7)
    with pytest.raises(BadLineError, match="Expected"):
        parse('{"id": "a", "analyzeTurns": "0"}')


class Live:
    """A process to talk with."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def send(self, *lines: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> list[dict[str, Any]]:
        """End the input; the answers that were still to come."""
        assert self.process.stdin is not None and self.process.stdout is not None
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
    found = {answer["id"]: answer for answer in rest}
    assert found["long"]["bestmove"]
    assert found["next"]["noResults"] is True
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

    def write(answer: dict[str, Any]) -> None:
        nonlocal most
        answers.append(answer)
        most = max(most, batch._queue.qsize())

    batch = Batch(Settings(workers=2, nodes=1), write)
    batch.run(lambda: [batch.take(f'{{"id": "{number}", "depth": 1}}') for number in range(3000)] and None)
    assert sorted(int(answer["id"]) for answer in answers) == list(range(3000))
    assert 0 < most <= 1000
    assert threading.active_count() < 10


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


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    query = {"id": "a", "moves": ["h2e2", "h9g7"], "analyseTurns": [0, 1, 2], "depth": 2}
    assert run(query, arguments=("--resume", str(path))) == []
    lines = path.read_text().splitlines()
    assert len(lines) == 3
    path.write_text(lines[0] + "\n" + lines[1][:50])
    run(query, arguments=("--resume", str(path)))
    again = [json.loads(line) for line in path.read_text().splitlines()]
    assert again[0] == json.loads(lines[0])
    assert finals(again) == {("a", 0), ("a", 1), ("a", 2)}
    assert len(again) == 3
    run(query, arguments=("--resume", str(path)))
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_an_interrupt_leaves_no_half_answer() -> None:
    live = Live()
    live.send({"id": "long", "nodes": FOREVER, "reportEvery": 0.01})
    live.answer()
    live.process.send_signal(signal.SIGINT)
    assert live.process.stdout is not None
    assert all(json.loads(line)["isDuringSearch"] for line in live.process.stdout)
    assert live.process.wait(20) == 130


def test_fens_in_a_table_out(tmp_path: Path) -> None:
    path = tmp_path / "positions.epd"
    path.write_text('rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves h2e2; id "x"\n\nfoo\n')
    done = subprocess.run(
        [*COMMAND, str(path), "--format", "fen", "--output", "csv", "--depth", "2"],
        capture_output=True, text=True, cwd=ROOT, check=True, timeout=TIMEOUT_S,
    )  # fmt: skip
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [(row["id"], row["turn"], bool(row["error"])) for row in rows] == [("1", "1", False), ("3", "0", True)]
    assert rows[0]["pv"].split()[0] == rows[0]["bestmove"]


@pytest.mark.parametrize(("game", "text"), [("connect6", C6), ("xiangqi", PGN)])
def test_records_in_with_comments_out(game: str, text: str, tmp_path: Path) -> None:
    records = registry.records(game)
    path = tmp_path / "games.txt"
    path.write_text(text * 2, encoding=records.ENCODING)
    arguments = [str(path), "--format", "record", "--output", "record", "--game", game, "--nodes", "200"]
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=ROOT, check=True, timeout=TIMEOUT_S
    )
    again = tmp_path / "again.txt"
    again.write_text(done.stdout, encoding=records.ENCODING)
    with path.open(encoding=records.ENCODING) as before, again.open(encoding=records.ENCODING) as after:
        assert [game.moves for game in records.read(before)] == [game.moves for game in records.read(after)]
    if game == "xiangqi":
        assert done.stdout.count("{") == 8
