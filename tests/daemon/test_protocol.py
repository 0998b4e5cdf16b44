"""Every example of protocol.md, replayed against the real process."""

from __future__ import annotations

import re
from pathlib import Path

import forked
import pytest

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 120
"""Longest wait for one example, compiling included."""


def examples() -> list[tuple[str, list[str]]]:
    """Return (heading, lines) of each fenced session."""
    found = []
    heading = ""
    block: list[str] | None = None
    for line in (ROOT / "protocol.md").read_text().splitlines():
        if line.startswith("#"):
            heading = line.strip("# ")
        elif line == "```session":
            block = []
        elif line == "```" and block is not None:
            found.append((heading, block))
            block = None
        elif block is not None:
            block.append(line)
    return found


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


@pytest.mark.parametrize("heading, lines", EXAMPLES, ids=[f"{i}-{name}" for i, (name, _) in enumerate(EXAMPLES)])
def test_example(heading: str, lines: list[str]) -> None:
    sent = [line[2:] for line in lines if line.startswith("> ")]
    expected = [line for line in lines if not line.startswith("> ")]
    process = forked.run(given="".join(f"{line}\n" for line in sent).encode(), timeout=TIMEOUT_S)
    answer = re.sub(r"info (string|message) compil.*\n", "", process.stdout.decode())
    assert re.fullmatch(pattern(expected), answer), f"{heading}: got\n{answer}"
    assert process.returncode == 0 and process.stderr == b""


def test_every_command_has_a_section() -> None:
    from siqi.daemon.frontends.uci import Uci

    text = (ROOT / "protocol.md").read_text()
    assert [name for name in Uci.commands if f"\n## {name}\n" not in text] == []


def test_every_option_is_documented() -> None:
    from siqi.daemon.engine.options import declared

    text = (ROOT / "protocol.md").read_text()
    assert [option.name for option, _ in declared() if f"\n| {option.name} |" not in text] == []


def test_the_default_of_a_combo_is_its_first_value() -> None:
    """uci2wb sets a combo to its first value."""
    from siqi.daemon.engine.options import declared

    combos = [option for option, _ in declared() if option.kind == "combo"]
    assert combos and [option.name for option in combos if option.choices[0] != option.default] == []


def test_no_text_is_taken_for_a_check() -> None:
    """uci2wb takes each option for a check whose name is part of a check's, and sets a file's name to `false`."""
    from siqi.daemon.engine.options import declared

    names = {option.name: option.kind for option, _ in declared()}
    checks = [name for name, kind in names.items() if kind == "check"]
    assert [name for name, kind in names.items() if kind != "check" and any(name in check for check in checks)] == []
