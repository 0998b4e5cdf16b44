"""Junqi's referee protocol: the daemon as a player, and logs of referees replayed."""

from __future__ import annotations

from typing import Any

import pytest
from client import Client
from fixture_files import vectors

from scripts.match.replay_junqi import replay

RECORDS = vectors("junqi_games.jsonl")


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


def logged(record: dict[str, Any], winner: str, reason: str) -> str:
    words = " ".join(word.replace("=", "") for word in record["moves"])
    return "\t".join([record["id"], "A", "B", record["first"], record["second"], words, winner, reason])


def test_logs_that_the_rules_do_not_agree_with() -> None:
    record = RECORDS[0]
    assert replay(logged(record, "first", "flag")) is None
    assert replay(logged(record, "先手胜利", "")) is None
    assert "second by flag in the log" in str(replay(logged(record, "second", "flag")))
    shorter = {**record, "moves": record["moves"][:-1]}
    assert "None by the rules" in str(replay(logged(shorter, "first", "flag")))
    longer = {**record, "moves": [*record["moves"], "A1A2=3"]}
    assert "over before ply" in str(replay(logged(longer, "first", "flag")))
    changed = {**record, "moves": ["G2F2=0", *record["moves"][1:]]}
    assert "ply 1: impossible result" in str(replay(logged(changed, "first", "flag")))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_games_of_real_referees(record: dict[str, Any]) -> None:
    ends = {"flag": ("first", "second")[record["winner"] or 0], "illegal": "first", "cut": "cut(31-rule)"}
    assert replay(logged(record, ends[record["end"]], record["end"])) is None
