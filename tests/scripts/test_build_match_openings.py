"""Lists of openings: the same lines by their numbers, also of a run that was interrupted; what refuses a line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import msgspec
import pytest

from scripts.books import build_match_openings
from scripts.books.build_match_openings import KINDS, Chosen, Drawn, Kind, LineSettings, first_side_score, judge

from siqi.games import registry

SETTINGS = LineSettings("connect6-5", seed=1, nodes=200, games=2)


def drawn(number: int, moves: str, points: float) -> bytes:
    return msgspec.json.encode(Drawn(number, moves.split(), 0.5, points))


def test_lines_depend_on_their_numbers_alone() -> None:
    first = [judge((SETTINGS, number)) for number in range(6)]
    assert first == [judge((SETTINGS, number)) for number in range(6)]
    assert len({tuple(json.loads(line)["moves"]) for line in first}) > 1


@pytest.mark.parametrize("name", KINDS)
def test_lines_have_the_plies_of_their_list(name: str) -> None:
    settings = msgspec.structs.replace(SETTINGS, kind=name)
    actual = [json.loads(judge((settings, number)))["moves"] for number in range(6)]
    assert {len(moves) for moves in actual if moves} <= set(KINDS[name].plies)
    assert any(actual)


def test_what_refuses_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds a side ahead does, before the games; games that one side wins do."""
    monkeypatch.setattr(build_match_openings, "draw", lambda kind, rng: ["j10", "i9i11", "k9k11"])
    played = []
    monkeypatch.setattr(build_match_openings, "play_games", lambda *_: played.append(1) or 4.0)
    for values, expected, points in (
        ((0.57, 0.54), 0.54, 4.0),
        ((0.59, 0.5), -1.0, -1.0),  # the short search
        ((0.5, 0.56), 0.56, -1.0),
    ):
        left = iter(values)
        monkeypatch.setattr(build_match_openings, "score_after", lambda *_, left=left: next(left))
        line = msgspec.json.decode(judge((SETTINGS, 0)), type=Drawn)
        assert (line.expected, line.points) == (expected, points)
    assert len(played) == 1
    settings = msgspec.structs.replace(SETTINGS, games=8)
    of_eight = [points for points in (-1, 0, 2.5, 3, 4, 5, 5.5, 8) if Drawn(0, [], 0.5, points).is_balanced(settings)]
    assert of_eight == [3, 4, 5]


def test_no_line_is_an_image_of_another_and_few_begin_alike() -> None:
    chosen = Chosen(registry.load("connect6"), SETTINGS)
    for moves in ("j10 i9i11 k9k11", "j10 k9k11 i9i11", "j10 i11k11 i9k9"):  # turned by two and by one right angle
        chosen.add(drawn(0, moves, 1.0))
    assert chosen.lines == ["j10 i9i11 k9k11"]
    for column in "abcdefghi":
        chosen.add(drawn(0, f"j10 i9i11 {column}1{column}2", 1.0))
    assert len(chosen.lines) == 8
    assert (chosen.tried, chosen.judged) == (12, 12)


def score_by_chance(kind: Kind, moves: list[str], nodes: int) -> float:
    """Return a score by chance, the same for the same line, in place of a search."""
    return random.Random(" ".join(moves)).uniform(0.35, 0.65)


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_match_openings, "in_order", lambda function, tasks, jobs: (function(t) for t in tasks))
    monkeypatch.setattr(build_match_openings, "score_after", score_by_chance)
    monkeypatch.setattr(build_match_openings, "play_games", lambda *_: 1.0)
    log = tmp_path / "lines.jsonl"
    whole = build_match_openings.find_lines(SETTINGS, 6, log, 1)
    content = log.read_bytes()
    log.write_bytes(content[: len(content) // 2])
    again = build_match_openings.find_lines(SETTINGS, 6, log, 1)
    assert (again.lines, again.tried) == (whole.lines, whole.tried) and log.read_bytes() == content


def test_the_score_of_the_first_side(tmp_path: Path) -> None:
    settings = {"game": "xiangqi", "engines": [{"name": name, "command": "siqi"} for name in "AB"]}
    games = [
        {"game": number, "pair": number // 2, "first": number % 2, "players": ["A", "B"], "opening": "", "dice": [],
         "moves": [], "plies": 0, "winner": winner, "cause": "rules", "reason": "", "time_ms": [0, 0]}
        for number, winner in enumerate((0, 1, None, 0))
    ]  # fmt: skip
    log = tmp_path / "m.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in (settings, *games)))
    assert first_side_score(log).startswith("2-1-1: 62.5% +-")
