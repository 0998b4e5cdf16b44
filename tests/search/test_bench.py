"""The bench signature: the same in every process, with array bounds checked too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from games import registry

ROOT = Path(__file__).parents[2]


def signature(game: str, **environment: str) -> str:
    process = subprocess.run(
        [sys.executable, "-m", "daemon", "bench", game],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env=os.environ | environment,
        check=True,
    )
    match = re.search(rf"^bench {game} nodes (\d+) time \d+ nps \d+ signature (\d+)$", process.stdout, re.MULTILINE)
    assert match and int(match[1]) > 0 and all("compil" in line for line in process.stderr.splitlines())
    return match[2]


@pytest.mark.parametrize("game", registry.NAMES)
def test_signature_holds_with_bounds_checked(game: str) -> None:
    """An unchecked read beyond an array returns garbage; numba raises IndexError here instead."""
    assert signature(game) == signature(game, NUMBA_BOUNDSCHECK="1")


def test_unknown_game() -> None:
    command = [sys.executable, "-m", "daemon", "bench", "go"]
    process = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert process.returncode == 2 and "invalid choice: 'go'" in process.stderr
