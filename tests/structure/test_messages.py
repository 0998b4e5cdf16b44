"""The Chinese of the commands' messages: all are translated, each by its own entry, and no entry is left over."""

from __future__ import annotations

import ast
import errno
import json
import os
import re
from collections.abc import Iterator

import pytest
from messages import SIQI, file_of, messages, sentences, words_of
from pages import blocks

from siqi.system.messages import WORDS, Catalogue, load, parts_of

ENTRIES = {english: text for name, part in parts_of("zh") if name != WORDS for english, text in part.items()}
NAMES = {"binit"}.union(*map(words_of, ENTRIES.values()))
"""Words that Chinese texts have, too."""

OF_SYSTEM = {"[Errno {}] {}", *map(os.strerror, errno.errorcode)}
PLURAL = re.compile("(?:file|game)$")
"""The text before a value that is the ending of a plural, which Chinese does not have."""

ADD = """
No Chinese text for these messages of the commands. Add each to the file named, as "English": "中文", with {} for each
value ({0}, {1} if their order differs); parts before and after a ": " may be entries of their own. If a text is not
printed for people, tests/support/messages.py has to leave it out (NO_MESSAGE).
"""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load("zh")


def filled(text: str) -> tuple[str, list[str]]:
    """Return a message with a word for each value, or a clause right behind another value, and these."""
    values: list[str] = []

    def value(place: re.Match[str]) -> str:
        before = text[: place.start()]
        sample = f", did you mean q{len(values)}?" if before.endswith("}") else f"Q{len(values)}"
        values.append("s" if PLURAL.search(before) else sample)
        return values[-1]

    return re.sub(r"\{\}", value, text), values


def test_every_message_has_its_chinese(catalogue: Catalogue) -> None:
    """No words of a message stay English but the names of options and commands."""
    missing = []
    for text, place in messages().items():
        chinese = catalogue.translate(filled(text)[0])
        if set(words_of(chinese)) & set(words_of(text)) - NAMES:
            missing.append(
                f"siqi/messages/zh/{file_of(place)}.json: {json.dumps(text, ensure_ascii=False)}  (from {place})"
            )
    assert missing == [], ADD + "\n".join(missing)


def test_no_entry_is_left_over() -> None:
    used = {sentence for text in messages() for sentence in (text, *sentences(text))} | OF_SYSTEM
    unused = [english for english in ENTRIES if english not in used]
    assert unused == [], f"no source has these messages any more; remove them from siqi/messages/zh: {unused}"


def test_no_message_stands_twice() -> None:
    actual = [english for name, part in parts_of("zh") if name != WORDS for english in part]
    assert sorted(actual) == sorted(ENTRIES)
    for path in (SIQI / "messages/zh").glob("*.json"):
        names = [pair[0] for pair in json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)]
        assert len(names) == len(set(names)), path.name


def test_each_entry_has_the_values_of_its_message() -> None:
    for english, chinese in ENTRIES.items():
        places = re.findall(r"\{(\d?)(?::words)?\}", chinese)
        needed = {
            at for at, mark in enumerate(re.finditer(r"\{\}", english)) if not PLURAL.search(english[: mark.start()])
        }
        assert needed <= {int(place or at) for at, place in enumerate(places)} <= set(range(english.count("{}"))), (
            english
        )
        assert len(set(map(bool, places))) <= 1, f"either all values have numbers or none: {english}"


def test_each_message_finds_its_own_entry(catalogue: Catalogue) -> None:
    for english, translation in ENTRIES.items():
        text, values = filled(english)
        before = "Q" if english.startswith(",") else ""
        chinese = re.sub(r"\{(\d?):words\}", r"{\1}", translation).format(*map(catalogue.value, values))
        assert catalogue.translate(before + text) == before + chinese, english


def words_of_sources() -> Iterator[str]:
    for path in SIQI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_all_words_are_of_the_sources() -> None:
    assert set(dict(parts_of("zh"))[WORDS]) <= {text.strip(" ") for text in words_of_sources()}


PAGES = ("files", "match", "pictures", "review", "troubleshooting")


@pytest.mark.parametrize("page", PAGES)
def test_chinese_pages_show_the_chinese_messages(page: str, catalogue: Catalogue) -> None:
    """What the English page shows as a command's output, the Chinese page shows in Chinese."""
    chinese = (SIQI.parent / f"docs/guide/{page}.zh.md").read_text(encoding="utf-8").splitlines()
    lines = [line for block in blocks(f"guide/{page}.md", "text") for line in block.splitlines()]
    shown = [line for line in lines if not line.startswith("info string") and "worst ms" not in line]
    wanted = [catalogue.translate(line) for line in shown if catalogue.translate(line) != line]
    assert wanted and [line for line in wanted if line not in chinese] == []
