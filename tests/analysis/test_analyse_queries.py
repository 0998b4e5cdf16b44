"""`siqi analyse`: queries and actions in JSON, their answers and errors."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from analyse_command import (
    COMMAND,
    LAYOUT,
    ROOT,
    TIMEOUT_S,
    Live,
    run,
    siqi,
)

from siqi.daemon.analysis.query import REFUSALS, Action, BadLineError, Query, parse, query_hash, resolve_options
from siqi.daemon.command_line import build_parser
from siqi.daemon.commands.arguments import workers_of
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.kernel import jit
from siqi.version import __version__


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


def test_a_network_that_cannot_be_used_is_reported_once(tmp_path: Path) -> None:
    options = {"NetworkFile": str(tmp_path / "missing")}
    queries = [{"id": str(number), "moves": [], "nodes": 50, "options": options} for number in range(6)]
    text = "".join(json.dumps(query) + "\n" for query in queries)
    status, out, err = siqi("--workers", 2, given=text.encode())
    assert status == 0 and len(out.splitlines()) == 6
    (line,) = err.splitlines()
    assert line.endswith("missing: No such file or directory; the shipped network is used")


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


def test_all_cores_work_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("siqi.daemon.commands.arguments.cores", lambda: 12)
    for arguments, workers in (([], 12), (["--threads", "5"], 2), (["--threads", "64"], 1), (["--workers", "3"], 3)):
        assert workers_of(build_parser().parse_args(["analyse", *arguments])) == workers
        assert workers_of(build_parser().parse_args(["review", "x", "-o", "x.html", *arguments])) == workers


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
