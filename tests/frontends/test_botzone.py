"""Botzone's JSON with a scripted engine: the calls that lines cause, and the lines written for events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted import (
    NOTHING,
    Go,
    NewGame,
    Session,
    SetDice,
    SetOption,
    SetPosition,
)

from siqi.daemon.engine.limits import Limits
from siqi.daemon.frontends import botzone as botzone_


def history(*turns: Any, **more: Any) -> str:
    return json.dumps({"requests": turns[::2], "responses": turns[1::2]} | more)


@pytest.mark.parametrize(
    "request_, fault",
    [
        ({"source": "h2", "target": "e2 h9g7"}, "a square"),
        ({"source": "h2", "target": "e2\nquit"}, "a square"),
        ({"source": "moves", "target": "e2"}, "a square"),
        ({"source": "h2e2 h9g7 moves", "target": ""}, "a square"),
        ({"source": ["h2"], "target": "e2"}, "a square"),
        ({"source": "h\u0662", "target": "e2"}, "a square"),
        ({"source": "h2", "target": "e2", "dice": "3 go"}, "a die"),
        ({"source": "h2", "target": "e2", "dice": 7}, "a die"),
        ({"setup": "123456 a5a4", "source": "a5"}, "a set-up"),
    ],
)
def test_a_field_of_botzone_s_is_one_word(request_: dict[str, Any], fault: str) -> None:
    """A malformed field, in a later request or anywhere in a history, leads to no call and changes nothing."""
    ewn = "setup" in request_
    nothing = {"setup": "-1"} if ewn else NOTHING
    request = {"target": "a4"} | request_
    for turns in ((nothing, nothing, request), (nothing, request, nothing)):
        if "dice" in request_ and turns[1] is request:
            continue  # a response has no die
        client = Session("{}")
        (answer,) = client.say(history(*turns))
        assert fault in json.loads(answer)["error"]
        assert not [call for call in client.calls() if not isinstance(call, SetOption)]
        (answer,) = client.say(json.dumps(request_))
        assert "needs requests" in json.loads(answer)["error"]
    client = Session(history(nothing))
    client.answer("123456" if ewn else "h2e2")
    client.calls()
    (answer,) = client.say(json.dumps(request))
    assert fault in json.loads(answer)["error"] and client.calls() == []
    client.say(json.dumps({"setup": "654321", "dice": 1} if ewn else {"source": "h9", "target": "g7"}))
    assert client.calls()[0] == SetPosition(None, "123456 654321" if ewn else "h2e2 h9g7")


@pytest.mark.parametrize("limit", ["0.0001", "-1", "1e300", "1e999"])
def test_botzone_s_odd_time_limits(limit: str) -> None:
    client = Session("{}")
    client.say(f'{{"requests": [{json.dumps(NOTHING)}], "responses": [], "time_limit": {limit}}}')
    go = client.calls()[-1]
    assert isinstance(go, Go) and go.limits.movetime is not None and 1 <= go.limits.movetime <= 3600_000


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"requests": [', 'not JSON: {"requests": ['),
        ("{}", "the first line needs requests"),
        ('{"requests": []}', "one more request than responses is needed"),
        ('{"requests": [{}]}', "source is missing"),
        ('{"requests": [{"x0": 1}]}', "y0 is missing"),
        ('{"requests": 5}', 'a value of the wrong kind: {"requests": 5}'),
        (history(NOTHING, time_limit="soon"), "time_limit: not a number of seconds"),
        (f'{{"requests": [{json.dumps(NOTHING)}], "time_limit": NaN}}', "time_limit: not a number of seconds"),
    ],
)
def test_botzone_s_errors_are_words(line: str, error: str) -> None:
    (answer,) = Session("{}").say(line)
    assert json.loads(answer) == {"error": error}


def test_botzone_s_turns() -> None:
    client = Session("{}")
    client.say(history(NOTHING, {"source": "h2", "target": "e2"}, {"source": "h9", "target": "g7"}, time_limit=0.1))
    calls = client.calls()
    assert [call for call in calls if not isinstance(call, SetPosition)] == [NewGame(), Go(Limits(movetime=70))]
    assert calls[-2] == SetPosition(None, "h2e2 h9g7")
    response = json.dumps({"response": {"source": "b0", "target": "c2"}})
    assert client.answer("b0c2") == [response, botzone_.KEEP_RUNNING]
    (answer,) = client.say('{"source": "h9", "target": "g7"}')
    assert "illegal move" in json.loads(answer)["error"]


def test_botzone_s_stones_and_dice() -> None:
    client = Session(history({"x0": 9, "y0": 9, "x1": -1, "y1": -1}))
    assert client.engine.position.turn == 1
    response = json.dumps({"response": {"x1": 10, "y1": 8, "x0": 8, "y0": 10}})
    assert json.loads(client.answer("i9k11")[0]) == json.loads(response)
    (answer,) = client.say('{"x0": -2, "y0": 1, "x1": 1, "y1": 1}')
    assert "beyond" in json.loads(answer)["error"]
    client = Session(history({"setup": "-1"}))
    assert client.answer("123456")[0] == '{"response": {"setup": "123456"}}'
    client.calls()
    client.say('{"setup": "654321", "dice": 6}')
    assert client.calls()[-3:] == [SetPosition(None, "123456 654321"), SetDice(6), Go(Limits(movetime=700))]


def test_botzone_s_next_game_may_be_another() -> None:
    client = Session(history(NOTHING))
    client.answer("b0c2")
    client.say(history({"x0": 9, "y0": 9, "x1": -1, "y1": -1}))
    assert client.answer("i9k11") != []
    assert client.calls()[-2] == SetPosition(None, "j10")
