"""Junqi's referee protocol: the daemon as a player, and the referee that plays two engines by it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import forked
import pytest
from client import Client
from fixture_files import vectors
from junqi_games import FIRST, swapped

from scripts.match import referee_junqi

ROOT = Path(__file__).parents[2]
DAEMON = f"{sys.executable} -m siqi"
RECORDS = vectors("junqi_games.jsonl")

ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "INFO": print("NAME fake", flush=True)
    if word == "START": print("ARRAY {array}", flush=True)
    if word == "GO": {go}
"""


def dialogue(*steps: tuple[str, int]) -> list[str]:
    """Send each line after the answers to the line before; return all answers.

    A step is a line and the number of its answers.
    """
    with Client() as client:
        answers = []
        for line, count in steps:
            client.send(line)
            answers += [client.expect(lambda _: True)[0] for _ in range(count)]
        client.close_input()
        answers += client.rest()
        assert client.end() == 0
        return answers


def test_a_dialogue_of_the_second_side() -> None:
    name, array, move = dialogue(
        ("INFORMATION 1.0", 1), ("START 1 2 31", 1), ("GO F4E3 3 00", 1), ("RESULT 3 00", 0), ("END 2", 0)
    )
    assert name == "NAME Siqi"
    assert array.startswith("ARRAY ") and len(array) == 31
    assert move.startswith("BESTMOVE ") and move[9] in "GHIJKL"  # the engine's pieces are at the bottom


def test_faults_of_the_referee_have_one_line_each() -> None:
    answers = dialogue(
        ("INFO 1.0", 1),
        ("GO 0000 0 00", 1),
        ("START", 1),
        ("START 2 1800 31", 1),
        ("RESULT 1 00", 1),
        ("HELLO", 1),
        ("START 0 2 31", 1),
        ("GO Z9F0 3 00", 1),
        ("GO F0G0 x 00", 1),
    )
    assert [answer.split()[0] for answer in answers] == ["NAME", *["ERROR"] * 5, "ARRAY", *["ERROR"] * 2]


def play(log: Path, *engines: str, clock: float = 5, games: int = 1) -> list[list[str]]:
    """Play a match; return the fields of its log, one list for each game."""
    arguments = ["play", *engines, "--clock", str(clock), "--games", str(games), "--log", str(log)]
    done = forked.run(*arguments, program=ROOT / "scripts/match/referee_junqi.py")
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines()]


def test_two_engines_play_by_the_protocol(tmp_path: Path) -> None:
    games = play(tmp_path / "games.tsv", DAEMON, DAEMON)
    assert [game[:3] for game in games] == [["game_1", "Siqi", "Siqi"]]
    for game in games:
        assert game[7] in ("flag", "immobile", "quiet")
        assert referee_junqi.replay("\t".join(game)) is None


@pytest.mark.parametrize(
    ("go", "array", "reason"),
    [
        ('print("BESTMOVE L1K1", flush=True)', FIRST, "illegal"),
        ('print("BESTMOVE nonsense", flush=True)', FIRST, "illegal"),
        ("pass", FIRST, "time"),
        ("sys.exit()", FIRST, "crash"),
        ("pass", swapped(FIRST, "G0", "L1"), "illegal"),
    ],
)
def test_faults_of_an_engine_lose(tmp_path: Path, go: str, array: str, reason: str) -> None:
    fake = tmp_path / "fake.py"
    fake.write_text(ENGINE.format(array=array, go=go))
    (game,) = play(tmp_path / "games.tsv", f"{sys.executable} {fake}", DAEMON, clock=1)
    assert game[6:] == ["second", reason]
    if array == FIRST:
        assert referee_junqi.replay("\t".join(game)) is None


def logged(record: dict[str, Any], winner: str, reason: str) -> str:
    words = " ".join(word.replace("=", "") for word in record["moves"])
    return "\t".join([record["id"], "A", "B", record["first"], record["second"], words, winner, reason])


def test_logs_that_the_rules_do_not_agree_with() -> None:
    record = RECORDS[0]
    assert referee_junqi.replay(logged(record, "first", "flag")) is None
    assert referee_junqi.replay(logged(record, "先手胜利", "")) is None
    assert "second by flag in the log" in str(referee_junqi.replay(logged(record, "second", "flag")))
    shorter = {**record, "moves": record["moves"][:-1]}
    assert "None by the rules" in str(referee_junqi.replay(logged(shorter, "first", "flag")))
    longer = {**record, "moves": [*record["moves"], "A1A2=3"]}
    assert "over before ply" in str(referee_junqi.replay(logged(longer, "first", "flag")))
    changed = {**record, "moves": ["G2F2=0", *record["moves"][1:]]}
    assert "ply 1: impossible result" in str(referee_junqi.replay(logged(changed, "first", "flag")))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_games_of_real_referees(record: dict[str, Any]) -> None:
    ends = {"flag": ("first", "second")[record["winner"] or 0], "illegal": "first", "cut": "cut(31-rule)"}
    assert referee_junqi.replay(logged(record, ends[record["end"]], record["end"])) is None
