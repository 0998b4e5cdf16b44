"""Protocols of moves one by one, with a scripted engine: the calls that lines cause, and the lines for events."""

from __future__ import annotations

import json

import pytest
from junqi_games import FIRST
from scripted import (
    NOTHING,
    Abandon,
    Go,
    NewGame,
    Session,
    SetOption,
    SetPosition,
    Stop,
)

from siqi import __version__
from siqi.daemon.engine.events import (
    Kind,
    Refusal,
    Refused,
)
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.scheduler import State
from siqi.daemon.frontends import cloudict, myai, named
from siqi.games.contract import Score


@pytest.mark.parametrize(
    "lines, answer",
    [
        (("name?", "new black"), "j10"),
        (("INFO 1.0", "START 0 60 31"), FIRST),
        ((json.dumps({"requests": [NOTHING], "responses": []}),), "b0c2"),
        (("name", "ini R"), "123456"),
        (("name", "new black"), "j10"),
    ],
)
def test_a_refused_search_has_one_answer(lines: tuple[str, ...], answer: str) -> None:
    """A refused search has one answer; then the engine waits for the client's next line."""
    client = Session(*lines)
    (said,) = client.break_off("a fault")
    assert "a fault" in said
    again = lines[-1]
    client.say(again)
    assert client.answer(answer) != []


@pytest.mark.parametrize(
    "lines, refused, answer",
    [
        (("name?", "new black"), ("move ABAC", "error"), "j10"),
        (("name", "new black"), ("move ABAC", "white ABAC", "next"), "j10"),
        (("INFO 1.0", "START 0 60 31"), ("GO 0000 0 00", "RESULT 3 00"), FIRST),
    ],
)
def test_what_comes_while_the_engine_thinks_is_refused(
    lines: tuple[str, ...], refused: tuple[str, ...], answer: str
) -> None:
    client = Session(*lines)
    for line in refused:
        (error,) = client.say(line)
        assert error.startswith("ERROR ") and line in error
    assert not [call for call in client.calls() if isinstance(call, Go | Stop)]
    assert len(client.answer(answer)) == 1


def test_a_throw_may_be_sent_ahead_of_the_set_up() -> None:
    client = Session("name", "ini R")
    assert client.say("get R 1 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3") == []
    assert client.answer("123456") == ["A1 B1 C1 A2 B2 A3"]
    assert client.calls()[-1] == Go(Limits(240_000, 240_000))
    assert client.answer("a5b4") == ["A1 B2"]


def test_a_bad_line_changes_nothing() -> None:
    """A bad line that would begin or end a game changes nothing."""
    for lines, bad, answer, said in (
        (("name?", "new black"), "new foo", "j10", "move JJ@@"),
        (("name", "new black"), "end", "j10", "move JJJJ"),
        (("INFO 1.0", "START 0 60 31"), "START 7", FIRST, f"ARRAY {FIRST}"),
        (("name", "ini R"), "ini X", "123456", "A1 B1 C1 A2 B2 A3"),
    ):
        client = Session(*lines)
        (error,) = client.say(bad)
        assert error.startswith("ERROR") and client.calls() == []
        assert client.answer(answer) == [said]


@pytest.mark.parametrize(
    "lines, end, begin, answer, first",
    [
        (("name?", "new black", "move ABAC"), "end", "new black", "j10", "move JJ@@"),
        (("name?", "new black", "move ABAC"), "new white", "new black", "j10", "move JJ@@"),
        (("name", "new black"), "new white", "new black", "j10", "move JJJJ"),
        (("INFO 1.0", "START 0 60 31", "GO 0000 0 00"), "END 1", "START 0 60", FIRST, f"ARRAY {FIRST}"),
        (
            ("name", "ini R", "get R 1 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"),
            "ini B",
            "ini R",
            "123456",
            "A1 B1 C1 A2 B2 A3",
        ),
    ],
)
def test_the_end_of_a_game_ends_queued_requests(
    lines: tuple[str, ...], end: str, begin: str, answer: str, first: str
) -> None:
    client = Session(*lines)
    said = client.say(end)
    assert client.calls()[:1] == [Abandon()]
    said += client.answer(answer)
    assert not [line for line in said if not line.startswith("ERROR")]
    while client.engine.state is not State.READY:
        said += client.answer(answer)
    client.say(begin)
    assert client.answer(answer) == [first]


def test_refusals_have_the_clients_squares() -> None:
    client = Session("name", "new white")
    client.say("black JJJJ")
    assert client.say("white AAJJ") == ["ERROR illegal move, JJ is taken: AAJJ"]
    sau_ = Session("name?", "new white", "move JJ@@")
    sau_.answer("i9k11")
    assert sau_.say("move AAJJ") == ["ERROR illegal move, JJ is taken: AAJJ"]
    referee = Session("INFO 1.0", "START 1 60 31")
    referee.answer(FIRST)
    referee.engine.refusals["set_position"] = Refusal(Kind.MOVE, "illegal move: G2F2=1@A1", 2)
    assert referee.say("GO F2G2 1 00") == ["ERROR illegal move: F2G2=1@L3"]


@pytest.mark.parametrize("first", ["name?", "name\ndepth 2"])
def test_words_like_points_are_quoted_as_they_came(first: str) -> None:
    """`a0` is no point: translating it into letters ended the process."""
    client = Session(*first.split("\n"))
    assert client.say("setoption name a0 value 3") == ["ERROR unknown option: a0 (siqi options lists all)"]
    (answer,) = client.say('{"source":"j10 a0"}')
    assert answer.startswith('ERROR unknown command: {"source":"j10 a0"} (see siqi docs protocol/')


@pytest.mark.parametrize("line", ["new blue", "new", "new BLACK", "new xxx"])
def test_sau_s_sides_are_black_and_white(line: str) -> None:
    client = Session("name?")
    (answer,) = client.say(line)
    assert answer.startswith("ERROR ") and client.calls() == []


@pytest.mark.parametrize(
    "begin, line",
    [
        (("xboard", "new"), "setboard 3k5/9/9/9/9/9/9/9/9/4K4 w moves e0e1"),
        (("xboard", "new"), "option UCI_Variant=connect6"),
        (("INFO 1.0", "START 1 60 31"), "GO F4G4H4I4 3 00"),
        (("INFO 1.0", "START 0 60 31"), "GO F4G4 3 A1A2"),
        (("INFO 1.0", "START 0 60 31"), "GO F9G9 3 00"),
        (("INFO 1.0", "START 0 60 31"), "START 2 60"),
        (("name?", "new white"), "move AA@@BB"),
        (("name", "version"), "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A1"),
        (("name", "version"), "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3 moves"),
        (("name", "version"), "time_setting 5s"),
        (("name", "version"), "ini X"),
    ],
)
def test_a_field_has_its_shape(begin: tuple[str, ...], line: str) -> None:
    client = Session(*begin)
    if begin[0] == "INFO 1.0":
        client.answer(FIRST)
    client.calls()
    (answer,) = client.say(line)
    assert answer.lower().startswith("error")
    assert client.calls() == []


def test_options_in_uci_s_words() -> None:
    """Options can be set in UCI's words, as programs that wrap the engine do, but not the game."""
    client = Session("name?")
    client.say("setoption name Depth value 1")
    assert client.calls() == [SetOption("Depth", "1")]
    assert client.say("setoption name uci_variant value ewn") == [
        "ERROR option uci_variant: the protocol has chosen connect6"
    ]
    assert client.say("setoption name Depth value 99") == ["ERROR option Depth: 99 is not within 0..47"]


def test_the_clock_is_the_games_own(now: list[int]) -> None:
    client = Session("INFO")
    now[0] = 5_000_000_000
    client.say("START 0 100 31", ns=now[0])
    assert client.calls()[-1] == Go(Limits(100_000, 100_000))
    now[0] += 2_000_000_000
    client.answer(FIRST)
    client.say("GO 0000 0 00", ns=now[0])
    assert client.calls()[-1] == Go(Limits(98_000, 98_000))


def test_a_line_that_waited_costs_no_time_twice(now: list[int]) -> None:
    client = Session("name", "ini R")
    client.say("get R 1 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", ns=3_000_000_000)
    now[0] = 10_000_000_000
    client.answer("123456")
    now[0] = 12_000_000_000
    client.answer("a5b4")
    client.say("get R 1 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", ns=now[0])
    assert [call for call in client.calls() if isinstance(call, Go)] == [
        Go(Limits(230_000, 230_000)),
        Go(Limits(228_000, 228_000)),
    ]


def test_a_referee_s_squares_are_turned_for_the_second_side() -> None:
    client = Session("INFO 1.0")
    assert client.engine.info.name == "junqi"
    client.say("START 1 1800 31")
    assert client.calls() == [NewGame(), SetPosition(None, "?"), Go(Limits(1_800_000, 1_800_000))]
    assert client.answer(FIRST) == [f"ARRAY {FIRST}"]
    client.say("GO F4G4 1 A1")
    played = SetPosition(None, f"? {FIRST} G0F0=1@L3")
    assert client.calls()[:2] == [played, played]
    assert client.report(Score(3), "F1F0=0") == []
    assert client.answer("F1F0=0") == ["BESTMOVE G3G4"]
    client.calls()
    assert client.say("RESULT 2 00") == [] and client.calls() == []
    assert client.say("GO F3G3 3 00") == []
    assert client.calls()[0] == SetPosition(None, f"? {FIRST} G0F0=1@L3 F1F0=2 G1F1=3")


def test_rows_are_counted_from_either_end() -> None:
    sau_, cloudict_ = Session("name?", "new white"), Session("name", "new white")
    sau_.say("move AAJJ")
    assert sau_.calls()[0] == SetPosition(None, "a19j10")
    cloudict_.say("black AA")
    assert cloudict_.calls() == [SetPosition(None, "a1")]
    for client, centre, row in ((Session("name?"), "JJ@@", "18"), (Session("name", "depth 3"), "JJJJ", "2")):
        client.say("new black")
        assert client.answer("j10") == [f"move {centre}"]
        client.say("move AAAB")
        assert client.answer(f"b{row}c{row}") == ["move BBCB"]


def test_an_option_s_error_is_no_answer_to_a_move() -> None:
    client = Session("name", "depth 1")
    assert client.say("depth 500") == ["ERROR option Depth: 500 is not within 0..47"]
    client.say("new white", "move JJJJ")
    assert client.answer("i9k11") == ["move IIKK"]


def test_cloudict_refuses_bad_turns() -> None:
    client = Session("name", "new xxx", "black JJJJ")
    (answer,) = client.say("white JJJK", "white KKLL", "black IIHH", "next")
    assert answer == "ERROR illegal move, JJ is taken: JJJK"
    assert client.calls()[-2:] == [SetPosition(None, "j10 k11l12 i9h8"), Go(Limits(900_000, 900_000, movetime=9500))]


@pytest.mark.parametrize("lines", [("name?", "new black"), ("name", "new black")])
def test_a_turn_of_connect6_takes_ten_seconds_unless_the_user_says_otherwise(lines: tuple[str, ...]) -> None:
    client = Session(*lines[:1])
    client.say(*lines[1:])
    (go,) = (call for call in client.calls() if isinstance(call, Go))
    assert go.limits == Limits(900_000, 900_000, movetime=9500)
    assert go.limits.budget(0, 0, 22, 10, 2.0) == (9490, 9490)
    client = Session(*lines[:1], "setoption name MoveTime value 60000")
    client.say(*lines[1:])
    assert client.calls()[-1] == Go(Limits(900_000, 900_000))  # the engine knows the option


def test_sau_s_platform_may_not_take_a_turn() -> None:
    client = Session("name?", "new black")
    client.answer("j10")
    client.calls()
    client.say("error", "move ABAC")
    assert client.calls()[0] == SetPosition(None, "a18a17")


def test_the_game_is_over() -> None:
    client = Session("name", "get R 1 E5 D5 C5 E4 D4 E3 0 0 0 0 0 0")
    assert client.end_game(Score(0, 0)) == ["ERROR the game is over"]


def test_myai_s_time_applies_at_once(now: list[int]) -> None:
    """`time_setting` applies before any `ini`, after one, and after a search; a new game has the whole time."""
    get = "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"
    client = Session("name", "time_setting 7")
    for line, seconds in (("", 7), ("ini R", 7), ("time_setting 3", 3), ("ini B", 3)):
        if line:
            client.say(line, ns=now[0])
        if line.startswith("ini"):
            client.answer("123456")
        client.calls()
        client.say(get, ns=now[0])
        ms = 1000 * seconds
        assert client.calls() == [SetPosition("ABC2/DE3/F3f/3ed/2cba f 3"), Go(Limits(ms, ms))]
        now[0] += 2_000_000_000
        assert client.answer("c5d4") == ["C1 D2"]


def test_myai_s_settings() -> None:
    client = Session("name", "version")
    assert client.say("name", "version", "time_setting 5", "board_setting 5 6") == ["Siqi", __version__, "1", "1"]
    assert client.say("board_setting 6 6") == ["ERROR the board is 5 x 5 with six pieces a side: board_setting 6 6"]
    client.say("ini B")
    assert client.answer("123456") == ["E5 D5 C5 E4 D4 E3"]


def test_a_client_that_asks_for_the_name_is_known_by_its_next_word() -> None:
    for line, game, chosen in (
        ("version", "ewn", myai.MyAi),
        ("ini R", "ewn", myai.MyAi),
        ("new black", "connect6", cloudict.Cloudict),
        ("depth 3", "connect6", cloudict.Cloudict),
        ("rubbish", "connect6", cloudict.Cloudict),
    ):
        client = Session("name")
        front_end = client.front_end
        assert isinstance(front_end, named.Named)
        assert client.say("name") == ["name Siqi"]
        assert client.post(Refused(Kind.INTERNAL, "x")) == []  # no protocol is selected yet
        client.say(line)
        assert client.calls()[0] == SetOption("UCI_Variant", game)
        assert type(client.front_end) is chosen
