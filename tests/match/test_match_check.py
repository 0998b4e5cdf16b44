"""`siqi match check`: each rule against an engine that keeps it and one that breaks it, and against our daemon."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from fixture_files import ROOT

from siqi.daemon.clients import CLASSES
from siqi.daemon.command_line import run
from siqi.daemon.match.check.checks import CHECKS
from siqi.daemon.match.check.command import FAILED, MISUSED, NOT_STARTED
from siqi.daemon.match.check.dialogue import Dialogue
from siqi.daemon.match.check.protocols import GAMES, PROTOCOLS
from siqi.games import registry

QUICK, PATIENT = "0.2", "5"
"""Factors for engines that break a rule, so that waits in vain are short, and for those that keep it."""


def check(*words: str) -> int:
    """Run `siqi match check` with these words; return its exit status."""
    try:
        return run(["match", "check", *words])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code


def engine(protocol: str, rule: str) -> str:
    """Return the command of an engine that breaks a rule, none by this name if it keeps all."""
    script = ROOT / "tests/support/checked_engine.py"
    return shlex.join([sys.executable, "-ISu", str(script), protocol, rule])


def results(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {line["check"]: line for line in lines}


BROKEN = [(next(p for p in CHECKS[name].protocols if p in ("uci", "xboard")), name) for name in CHECKS] + [
    ("ucci", "short-clock"),
    ("ucci", "no-move"),
    ("xboard", "options-echoed"),
    ("xboard", "bad-moves"),
    ("xboard", "short-clock"),
    ("xboard", "stop"),
    ("xboard", "new-game"),
    ("sau", "unknown-commands"),
    ("sau", "bad-moves"),
]


KEPT = {
    "uci a": ("uci", list(CHECKS)[::2]),
    "uci b": ("uci", list(CHECKS)[1::2]),
    "ugi": ("ugi", ["greeting", "move-time", "short-clock", "new-game"]),
    "ucci": ("ucci", ["options-echoed", "bad-options", "answer-form", "short-clock", "no-move", "ponder", "new-game"]),
    "xboard": (
        "xboard",
        ["options-echoed", "bad-moves", "illegal-move", "stop", "move-time", "short-clock", "new-game"],
    ),
    "sau": ("sau", ["unknown-commands", "bad-moves", "one-answer", "quit-in-search"]),
}
"""Checks of engines that keep the rules: all of them by UCI, and in each other protocol what it does otherwise."""


@pytest.mark.parametrize("part", KEPT)
def test_an_engine_that_keeps_the_rules(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    protocol, rules = KEPT[part]
    assert check(engine(protocol, "none"), "--json", "--proto", protocol, "--slow", PATIENT, "--only", *rules) == 0
    rows = results(capsys)
    assert list(rows) == rules
    for name, result in rows.items():
        assert result["result"] == ("pass" if protocol in CHECKS[name].protocols else "skip"), result


@pytest.mark.parametrize(("protocol", "rule"), BROKEN)
def test_an_engine_that_breaks_a_rule(protocol: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--proto", protocol, "--only", rule, "--slow", QUICK, "--json")
    assert check(engine(protocol, rule), *words) == FAILED
    result = results(capsys)[rule]
    assert result["result"] == "fail" and result["reason"]
    assert result["meaning"] == CHECKS[rule].why
    assert any(" > " in line for line in result["dialogue"])


def test_a_failure_is_shown_with_its_sentence_and_dialogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(engine("uci", "bad-moves"), "--only", "greeting", "bad-moves", "illegal-move") == FAILED
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(": xiangqi by uci; checks: 3")
    assert lines[1] == "pass  greeting"
    assert lines[2].startswith("fail  bad-moves  it ended (status 7): no answer to isready after 'position startpos mo")
    assert lines[3].strip() == CHECKS["bad-moves"].why
    assert lines[-4].endswith(" > position startpos moves zz") and lines[-3].endswith(" > isready")
    assert lines[-2:] == ["skip  illegal-move  not for uci", "1 passed, 1 failed, 1 not for this engine"]


def test_a_file_that_an_option_s_default_makes_is_none_of_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert check(engine("uci", "made-file"), "--only", "options-echoed", "--json", "--slow", PATIENT) == FAILED
    assert results(capsys)["options-echoed"]["reason"] == "it made the file '<empty>' in its folder"
    assert not list(tmp_path.iterdir())


def test_the_protocol_is_found_by_asking(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--only", "greeting", "--slow", "0.4")
    assert check(engine("ugi", "none"), *words, "--game", "xiangqi") == 0
    assert "xiangqi by ugi" in capsys.readouterr().out
    assert check(engine("sau", "none"), *words, "--game", "connect6") == 0
    assert "connect6 by sau" in capsys.readouterr().out
    assert check(f"{engine('ucci', 'none')} proto=ucci", *words) == 0
    assert "xiangqi by ucci" in capsys.readouterr().out
    assert list(PROTOCOLS) == list(CLASSES)  # those of a match


def test_an_engine_that_answers_in_no_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("false", "--slow", QUICK) == NOT_STARTED
    assert capsys.readouterr().err == "siqi match check: false does not start: engine ended with status 1\n"
    assert check("sleep 60", "--slow", "0.02", "--game", "connect6") == NOT_STARTED
    words = "sleep answers in no protocol (uci, sau, cloudict, ugi) within 0.4 s: give it proto=, if it is slow"
    assert capsys.readouterr().err == f"siqi match check: {words}\n"


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        (("/no/such/engine",), NOT_STARTED, "No such file or directory: /no/such/engine"),
        ((str(ROOT / "README.md"),), NOT_STARTED, "Permission denied"),
        (("false",), NOT_STARTED, "it ended (status 1): no end of the answer to uci"),
        ((engine("xboard", "none"), "--proto", "xboard", "--game", "ewn"), NOT_STARTED, "no einstein in its variants"),
        ((engine("uci", "none"), "--game", "chess"), NOT_STARTED, "it does not play chess: h2e2 after e2e4"),
        (("random",), MISUSED, "random is no program"),
        (("a='x",), MISUSED, "No closing quotation"),
        (("siqi", "--proto", "sau", "--game", "ewn"), MISUSED, "ewn is not played by sau"),
        (("siqi", "--only", "politeness"), MISUSED, "not politeness"),
        (("siqi", "--slow", "0"), MISUSED, "a number from 0.01"),
    ],
)
def test_engines_that_cannot_be_checked(
    words: tuple[str, ...], status: int, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    proto = () if "--proto" in words else ("--proto", "uci")
    assert check(*words, *proto, *(() if "--slow" in words else ("--slow", QUICK))) == status
    assert complaint in capsys.readouterr().err


def test_ranks_that_count_from_one_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = (ROOT / "tests/support/checked_engine.py").read_text()
    for word, other in (("h2e2", "h3e3"), ("h9g7", "h10g8")):
        script = script.replace(word, other)
    (tmp_path / "engine.py").write_text(script)
    program = shlex.join([sys.executable, "-ISu", str(tmp_path / "engine.py"), "uci", "none"])
    assert check(program, "--only", "no-waiting", "--slow", PATIENT) == 0
    assert "xiangqi by uci, ranks from 1; checks: 1" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell")
def test_what_an_engine_has_started_is_ended(tmp_path: Path) -> None:
    script = f"sleep 60 & echo $! > {tmp_path}/pid; cat; sleep 60"
    dialogue = Dialogue(["sh", "-c", script])
    dialogue.send("hello", "x" * 1_000_000)
    assert dialogue.wait_for(lambda line: line.text == "hello", 10) is not None
    started = time.monotonic()
    dialogue.close()
    assert time.monotonic() - started < 5
    pid = int((tmp_path / "pid").read_text())
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() - started < 5
        time.sleep(0.01)


def test_a_program_that_never_reads_or_never_stops_writing_hangs_no_check() -> None:
    started = time.monotonic()
    assert check("yes", "--slow", "0.01", "--proto", "sau", "--only", "long-line") == NOT_STARTED
    assert time.monotonic() - started < 20
    mute = Dialogue(["sleep", "60"])
    mute.send("x" * 10_000_000)
    assert mute.wait_for(lambda line: True, 0.05) is None and not mute.has_ended
    mute.close()


def test_games_and_checks_are_those_of_the_package() -> None:
    assert set(registry.NAMES) < set(GAMES)
    known = set(PROTOCOLS)
    assert all(set(rule.protocols) <= known and rule.why.endswith(".") for rule in CHECKS.values())


def test_our_daemon_keeps_rules_of_uci() -> None:
    assert check("siqi", "--only", "option-lines", "bad-moves", "no-waiting", "--slow", PATIENT) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("protocol", "game"), [(name, game) for name in PROTOCOLS for game in PROTOCOLS[name].games if game != "chess"]
)
def test_our_daemon_keeps_the_rules_of_every_protocol(
    protocol: str, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = check("siqi", "--proto", protocol, "--game", game, "--slow", "3")
    assert status == 0, capsys.readouterr().out
