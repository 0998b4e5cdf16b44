"""The wheel holds all that is needed: it is built, installed into a clean environment and run there. `pytest -m
long`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def siqi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("siqi-*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    subprocess.run([folder / "venv/bin/python", "-m", "pip", "install", "-q", wheel], check=True)
    return folder / "venv/bin/siqi"


def run(siqi: Path, *words: str, given: str = "") -> str:
    """Run a command in the root folder, without our sources and with nothing of this environment except the cache."""
    environment = {"SIQI_CACHE": str(siqi.parent / "cache")}
    done = subprocess.run(
        [siqi, *words], input=given, cwd="/", env=environment, text=True, capture_output=True, timeout=600, check=True
    )
    assert "warning" not in done.stdout and "internal" not in done.stdout
    return done.stdout


def test_all_games_and_books(siqi: Path) -> None:
    run(siqi, "warm")
    assert "compil" not in run(siqi, given="isready\n")
    given = """
        setoption name OwnBook value true
        position startpos
        book
        go nodes 1000
        position fen 3k5/9/9/9/9/9/9/9/4R4/4K4 w
        book
        setoption name UCI_Variant value connect6
        position startpos moves j10
        book
        go nodes 1000
        setoption name UCI_Variant value ewn
        position fen 5/1A3/2e2/3d1/5 f 3
        book
        position startpos
        book
        go nodes 1000
        setoption name UCI_Variant value junqi
        position startpos
        go nodes 1000
    """
    lines = run(siqi, given=given).splitlines()
    assert sum(line.startswith("bestmove") for line in lines) == 4
    for word in ("book opening", "book rule", "book pattern", "book endgame win", "book endgame chance", "book set-up"):
        assert any(line.startswith(word) for line in lines), (word, [line for line in lines if line[:4] == "book"])


def test_analysis_and_the_rest_of_the_command_line(siqi: Path) -> None:
    assert '"bestmove"' in run(siqi, "analyse", given='{"id": "a", "depth": 2}\n')
    assert run(siqi, "--version").startswith("siqi ")
    assert "analyse" in run(siqi, "--help") and "siqi" in run(siqi, "completion", "bash")
