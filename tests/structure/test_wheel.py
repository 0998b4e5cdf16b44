"""The wheel is complete: it is built, installed into a clean environment and run there (`pytest -m long`)."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.long


PIP = ("-m", "pip", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, *PIP, "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True)
    (path,) = folder.glob("siqi-*.whl")
    return path


def environment_with(folder: Path, *packages: str | Path) -> Path:
    """Return the folder of programs of a new virtual environment, with packages installed in their order."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for package in packages:
        subprocess.run([folder / "bin/python", *PIP, "install", "-q", package], check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def siqi(wheel: Path) -> Path:
    return environment_with(wheel.parent / "venv", wheel) / "siqi"


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


def test_the_wheel_holds_one_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    about = wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"
    assert {name.split("/")[0] for name in names} == {"siqi", about}
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.parametrize("comes_first", ["siqi", "python-daemon"])
def test_another_distribution_s_package_named_daemon(wheel: Path, comes_first: str, tmp_path: Path) -> None:
    """python-daemon installs `daemon`: both work, in any order, and each can be uninstalled alone."""
    packages = [wheel, "python-daemon"] if comes_first == "siqi" else ["python-daemon", wheel]
    bin_ = environment_with(tmp_path / "venv", *packages)

    def python(*words: str) -> bool:
        done = subprocess.run([bin_ / "python", *words], cwd=tmp_path, capture_output=True, check=False)
        return done.returncode == 0

    ours, theirs = ("-m", "siqi", "--version"), ("-c", "import daemon; daemon.DaemonContext")
    assert python(*ours) and python(*theirs)
    leaves, stays = ("python-daemon", ours) if comes_first == "siqi" else ("siqi", theirs)
    assert python(*PIP, "uninstall", "-y", leaves)
    assert python(*stays) and python(*ours) + python(*theirs) == 1


TYPED = """
import siqi

board: siqi.Board = siqi.position("xiangqi")
with siqi.Engine("xiangqi", {"Threads": 2}) as engine:
    result: siqi.PlayResult = engine.play(board, siqi.Limit(depth=1))
    lines: list[siqi.Info] = engine.analyse(board, siqi.Limit(nodes=100), multipv=2)
move: siqi.Move = board.parse_uci("h2e2")
other: siqi.Position = siqi.position("ewn")
text: str = siqi.__version__
number: str = board.push_uci("h2e2")
"""
"""A user's script, whose last line has a wrong type."""


def test_a_user_s_script_is_type_checked(wheel: Path, tmp_path: Path) -> None:
    bin_ = environment_with(tmp_path / "venv", wheel, "mypy")
    (tmp_path / "script.py").write_text(TYPED)
    done = subprocess.run(
        [bin_ / "mypy", "--strict", "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    (error, summary) = done.stdout.splitlines()
    assert error.startswith(f"script.py:{len(TYPED.splitlines())}: error: Incompatible types"), done.stdout
    assert summary.startswith("Found 1 error")
