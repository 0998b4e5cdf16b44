"""README's sessions with the daemon, in both languages."""

from __future__ import annotations

import re

import forked
import pytest
from fixture_files import ROOT


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_sessions_of_readme_end_as_printed(page: str) -> None:
    """Those limited by depth or nodes have the same answer on every machine; a timed one has its form alone."""
    text = (ROOT / page).read_text(encoding="utf-8")
    sessions = re.findall(r"^\$ printf '(.*)' \| \.venv/bin/siqi\n[^$`]*^(bestmove .*)\n", text, re.MULTILINE)
    assert len(sessions) == 4
    for given, answer in sessions:
        done = forked.run(given=given.encode().decode("unicode_escape").encode())
        printed = done.stdout.decode().splitlines()[-1]
        assert done.returncode == 0 and printed.startswith("bestmove ")
        assert printed == answer or "movetime" in given
