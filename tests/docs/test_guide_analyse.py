"""The commands of the guide's page on batch analysis, and of the page on games that are kept, run as printed there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from pages import blocks, needs_shell, run_in_shell

GAME = '[Event "Club match"]\n[Red "Wang"]\n[Black "Li"]\n[Result "*"]\n\n1. C2=5 N8+7 2. C5+4 N7+5 *\n'


@pytest.mark.long
@needs_shell
def test_the_commands_of_the_page_on_analysis_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table shows the mistake that the page speaks of, and the comments leave the game as it was."""
    monkeypatch.chdir(tmp_path)
    Path("game.pgn").write_text(GAME)
    Path("positions.fen").write_text("startpos moves h2e2\n")
    Path("positions.csv").write_text("id,fen\na,startpos moves h2e2\n")
    Path("positions.jsonl").write_text('{"id": "a", "depth": 4}\n')
    lines = [block for block in blocks("guide/analyse.md", "sh") if "completion" not in block]
    table, answers, *others = [re.sub(r"^\.venv/bin/pip install .*\n", "", block) for block in lines]
    run_in_shell(table)
    (program,) = blocks("guide/analyse.md", "python")
    Path("show.py").write_text(program)
    shown = sorted(line.split(" ") for line in run_in_shell(f"{sys.executable} show.py").splitlines())  # as found
    assert [row[:2] for row in shown] == [["0", "h2e2"], ["1", "h9g7"], ["2", "e2e6"], ["3", "g7e6"], ["4", ""]]
    assert int(shown[2][3]) > 200
    (example,) = [json.loads(block) for block in blocks("guide/analyse.md", "json") if '"bestmove"' in block]
    assert {(answer["turn"], *answer) for answer in map(json.loads, run_in_shell(answers).splitlines())} >= {
        (0, *example)
    }
    for block in others:
        run_in_shell(block)
    commented = Path("commented.pgn").read_text()
    assert re.sub(r"\{Siqi [^}]*\}", "", commented).split()[-7:] == GAME.split()[-7:]
    assert Path("game.png").read_bytes().startswith(b"\x89PNG") and Path("answers.jsonl").stat().st_size


@needs_shell
def test_the_game_of_the_page_is_kept_as_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("records").mkdir()
    (line,) = blocks("protocol/game-log.md", "json")
    moves = " ".join(json.loads(line)["moves"])
    run_in_shell(blocks("protocol/game-log.md", "sh")[0], f"position startpos moves {moves}\n")
    assert Path("games.jsonl").read_text() == line
    (record,) = Path("records").iterdir()
    assert record.read_text().endswith(blocks("protocol/game-log.md", "text")[0])
