"""The code blocks of documents, and a shell that runs their commands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import forked
import pytest
from fixture_files import ROOT

needs_shell = pytest.mark.skipif(not shutil.which("sh"), reason="there is no shell")


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a language of a page below docs/."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run_in_shell(lines: str, sent: str = "") -> str:
    """Run lines in a shell, where `siqi` is that of this environment; return the output. Each failure is an error.

    A single command of plain words, in which a shell would change nothing, is forked (forked.py) in place of started.
    """
    if lines.startswith("siqi ") and not re.search(r"[^\w\s.,:/'=-]|\n.", lines, re.ASCII):
        forked_one = forked.run(*shlex.split(lines)[1:], given=sent.encode(), folder=Path.cwd())
        assert forked_one.returncode == 0, (lines, forked_one.stderr.decode())
        return forked_one.stdout.decode()
    places = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    shell = shutil.which("sh")
    assert shell
    command = [shell, "-e", "-c", lines]
    done = subprocess.run(command, input=sent.encode(), check=False, capture_output=True, timeout=300, env=places)
    assert done.returncode == 0, (lines, done.stderr.decode())
    return done.stdout.decode()
