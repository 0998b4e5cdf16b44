"""CECP with a scripted engine: the calls that lines cause, and the lines written for events."""

from __future__ import annotations

import random

import pytest
from scripted import (
    MATE_IN_ONE,
    Abandon,
    Call,
    EndGame,
    Go,
    Session,
    SetDice,
    SetOption,
    SetPosition,
)

from siqi.daemon.engine.limits import Limits
from siqi.games.contract import BookLine, Score


def xboard(*lines: str) -> Session:
    return Session("xboard", "protover 2", "new", *lines)


def test_xboard_s_clocks_are_the_engines_and_the_opponents() -> None:
    """`time` and `otim` come before `go`, which sets the engine's side."""
    client = xboard("easy", "level 0 5 0")
    client.say("force", "time 100", "otim 60000", "go")
    assert client.calls()[-1] == Go(Limits(1000, 600_000, 0, 0))


@pytest.mark.parametrize(
    "lines, limits",
    [
        (("level 40 0:30 2",), Limits(30_000, 30_000, 2000, 2000, 40)),
        (("level 0 5 0.5", "time 0"), Limits(300_000, 1, 500, 500)),
        (("st 3", "sd 4"), Limits(movetime=3000, depth=4)),
        (("st 3", "level 0 1 0", "sd 4"), Limits(60_000, 60_000, depth=4)),
    ],
)
def test_xboard_s_limits(lines: tuple[str, ...], limits: Limits) -> None:
    client = xboard(*lines)
    client.say("usermove h2e2")
    assert client.calls() == [SetPosition(None, "h2e2"), Go(limits)]


def test_xboard_s_refused_search_is_not_repeated() -> None:
    client = xboard("easy", "go")
    assert client.say("ping 7") == []
    assert client.break_off("refused") == ["# refused", "pong 7"]
    client.calls()
    assert client.say("ping 8") == ["pong 8"]
    assert client.calls() == []
    client.say("go")
    assert isinstance(client.calls()[-1], Go)


def test_xboard_drops_the_answer_to_a_search_that_was_stopped() -> None:
    client = xboard("post", "go")
    assert client.report(Score(12), "b0c2", depth=4, nodes=7, elapsed_ms=99) == ["4 12 9 7 b0c2"]
    client.say("force", "usermove h2e2", "go")
    assert client.report(Score(99), "b0c2") == [] and client.answer("b0c2") == []
    assert client.calls()[-3:] == [SetPosition(None, "h2e2"), SetPosition(None, "h2e2"), Go(Limits(300_000, 300_000))]
    assert client.answer("h9g7") == ["move h9g7"]


def test_xboard_s_pondering() -> None:
    client = xboard("hard", "st 1", "usermove h2e2")
    client.calls()
    assert client.answer("h9g7", "h0g2") == ["move h9g7"]
    pondering = Go(Limits(movetime=1000, ponder=True))
    assert client.calls() == [
        SetPosition(None, "h2e2 h9g7"),
        SetPosition(None, "h2e2 h9g7 h0g2", is_played=False),
        pondering,
    ]
    assert client.say("hint") == ["Hint: h0g2"]
    client.say("usermove b0c2")  # not the expected one; XBoard has no ponderhit, so that would also be searched anew
    assert client.calls() == [
        Abandon(),
        SetPosition(None, "h2e2 h9g7"),
        SetPosition(None, "h2e2 h9g7 b0c2"),
        Go(Limits(movetime=1000)),
    ]
    assert client.answer("i9h9") == []
    assert client.answer("i9h9", "i0i1") == ["move i9h9"]
    client.calls()
    client.say("easy")
    assert client.calls() == [Abandon(), SetPosition(None, "h2e2 h9g7 b0c2 i9h9")]


def test_xboard_s_analysis() -> None:
    client = xboard("force", "analyze")
    assert client.calls() == []
    assert client.report(Score(0, -2), "b0c2", depth=5, nodes=8, elapsed_ms=70) == ["5 -100002 7 8 b0c2"]
    assert client.say(".") == ["stat01: 7 8 5 0 0"]
    client.say("usermove h2e2", "undo", "exit")
    analysis = Go(Limits(infinite=True))
    assert client.calls() == [
        *(Abandon(), SetPosition(None, "h2e2"), analysis),
        *(Abandon(), SetPosition(None), analysis),
        Abandon(),
    ]
    for _ in range(3):
        assert client.answer(None) == []
    assert client.say("undo") == ["Error (no move to take back): undo"]


def test_xboard_s_draws_and_ends() -> None:
    client = xboard("force", f"setboard {MATE_IN_ONE} 0 1", "go")
    assert client.say("draw") == []
    client.report(Score(-31), "a7a9")
    assert client.say("draw") == ["offer draw"]
    assert client.answer("a7a9", mate=1) == ["move a7a9", "1-0 {checkmate}"]
    client.calls()
    assert client.say("go", "result 1-0 {checkmate}", "usermove e0e1", "draw")[-1] == "offer draw"
    assert not [call for call in client.calls() if isinstance(call, Go)]


@pytest.mark.parametrize(
    "words, calls",
    [
        ("1-0 {Black resigns}", [EndGame(0)]),
        ("0-1", [EndGame(1)]),
        ("1/2-1/2 {agreed}", [EndGame(None)]),
        ("* {unfinished}", []),
        ("2-0", []),
        ("", []),
    ],
)
def test_xboard_s_results(words: str, calls: list[Call]) -> None:
    client = xboard("force", "usermove h2e2")
    client.calls()
    assert client.say(f"result {words}") == []
    assert client.calls() == calls


def test_xboard_s_refusals() -> None:
    client = xboard("force", "usermove h2e2")
    client.calls()
    assert client.say("usermove h2e2") == ["Illegal move: h2e2"]
    (answer,) = client.say("setboard rubbish")
    assert answer.startswith("tellusererror Illegal position: bad FEN")
    assert client.say("usermove h9g7") == []
    assert client.calls()[-1] == SetPosition(None, "h2e2 h9g7")
    assert client.say("variant chess") == ["Error (unsupported variant): chess"]
    assert client.say("cores 128") == ["# option Threads: 128 is not within 1..64"]
    assert client.say("hello", "accepted done", "level x", "level") == [
        "Error (unknown command): hello",
        "Error (bad argument): level x",
        "Error (bad argument): level",
    ]


def test_xboard_s_dialog_has_the_strength() -> None:
    client = xboard()
    features = " ".join(client.say("protover 2"))
    for option in ("Skill Level -spin 20 0 20", "UCI_LimitStrength -check 0", "UCI_Elo -spin 2000 957 3253"):
        assert f'option="{option}"' in features
    client.say("option UCI_LimitStrength=1", "option UCI_Elo=1500")
    settings = [call for call in client.calls() if isinstance(call, SetOption)]
    assert settings[-2:] == [SetOption("UCI_LimitStrength", "true"), SetOption("UCI_Elo", "1500")]


def test_xboard_s_options_wait_for_the_end_of_a_search() -> None:
    client = xboard("go")
    client.say("memory 8", "option OwnBook=1", "option Move Overhead=20", "bk")
    client.engine.book = [BookLine("h2e2")]
    assert client.answer("b0c2") == ["move b0c2", " h2e2", ""]
    assert [call for call in client.calls() if isinstance(call, SetOption)] == [
        SetOption("Hash", "8"),
        SetOption("OwnBook", "true"),
        SetOption("Move Overhead", "20"),
    ]


def test_xboard_s_die(monkeypatch: pytest.MonkeyPatch) -> None:
    throws = iter([2, 6, 3])
    monkeypatch.setattr(random, "randint", lambda low, high: next(throws))
    client = xboard("sd 2")
    assert client.say("variant einstein")[-1] == "0 0 0 0 die 2"  # for the person, who has the first side
    assert client.calls()[-1] == SetDice(2)
    assert client.say("usermove a5b4") == ["Illegal move (the die is 2): a5b4"]
    assert client.say("lift b5") == ["highlight 2Y2/1YY2/5/5/5"]
    assert client.calls() == []
    assert client.say("usermove b5c5") == ["0 0 0 0 die 6"]
    assert client.calls()[-2:] == [SetDice(6), Go(Limits(300_000, 300_000, depth=2))]
    client.say("computer")
    move = client.engine.legal_moves()[0]
    assert client.answer(move) == [f"move {move}"]  # another engine throws its die itself
