"""compare_evaluations.py: judging goes on where it stopped, and changes no file that is not its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from fixture_files import FIXTURES

from scripts.measure import compare_evaluations

from siqi.games import registry

JUDGE = f"{sys.executable} -m siqi"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Six games of random moves behind common openings."""
    lines = (FIXTURES / "xiangqi_openings.txt").read_text().splitlines()[:6]
    rows = []
    for seed, line in enumerate(lines):
        position = registry.load("xiangqi").position()
        words = line.split()[1:]
        for word in words:
            position.push(position.parse_move(word))
        while len(words) < 30 and position.outcome() is None:
            moves = position.legal_moves()
            words.append(position.move_text(moves[(7 * seed + 5 * len(words)) % len(moves)]))
            position.push(position.parse_move(words[-1]))
        rows.append(json.dumps({"moves": words, "result": "*"}) + "\n")
    path = tmp_path / "games.jsonl"
    path.write_text("".join(rows))
    return path


def run(monkeypatch: pytest.MonkeyPatch, path: Path, *words: object) -> int:
    monkeypatch.setattr("sys.argv", ["compare_evaluations.py", str(path), *map(str, words)])
    return compare_evaluations.main()


def test_judging_goes_on(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, whole = tmp_path / "judged.jsonl", tmp_path / "whole.jsonl"
    words = ["--games", games, "--judge", JUDGE, "--judge-nodes", 200]
    assert run(monkeypatch, whole, *words, "--positions", 20) == 0
    assert run(monkeypatch, path, *words, "--positions", 9) == 0
    first = path.read_bytes()
    path.write_bytes(first + b'{"number":9')  # as a killed run leaves it
    assert run(monkeypatch, path, *words, "--positions", 20) == 0
    assert path.read_bytes() == whole.read_bytes() and whole.read_bytes().startswith(first)
    judged = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert sum("fen" in one for one in judged) == 20
    assert all(abs(one.get("score", 0)) <= compare_evaluations.MAX_SCORE for one in judged)
    table = capsys.readouterr().out
    assert "20 positions" in table and "| network | " in table

    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, path, *words[:-1], 300, "--positions", 21)
    assert ended.value.code == 2 and path.read_bytes() == whole.read_bytes()
    assert "nodes was 200, now 300" in capsys.readouterr().err


@pytest.mark.parametrize(("content", "line"), [("mine\n", "left as it is"), ('{"judged":{}}\n', "2 are needed")])
def test_files_without_judged_positions(
    content: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_text(content)
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, path)
    assert ended.value.code == 2 and line in capsys.readouterr().err
    assert path.read_text() == content


def test_games_without_positions_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text('{"moves": ["h2e2"], "result": "*"}\n')
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path / "judged.jsonl", "--games", games, "--judge", JUDGE)
    assert "has no more positions that count" in capsys.readouterr().err
