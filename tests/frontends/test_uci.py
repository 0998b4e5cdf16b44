"""UCI with a scripted engine: the calls that lines cause, and the lines written for events."""

from __future__ import annotations

import pytest
from scripted import (
    ENDING,
    Bench,
    Call,
    Go,
    NewGame,
    Perft,
    Ponderhit,
    Session,
    SetDice,
    SetOption,
    SetPosition,
    Stop,
    moves_of,
)

from siqi.daemon.engine.events import (
    Failed,
    Info,
    Kind,
    PerftDone,
    Refusal,
)
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import names_for_game
from siqi.games import registry
from siqi.games.contract import BookLine, Line, Report, Score, StoredResult


def test_uci_s_calls() -> None:
    client = Session("uci")
    for line, call in {
        "position startpos moves h2e2 h9g7": SetPosition(None, "h2e2 h9g7"),
        f"position fen {ENDING} moves d0d1": SetPosition(ENDING, "d0d1"),
        f"fen {ENDING}": SetPosition(ENDING),
        "setoption name move overhead value 20": SetOption("move overhead", "20"),
        "setoption name Debug Log File value a b.txt": SetOption("Debug Log File", "a b.txt"),
        "setoption name Clear Hash": SetOption("Clear Hash", ""),
        "ponderhit": Ponderhit(),
        "stop": Stop(),
    }.items():
        assert client.say(line) == [], line
        assert client.calls() == [call], line
    client.say("ucinewgame")
    assert client.calls() == [NewGame(), SetPosition(None)]


@pytest.mark.parametrize(
    "line, call",
    [
        ("go", Go(Limits())),
        ("go depth 5 nodes 7 mate 2", Go(Limits(depth=5, nodes=7, mate=2))),
        ("go wtime -5 btime 10 winc -1 binc 2 movestogo 3", Go(Limits(-5, 10, 0, 2, 3))),
        ("go MOVETIME 99999999999", Go(Limits(movetime=10**10))),
        ("go infinite searchmoves d0d1 d0e0", Go(Limits(infinite=True), ("d0d1", "d0e0"))),
        ("go searchmoves d0d1 ponder movetime 9", Go(Limits(movetime=9, ponder=True), ("d0d1",))),
        ("go perft 3", Perft(3)),
        ("perft 2", Perft(2)),
        ("bench", Bench()),
    ],
)
def test_uci_s_searches_and_counts(line: str, call: Call) -> None:
    client = Session("uci", f"position fen {ENDING}")
    assert client.say(line) == []
    assert client.calls() == [call]


def test_stop_applies_to_queued_searches() -> None:
    client = Session("uci", "go infinite", "go depth 3", "setoption name Hash value 8", "perft 3", "go nodes 5")
    assert client.say("isready") == ["readyok"]
    client.say("stop", "go nodes 6", "isready")
    assert client.calls() == [Stop()]
    client.answer("b0c2")
    client.answer("b0c2")
    client.count(3, 0)
    assert client.answer("b0c2") == ["bestmove b0c2", "readyok"]
    assert client.calls() == [
        Go(Limits(depth=3), is_stopped=True),
        SetOption("Hash", "8"),
        Perft(3, is_stopped=True),
        Go(Limits(nodes=5), is_stopped=True),
        Go(Limits(nodes=6)),
    ]


def test_ponderhit_applies_to_queued_searches() -> None:
    client = Session("uci", "go depth 1", "go ponder wtime 1000", "go ponder depth 2")
    client.say("ponderhit", "go ponder depth 3")
    assert client.calls() == [Ponderhit()]
    client.answer("b0c2")
    assert client.calls() == [Go(Limits(wtime=1000, ponder=True)), Ponderhit()]
    client.answer("b0c2")
    assert client.calls() == [Go(Limits(depth=2, ponder=True)), Ponderhit()]
    client.answer("b0c2")
    assert client.calls() == [Go(Limits(depth=3, ponder=True))]
    client.say("ponderhit")
    assert client.calls() == [Ponderhit()]


def test_a_throw_that_waits_comes_before_the_hit_that_followed_it() -> None:
    client = Session("uci", "setoption name UCI_Variant value ewn", "position startpos moves 123456 615243")
    client.say("go depth 1", "go ponder wtime 1000", "dice 4", "ponderhit", "dice 5")
    client.calls()
    client.answer(client.engine.legal_moves()[0])
    pondering = Go(Limits(wtime=1000, ponder=True))
    assert client.calls() == [pondering, SetDice(4), Ponderhit(), SetDice(5)]


def test_uci_s_quit() -> None:
    client = Session("uci", "go depth 9", "go infinite", "perft 3", "go perft 3")
    assert client.say("quit") == [] and client.has_left
    client.answer("b0c2")
    client.answer("b0c2")
    client.count(3, 0)
    assert client.calls() == [Go(Limits(infinite=True), is_stopped=True), Perft(3), Perft(3)]


def test_uci_s_refusals() -> None:
    client = Session("uci")
    assert client.say("position startpos moves h2e2 zz a0a1") == [
        "info string error not a move: zz (move 2; 1 move kept)"
    ]
    client.engine.refusals["go"] = Refusal(Kind.MOVE, "illegal move: \u5175")
    assert client.say("go searchmoves x") == ["info string error illegal move: \\u5175", "bestmove (none)"]
    client.engine.refusals["perft"] = Refusal(Kind.LIMIT, "too deep")
    assert client.say("go perft 99") == ["info string error too deep", "bestmove (none)"]
    client.engine.refusals["perft"] = Refusal(Kind.LIMIT, "too deep")
    assert client.say("perft 99") == ["info string error too deep"]
    for line, reason in {
        "go depth": "go depth: no number follows",
        "go nodes 0": "go nodes: at least 1, not 0",
        "go searchmoves": "go searchmoves: no move follows",
        "go perft": "go perft: no number follows",
        "go perft x": "go perft: not a number: x",
        f"go nodes {10**20}": f"go nodes: too large, more than 15 digits: {10**20}",
        f"go wtime -{10**20}": f"go wtime: too small, more than 15 digits: -{10**20}",
        "go perft 0": "go perft: at least 1, not 0",
        "go perft -1": "go perft: at least 1, not -1",
        "go PERFT x": "go perft: not a number: x",
    }.items():
        assert client.say(line) == [f"info string error {reason}", "bestmove (none)"]
    assert client.say("go depth 1 fast") == ["info string error go: unknown word ignored: fast"]
    assert client.break_off("internal: MemoryError: ") == [
        "info string error internal: MemoryError: ",
        "bestmove (none)",
    ]
    assert client.post(Failed(Kind.INTERNAL, "internal: OSError: x")) == ["info string error internal: OSError: x"]


@pytest.mark.parametrize(
    "protocol, error, no_move",
    [("uci", "info string error ", "bestmove (none)"), ("ugi", "info string error ", "bestmove (none)"),
     ("ucci", "info message ", "nobestmove")],
)  # fmt: skip
def test_a_count_that_go_requested_ends_with_an_answer_if_it_fails(protocol: str, error: str, no_move: str) -> None:
    client = Session(protocol)
    assert client.say("go perft x") == [f"{error}go perft: not a number: x", no_move]
    client.say("go perft 2")
    assert client.post(Failed(Kind.LIMIT, "too deep")) == [f"{error}too deep", no_move]
    client.say("go perft 2")
    assert client.count(2, 44) == ["perft 2 nodes 44 time 0"]
    if protocol != "ucci":
        client.say("perft 2")
        assert client.post(Failed(Kind.LIMIT, "too deep")) == [f"{error}too deep"]


@pytest.mark.parametrize("protocol, answer", [("uci", "bestmove "), ("ugi", "bestmove "), ("ucci", "bestmove ")])
@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 1000", "go depth 9"])
@pytest.mark.parametrize("loads_at_once", [True, False])
def test_ready_comes_after_every_answer_that_was_stopped(
    protocol: str, answer: str, go: str, loads_at_once: bool
) -> None:
    """No answer comes after `readyok` that a client could take for that of its next `go`."""
    client = Session(protocol, loads_at_once=loads_at_once)
    assert client.say(*[go, "stop"] * 3, "isready") == []
    if not loads_at_once:
        client.load()
    for _ in range(2):
        assert client.answer("b0c2") == [f"{answer}b0c2"]
        assert client.say("isready") == []
    assert client.answer("b0c2") == [f"{answer}b0c2", *["readyok"] * 3]


@pytest.mark.parametrize("count", ["perft 9", "go perft 9", "bench"])
def test_ready_comes_after_every_count_that_was_stopped(count: str) -> None:
    client = Session("uci", count, "stop")
    assert client.say(count, "stop", "isready") == []
    stopped = PerftDone(9, 1, 0, is_stopped=True)
    assert client.post(stopped) == ["info string perft 9 stopped"]
    assert client.post(stopped) == ["info string perft 9 stopped", "readyok"]


def test_uci_s_scores() -> None:
    client = Session("uci", "go infinite")
    line = "info depth 3 seldepth 3 multipv 1 score {} nodes 1000 nps 500000 hashfull 0 time 2 pv b0c2 h9g7"
    for score, text in (
        (Score(-12), "cp -12"),
        (Score(0, 3), "mate 3"),
        (Score(0, -1), "mate -1"),
        (Score(5, None, 0.6, 0.3), "cp 5"),
    ):
        assert client.report(score, "b0c2", "h9g7", depth=3, nodes=1000, elapsed_ms=2) == [line.format(text)]
    assert client.end_game(Score(0, 0)) == [
        "info depth 0 multipv 1 score mate 0 time 0 nodes 0 nps 0",
        "bestmove (none)",
    ]
    client.say("setoption name UCI_ShowWDL value true", "go infinite")
    said = client.report(Score(5, None, 0.6, 0.3), "b0c2", "h9g7", depth=3, nodes=1000, elapsed_ms=2)
    assert said == [line.format("cp 5 wdl 600 300 100")]


def test_uci_s_lines_by_throw_have_a_rank() -> None:
    client = Session("uci", "setoption name UCI_Variant value ewn", "position fen 5/1A3/2e2/3d1/5 f -", "go depth 1")
    search = client.engine.running()
    assert search.position is not None
    moves = moves_of(search.position, ["b4c4"])
    lines = tuple(Line(Score(0), moves, throw=throw) for throw in (1, 2))
    report = Report(1, 1, 9, lines, value=Score(3))
    said = client.post(Info(search.search_id, search.position, report, 4, 0, is_final=True))
    assert len(said) == 3 and all(" seldepth 1 multipv 1 score " in text for text in said)


@pytest.mark.parametrize("protocol", ["uci", "ugi"])
def test_options_that_clients_set_unasked_get_no_line(protocol: str) -> None:
    client = Session(protocol)
    names = (
        "UCI_Chess960", "UCI_Opponent", "UCI_EngineAbout", "UCI_ShowCurrLine", "UCI_ShowRefutations", "uci_chess960",
        "UCI_SetPositionValue", "UCI_ShredderbasesPath", "UCI_AnalysisMode", "Analysis Contempt", "EvalFile",
        "SyzygyPath", "VariantPath",
    )  # fmt: skip
    for name in names:
        assert client.say(f"setoption name {name} value false", f"setoption name {name}") == [], name
    assert client.calls() == []
    assert client.say("setoption name UCI_AnalyseMode value true") == []
    assert client.calls() == [SetOption("UCI_AnalyseMode", "true")]
    (line,) = client.say("setoption name Colour value x")
    assert line == "info string error unknown option: Colour (siqi options lists all)"
    meant = "info string error unknown option: Hahs, did you mean Hash? (siqi options lists all)"
    assert client.say("setoption name Hahs value 3") == [meant]
    (line,) = client.say("positon startpos")
    assert line.startswith("info string error unknown command: positon, did you mean position? (see ")
    client.engine.is_debugging = True
    assert client.say("setoption name UCI_Chess960 value true") == ["info string option ignored: UCI_Chess960"]


def options_in(lines: list[str]) -> list[str]:
    return [line.removeprefix("option name ").split(" type ")[0] for line in lines if line.startswith("option ")]


def test_uci_lists_the_options_of_the_selected_game() -> None:
    client = Session("isready")
    assert client.say("setoption name UCI_Variant value ewn") == []  # no list was requested
    listed = options_in(client.say("uci"))
    assert listed == list(names_for_game("ewn"))
    assert {"Algorithm", "Hash"} < set(listed)
    assert not {"Width", "CooperationAlpha", "Evaluation", "UseRules"} & set(listed)
    assert client.say("setoption name UCI_Variant value ewn") == []
    for name in registry.NAMES:
        said = client.say(f"setoption name UCI_Variant value {name}")
        assert said[0] == f"info string variant {name}" and options_in(said) == list(names_for_game(name))
        assert len(said) == 1 + len(options_in(said))


def test_an_option_of_another_game_is_kept_until_that_game_is_selected() -> None:
    client = Session("uci")
    assert client.say("setoption name Width value 5") == []
    client.say("setoption name UCI_Variant value connect6")
    assert dict(client.engine.options.for_game("connect6"))["Width"] == "5"
    assert client.say("setoption name Width value 50") == ["info string error option Width: 50 is not within 2..40"]


def test_uci_s_books_and_memory() -> None:
    client = Session("uci")
    assert client.say("book", "probe") == ["book none", "probe none"]
    client.engine.book = [BookLine("h2e2 30 games"), BookLine("b0c2 3 games")]
    move = client.engine.position.parse_move("h2e2")
    client.engine.memory = StoredResult(move, 7, Score(13), Score(0, 2))
    assert client.say("book", "probe") == [
        "book h2e2 30 games",
        "book b0c2 3 games",
        "probe depth 7 lower cp 13 upper mate 2 move h2e2",
    ]
    client.engine.memory = StoredResult(None, 7, None, None)
    assert client.say("probe") == ["probe depth 7"]
