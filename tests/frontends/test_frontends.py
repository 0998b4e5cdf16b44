"""Front ends with a scripted engine: the calls that lines cause, and the lines written for events."""

from __future__ import annotations

import inspect
import json
import os
import random
from typing import Any

import pytest
from junqi_games import FIRST
from scripted import (
    Abandon,
    Bench,
    Call,
    EndGame,
    Go,
    NewGame,
    Perft,
    Ponderhit,
    ScriptedEngine,
    Session,
    SetDice,
    SetOption,
    SetPosition,
    Stop,
    moves_of,
)

from siqi import __version__
from siqi.daemon.commands import documents
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import (
    Compiling,
    Failed,
    Info,
    Kind,
    Note,
    PerftDone,
    Refusal,
    Refused,
    StillLoading,
    Warning,
)
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import names_for_game
from siqi.daemon.engine.scheduler import State
from siqi.daemon.frontends import base, cecp, cloudict, junqi, myai, named, sau, ucci, uci, ugi
from siqi.daemon.frontends import botzone as botzone_
from siqi.games import registry
from siqi.games.contract import BookLine, Line, Report, Score, StoredResult


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the front ends' time in nanoseconds: lines are read at 1, and time passes only if a test sets it."""
    now = [1]
    monkeypatch.setattr("siqi.daemon.frontends.move_by_move.now_ns", lambda: now[0])
    return now


MATE_IN_ONE = "3k5/1R7/R8/9/9/9/9/9/9/4K4 w"
ENDING = "4k4/9/9/9/9/9/9/9/9/3K5 w"
KINGS = "3k5/9/9/9/9/9/9/9/9/4K4 w"
NOTHING = {"source": "-1", "target": "-1"}


def test_the_scripted_engine_has_the_engines_calls() -> None:
    for name, member in vars(ScriptedEngine).items():
        if not name.startswith("_") and name not in ("load", "running"):
            real = getattr(Engine, name)
            assert isinstance(real, property) == isinstance(member, property), name
            if not isinstance(real, property):
                assert inspect.signature(member) == inspect.signature(real), name
    missing = {name for name in vars(Engine) if not name.startswith("_")} - set(vars(ScriptedEngine))
    servers = {"is_busy", "is_compiling", "is_loading_ahead", "give_up", "shut_down", "close"}
    assert missing == servers


# All


FRONT_ENDS = {
    "uci": uci.Uci,
    "hello": uci.Uci,
    "ucci": ucci.Ucci,
    "ugi": ugi.Ugi,
    "xboard": cecp.Cecp,
    "name?": sau.Sau,
    "name": named.Named,
    "INFO 1.0": junqi.Referee,
    "INFORMATION 1.0": junqi.Referee,
    '{"requests": []}': botzone_.Botzone,
}


def begun(line: str) -> Session:
    """Return a client after its first line, or after its second where that selects the front end."""
    return Session("name", line) if line in ("version", "new black") else Session(line)


@pytest.mark.parametrize("line", FRONT_ENDS)
def test_the_first_word_selects_the_front_end(line: str) -> None:
    assert type(Session(line).front_end) is FRONT_ENDS[line]


@pytest.mark.parametrize("front_end", FRONT_ENDS.values())
def test_a_front_end_s_page_is_one_that_siqi_docs_prints(front_end: type[base.FrontEnd]) -> None:
    root = documents.documents_folder()
    assert root is not None
    assert front_end.page in [page.name for page in documents.listed(root, "en")]


@pytest.mark.parametrize(
    "lines, front_end",
    [
        (["xboard", "uci"], uci.Uci),
        (["xboard", "protover 2", "accepted done", "hello", "uci"], uci.Uci),
        (["xboard", "new", "uci"], cecp.Cecp),
        (["xboard", "ping 1", "uci"], cecp.Cecp),
        (["uci", "xboard"], uci.Uci),
    ],
)
def test_a_second_handshake_before_any_game_is_honoured(lines: list[str], front_end: type[base.FrontEnd]) -> None:
    client = Session(*lines[:-1])
    answers = client.say(lines[-1])
    assert type(client.front_end) is front_end
    assert (answers[-1:] == ["uciok"]) is (lines[0] == "xboard" and front_end is uci.Uci)


@pytest.mark.parametrize("line", [*FRONT_ENDS, "version", "new black"])
def test_no_line_of_a_client_is_a_fault(line: str) -> None:
    client = begun(line)
    texts = "go", "move", "new", "get R", "setoption", "query", "go time x", "banmoves", "\x00", "a b c", "[]", "{}"
    for text in (line, *texts):
        assert not any("internal" in answer for answer in client.say(text)), text


@pytest.mark.parametrize(
    "line, comment",
    [
        ("uci", "info string "),
        ("ugi", "info string "),
        ("ucci", "info message "),
        ("xboard", "# "),
        *((line, None) for line in ("name?", "INFO 1.0", "version", "new black", "{}")),
    ],
)
def test_comments(line: str, comment: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    """A protocol without comments writes them to standard error, each text once, without notes of a search."""
    client = begun(line)
    for _ in range(2):
        written = [
            *client.post(Compiling("compiling ewn: 10 kernels in 2.0 s")),
            *client.post(Warning("no memory")),
            *client.post(Note("worlds 32 effective 48%")),
        ]
        texts = "compiling ewn: 10 kernels in 2.0 s", "warning no memory", "worlds 32 effective 48%"
        assert written == ([] if comment is None else [comment + text for text in texts])
    errors = "compiling ewn: 10 kernels in 2.0 s\nwarning no memory\n"
    assert capsys.readouterr().err == (errors if comment is None else "")


GREETINGS = {
    ("ucci",): ["ucciok"],
    ("name?",): ["name Siqi"],
    ("INFO 1.0",): ["NAME Siqi"],
    ("name", "version", "time_setting 240", "board_setting 5 6"): [__version__, "1", "1"],
}
"""The first lines of clients of protocols of one game, and the answers for which they wait."""


@pytest.mark.parametrize("lines", GREETINGS)
def test_greetings_are_answered_when_the_game_is_loaded(lines: tuple[str, ...]) -> None:
    """Greetings wait for the game: these clients never send `isready`, and their clock starts at the first `go`."""
    client = Session(*lines, loads_at_once=False)
    assert client.engine.state is State.LOADING
    assert client.load() == GREETINGS[lines]


@pytest.mark.parametrize("lines", GREETINGS)
@pytest.mark.parametrize("has_failed", [False, True])
def test_greetings_do_not_wait_for_ever(lines: tuple[str, ...], has_failed: bool) -> None:
    client = Session(*lines, loads_at_once=False)
    if has_failed:
        assert client.fail_to_load("no numba")[1:] == GREETINGS[lines]
        return
    assert client.post(StillLoading()) == GREETINGS[lines]
    assert client.engine.state is State.LOADING
    assert client.load() == client.post(StillLoading()) == []


@pytest.mark.parametrize("lines", [lines for lines in GREETINGS if lines != ("INFO 1.0",)])
def test_a_client_that_leaves_is_greeted(lines: tuple[str, ...]) -> None:
    client = Session(*lines, loads_at_once=False)
    assert client.say("quit")[: len(GREETINGS[lines])] == GREETINGS[lines]
    assert client.has_left


def test_lines_behind_a_greeting_wait_for_the_game() -> None:
    client = Session("ucci", "setoption usebook on", "position startpos", "go depth 1", loads_at_once=False)
    assert client.post(StillLoading()) == ["ucciok"]
    assert client.calls() == []
    assert client.load() == []
    assert client.calls() == [SetOption("OwnBook", "true"), SetPosition(None), Go(Limits(depth=1))]


@pytest.mark.parametrize(
    "line, word, needs_game, refusal",
    [
        ("uci", "isready", True, "info string error xiangqi could not be loaded: isready"),
        ("ugi", "query result", True, "info string error xiangqi could not be loaded: query result"),
        ("ucci", "isready", True, "info message xiangqi could not be loaded: isready"),
        ("xboard", "ping 1", True, "# xiangqi could not be loaded: ping 1"),
        ("name?", "move JJ@@", True, "ERROR connect6 could not be loaded: move JJ@@"),
        ("INFO 1.0", "START 0", True, "ERROR junqi could not be loaded: START 0"),
        ("name?", "end", False, ""),
    ],
)
def test_a_game_that_cannot_be_loaded(line: str, word: str, needs_game: bool, refusal: str) -> None:
    client = Session(line, loads_at_once=False)
    assert client.say(word) == []
    assert client.engine.state is (State.LOADING if needs_game or line != "uci" else State.EMPTY)
    error, *said = client.fail_to_load("no numba")
    assert error.endswith("no numba")
    assert said == [*GREETINGS.get((line,), []), *[refusal] * needs_game]
    assert client.say(word) == []  # it is tried again
    assert client.engine.state is (State.LOADING if needs_game else State.EMPTY)


def test_lines_wait_for_loading_and_searches() -> None:
    client = Session("uci", loads_at_once=False)
    assert client.say("uci")[-1] == "uciok"
    assert client.engine.state is State.EMPTY
    assert client.say("position startpos moves h2e2", "turn", "go depth 1", "setoption name Hash value 8", "d") == []
    assert client.calls() == []
    assert client.load() == ["turn second"]
    assert client.calls() == [SetPosition(None, "h2e2"), Go(Limits(depth=1))]
    assert client.answer("b9c7")[:1] == ["bestmove b9c7"]
    assert client.calls() == [SetOption("Hash", "8")]


# UCI


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


def test_xboard_s_dialog_has_the_strength() -> None:
    client = xboard()
    features = " ".join(client.say("protover 2"))
    for option in ("Skill Level -spin 20 0 20", "UCI_LimitStrength -check 0", "UCI_Elo -spin 2000 725 3223"):
        assert f'option="{option}"' in features
    client.say("option UCI_LimitStrength=1", "option UCI_Elo=1500")
    settings = [call for call in client.calls() if isinstance(call, SetOption)]
    assert settings[-2:] == [SetOption("UCI_LimitStrength", "true"), SetOption("UCI_Elo", "1500")]


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


# UCCI


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


# UGI


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


# CECP


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


# Moves one by one


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


# Botzone


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


def test_no_front_end_has_a_word_twice() -> None:
    for front_end in (uci.Uci, ucci.Ucci, ugi.Ugi, cecp.Cecp, sau.Sau, cloudict.Cloudict, myai.MyAi, junqi.Referee):
        assert all(isinstance(command, base.Command) for command in front_end.commands.values())
