"""What is installed is whole: source distribution, wheels, an editable installation, a checkout without links.

Unmarked: the lists of files, and a wheel that starts. `pytest -m long`: five installations play and write reviews.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from siqi.daemon.commands.documents import documents_folder, listed
from siqi.games import registry
from siqi.system.languages import LANGUAGES

ROOT = Path(__file__).parents[2]

LINKS = ("daemon", "games", "books")
"""Links at the top level into the package, for those who know the old paths."""

OPENINGS = {"xiangqi": "", "connect6": "", "ewn": " moves 123456 615243", "junqi": ""}


def tracked() -> list[str]:
    """Return the files of the checkout that git knows, without the links; all of a copy that has no repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    names = listed.splitlines() or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    return [name for name in names if name not in LINKS and (ROOT / name).exists()]


def copied(folder: Path) -> Path:
    """Copy the checkout as an archive without symbolic links has it."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def build(source: Path, into: Path, kind: str) -> Path:
    """Build a distribution of a kind, `sdist` or `wheel`, with the packages that are installed here."""
    words = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(into), str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = into.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return path


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build(ROOT, folder, "sdist")) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def pages() -> set[str]:
    """Return the files that `siqi docs` prints, in both languages."""
    return {page.path.relative_to(ROOT).as_posix() for language in LANGUAGES for page in listed(ROOT, language)}


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if name.startswith("siqi/")}


def test_the_source_distribution_has_every_file(sdist: Path) -> None:
    beside = ("siqi/", "scripts/", "tests/", "docs/")
    wanted = {name for name in tracked() if name.startswith(beside) or ("/" not in name and name.endswith(".md"))}
    actual = {str(path.relative_to(sdist)) for path in sdist.rglob("*") if path.is_file()}
    assert wanted - actual == set()
    assert not [name for name in actual if name.split("/")[0] in LINKS]


def test_both_wheels_are_the_package_and_start(sdist: Path, tmp_path: Path) -> None:
    """The wheel of the checkout and that of the source distribution hold the same files, and what is unpacked plays."""
    wheels = [build(source, tmp_path / str(number), "wheel") for number, source in enumerate((ROOT, sdist))]
    names = names_in(wheels[0])
    package = {name for name in tracked() if name.startswith("siqi/")} - pages()
    wanted = package | {f"siqi/documents/{page}" for page in pages()}
    assert names == names_in(wheels[1]) == wanted
    with zipfile.ZipFile(wheels[1]) as archive:
        archive.extractall(tmp_path / "site")
    assert documents_folder(tmp_path / "site/siqi") == tmp_path / "site/siqi/documents"
    assert documents_folder(tmp_path / "siqi") is None
    given = b"isready\nposition startpos\ngo nodes 300\n"
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-m", "siqi"], input=given, cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert b"bestmove " in done.stdout and b"(none)" not in done.stdout
    assert b"warning" not in done.stdout and b"compiling" not in done.stdout  # the same kernels


# ---------------------------------------------------------------- installations


@pytest.mark.long
@pytest.mark.parametrize("kind", ["tree", "sdist", "sdist-wheel", "editable", "without-links"])
def test_an_installation_plays_and_reviews(
    kind: str, sdist: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Installed outside the checkout, it plays a move of each game and writes a review."""
    source: dict[str, list[str]] = {
        "tree": [str(ROOT)],
        "sdist": [str(sdist)],
        "sdist-wheel": [str(build(sdist, tmp_path / "wheel", "wheel"))],
        "editable": ["-e", str(copied(tmp_path / "editable"))],
        "without-links": [str(copied(tmp_path / "copy"))],
    }
    python = tmp_path / "venv/bin/python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *source[kind]], check=True, cwd=tmp_path)
    cache = tmp_path_factory.getbasetemp() / "installed-cache"
    lines = ["isready"]
    for name in registry.NAMES:
        lines += [f"setoption name UCI_Variant value {name}", f"position startpos{OPENINGS[name]}"]
        lines += [*(["dice 2"] if name == "ewn" else []), "go nodes 200"]
    environment = {"SIQI_CACHE": str(cache), "PATH": os.environ["PATH"]}

    def run(*words: str, given: str = "") -> str:
        done = subprocess.run(
            [tmp_path / "venv/bin/siqi", *words],
            input=given, cwd=tmp_path, env=environment, text=True, capture_output=True, check=True, timeout=600,
        )  # fmt: skip
        return done.stdout

    out = run(given="\n".join(lines) + "\n")
    assert out.count("bestmove ") == len(registry.NAMES) and "(none)" not in out and "error" not in out
    assert run("docs", "match").startswith("# Play engines against each other\n")
    run("review", "startpos moves h2e2 h9g7", "--nodes", "200", "-o", "review.html")
    assert "<html" in (tmp_path / "review.html").read_text(encoding="utf-8")


# ---------------------------------------------------------------- links


def test_nothing_goes_through_the_links_at_the_top() -> None:
    """Code, tests and documents name the real paths: in a checkout without links they hold, too."""
    # Of scripts/books the tests name the scripts alone: books/check_patterns.
    links = r"(?<![\w/.\-])([ab]/)?(daemon|games|books)/(?!build_|check_)(?=[\w<*{])"
    path = re.compile(rf"{links}|ROOT / \"(daemon|games|books)\b")
    of_users = {"docs/guide/files.md", "docs/guide/files.zh.md", "tests/commands/test_convert.py"}
    endings = (".py", ".md", ".toml", ".sh", ".txt")
    names = [
        name
        for name in tracked()
        if name.endswith(endings)
        and name not in of_users
        and not name.startswith(("tests/golden", "tests/support/fix"))
    ]
    this = Path(__file__).relative_to(ROOT).as_posix()
    actual = [name for name in names if name != this and path.search((ROOT / name).read_text(encoding="utf-8"))]
    assert actual == []


@pytest.mark.skipif(os.name == "nt", reason="a checkout of Windows may have no links")
def test_the_links_lead_into_the_package() -> None:
    """Old paths go on working."""
    for name in LINKS:
        if (ROOT / name).is_symlink():
            assert (ROOT / name).resolve() == (ROOT / "siqi" / name).resolve()
