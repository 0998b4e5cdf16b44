"""All front ends alike, with a scripted engine: the first word, greetings, comments, lines that wait."""

from __future__ import annotations

import inspect

import pytest
from scripted import (
    Go,
    ScriptedEngine,
    Session,
    SetOption,
    SetPosition,
)

from siqi import __version__
from siqi.daemon.commands import documents
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import (
    Compiling,
    Note,
    StillLoading,
    Warning,
)
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.scheduler import State
from siqi.daemon.frontends import base, cecp, cloudict, junqi, myai, named, sau, ucci, uci, ugi
from siqi.daemon.frontends import botzone as botzone_


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


@pytest.mark.parametrize(
    "lines, is_awaited",
    [
        (["uci", "isready"], False),
        (["uci", "go nodes 1"], True),
        (["ugi", "query result"], True),
        (["ucci", "isready", "go depth 1"], True),
        (["xboard", "new", "level 0 5 0", "ping 1"], False),
        (["xboard", "new", "usermove h2e2"], True),
        (["xboard", "new", "force", "usermove h2e2"], False),
        (["xboard", "force", "usermove h2e2", "go"], True),
        (["name?", "new white"], False),
        (["name?", "new"], False),
        (["name?", "new black"], True),
        (["name?", "new white", "move JJ@@"], True),
        (["name", "new xxx", "black JJ"], False),
        (["name", "new xxx", "black JJ", "next"], True),
        (["name", "version", "time_setting 240"], False),
        (["name", "version", "ini R"], True),
    ],
)
def test_an_answer_that_is_awaited_after_a_quit(lines: list[str], is_awaited: bool) -> None:
    client = Session(*lines, loads_at_once=False)
    client.say("quit")
    assert client.front_end.awaits_answer() is is_awaited


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


def test_no_front_end_has_a_word_twice() -> None:
    for front_end in (uci.Uci, ucci.Ucci, ugi.Ugi, cecp.Cecp, sau.Sau, cloudict.Cloudict, myai.MyAi, junqi.Referee):
        assert all(isinstance(command, base.Command) for command in front_end.commands.values())
