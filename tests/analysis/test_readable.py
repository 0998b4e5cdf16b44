"""Answers as lines for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from siqi.daemon.analysis import plot, readable
from siqi.daemon.analysis.arguments import is_for_people
from siqi.daemon.analysis.inputs import FEN, JSON, RECORD, TABLE, InputKind
from siqi.daemon.analysis.readable import TextOutput
from siqi.system import messages

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


@pytest.fixture(autouse=True)
def in_english_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("COLUMNS", "40")
    yield
    messages.select("en")


def answer(**more: Any) -> dict[str, Any]:
    score = {"cp": 32, "win": 0.37, "draw": 0.35, "expected": 0.55}
    lines = [{"move": "h2e2", "score": score, "depth": 9, "pv": ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"]}]
    answer = {"id": "1", "turn": 0, "isDuringSearch": False, "game": "xiangqi", "fen": START, "toMove": "first"}
    return answer | {"bestmove": "h2e2", "lines": lines, "depth": 9, "nodes": 20000, "time": 120} | more


def written(*answers: dict[str, Any], is_alone: bool = False, way: str = RECORD, are_many: bool = False) -> list[str]:
    lines: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readable, "put", lines.append)
        patch.setattr(readable, "for_terminal", str.encode)
        output = TextOutput(is_alone, has_bar=True)
        output.begin(InputKind(way, "xiangqi"), are_many)
        for each in answers:
            output.write(each)
    return b"".join(lines).decode().splitlines()


def test_a_position_alone_needs_no_name() -> None:
    assert written(answer(), is_alone=True) == [
        "best for Red: h2e2",
        "   +0.32  55%  h2e2 h9g7 h0g2 i9h9 i0h0",
        "  searched 20,000 nodes to depth 9 in 0.1 s; score and expected result for Red",
    ]


def test_positions_are_named_with_the_move_played() -> None:
    head, *_ = written(answer(turn=2, played="b2e2"))
    assert head == "after move 2 of game 1: best for Red: h2e2; played b2e2"


@pytest.mark.parametrize(
    ("way", "are_many", "id", "place"),
    [
        (RECORD, False, "2", "game 2"),
        (FEN, False, "2", "line 2"),
        (TABLE, False, "c", "row c"),
        (JSON, False, "q", "query q"),
        (RECORD, True, "a.pgn:2", "a.pgn:2"),
    ],
)
def test_an_id_is_named_by_its_input(way: str, are_many: bool, id: str, place: str) -> None:
    fault = {"id": id, "error": "an error"}
    assert written(fault, way=way, are_many=are_many) == [f"{place}: an error"]
    messages.select("zh")
    assert written(fault, way=way, are_many=are_many) != [f"{place}: an error"] or are_many


def test_ends_throws_and_faults() -> None:
    assert written(answer(lines=[], outcome="win first checkmate")) == ["game 1: the game is over: 1-0, checkmate"]
    assert written({"error": "not a JSON object", "line": 3}) == ["line 3: not a JSON object"]
    assert written({"id": "a", "warning": "unknown field", "field": "x"}) == ["game a: unknown field: x"]
    assert written({"id": "a", "turn": 0, "isDuringSearch": False, "noResults": True}) == ["game a: not searched"]
    assert written(answer(isDuringSearch=True), {"id": "t", "action": "terminate_all"}) == []
    thrown = answer(game="ewn", lines=[{"throw": 3, "move": "b4c3", "score": {"cp": 0}, "depth": 1, "pv": ["b4c3"]}])
    del thrown["bestmove"]
    assert written(thrown)[:2] == ["game 1: Red before the throw", "   +0.00       3: b4c3"]


def test_chinese_readers_get_chinese_moves() -> None:
    messages.select("zh")
    head, first, *_, last = written(answer(played="b2e2"))
    assert head == "第 1 局：红方的最佳着法：炮二平五 (h2e2)；实战走 炮八平五 (b2e2)"
    assert "  炮二平五 马８进７" in first and last.startswith("  搜索了 20,000 个节点，深度 9，")
    assert written(answer(turn=2))[0] == "第 1 局，第 2 步之后：红方的最佳着法：炮二平五 (h2e2)"
    assert written({"error": "a text, not 3", "line": 3}) == ["第 3 行：应是文字，而不是 3"]


@pytest.mark.parametrize(
    ("words", "resume", "is_terminal", "expected"),
    [
        (["startpos"], None, True, True),
        (["game.pgn"], None, True, True),
        (["game.pgn"], None, False, False),
        (["game.pgn"], "answers.jsonl", True, False),
        (["-"], None, True, False),
        ([], None, True, False),
    ],
)
def test_a_terminal_shows_lines_for_people(
    words: list[str], resume: str | None, is_terminal: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert is_for_people(argparse.Namespace(input=words, resume=resume)) is expected


@pytest.mark.parametrize("font", ["DejaVu Sans", ""])
def test_a_plot_is_chinese_if_a_font_is(font: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a font its words are English: no reader of Chinese gets boxes."""
    pytest.importorskip("matplotlib")
    messages.select("zh")
    monkeypatch.setattr(plot, "chinese_font", lambda: font)
    summary = plot.PlotSummary()
    summary.add(answer())
    labels = [plot._translated(text) for text in ("moves played", "depth", "nodes per second")]
    assert labels == (["已走的步数", "深度", "每秒节点数"] if font else ["moves played", "depth", "nodes per second"])
    assert summary.title().startswith("象棋; 1 个局面" if font else "xiangqi; 1 position")
    messages.select("en")
    monkeypatch.undo()
    assert plot.chinese_font() == ""
