"""`siqi analyse`: dialogues, and runs that are killed, interrupted, resumed, or whose answers cannot be written."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import forked
import pytest
from analyse_command import (
    FOREVER,
    PGN,
    ROOT,
    TIMEOUT_S,
    Live,
    lines_of,
    run,
    siqi,
    without_compiling,
)
from forked import ForkedProcess

from siqi.daemon.analysis.answers import read_answers
from siqi.daemon.analysis.run import Listeners, Run, RunSettings
from siqi.version import __version__


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
