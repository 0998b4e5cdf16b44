"""The command line, except the daemon itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from daemon import __version__
from daemon.command import SHELLS

ROOT = Path(__file__).parents[2]


def siqi(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "daemon", *arguments], capture_output=True, text=True, cwd=ROOT, check=False, timeout=300
    )
    assert done.returncode == status, done.stderr
    return done


def test_help_and_version() -> None:
    help_text = siqi("--help").stdout
    assert all(f"    {word}" in help_text for word in ("analyse", "bench", "warm", "completion"))
    assert siqi("--version").stdout == f"siqi {__version__}\n"
    assert "--resume" in siqi("analyse", "--help").stdout


@pytest.mark.parametrize(
    "words", ["dance", "analyse --workers 0", "analyse --resume x --output plot", "warm chess", "completion cmd"]
)
def test_what_it_does_not_know(words: str) -> None:
    done = siqi(*words.split(), status=2)
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("siqi ") or "error:" in done.stderr


def test_an_input_that_is_not_there() -> None:
    assert "No such file" in siqi("analyse", "nowhere.jsonl", status=1).stderr


def test_warm_compiles_what_is_missing_and_only_that() -> None:
    siqi("warm", "junqi")
    again = siqi("warm", "junqi").stdout
    match = re.fullmatch(r"(\d+) kernels compiled in [\d.]+ s, (\d+) were there\n", again)
    assert match and int(match[1]) == 0 and int(match[2]) > 10


@pytest.mark.parametrize("shell", SHELLS)
def test_completion(shell: str, tmp_path: Path) -> None:
    script = siqi("completion", shell).stdout
    assert all(word in script for word in ("analyse", "completion", "workers"))
    if shell == "bash":
        path = tmp_path / "siqi.bash"
        path.write_text(script)
        subprocess.run(["bash", "-n", path], check=True)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp932"])
@pytest.mark.parametrize(
    "words", [["--help"], ["convert", "--list"], ["completion", "powershell"], ["show"], ["show", "junqi.txt"]]
)
def test_an_output_that_cannot_show_all_characters(encoding: str, words: list[str], tmp_path: Path) -> None:
    """Code pages lack Chinese, or umlauts; a board then has letters."""
    (tmp_path / "junqi.txt").write_text("startpos")
    done = subprocess.run(
        [sys.executable, "-m", "daemon", *words],
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.decode(encoding).splitlines()) > 5


def test_both_spellings_of_analyse() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "daemon", "analyze"], input='{"id": "v", "action": "query_version"}\n',
        capture_output=True, text=True, cwd=ROOT, check=True, timeout=300,
    )  # fmt: skip
    assert f'"version":"{__version__}"' in done.stdout
    assert "analyze" in siqi("completion", "bash").stdout
    assert siqi("analyze", "--hash", "0", status=2).stderr.endswith("a whole number from 1 to 16384, not 0\n")


def test_bench_of_an_unknown_game() -> None:
    command = [sys.executable, "-m", "daemon", "bench", "go"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2 and "invalid choice: 'go'" in done.stderr
