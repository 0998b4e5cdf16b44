"""Scenarios of Botzone's bots."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from scenarios import scenario
from scenarios.players import position_after, push, random_move, random_turn

if TYPE_CHECKING:
    from record_transcripts import Recorder

COLUMNS = "abcdefghijklmnopqrs"
KEEP = ">>>BOTZONE"
NOTHING: dict[str, dict[str, Any]] = {
    "xiangqi": {"source": "-1", "target": "-1"},
    "connect6": {"x0": -1, "y0": -1, "x1": -1, "y1": -1},
    "ewn": {"setup": "-1"},
}


def begin(request: dict[str, Any], **more: Any) -> str:
    return json.dumps({"requests": [request], "responses": [], **more})


def stones(turn: str) -> dict[str, int]:
    """Return a turn of Connect6 with Botzone's coordinates."""
    points = re.findall(r"[a-s]\d+", turn)
    fields = {"x1": -1, "y1": -1}
    for i, point in enumerate(points):
        fields |= {f"x{i}": COLUMNS.index(point[0]), f"y{i}": 19 - int(point[1:])}
    return fields


def turn_of(response: dict[str, int]) -> str:
    pairs = [(response["x0"], response["y0"]), (response["x1"], response["y1"])]
    return "".join(f"{COLUMNS[x]}{19 - y}" for x, y in pairs if x >= 0)


def squares(move: str) -> dict[str, Any]:
    return {"setup": move} if move.isdigit() else {"source": move[:2], "target": move[2:]}


def answer(play: Recorder, line: str | dict[str, Any]) -> dict[str, Any]:
    text = line if isinstance(line, str) else json.dumps(line)
    answers = play.send(text, until=KEEP)
    response: dict[str, Any] = json.loads(answers[-2])["response"]
    return response


@scenario("botzone", nodes=200)
def xiangqi(play: Recorder) -> None:
    """A whole game as the second side, requests after its end, and a game that begins with the engine."""
    position = position_after("xiangqi")
    move = random_move(play.random, position)
    push(position, move)
    response = answer(play, begin(squares(move), time_limit="3600"))
    while True:
        push(position, response["source"] + response["target"])
        if position.outcome() is not None:
            break
        move = random_move(play.random, position)
        push(position, move)
        if position.outcome() is not None:
            play.send(json.dumps(squares(move)), until='{"error"')
            break
        response = answer(play, squares(move))
    play.send(json.dumps({"source": "a0", "target": "a1"}), until='{"error"')
    answer(play, begin(NOTHING["xiangqi"]))
    answer(play, {"source": "h9", "target": "g7"})
    for line in (
        {
            "requests": [{"source": "h2", "target": "e2"}, {"source": "h0", "target": "g2"}],
            "responses": [{"source": "h9", "target": "g7"}],
        },
        {
            "requests": [NOTHING["xiangqi"], {"source": "h9", "target": "g7"}],
            "responses": [{"source": "h2", "target": "e2"}],
        },
    ):
        answer(play, line)


@scenario("botzone", nodes=150)
def connect6(play: Recorder) -> None:
    """A whole game on either side."""
    for side in (1, 0):
        position = position_after("connect6")
        if side:
            push(position, "j10")
        request = stones("j10") if side else NOTHING["connect6"]
        response = answer(play, begin(request, time_limit="3600"))
        while True:
            push(position, turn_of(response))
            if position.outcome() is not None:
                break
            turn = random_turn(play.random, position)
            push(position, turn)
            response = answer(play, stones(turn))
        play.send(json.dumps(stones("a1b1")), until='{"error"')


@scenario("botzone", nodes=200)
def ewn(play: Recorder) -> None:
    """Whole games with set-ups and dice, on either side."""
    for side in (0, 1):
        position = position_after("ewn")
        request = NOTHING["ewn"]
        if side:
            push(position, "123456")
            request = {"setup": "123456"}
        response = answer(play, begin(request, time_limit=3600))
        while True:
            push(position, response["setup"] if "setup" in response else response["source"] + response["target"])
            if position.outcome() is not None:
                break
            move = random_move(play.random, position)
            push(position, move)
            if position.outcome() is not None:
                play.send(json.dumps(squares(move) | {"dice": 3}), until='{"error"')
                break
            die = play.random.randint(1, 6) if position.ply >= 2 else 0
            if die:
                position.set_dice(die)
            response = answer(play, squares(move) | ({"dice": die} if die else {}))
        play.send(json.dumps({"source": "a1", "target": "b1", "dice": 1}), until='{"error"')


FAULTS = (
    "{", "{}", "{]", "[1]", "3", "null", '"x"', "hello", "quit now", "uci", ">! {\\xff}\\n", '{"requests": 3}',
    '{"requests": []}', '{"requests": {}}', '{"requests": null}', '{"requests": ["x"]}', '{"requests": [{}]}',
    '{"requests": [], "responses": []}', '{"requests": [{}], "responses": []}', '{"requests": [[]], "responses": []}',
    '{"requests": [{"source": "h2"}], "responses": []}', '{"source": "x"}', '{"x0": 3}', '{"source": "h9"}',
    '{"requests": [{"source": "h2", "target": "e2"}], "responses": [{"source": "h2", "target": "e2"}]}',
    '{"requests": [{"source": "h2", "target": "e2"}, {"source": "h2", "target": "e2"}], "responses": [{}]}',
    '{"requests": [{"source": "x0", "target": "a9"}], "responses": []}',
    '{"requests": [{"source": "\\u56db", "target": "e2"}], "responses": []}',
    '{"requests": [{"source": "h2", "target": "e2 h9g7"}], "responses": []}',
    '{"requests": [{"source": ["h2"], "target": "e2"}], "responses": []}',
    '{"requests": [{"source": "h2", "target": "e2", "dice": 7}], "responses": []}',
    '{"requests": [{"source": "h2", "target": "e2", "dice": "3 go"}], "responses": []}',
    '{"requests": [{"x0": 19, "y0": 1, "x1": 1, "y1": 1}], "responses": []}',
    '{"requests": [{"x0": -2, "y0": 1, "x1": 1, "y1": 1}], "responses": []}',
    '{"requests": [{"x0": "a", "y0": 1, "x1": 1, "y1": 1}], "responses": []}',
    '{"requests": [{"x0": 1, "y0": 1}], "responses": []}', '{"requests": [{"setup": "12345"}], "responses": []}',
    '{"requests": [{"setup": 123456}, {"source": "a5", "target": "a4"}], "responses": [{"setup": "x"}]}',
    '{"requests": [{"source": "-1", "target": "-1"}], "responses": [], "time_limit": "x"}',
    '{"requests": [{"source": "-1", "target": "-1"}], "responses": [], "time_limit": "nan"}',
)  # fmt: skip
"""Lines that the front end refuses by itself, before a game is loaded and in one."""

ILLEGAL = (
    '{"requests": [{"source": "a0", "target": "a9"}], "responses": []}',
    json.dumps({"requests": [squares("h2e2"), squares("a9a9")], "responses": [squares("h9g7")]}),
    '{"requests": [{"x0": 1, "y0": 1, "x1": 1, "y1": 1}], "responses": []}',
    '{"requests": [{"x0": 1, "y0": 1, "x1": 2, "y1": 1}], "responses": []}',
    '{"requests": [{"setup": "123455"}], "responses": []}',
)  # fmt: skip
"""Histories with illegal moves."""


def any_line(_: str) -> bool:
    """Return True: any line ends the wait."""
    return True


@scenario("botzone", nodes=200)
def errors(play: Recorder) -> None:
    """Malformed JSON, malformed or illegal histories and requests, before a game and in it."""
    play.errors = True
    play.each(*FAULTS, until=any_line)
    play.each(*ILLEGAL, until=any_line)
    play.send('{"requests": [{"source": "h2", "target": "e2", "dice": 3}], "responses": []}', until=any_line)
    answer(play, begin(NOTHING["xiangqi"], time_limit="0.0001"))
    play.each(*FAULTS, ">* 65537 {", '{"source": "h9", "target": "h9"}', '{"setup": "123456"}', until=any_line)
    play.each(
        '{"source": "h9", "target": "g7", "dice": "x"}', '{"source": "h2", "target": "e2"}', '{"requests": "x"}',
        until=any_line,
    )  # fmt: skip
    answer(play, squares("h9g7"))
    answer(play, begin(NOTHING["connect6"], time_limit="1e300"))
    for turn in ("j10", "a19", "a19a19"):
        play.send(json.dumps(stones(turn)), until=any_line)
    play.each('{"x0": 30, "y0": 0, "x1": 0, "y1": 0}', '{"source": "h9", "target": "g7"}', until=any_line)
    answer(play, stones("a1b1"))
    answer(play, begin(NOTHING["ewn"], time_limit=None))
    play.each(
        '{"setup": "123455"}', '{"source": "a5", "target": "a4"}', '{"setup": "654321", "dice": 0}', until=any_line
    )
    play.each(
        '{"source": "e3", "target": "e9", "dice": 1}', '{"source": "e3", "target": "d3", "dice": "3"}', until=any_line
    )
    play.send(begin({"setup": "123456", "dice": 3}), until=any_line)
    play.send("quit", until=any_line)


@scenario("botzone", nodes=0)
def while_it_thinks(play: Recorder) -> None:
    """Requests that come while the engine thinks, and a new game that ends its search."""
    play.send(begin(NOTHING["xiangqi"], time_limit="3600"))
    play.each('{"source": "h9", "target": "g7"}', "hello", "{}", '{"requests": []}')
    play.send('{"requests": [{"source": "h2", "target": "e2"}, {}], "responses": [{}]}', until='{"error"')
    play.send(begin(squares("h2e2")), begin(squares("a0a9")), until='{"error"')
    play.send("{", until='{"error"')
    play.send(begin(NOTHING["ewn"]), begin(stones("j10k10")), until='{"error"')


@scenario("botzone", nodes=200)
def sent_ahead(play: Recorder) -> None:
    """The next request and the end of the input before the game is loaded."""
    play.send(begin({"source": "h2", "target": "e2"}), '{"source": "h0", "target": "g2"}', "hello", ">.", until=KEEP)
