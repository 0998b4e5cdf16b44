"""Options of engines: what an engine lacks, or would ignore, is said before the first game."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from match_command import match
from nim import engine_command, play_nim

from siqi.daemon.clients import make_player
from siqi.daemon.clients.options import UCI_LINE, declared_options
from siqi.daemon.clients.player import EngineSpec, OptionError, PlayerLimits
from siqi.daemon.command_line import build_parser
from siqi.daemon.match.command import MISUSED, settings_from
from siqi.daemon.match.config import ConfiguredEngine
from siqi.daemon.match.engines import configured_engine
from siqi.games import registry

MINUTE = PlayerLimits(clock_ms=60_000)


def play(folder: Path, *words: str) -> int:
    """Play a match of the toy whose engine B has further words; both write what they read."""
    engines = [f"{letter.upper()}={engine_command(folder, 'one', letter)}" for letter in "ab"]
    return match(
        "xiangqi", engines[0], f"{engines[1]} {shlex.join(words)}", "--log", folder / "m.jsonl", "--games", "2"
    )


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("Strength=10", "B: Strength is a whole number from 1 to 9, not 10"),
        ("strength=much", "B: Strength is a whole number from 1 to 9, not much"),
        ("Strength=", "B: Strength is a whole number from 1 to 9, not empty"),
        ("Strenght=2", "B has no option Strenght, did you mean Strength?"),
        ("option.Strength=2", "B has no option option.Strength, did you mean Strength?"),
        ("uci_varaint=ewn", "B has no option uci_varaint, did you mean UCI_Variant?"),
    ],
)
def test_wrong_options_are_one_line_before_the_first_game(
    word: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play_nim(monkeypatch)
    assert play(tmp_path, word) == MISUSED
    printed = capsys.readouterr()
    assert printed.err.splitlines()[1:] == [f"siqi match: {complaint}"] and not printed.out  # after what will be played
    assert not any(line.startswith("go") for line in (tmp_path / "a.txt").read_text().splitlines())
    assert not (tmp_path / "m.jsonl").exists()


def test_an_option_is_said_as_the_engine_spells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play_nim(monkeypatch)
    assert play(tmp_path, "strength=9") == 0
    assert "setoption name Strength value 9" in (tmp_path / "b.txt").read_text().splitlines()


LINES = (
    "option name Skill Level type spin default 20 min 0 max 20",
    "option name Ponder type check default false",
    "option name Style type combo default Solid var Solid var Very Risky",
    "option name Book File type string default <empty>",
    "option name Threads type spin default 1 min 1",
    "option name Free type combo default x",
)


@pytest.mark.parametrize(
    ("name", "good", "bad", "fault"),
    [
        ("Skill Level", ("0", "20"), ("-1", "21", "1.5", "٣", "9" * 5000), "a whole number from 0 to 20"),
        ("Ponder", ("true", "False"), ("on", "1", ""), "true or false"),
        ("Style", ("Solid", "very risky"), ("Risky", "x"), "one of Solid, Very Risky"),
        ("Book File", ("", "a b"), (), ""),
        ("Threads", ("1", "99999"), ("0",), "a whole number from 1"),
        ("Free", ("x", "y"), (), ""),
    ],
)
def test_values_of_options(name: str, good: tuple[str, ...], bad: tuple[str, ...], fault: str) -> None:
    (option,) = (option for option in declared_options(UCI_LINE, LINES) if option.name == name)
    assert [option.fault(value) for value in good] == [""] * len(good)
    assert [option.fault(value) for value in bad] == [fault] * len(bad)


ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "ucci":
        print("option usemillisec type check default false\\noption Style type combo var solid var risky\\nucciok")
    elif word == "protover":
        print('feature variants="xiangqi" memory=1 option="Level -spin 5 0 9" option="Learn -check 1"')
        print('feature option="Style -combo solid /// *risky" option="Log -file x"')
        print('feature option="Skill Rank -spin 1 0 3" done=1')
    elif word == "isready":
        print("readyok")
    else:
        print("heard", line, end="", file=sys.stderr)
    sys.stdout.flush()
"""


@pytest.mark.parametrize(
    ("protocol", "options", "heard"),
    [
        ("ucci", {"style": "risky"}, ["setoption usemillisec true", "setoption Style risky"]),
        ("ucci", {"style": "bold"}, "E: Style is one of solid, risky, not bold"),
        ("ucci", {"usemilisec": "true"}, "E has no option usemilisec, did you mean usemillisec?"),
        (
            "xboard",
            {"level": "9", "Learn": "false", "Style": "solid"},
            ["option Level=9", "option Learn=0", "option Style=solid"],
        ),
        ("xboard", {"hash": "8", "Log": "a b", "learn": "1"}, ["memory 8", "option Log=a b", "option Learn=1"]),
        ("xboard", {"Hash": "much"}, "E: Hash is a whole number from 1, not much"),
        ("xboard", {"Level": "10"}, "E: Level is a whole number from 0 to 9, not 10"),
        ("xboard", {"Style": "bold"}, "E: Style is one of solid, risky, not bold"),
        ("xboard", {"Learn": "maybe"}, "E: Learn is true or false, not maybe"),
        ("xboard", {"Threads": "2"}, "E has no option Threads"),
        ("xboard", {"Rank": "2"}, 'E has no option Rank; in quotes of its own: "Skill Rank=2"'),
    ],
)
def test_options_of_ucci_and_cecp(
    protocol: str, options: dict[str, str], heard: list[str] | str, tmp_path: Path
) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    command = shlex.join([sys.executable, "-ISu", str(tmp_path / "engine.py")])
    spec = EngineSpec("E", command, options, MINUTE, protocol=protocol)
    player = make_player(spec, registry.info("xiangqi"), 60)
    try:
        if isinstance(heard, str):
            with pytest.raises(OptionError) as raised:
                player.start()
            assert str(raised.value) == heard
        else:
            player.start()
            said = [line.split(maxsplit=2)[2] for line in player.dialogue if line.startswith(">")]
            assert said[1 if protocol == "ucci" else 2 :][: len(heard)] == heard
    finally:
        player.close()


@pytest.mark.parametrize(
    ("engines", "complaint"),
    [
        (
            ("random", "siqi@Skill", "Level=5"),
            "engine siqi@Skill: OPTION=VALUE is expected, not Skill; an engine and its options are one argument, in "
            "quotes: 'siqi@Skill Level=5'",
        ),
        (
            ("random", "./mine", "Hash=64"),
            "engine Hash=64: 64 is no program; an engine and its options are one argument, in quotes: "
            "'./engine Hash=64'",
        ),
        (
            ("random", "./mine", "proto=uci"),
            "engine proto=uci: uci is no program; an engine and its options are one argument, in quotes: "
            "'./engine proto=uci'",
        ),
    ],
)
def test_words_without_quotes(
    engines: tuple[str, ...], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match("ewn", *engines, "--log", tmp_path / "m.jsonl") == MISUSED
    assert capsys.readouterr().err == f"siqi match: {complaint}\n"


def test_an_engine_of_a_file_is_written_as_on_the_command_line() -> None:
    spec = configured_engine(ConfiguredEngine("", "siqi@nodes=5,Skill Level=3", {"Hash": "8"}), MINUTE)
    assert (spec.name, spec.command) == ("siqi@nodes=5,Skill Level=3", "siqi")
    assert spec.options == {"Skill Level": "3", "Hash": "8"} and spec.limits == PlayerLimits(nodes=5)
    spec = configured_engine(ConfiguredEngine("x", "./mine --quiet Hash=4", {"Hash": "8"}), MINUTE)
    assert (spec.name, spec.command, spec.options) == ("x", "./mine --quiet", {"Hash": "8"})


def test_the_first_screen_of_the_help_answers_a_newcomer(capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks "two engines, 100 games, who is better?" finds the line, an option with a space, and all others."""
    assert match("--help") == 0
    top = capsys.readouterr().out
    assert len(top.splitlines()) <= 26 and "'siqi@Skill Level=5' --games 100" in top and "[--games N]" in top
    assert "All options: siqi match xiangqi --help" in " ".join(top.split())
    for game in registry.NAMES:
        assert match(game, "--help") == 0
        screen = capsys.readouterr().out.splitlines()[:25]
        examples = [line for line in screen if line.startswith(f"  siqi match {game} ")]
        assert len(examples) == 3 and "--games 100" in examples[0] and '"Skill Level=5"' in examples[1]
        for example in examples:
            options = build_parser().parse_args(shlex.split(example)[1:])
            assert len(settings_from(vars(options)).engines) == 2
        assert any("--games N" in line for line in screen)
