"""The walked examples of docs/develop hold: a copy of the sources with all of them passes what scripts/test.sh checks.

A page has three kinds of blocks: Python whose first line is a path is a new file, a diff changes files, and a console
session has commands, each after `$ `, with their standard output. `...` stands for any text, and alone in a line for
any lines. The commands run in the copy, one page after the other, and must succeed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "develop"

PLAIN = ("option", "game", "format", "front-end")
"""The pages whose changes compile no kernel, each after the pages that it builds on."""

BLOCK = re.compile(r"^```(python|diff|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

CACHE = "siqi/games/kernel/cache.py"


def blocks(page: str, kind: str) -> list[str]:
    return [
        text for language, text in BLOCK.findall((PAGES / f"{page}.md").read_text(encoding="utf-8")) if language == kind
    ]


def new_files(page: str) -> dict[str, str]:
    """Return the content of each new file by its path."""
    return {text.partition("\n")[0].removeprefix("# "): text for text in blocks(page, "python")}


def copied(folder: Path, pages: Iterable[str], has_own_kernels: bool = False) -> Path:
    """Copy the checkout to a folder and change it as pages say; return the folder.

    Unless the copy has kernels of its own, it finds those of the checkout: their cache's name is a hash of the sources
    beside cache.py, which is a link then.
    """

    def ignored(path: str, names: list[str]) -> set[str]:
        return {"books"} if Path(path) == ROOT / "siqi" else set()

    for name in ("docs", "scripts", "siqi", "tests"):  # with what is compiled: 2 s
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*.py"), ROOT / "pyproject.toml"):
        shutil.copy2(path, folder)
    (folder / "siqi/books").symlink_to(ROOT / "siqi/books")
    if not has_own_kernels:
        (folder / CACHE).unlink()
        (folder / CACHE).symlink_to(ROOT / CACHE)
    for page in pages:
        for name, text in new_files(page).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
        for diff in blocks(page, "diff"):
            subprocess.run(["git", "apply", "-"], cwd=folder, input=diff, text=True, check=True)
    return folder


def run(command: str, folder: Path) -> str:
    """Run a command of the shell in a copy, and return its standard output; the test fails if the command does."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", f'siqi() {{ python -m siqi "$@"; }}\n{command}'],
        cwd=folder,
        env=os.environ | {"PATH": programs, "PYTHONPATH": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(f"{command}\nstatus {done.returncode}\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout


def printed(expected: list[str]) -> re.Pattern[str]:
    """Return the pattern of a command's output."""
    lines = ("(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in expected)
    return re.compile("".join(lines))


def try_commands(page: str, folder: Path) -> None:
    """Run the commands of a page; the test fails if one fails or prints another output."""
    sessions = [re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] for text in blocks(page, "console")]
    assert any(sessions), page
    for step in (step for session in sessions for step in session):
        command, _, shown = step.partition("\n")
        out = run(command, folder)
        assert printed(shown.splitlines()).fullmatch(out), (command, out)


TESTS = (
    "tests/games/test_conformance.py tests/games/test_records.py tests/frontends/test_transcripts.py "
    "tests/frontends/test_protocol.py tests/structure/test_structure.py"
)


@pytest.mark.long
def test_the_examples_do_what_the_pages_show(tmp_path: Path) -> None:
    """The commands of the pages, then the conformance tests, the transcripts, and the tests that the pages add."""
    sources = copied(tmp_path / "sources", PLAIN)
    for page in PLAIN:
        try_commands(page, sources)
    added = [name for page in PLAIN for name in new_files(page) if name.rpartition("/")[2].startswith("test_")]
    assert len(added) == 2
    run(f"python -m pytest {TESTS} {' '.join(added)}", sources)


UPWARD = (
    ("siqi/games/ewn/board.py", "siqi.games.tictactoe.board"),
    ("siqi/games/search/threads.py", "siqi.games.tictactoe.board"),
    ("siqi/games/tictactoe/board.py", "siqi.games.tictactoe.formats.table"),
    ("siqi/daemon/engine/engine.py", "siqi.games.tictactoe.board"),
    ("siqi/daemon/frontends/gtp.py", "siqi.daemon.frontends.myai"),
    ("siqi/daemon/frontends/uci_family.py", "siqi.daemon.frontends.gtp"),
)
"""Imports that the contracts refuse, although none of them names the game or the protocol of the pages. They make no
cycle, so that each is refused for what it is."""


@pytest.mark.long
def test_the_examples_pass_the_static_checks(tmp_path: Path) -> None:
    """Style, types and contracts of a copy with all pages; the contracts see wrong imports of what the pages add."""
    sources = copied(tmp_path / "sources", (*PLAIN, "heuristic"))
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", sources / ".mypy_cache")
    run("ruff check . && ruff format --check . && lint-imports && mypy", sources)
    for name, module in UPWARD:
        with (sources / name).open("a", encoding="utf-8") as file:
            file.write(f"import {module}\n")
    report = " ".join(run("lint-imports || true", sources).split())
    assert "no cycle in any folder KEPT" in report
    for name, module in UPWARD:
        assert f"{name.removesuffix('.py').replace('/', '.')} -> {module} (" in report, (name, module)


@pytest.mark.long
def test_the_heuristic_does_what_its_page_shows(tmp_path: Path) -> None:
    """It compiles kernels."""
    try_commands("heuristic", copied(tmp_path / "sources", ("heuristic",), has_own_kernels=True))
