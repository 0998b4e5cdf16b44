"""The site of the documents: both languages are built without a warning, and no link is broken."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import siqi

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILD, TRANSLATIONS = (runpy.run_path(str(DOCS / name)) for name in ("build.py", "translations.py"))

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

IN_BOTH = ("guide", "library", "protocol", "results")
"""The folders whose pages users need in both languages."""

ENGLISH_ONLY = ("library/api.md",)


def build(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DOCS / "build.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without a warning."""
    folder = tmp_path_factory.mktemp("site") / "site"
    done = build(folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.mark.long
def test_the_site(site: Path) -> None:
    english, chinese = (site / language for language in ("en", "zh"))
    assert "Plug it into a GUI" in (english / "index.html").read_text(encoding="utf-8")
    text = (chinese / "index.html").read_text(encoding="utf-8")
    assert "接入界面程序" in text and 'lang="zh-CN"' in text and 'href="../en/index.html">English' in text
    assert (english / "protocol/index.html").exists() and (chinese / "protocol/index.html").exists()
    for name in siqi.__all__:
        if name[0].islower() and not name.startswith("_"):
            assert f'id="siqi.{name}"' in (english / "library/api.html").read_text(encoding="utf-8"), name


@pytest.mark.long
def test_a_site_with_a_file_of_the_users_is_not_replaced(site: Path, tmp_path: Path) -> None:
    is_ours = BUILD["is_ours"]
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    assert is_ours(copy) and is_ours(tmp_path / "new")
    (copy / "CNAME").write_text("mine")
    assert not is_ours(copy)


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="not installed: chromium (Debian: chromium)")
@pytest.mark.parametrize("language, word", [("en", "antivirus"), ("zh", "乱码")])
def test_the_search_finds_pages(site: Path, language: str, word: str) -> None:
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        page = playwright.chromium.launch(executable_path=CHROMIUM, args=sandbox).new_page()
        page.goto(f"{(site / language / 'search.html').as_uri()}?q={word}")
        expect(page.locator("#search-results li a").first).to_be_visible(timeout=60_000)


def test_a_folder_that_is_no_site_stays(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = build(tmp_path)
    assert done.returncode == 2 and "stays as it is" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert build(tmp_path / "mine.txt").returncode == 2 and (tmp_path / "mine.txt").read_text() == "mine"
    assert build("--help").returncode == 2


def test_faults_of_links_and_warnings_are_found(tmp_path: Path) -> None:
    """A broken link, a heading that is not there, a picture that is missing and Sphinx's warnings are faults."""
    docs = tmp_path / "project/docs"
    (docs / "guide").mkdir(parents=True)
    for name in ("build.py", "conf.py"):
        shutil.copyfile(DOCS / name, docs / name)
    faulty = ("[a](review.md#no-such-heading)", "![b](../none.png)", "<a href='none.html'>c</a>", "```{nothing}\n```")
    texts = {
        "index": "# Index\n\n## Guide\n\n- [one](guide/gui{end}), [two](guide/review{end})\n",
        "guide/gui": "# One\n\n" + "\n\n".join(faulty) + "\n",
        "guide/review": "# Two\n",
    }
    for name, text in texts.items():
        for end in (".md", ".zh.md"):
            (docs / f"{name}{end}").write_text(text.replace("{end}", end))
    script = str(docs / "build.py")
    done = subprocess.run([sys.executable, script, str(tmp_path / "site")], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and not (tmp_path / "site").exists()
    for fault in ("no-such-heading", "none.png", "the link none.html", "nothing"):
        assert any(fault in line and "guide/gui" in line for line in done.stderr.splitlines()), (fault, done.stderr)


def test_every_page_that_users_need_has_both_languages() -> None:
    for folder in IN_BOTH:
        pages = {path.relative_to(DOCS).as_posix() for path in (DOCS / folder).glob("*.md")}
        english = {page for page in pages if not page.endswith(".zh.md")} - set(ENGLISH_ONLY)
        assert english, folder
        assert {page.removesuffix(".md") + ".zh.md" for page in english} == {page for page in pages if ".zh." in page}


def test_no_page_is_older_than_its_other_language() -> None:
    """`python docs/translations.py PAGE.zh.md` marks a Chinese page that says what the English one says now."""
    assert list(TRANSLATIONS["outdated"]()) == []


def test_an_older_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    english, chinese = tmp_path / "a.md", tmp_path / "a.zh.md"
    english.write_text("# One\n")
    chinese.write_text("# 一\n")
    (tmp_path / "b.zh.md").write_text("# 二\n")
    outdated, mark = TRANSLATIONS["outdated"], TRANSLATIONS["mark"]
    monkeypatch.setitem(outdated.__globals__, "ROOT", tmp_path)
    assert list(outdated()) == ["a.zh.md: older than a.md", "b.zh.md: there is no b.md"]
    (tmp_path / "b.zh.md").unlink()
    mark(chinese)
    assert list(outdated()) == [] and chinese.read_text().startswith("# 一\n\n<!-- English: ")
    english.write_text("# Two\n")
    assert list(outdated()) == ["a.zh.md: older than a.md"]
    mark(chinese)
    assert list(outdated()) == [] and chinese.read_text().count("<!--") == 1


def test_extras_are_installed_into_the_checkout() -> None:
    """`pip install '.[plots]'`, without -e, would replace the editable install, and the scripts with it."""
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert "history" in path.parts or not re.search(r"pip install (?!.*-e )", line), (path, line)


def test_the_pages_are_named_once() -> None:
    """Both index pages list the same pages, each once, and all that there are."""
    index, chinese = ((DOCS / f"index{end}").read_text(encoding="utf-8") for end in (".md", ".zh.md"))
    english, other = (re.findall(r"\]\(([^)]+\.md)\)", text)[1:] for text in (index, chinese))
    assert [name.replace(".zh.md", ".md") for name in other] == english and len(set(english)) == len(english)
