"""Every `dialogue` block of docs/protocol, held with the real process.

The blocks are like those of the language `session` (test_protocol.py), but a line is sent only when the answers above
it have come: referees' protocols refuse a move while the engine thinks.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from client import Client

ROOT = Path(__file__).parents[2]

BLOCK = re.compile(r"^```dialogue\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Dialogue(NamedTuple):
    """A block of a page."""

    page: str
    lines: list[str]


DIALOGUES = [
    Dialogue(page.stem, block.splitlines())
    for page in sorted((ROOT / "docs" / "protocol").glob("*.md"))
    if not page.name.endswith(".zh.md")
    for block in BLOCK.findall(page.read_text(encoding="utf-8"))
]


def pattern(expected: str) -> re.Pattern[str]:
    """Return the pattern of an answer; `...` stands for any text."""
    return re.compile(".*".join(map(re.escape, expected.split("..."))))


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=[f"{page}-{i}" for i, (page, _) in enumerate(DIALOGUES)])
def test_dialogue(dialogue: Dialogue) -> None:
    with Client() as client:
        for line in dialogue.lines:
            if line.startswith("> "):
                client.send(line.removeprefix("> "))
            else:
                (answer,) = client.expect(lambda _: True)
                assert pattern(line).fullmatch(answer), f"{line}: got {answer}"
        client.close_input()
        assert client.rest() == []
        assert client.end() == 0 and client.errors == ""


def test_the_referees_protocols_have_dialogues() -> None:
    pages = {page for page, _ in DIALOGUES}
    assert pages == {"botzone", "cloudict", "junqi", "myai", "sau"}
