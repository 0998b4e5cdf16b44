"""UGI with a scripted engine: the calls that lines cause, and the lines written for events."""

from __future__ import annotations

from scripted import (
    MATE_IN_ONE,
    Go,
    NewGame,
    Session,
    SetPosition,
)

from siqi.daemon.engine.limits import Limits
from siqi.games.contract import Score


def test_ugi_s_answer_is_two_words() -> None:
    """An answer has two words: CuteGames would ignore any other line and wait for ever."""
    client = Session("ugi", "go depth 3")
    assert client.answer("b0c2", "h9g7") == ["bestmove b0c2"]
    client.say("go depth 3")
    assert client.answer(None) == ["bestmove (none)"]


def test_ugi_s_players_and_questions() -> None:
    client = Session("ugi", "go p1time 5 p2time 6 p1inc 7 p2inc 8")
    assert client.front_end.engine.position.turn == 0
    for mate, plies in ((3, 5), (-2, -4), (0, 0)):
        assert f" score mate {plies} " in client.report(Score(0, mate), "b0c2")[0]
    client.answer("b0c2")
    assert client.say("query p1turn", "query gameover", "query result") == [
        "response true",
        "response false",
        "response none",
    ]
    client.say("go p2time 6 p1inc 7")
    client.answer("b0c2")
    assert client.calls() == [Go(Limits(btime=6, winc=7))]
    assert client.say(f"position fen {MATE_IN_ONE} moves a7a9", "query p1turn", "query gameover", "query result") == [
        "response false",
        "response true",
        "response p1win",
    ]
    assert client.say("query") == ["info string error query: "]
    client.say("uginewgame")
    assert client.calls()[-2:] == [NewGame(), SetPosition(None)]
