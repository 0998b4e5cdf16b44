"""The modules of the page of `siqi board`: types hold, nothing comes from elsewhere, both languages have all texts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from fixture_files import ROOT
from node_programs import INSTALLED, needs

from siqi.daemon.board.server import page_files
from siqi.games import registry

PAGE = ROOT / "siqi/daemon/board/page"
TSC = INSTALLED / ".bin/tsc"


@needs(TSC)
def test_types_hold(tmp_path: Path) -> None:
    for name, data in page_files().items():
        (tmp_path / name).write_bytes(data)
    words = "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution bundler"
    modules = sorted(map(str, tmp_path.glob("*.js")))
    done = subprocess.run(
        [TSC, *words.split(), "--lib", "es2022,dom,dom.iterable", *modules], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("path", sorted(PAGE.iterdir()), ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"(?:https?|wss?)://(?!\$\{location\.host\}|www\.w3\.org/2000/svg)", text)
    assert not re.findall(r"\b(?:eval|Function)\(|innerHTML|insertAdjacentHTML|document\.write|style=", text)


def test_both_languages_have_all_texts() -> None:
    text = "".join(page_files()[name].decode() for name in ("texts.js", "words.js"))
    tables = re.findall(r"const (TEXTS|REASONS) = \{\n  en: \{(.*?)\n  \},\n  zh: \{(.*?)\n  \},\n\};", text, re.DOTALL)
    assert [name for name, *_ in tables] == ["TEXTS", "REASONS"]
    for _, english, chinese in tables:
        keys = [re.findall(r"(?:^\s*|[,{]\s*)'?([\w-]+)'?: '", table, re.MULTILINE) for table in (english, chinese)]
        assert keys[0] == keys[1] and len(keys[0]) > 10
    used = {
        key
        for path in PAGE.iterdir()
        for key in re.findall(r"text\('(\w+)'|data-(?:text|label)=\"(\w+)\"|button\('(\w+)'", path.read_text("utf-8"))
    }
    known = set(re.findall(r"(?:^\s*|[,{]\s*)'?([\w-]+)'?: '", tables[0][1], re.MULTILINE))
    assert {key for keys in used for key in keys if key} <= known


def test_both_languages_have_the_words_of_rules() -> None:
    rules = page_files()["words.js"].decode().partition("const RULES")[2]
    tables = re.findall(r"  (?:en|zh): \{\n(.*?)\n  \},", rules, re.DOTALL)
    english, chinese = (dict(re.findall(r"(\w+): '([^']*)'", table)) for table in tables)
    assert english.keys() == chinese.keys() and len(english) == 4
    for key, text in english.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", chinese[key]))


@pytest.mark.parametrize("game", registry.NAMES)
def test_every_piece_has_a_name(game: str) -> None:
    info = registry.info(game)
    if len(info.pieces[0]) == 1 or info.has_dice:  # stones; numbers
        return
    text = (PAGE / "texts.js").read_text(encoding="utf-8")
    tables = re.findall(rf"{game}: \{{ (.*?) \}}", text)
    assert len(tables) == 2
    for table in tables:
        assert {letter.lower() for letter in info.pieces[0]} <= set(re.findall(r"(\w): '", table))
