"""The commands of the guide's page on matches run as they are printed there, with fewer and shorter games."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from fixture_files import ROOT
from nim import play_nim
from pages import blocks

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.command_line import run
from siqi.daemon.engine.options import names_for_game
from siqi.games import registry

PAGE = "guide/match.md"

LINES = [line for block in blocks(PAGE, "sh") for line in block.replace("\\\n", "").splitlines()]
MATCHES = [line for line in LINES if line.startswith(tuple(f"siqi match {name} " for name in registry.NAMES))]
CHECKS = [line for line in LINES if line.startswith("siqi match check ")]
ON_LOGS = [line for line in LINES if line.startswith("siqi match ") and line not in (*MATCHES, *CHECKS)]

ENGINE = """
import sys
for line in sys.stdin:
    answer = {"uci": OPTIONS + "uciok", "isready": "readyok", "go": "bestmove a1"}.get(line.split()[0])
    if answer:
        print(answer, flush=True)
"""
"""An engine that takes one stone of the toy game at a time, and declares the options of ours."""


def short(line: str) -> str:
    """Return a command with two games of eight plies, at nodes instead of time."""
    line = re.sub(r" --games \d+| --max-plies \d+| --records \w+| --openings \S+", "", line)
    return re.sub(r"--movetime \d+", "--nodes 20", line) + " --games 2 --max-plies 8"


def mask(text: str) -> set[str]:
    """Return the lines of a report without numbers, cells of tables and the verdict of an SPRT."""
    lines = (re.sub(r" H[01]$", "", line) for line in text.splitlines())
    words = (" ".join(re.sub(r"[-+]?\d[\d./]*|(?<=\s)-(?=\s|$)", "N", line).split()) for line in lines)
    return {line.replace("N +- N", "N") for line in words}


@pytest.mark.parametrize("line", MATCHES)
def test_matches_are_played_as_printed(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a toy game; the report has the lines that the page shows behind a command."""
    words = shlex.split(short(line))[1:]
    options = "".join(f"option name {name} type string\n" for name in (*names_for_game(words[1]), "UCI_Variant"))
    (tmp_path / "engine.py").write_text(f"OPTIONS = {options!r}{ENGINE}")
    (tmp_path / "openings.txt").write_text("a1\na2 a1\n")
    (tmp_path / "match.toml").write_text("".join(blocks(PAGE, "toml")))
    monkeypatch.chdir(tmp_path)
    play_nim(monkeypatch)
    monkeypatch.setattr(EngineSpec, "program", shlex.join([sys.executable, "-ISu", str(tmp_path / "engine.py")]))
    assert run(words) == 0
    printed = mask(capsys.readouterr().out)
    assert {each for each in mask(report_behind(line)) if "better: " not in each} - {"adjudicated: N"} <= printed


def report_behind(line: str) -> str:
    """Return the final report that the page shows directly behind a command, if any."""
    text = (ROOT / "docs" / PAGE).read_text(encoding="utf-8").replace("\\\n", "")
    shown = text.partition(f"\n{line}\n```\n\n```text\n")[2].partition("```\n")[0]
    return "".join(re.findall(r"^\w+: .*", shown, re.DOTALL | re.MULTILINE))


def test_each_output_of_the_page_is_a_report() -> None:
    assert sum(bool(report_behind(line)) for line in (*MATCHES, *CHECKS)) == len(blocks(PAGE, "text")) > 0


@pytest.mark.long
def test_a_check_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = CHECKS
    assert run(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out == report_behind(line)


@pytest.mark.long
def test_two_engines_play_from_random_openings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The games begin with balanced openings and are kept, and the same command goes on."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m siqi\n')
    Path("mine").chmod(0o755)
    (line,) = (line for line in MATCHES if "--records played" in line)
    line = f"{short(line).replace('movetime=3000', 'nodes=1')} --openings random:6 --records played --every 1"
    words = shlex.split(line)[1:]
    assert run(words) == 0
    played = capsys.readouterr().out
    assert "xiangqi: mine against level0, 2 games" in played and played.startswith("1 ")
    assert [path.name for path in sorted(Path("played").iterdir())] == ["00001.pgn", "00002.pgn"]
    games = [json.loads(line) for line in Path("match.jsonl").read_text().splitlines()[1:]]
    assert len(games[0]["opening"].split()) == 6 and games[0]["opening"] == games[1]["opening"]
    assert run(words) == 0
    assert capsys.readouterr().out == played[played.index("xiangqi: ") :]  # nothing was played


def test_commands_on_a_log_run_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (ROOT / "scripts/results/xiangqi-network.jsonl").read_text().replace('"net"', '"new"').splitlines()
    Path("sprt.jsonl").write_text("\n".join(lines[:5]) + "\n")
    assert len(ON_LOGS) == 5
    for line in ON_LOGS:
        assert run(shlex.split(line)[1:]) == 0
    printed = capsys.readouterr().out
    assert "new against terms, 4 games" in printed and "decided for Elo 20, against 0" in printed
    assert Path("games.pgn").read_text().count('[RedTeam "Siqi"]') == 2
    assert len(Path("games.csv").read_text().splitlines()) == 5
    assert len([path for path in Path("records").iterdir() if path.name.startswith("XQ-")]) == 4


def test_scripts_that_the_page_names_exist() -> None:
    others = [line for line in LINES if line not in (*MATCHES, *CHECKS, *ON_LOGS)]
    assert others
    for line in others:
        assert (ROOT / line.split()[1]).exists(), line
