"""`siqi docs`: the pages of the documents in a terminal."""

from __future__ import annotations

import pydoc
import re
import sys
from pathlib import Path

import pytest

from siqi.daemon.command_line import run
from siqi.daemon.commands.documents import FENCE, LINK, Page, find, listed, text_of
from siqi.system.languages import LANGUAGES, preferred_language

ROOT = Path(__file__).parents[2]

PAGES = {language: list(listed(ROOT, language)) for language in LANGUAGES}


def test_the_list_has_a_line_for_each_page_by_sections(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Guide:" in lines and "  guide/match            Play engines against each other" in lines
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [page.name for page in PAGES["en"]]
    assert run(["docs", "--language", "zh"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "指南:" in lines and "  guide/match            引擎对引擎" in lines


def test_both_languages_list_the_same_pages() -> None:
    assert [page.name for page in PAGES["zh"]] == [page.name for page in PAGES["en"]]
    assert len({page.name for page in PAGES["en"]}) == len(PAGES["en"])


@pytest.mark.parametrize(
    "name, title",
    [
        ("match", "# Play engines against each other"),
        ("docs/guide/match.md", "# Play engines against each other"),
        ("UCCI", "# UCCI: Xiangqi GUIs and the UCCI league"),
        ("protocol", "# The Siqi protocol"),
        ("protocol.zh.md", "# The Siqi protocol"),
        ("files", "# Convert game files"),
        ("library/files", "# Files of games"),
        ("results", "# Results"),
        ("scripts/README.md", "# Scripts"),
        ("index", "# Siqi (四棋)"),
        ("README", "# Siqi (四棋)"),
    ],
)
def test_a_page_by_the_end_of_its_name(name: str, title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", name]) == 0
    assert capsys.readouterr().out.startswith(f"{title}\n")


@pytest.mark.parametrize("name, meant", [("mtach", ", did you mean match?"), ("\x1b[2J", ""), ("atch", None)])
def test_a_page_that_is_not_there(name: str, meant: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", name]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("siqi docs: no page ") and err.endswith(" (siqi docs lists all)\n")
    assert "\x1b" not in err and (meant is None or meant in err)


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_say_where_they_lead(language: str) -> None:
    """Outside of examples no link is left, and each command that stands for one prints a page."""
    links = 0
    for page in PAGES[language]:
        text = FENCE.sub("", text_of(page.path, ROOT, PAGES[language]))
        assert not LINK.search(text) and "<!-- English" not in text, page
        for name in re.findall(r" \(siqi docs ([\w/-]+)", text):
            document = find(name, PAGES[language])
            assert document is not None and document.name == name, (page, name)
            links += 1
    assert links > 100


def test_forms_of_links(tmp_path: Path) -> None:
    (tmp_path / "docs/guide").mkdir(parents=True)
    page = tmp_path / "docs/guide/a.md"
    page.write_text(
        "# A\n\n[中文](a.zh.md), [b](../protocol/b.md#top), [above](#a), [top](../../protocol.md),\n"
        "![a board](a.png), [code](../../siqi/engine.py), [release](../../RELEASE.md), [site](https://example.org/x).\n\n"
        "```\n[b](b.md)\n```\n\n<!-- English: 12 -->\n"
    )
    assert text_of(page, tmp_path, [Page("", name, page) for name in ("guide/a", "protocol/b", "protocol")]) == (
        "# A\n\n中文 (siqi docs guide/a --language zh), b (siqi docs protocol/b), above, top (siqi docs protocol),\n"
        "[a board], code (siqi/engine.py), release (RELEASE.md), site (https://example.org/x).\n\n```\n[b](b.md)\n```"
    )


@pytest.mark.parametrize(
    "environment, language",
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
    ],
)
def test_the_language_of_the_locale(environment: dict[str, str], language: str) -> None:
    assert preferred_language(environment) == language


def test_the_locale_chooses_the_language(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert run(["docs", "match"]) == 0 and capsys.readouterr().out.startswith("# 引擎对引擎\n")
    assert run(["docs", "match", "--language", "en"]) == 0 and capsys.readouterr().out.startswith("# Play engines")
    assert run(["options", "skill"]) == 0 and capsys.readouterr().out.startswith("各棋种：\n")


def test_a_terminal_has_a_pager(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    paged: list[str] = []
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(pydoc, "pager", paged.append)
    assert run(["docs", "ugi"]) == 0
    assert paged[0].startswith("# UGI: ") and capsys.readouterr().out == ""
