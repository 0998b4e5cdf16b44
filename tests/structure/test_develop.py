"""The walked examples of docs/develop are whole: applied to a copy of the sources, they do what the pages show.

A page has three kinds of blocks: Python whose first line is a path is a new file, a diff changes files, and a console
session has commands, each after `$ `, with their output. `...` stands for any text, and alone in a line for any lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "develop"

BEFORE = {"format": ("game",)}
"""The pages that a page builds on."""

BLOCK = re.compile(r"^```(python|diff|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str, kind: str) -> list[str]:
    return [text for found, text in BLOCK.findall((PAGES / f"{page}.md").read_text(encoding="utf-8")) if found == kind]


def apply(page: str, folder: Path) -> None:
    """Change a copy of the sources as a page says; its files are links until a page changes them."""
    for text in blocks(page, "python"):
        path = folder / text.partition("\n")[0].removeprefix("# ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for diff in blocks(page, "diff"):
        for name in re.findall(r"^--- a/(\S+)", diff, re.MULTILINE):
            (folder / name).unlink()
            shutil.copy(ROOT / name, folder / name)
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=folder, input=diff, text=True, check=True)


@pytest.fixture
def sources(page: str, tmp_path: Path) -> Path:
    """Return a copy of the sources, made of links if the page changes no kernel: real files name the kernels' cache."""
    folder = tmp_path / "sources"
    copy = shutil.copy if page == "heuristic" else os.symlink
    package = folder / "siqi"

    def ignored(path: str, names: list[str]) -> set[str]:
        return {"__pycache__", "books"} if Path(path) == ROOT / "siqi" else {"__pycache__"}

    shutil.copytree(ROOT / "siqi", package, copy_function=copy, ignore=ignored)
    (package / "books").symlink_to(ROOT / "siqi/books")
    return folder


def printed(expected: list[str]) -> re.Pattern[str]:
    """Return the pattern of a command's output."""
    lines = ("(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in expected)
    return re.compile("".join(lines))


def sessions(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page and their output."""
    found = [re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] for text in blocks(page, "console")]
    return [(command, shown) for session in found for command, _, shown in (one.partition("\n") for one in session)]


@pytest.mark.parametrize(
    "page", ["option", "game", "format", "front-end", pytest.param("heuristic", marks=pytest.mark.long)]
)
def test_a_page_does_what_it_shows(page: str, sources: Path, tmp_path: Path) -> None:
    for each in (*BEFORE.get(page, ()), page):
        apply(each, sources)
    tried = sessions(page)
    assert tried
    siqi = f'siqi() {{ "{sys.executable}" -m siqi "$@"; }}\n'
    for command, expected in tried:
        done = subprocess.run(
            ["bash", "-c", siqi + command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(sources)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert printed(expected.splitlines()).fullmatch(done.stdout), (command, done.stdout, done.stderr)


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.md")))
def test_a_page_fits_the_sources(page: str, sources: Path) -> None:
    for each in (*BEFORE.get(page, ()), page):
        apply(each, sources)
    for path in (sources / "siqi").rglob("*.py"):
        if not path.is_symlink():
            compile(path.read_text(encoding="utf-8"), str(path), "exec")
