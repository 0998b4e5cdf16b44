"""Every example of protocol.md, docs/protocol and the papers' pages, replayed against the real process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import forked
import pytest

from siqi.daemon.command_line import run
from siqi.daemon.commands.option_list import groups, markdown
from siqi.daemon.engine.options import declared, names_for_game

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 120
"""Longest wait for one example, compiling included."""


PAGES = [
    ROOT / "protocol.md",
    *sorted((ROOT / "docs/protocol").glob("*.md")),
    *sorted((ROOT / "docs/results").glob("paper-*.md")),
]
"""The pages with dialogues; a Chinese page has the English one's examples."""


class Example(NamedTuple):
    """A fenced session."""

    page: str  # relative to the root
    heading: str  # the last one above it
    lines: list[str]


def examples() -> list[Example]:
    """Return the examples of all English pages."""
    return [
        Example(page.relative_to(ROOT).as_posix(), heading, lines)
        for page in PAGES
        if not page.name.endswith(".zh.md")
        for heading, lines in sessions(page.read_text(encoding="utf-8"))
    ]


def sessions(text: str) -> list[tuple[str, list[str]]]:
    """Return (heading, lines) of each fenced session of a page."""
    sessions = []
    heading = ""
    block: list[str] | None = None
    for line in text.splitlines():
        if line.startswith("#") and block is None:
            heading = line.strip("# ")
        elif line == "```session":
            block = []
        elif line == "```" and block is not None:
            sessions.append((heading, block))
            block = None
        elif block is not None:
            block.append(line)
    return sessions


EXAMPLES = examples()


def pattern(expected: list[str]) -> str:
    """Return a regular expression for the whole answer."""
    parts = []
    for line in expected:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n")
    return "".join(parts)


@pytest.mark.parametrize(
    "example",
    [
        # The signatures are checked in each run of scripts/test.sh.
        pytest.param(
            example,
            id=f"{Path(example.page).stem}-{number}-{example.heading}",
            marks=pytest.mark.long if example.heading == "bench" else (),
        )
        for number, example in enumerate(EXAMPLES)
    ],
)
def test_example(example: Example) -> None:
    sent = [line[2:] for line in example.lines if line.startswith("> ")]
    expected = [line for line in example.lines if not line.startswith("> ")]
    process = forked.run(given="".join(f"{line}\n" for line in sent).encode(), timeout=TIMEOUT_S)
    answer = re.sub(r"info (string|message) compil.*\n", "", process.stdout.decode())
    assert re.fullmatch(pattern(expected), answer), f"{example.page}, {example.heading}: got\n{answer}"
    assert process.returncode == 0 and process.stderr == b""


def test_every_command_has_a_section() -> None:
    from siqi.daemon.frontends.uci import Uci

    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("protocol.md", "docs/protocol/commands.md"))
    assert [name for name in Uci.commands if f"\n## {name}\n" not in text] == []


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs/protocol/options.md").read_text(encoding="utf-8")
    assert [option.name for option, _ in declared() if f"\n| {option.name} |" not in text] == []


def test_the_default_of_a_combo_is_its_first_value() -> None:
    """A combo's first value is its default, since uci2wb sets it."""
    combos = [option for option, _ in declared() if option.kind == "combo"]
    assert combos and [option.name for option in combos if option.choices[0] != option.default] == []


def test_no_text_is_taken_for_a_check() -> None:
    """No name is part of a check's name: uci2wb would take the option for a check, and set a file's name to `false`."""
    names = {option.name: option.kind for option, _ in declared()}
    checks = [name for name, kind in names.items() if kind == "check"]
    assert [name for name, kind in names.items() if kind != "check" and any(name in check for check in checks)] == []


@pytest.mark.parametrize(("page", "language"), [("options.md", "en"), ("options.zh.md", "zh")])
def test_the_tables_of_options_are_those_of_the_command(page: str, language: str) -> None:
    """The pages have the sections and tables that `siqi options --markdown` writes, in their order."""
    text = (ROOT / "docs" / "protocol" / page).read_text(encoding="utf-8")
    sections = ["\n".join(markdown([group], language)).strip() for group in groups() if group[1]]
    places = [text.find(f"\n{section}\n") for section in sections]
    assert -1 not in places and places == sorted(places)
    assert "\n".join(markdown(groups(), language)).count("\n## ") == len(sections) - 1


def test_every_option_has_a_meaning_in_both_languages() -> None:
    for option, _ in declared():
        assert option.help.english and not option.help.english.endswith(".")
        assert re.search("[\u4e00-\u9fff]", option.help.chinese) and not option.help.chinese.endswith("。"), option.name
        words = [re.findall(r"`[\w.-]+`", text) for text in option.help]
        assert set(words[0]) == set(words[1]), option.name


@pytest.mark.parametrize("arguments", [[], ["ewn"], ["junqi", "--language", "zh"], ["connect6", "--markdown"]])
def test_options_of_a_game(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["options", *arguments]) == 0
    shown = re.findall(r"^(?:  |\| )([A-Z][\w ]*?) (?: |\|)", capsys.readouterr().out, re.MULTILINE)
    expected = names_for_game(arguments[0]) if arguments else (option.name for option, _ in declared())
    assert set(shown) == set(expected)
