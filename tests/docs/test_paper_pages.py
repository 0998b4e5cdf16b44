"""The papers' pages begin with their players: a dialogue (test_protocol.py) and a match, played here in short."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from fixture_files import ROOT
from pages import blocks

from siqi.daemon.command_line import run

PAGES = sorted(path.stem for path in (ROOT / "docs/results").glob("paper-?.md"))


def matches(page: str) -> list[str]:
    return [block.strip() for block in blocks(f"results/{page}.md", "sh") if block.startswith("siqi match ")]


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_the_match_of_a_page_is_played(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two games of four plies between the engines of the line; both pages have the same line and dialogue."""
    (line,) = matches(page)
    assert matches(f"{page}.zh") == [line]
    assert blocks(f"results/{page}.md", "session") == blocks(f"results/{page}.zh.md", "session") != []
    monkeypatch.chdir(tmp_path)
    short = re.sub(r"--games \d+ --(nodes|depth|movetime) \d+", "--games 2 --nodes 20 --max-plies 4", line)
    assert short != line and run(shlex.split(short)[1:]) == 0
    printed = capsys.readouterr().out
    assert "2 games" in printed
    for fault in re.findall(r"^lost by .*", printed, re.MULTILINE):
        assert fault.endswith("illegal 0, crash 0, time 0"), printed
