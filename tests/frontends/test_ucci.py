"""UCCI with a scripted engine: the calls that lines cause, and the lines written for events."""

from __future__ import annotations

import os

import pytest
from scripted import (
    ENDING,
    KINGS,
    Go,
    NewGame,
    Session,
    SetOption,
    SetPosition,
    Stop,
)

from siqi.daemon.engine.limits import Limits
from siqi.games.contract import Score, StoredResult


def test_ucci_s_times_are_seconds_unless_the_client_sets_milliseconds() -> None:
    client = Session("ucci")
    client.say("go time 300 increment 2")
    assert client.calls() == [Go(Limits(300_000, 300_000, 2000, 2000))]
    client.answer("b0c2")
    client.say("setoption usemillisec true", "go ponder time 300 movestogo 5 opptime 9 oppmovestogo 5")
    assert client.calls() == [Go(Limits(300, 300, movestogo=5, ponder=True))]
    client.answer("b0c2")
    for line, limits in (
        ("go depth infinite", Limits(infinite=True)),
        ("go infinite", Limits(infinite=True)),
        ("go movetime 50", Limits(movetime=50)),
        ("go depth 3 nodes 9", Limits(depth=3, nodes=9)),
    ):
        client.say(line)
        assert client.calls() == [Go(limits)]
        client.answer("b0c2")


def test_ucci_bans_moves() -> None:
    client = Session("ucci", f"position fen {ENDING}", "banmoves d0e0")
    client.say("go depth 3")
    assert client.calls() == [Go(Limits(depth=3), ("d0d1",))]
    client.answer("d0d1")
    assert client.say("banmoves d0d1 d0e0", "go depth 3") == ["nobestmove"]
    client.say(f"position fen {KINGS}", "go depth 3", "banmoves e0e1", "go depth 4", "stop")
    assert client.calls() == [SetPosition(KINGS), Go(Limits(depth=3)), Stop()]
    client.answer("e0e1")
    assert client.calls() == [Go(Limits(depth=4), ("e0f0",), is_stopped=True)]


def test_ucci_s_draws_and_scores() -> None:
    client = Session("ucci")
    for score, answer in ((-200, "bestmove b0c2 draw"), (10, "bestmove b0c2")):
        client.say("go draw depth 3")
        (line,) = client.report(Score(score), "b0c2", depth=3)
        assert line.startswith(f"info depth 3 seldepth 3 score {score} nodes ") and line.endswith(" pv b0c2")
        assert client.answer("b0c2") == [answer]
    client.say("go draw infinite")
    assert " score 29997 " in client.report(Score(0, 2), "b0c2")[0]
    assert " score -29998 " in client.report(Score(0, -1), "b0c2")[0]
    client.say("stop")  # the offer stands
    assert client.answer("b0c2", "h9g7") == ["bestmove b0c2 ponder h9g7 draw"]
    client.say("go depth 3")
    client.report(Score(-500), "b0c2")
    assert client.answer("b0c2", "h9g7") == ["bestmove b0c2 ponder h9g7"]
    client.say("go ponder time 9")
    client.report(Score(-500), "b0c2")
    client.say("ponderhit draw")
    assert client.answer("b0c2") == ["bestmove b0c2 draw"]
    client.say("go draw depth 1")  # a score of an earlier search agrees to nothing
    assert client.answer("b0c2") == ["bestmove b0c2"]


def test_ucci_takes_a_bare_fen_and_goes_back_to_it_after_a_probe() -> None:
    client = Session("ucci", f"fen {ENDING} moves d0d1")
    position = client.engine.position.fen()
    client.engine.memory = StoredResult(None, 3, Score(4), Score(0, -1))
    assert client.say(f"probe fen {KINGS}") == ["pophash lowerbound 4 depth 3 upperbound -29998 depth 3"]
    assert client.calls() == [SetPosition(KINGS, "", False), SetPosition(ENDING, "d0d1", False)]
    assert client.engine.position.fen() == position


def test_ucci_s_position_before_a_probe_stands_though_a_later_one_was_refused() -> None:
    client = Session("ucci", f"position fen {ENDING}")
    position = client.engine.position.fen()
    assert len(client.say("position fen x")) == 1
    client.say(f"probe fen {KINGS}")
    assert client.engine.position.fen() == position


def test_ucci_s_options() -> None:
    client = Session("ucci")
    client.say("setoption hashsize 8", "setoption name Move_Overhead value 30", "setoption promotion false")
    assert client.calls() == [SetOption("Hash", "8"), SetOption("Move Overhead", "30")]
    for line in ("setoption newgame", "newgame", "ucinewgame"):
        assert client.say(line) == []
        assert client.calls() == [NewGame(), SetPosition(None)]


def test_ucci_s_options_that_are_not_listed_are_no_error() -> None:
    """Unlisted options are accepted: XQWizard reads no list and sends all options that it knows."""
    client = Session("ucci")
    not_listed = (
        "promotion true",
        "idle none",
        "pruning large",
        "knowledge large",
        "randomness small",
        "style risky",
        "selectivity large",
        "evalapi EVALUATE.DLL",
        "loadbook",
        "guiname XQWizard",
        "UCI_Variant connect6",
        "UCI_Coordinates 1",
        "Width 5",
        "name nonsense value 1",
    )
    for option in not_listed:
        assert client.say(f"setoption {option}") == []
    assert client.calls() == []
    assert client.say("setoption") == ["info message setoption: an option must follow"]


def test_ucci_s_zero_is_automatic() -> None:
    client = Session("ucci")
    client.say("setoption hashsize 0", "setoption threads 0")
    assert client.calls() == [SetOption("Hash", "64"), SetOption("Threads", "1")]
    listed = {line.split()[1]: line for line in client.say("ucci") if line.startswith("option")}
    assert " min 0 " in listed["hashsize"] and " min 0 " in listed["threads"]
    too_large = "info message option hashsize: 99999 is not within 1..16384"
    assert client.say("setoption hashsize 99999") == [too_large]


@pytest.mark.parametrize("word, value", [("on", "true"), ("off", "false"), ("TRUE", "true"), ("False", "false")])
def test_ucci_s_checks_are_on_or_off(word: str, value: str) -> None:
    client = Session("ucci")
    names = {"usebook": "OwnBook", "useegtb": "UseEndgames", "ponder": "Ponder", "UCI_LimitStrength": None}
    for name, ours in names.items():
        assert client.say(f"setoption {name} {word}") == []
        assert client.calls() == [SetOption(ours or name, value)]
    client.say(f"setoption UseRules {word}", f"setoption usemillisec {word}", f"setoption debug {word}", "go time 9")
    assert client.calls()[-1] == Go(Limits(*[9 if value == "true" else 9000] * 2))
    assert client.engine.is_debugging is (value == "true")
    client.answer("b0c2")
    assert client.say("setoption ponder 1") == ["info message option ponder: true or false, not 1"]
    assert client.say("setoption usemillisec x") == ["info message option usemillisec: true or false, not x"]


def test_ucci_s_files_are_separated_by_semicolons() -> None:
    client = Session("ucci")
    client.say("setoption egtbpaths a b;c", "setoption bookfiles")
    assert client.calls() == [SetOption("EndgamePath", f"a b{os.pathsep}c"), SetOption("BookFile", "")]
    assert client.say("setoption bookfiles a b.dat;c.dat") == [
        "info message option bookfiles: one book is read, not c.dat"
    ]
    assert client.calls() == [SetOption("BookFile", "a b.dat")]


def test_ucci_s_batch_mode_carries_out_a_file_line_by_line() -> None:
    client = Session("ucci", "setoption batch on", "position startpos", "go depth 3", loads_at_once=False)
    assert client.say("stop", "isready", "go depth 4", "quit") == []
    assert client.load() == ["ucciok"]
    assert client.answer("b0c2") == ["bestmove b0c2", "readyok"] and not client.has_left
    assert client.answer("h0g2") == ["bestmove h0g2"] and client.has_left
    assert client.calls() == [SetPosition(None), Go(Limits(depth=3)), Go(Limits(depth=4))]
    client = Session("ucci", "setoption batch on", "setoption batch off", "go depth 3")
    client.say("stop")
    assert client.calls() == [Stop()]


def test_xqwizard_plays() -> None:
    """The dialogue of XQWizard's engine module works."""
    client = Session("ucci")
    assert (
        client.say(
            "setoption guiname XQWizard",
            "setoption usemillisec true",
            "setoption promotion false",
            "setoption usebook true",
            "setoption useegtb true",
            "setoption hashsize 0",
            "setoption threads 0",
            "setoption idle none",
            "setoption randomness none",
            "setoption style normal",
            "setoption newgame",
            "setoption ponder true",
            "position startpos",
        )
        == []
    )
    client.calls()
    client.say("go time 600000 movestogo 40 opptime 600000 oppmovestogo 40")
    assert client.calls() == [Go(Limits(600_000, 600_000, movestogo=40))]
    assert client.answer("h2e2", "h9g7") == ["bestmove h2e2 ponder h9g7"]
    client.say("position startpos moves h2e2 h9g7", "go ponder time 590000 increment 0 opptime 1 oppincrement 0")
    assert client.calls() == [SetPosition(None, "h2e2 h9g7"), Go(Limits(590_000, 590_000, ponder=True))]
    client.say("ponderhit")
    assert client.answer("h0g2", "i9h9") == ["bestmove h0g2 ponder i9h9"]
    client.say("position startpos moves h2e2 h9g7 h0g2 i9h9", "banmoves i0h0", "go draw nodes 1296", "stop")
    assert client.answer("b0c2") == ["bestmove b0c2"]


def test_sylvan_plays_by_ucci() -> None:
    """The dialogue of Sylvan's driver works: UCI's clock, a bare `newgame`, every position twice."""
    fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
    client = Session("ucci")
    assert client.say("isready", "newgame", "setoption ponder false") == ["readyok"]
    client.calls()
    assert client.say(f"position fen {fen} moves h2e2", f"fen {fen} moves h2e2", "isready") == ["readyok"]
    client.say("go wtime 9685 btime 10000 winc 50 binc 50")
    assert client.calls()[2:] == [Go(Limits(9685, 10_000, 50, 50))]
    assert client.answer("h9g7") == ["bestmove h9g7"]
    client.say("go infinite", "stop")
    assert client.say("isready") == []  # it waits for the stopped search
    assert client.answer("h9g7") == ["bestmove h9g7", "readyok"]


def test_refused_limits_have_the_clients_names() -> None:
    assert Session("ucci").say("go time x") == ["info message go time: not a number: x", "nobestmove"]
    assert Session("ugi").say("go p1time x") == ["info string error go p1time: not a number: x", "bestmove (none)"]


def test_ucci_answers_a_search_of_a_game_that_cannot_be_loaded() -> None:
    client = Session("ucci", "position startpos", "banmoves h2e2", "go depth 3", loads_at_once=False)
    assert client.fail_to_load("no numba") == [
        "info message no numba",
        "ucciok",
        "info message xiangqi could not be loaded: position startpos",
        "info message xiangqi could not be loaded: go depth 3",
        "nobestmove",
    ]
