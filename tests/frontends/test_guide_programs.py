"""The programs on the page about referees play whole games with the engine, and find an illegal move."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import forked
import pytest

PAGE = Path(__file__).parents[2] / "docs/guide/referee.md"

PROGRAMS = {
    match[1]: match[0]
    for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if (match := re.search(r"(?s).*^python (\w+)\.py .*", text, re.MULTILINE))
}
"""The programs by name: each names itself in its docstring."""

MAX_LINES = 45
"""Lines that are not empty."""

REASONS = {
    "xiangqi": "checkmate|stalemate|perpetual|repetition|sixty-moves|no-attackers|no answer in time",
    "connect6": "six|full-board",
    "ewn": "corner|captured-all",
    "junqi": "flag|immobile|quiet",
}
"""The results that a game may have. On a busy machine an engine may lose Xiangqi's game of one second by its clock."""

ILLEGAL_ENGINE = """\
import sys

ANSWERS = {
    "uci": "uciok", "isready": "readyok", "go": "bestmove a0a9",
    "name?": "name Bad", "new": "move AAAA", "move": "move AAAA",
    "name": "name Bad", "time_setting": "1", "ini": "A1 B1 C1 A2 B2 A3", "get": "A1 E5",
    "INFO": "NAME Bad", "START": "ARRAY diahcbgkkfiecfigjhedjljhg", "GO": "BESTMOVE A0A4",
}
for line in sys.stdin:
    if answer := ANSWERS.get(line.split()[0]):
        print(answer, flush=True)
"""


def last_line(name: str, folder: Path, *arguments: str) -> str:
    """Run a program to its end and return the last line that it printed."""
    program = folder / f"{name}.py"
    program.write_text(PROGRAMS[name], encoding="utf-8")
    done = forked.run(*arguments, program=program)
    lines: list[str] = (done.stdout + done.stderr).decode().splitlines()
    assert lines and "Traceback" not in "".join(lines), lines
    return lines[-1]


def test_each_game_has_a_program() -> None:
    assert set(PROGRAMS) == set(REASONS)
    lengths = {name: sum(map(bool, text.splitlines())) for name, text in PROGRAMS.items()}
    assert max(lengths.values()) <= MAX_LINES, lengths


@pytest.mark.parametrize("name", sorted(REASONS))
def test_a_whole_game(name: str, siqi: Path, tmp_path: Path) -> None:
    quick = [sys.executable, "-m", "siqi", "--option", "MoveTime=5"]
    arguments = [str(siqi), str(siqi), "1"] if name == "xiangqi" else quick
    assert re.fullmatch(rf"(1-0|0-1|1/2-1/2) ({REASONS[name]})", last_line(name, tmp_path, *arguments))


@pytest.mark.parametrize("name", sorted(REASONS))
def test_an_illegal_move_loses(name: str, tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!{sys.executable}\n{ILLEGAL_ENGINE}")
    engine.chmod(0o755)
    arguments = [str(engine), str(engine), "60"] if name == "xiangqi" else [str(engine)]
    assert last_line(name, tmp_path, *arguments).startswith("0-1 illegal: ")
