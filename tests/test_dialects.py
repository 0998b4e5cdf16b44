"""The dialects of clients: transcripts with the real process, and what their translators do with what cannot be."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import START_TIMEOUT_S, Client
from junqi_games import FIRST

from daemon.dialects import Dialect, chosen_by
from daemon.dialects.named import Named
from daemon.options import declared
from daemon.pipes import now_ns
from naive.ewn import Naive


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


def ask(client: Client, line: str, word: str) -> str:
    """The one line that answers, by its first word; there is no other."""
    client.send(line)
    (answer,) = client.expect(lambda text: text.startswith(word), START_TIMEOUT_S)
    return answer


# UCCI


def test_ucci_names_options_in_one_word(client: Client) -> None:
    client.send("ucci")
    lines = client.expect("ucciok")
    options = [line.split() for line in lines if line.startswith("option")]
    assert all(words[2] == "type" for words in options)
    names = {words[1] for words in options}
    assert {"hashsize", "threads", "ponder", "usebook", "bookfiles", "usemillisec", "Move_Overhead"} <= names
    assert "UCI_Variant" not in names
    client.send(
        *(f"setoption {words[1]} {words[words.index('default') + 1]}" for words in options if "default" in words)
    )
    client.send("setoption promotion false", "setoption newgame", "setoption Move_Overhead 20", "isready")
    assert [line for line in client.expect("readyok", START_TIMEOUT_S) if "compil" not in line] == ["readyok"]


def test_ucci_times_are_seconds_unless_it_is_told(client: Client) -> None:
    dialect = chosen_by("ucci")
    assert dialect.read("go time 300 increment 2", 0).commands == ("go wtime 300000 btime 300000 winc 2000 binc 2000",)
    dialect.read("setoption usemillisec true", 0)
    assert dialect.read("go ponder time 300 movestogo 5 opptime 9 oppmovestogo 5", 0).commands == (
        "go ponder wtime 300 btime 300 movestogo 5",
    )
    assert dialect.read("go depth infinite", 0).commands == ("go infinite",)
    assert dialect.read("go movetime 50", 0).commands == ("go movetime 50",)


def test_ucci_bans_moves(client: Client) -> None:
    client.send("ucci", "position fen 4k4/9/9/9/9/9/9/9/9/3K5 w", "banmoves d0e0", "go depth 3")
    answer = client.expect("bestmove", START_TIMEOUT_S)[-1]
    assert answer.split()[1] in ("d0d1",)
    client.send("banmoves d0d1", "go depth 3")
    assert client.expect("nobestmove") == ["nobestmove"]
    client.send("position fen 4k4/9/9/9/9/9/9/9/9/3K5 w", "go depth 1")
    assert client.expect("bestmove")


def test_ucci_draws_and_scores() -> None:
    dialect = chosen_by("ucci")
    for score, told, answer in (("cp -200", -200, "bestmove a0a1 draw"), ("cp 10", 10, "bestmove a0a1")):
        dialect.read("go draw depth 3", 0)
        assert dialect.write(f"info depth 3 score {score} pv a0a1").answers == (f"info depth 3 score {told} pv a0a1",)
        assert dialect.write("bestmove a0a1").answers == (answer,)
    assert dialect.write("info depth 3 score mate 2 pv a0a1").answers == ("info depth 3 score 29997 pv a0a1",)
    assert dialect.write("info depth 3 score mate -1 pv a0a1").answers == ("info depth 3 score -29998 pv a0a1",)
    dialect.read("go draw infinite", 0)
    dialect.write("info depth 3 score cp -200 pv a0a1")
    dialect.read("stop", 0)  # the offer stands
    assert dialect.write("bestmove a0a1").answers == ("bestmove a0a1 draw",)
    dialect.read("go depth 3", 0)
    dialect.write("info depth 3 score cp -500 pv a0a1")
    assert dialect.write("bestmove a0a1 ponder b0b1").answers == ("bestmove a0a1 ponder b0b1",)


def test_ucci_takes_a_bare_fen(client: Client) -> None:
    client.send("ucci", f"fen {AFTER_CANNON} b moves h9g7", "banmoves h0g2", "go depth 1")
    assert client.expect("bestmove", START_TIMEOUT_S)[-1].split()[1] != "h0g2"
    dialect = chosen_by("ucci")
    assert dialect.read("fen 4k4/9/9/9/9/9/9/9/9/3K5 w moves d0d1", 0).commands == (
        "position fen 4k4/9/9/9/9/9/9/9/9/3K5 w moves d0d1",
    )
    assert dialect.read("probe fen 3k5/9/9/9/9/9/9/9/9/4K4 w", 0).commands[-1].endswith("w moves d0d1")


def test_ucci_lists_what_xiangqi_has(client: Client) -> None:
    client.send("ucci")
    names = {line.split()[1] for line in client.expect("ucciok") if line.startswith("option")}
    assert {"hashsize", "Skill_Level", "UseRules"} <= names
    assert not {name for name in names if name.startswith("UCI_")} - {"UCI_LimitStrength", "UCI_Elo"}
    others = {option.name for option, owner in declared() if owner not in ("", "xiangqi")}
    assert others and not names & {name.replace(" ", "_") for name in others}
    client.send("setoption UCI_Variant connect6", "setoption Width 5", "position startpos moves h2e2", "go depth 1")
    lines = client.expect("bestmove", START_TIMEOUT_S)
    refusals = [line for line in lines if "unknown option" in line]
    assert refusals == ["info message unknown option: uci_variant", "info message unknown option: width"]
    assert re.fullmatch("[a-i][0-9][a-i][0-9]", lines[-1].split()[1])


def test_refused_limits_have_the_client_s_names() -> None:
    error = "info string error go wtime: not a number: x"
    assert chosen_by("ucci").write(error).answers == ("info message go time: not a number: x",)
    assert chosen_by("ugi").write(error).answers == ("info string error go p1time: not a number: x",)


# UGI


def test_ugi_s_answer_is_two_words() -> None:
    """CuteGames leaves out every other line, and waits for ever."""
    dialect = chosen_by("ugi")
    dialect.read("go depth 3", 0)
    assert dialect.write("bestmove b0c2 ponder h9g7").answers == ("bestmove b0c2",)
    assert dialect.write("bestmove (none)").answers == ("bestmove (none)",)


# Signs of life, refusals

COMPILING = "info string compiling ewn: 10 kernels in 2.0 s"


@pytest.mark.parametrize(
    "line, answer",
    [
        ("uci", COMPILING),
        ("ugi", COMPILING),
        ("ucci", "info message compiling ewn: 10 kernels in 2.0 s"),
        ("xboard", "# compiling ewn: 10 kernels in 2.0 s"),
        *((line, "") for line in ("name?", "INFO 1.0", "version", "new black", "{")),
    ],
)
def test_compiling_is_told(line: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As a comment of the protocol, on standard error where it has none."""
    dialect = started(line) if line in ("version", "new black") else chosen_by(line)
    assert dialect.write(COMPILING).answers == ((answer,) if answer else ())
    assert dialect.write("info string worlds 32 effective 48%").commands == ()
    assert capsys.readouterr().err == ("" if answer else "compiling ewn: 10 kernels in 2.0 s\n")


def test_the_first_load_shows_signs_of_life(tmp_path: Path) -> None:
    """With no kernel in the cache; the client that reads one line for each command gets just these."""
    environment = {**os.environ, "SIQI_CACHE": str(tmp_path)}
    with Client("name", "version", "time_setting 1", "ini R", environment=environment) as client:
        client.expect(lambda line: line.startswith("A1") or len(line.split()) == 6, START_TIMEOUT_S)
        client.send("exit")
        assert client.end() == 0
        assert len(client.seen) == 4
        notes = client.errors.splitlines()
    assert notes[0].startswith("compiling ewn for the first time")
    assert notes[-1].startswith("compiled ewn: ")
    assert len(notes) > 3


REFUSED = ("info string error go: refused", "bestmove (none)")


@pytest.mark.parametrize("lines", [("name?", "new black"), ("INFO 1.0", "START 0 60 31"), ('{"requests": [{}]}',)])
def test_a_refused_search_has_one_answer(lines: tuple[str, ...]) -> None:
    """And the engine waits for the client's next line."""
    dialect = chosen_by(lines[0])
    if lines[0].startswith("{"):
        lines = ('{"requests": [{"source": "-1", "target": "-1"}], "responses": []}',)
    for line in lines:
        dialect.read(line, 0)
    dialect.write("turn first")
    answers = [answer for line in REFUSED for answer in dialect.write(line).answers]
    assert len(answers) == 1 and "refused" in answers[0]
    assert dialect.write("bestmove (none)").answers != ()  # that the game is over is still told


def test_xboard_s_refused_search_is_not_repeated() -> None:
    dialect = chosen_by("xboard")
    for line in ("new", "easy", "go"):
        dialect.read(line, 0)
    dialect.write("turn first")  # after `new`
    assert dialect.write("turn first").commands[-1].startswith("go ")
    dialect.read("ping 7", 0)
    assert dialect.write(REFUSED[0]).answers == ("# go: refused",)
    dialect.write(REFUSED[1])
    assert dialect.write("turn first").commands == ("isready",)
    assert dialect.write("readyok").answers == ("pong 7",)
    dialect.read("go", 0)
    assert dialect.write("turn first").commands[-1].startswith("go ")


def test_ucci_answers_a_search_of_a_game_that_cannot_be_loaded() -> None:
    dialect = chosen_by("ucci")
    for line in ("position startpos", "banmoves h2e2", "go depth 3"):
        dialect.read(line, 0)
    assert dialect.write("info string error xiangqi could not be loaded: legal").answers[-1] == "nobestmove"


def test_refusals_have_the_client_s_squares(client: Client) -> None:
    client.send("name?", "setoption name Depth value 1", "new white", "move JJ@@")
    client.expect("move", START_TIMEOUT_S)
    assert ask(client, "move AAJJ", "ERROR") == "ERROR illegal move, JJ is taken: AAJJ"
    dialect = chosen_by("name")
    dialect.read("name", 0)
    dialect.read("black AA", 0)
    refusal = "info string error illegal move: a1 (move 1; the 0 before it stand)"
    assert dialect.write(refusal).answers == ("ERROR illegal move: AA",)
    referee = chosen_by("INFO 1.0")
    referee.read("START 1 60 31", 0)
    refusal = "info string error illegal move: G2F2=1@A1 (move 3; the 2 before it stand)"
    assert referee.write(refusal).answers == ("ERROR illegal move: F2G2=1@L3",)


@pytest.mark.parametrize("line", ["new blue", "new", "new BLACK", "new xxx"])
def test_sau_s_sides_are_black_and_white(line: str) -> None:
    dialect = chosen_by("name?")
    reading = dialect.read(line, 0)
    assert reading.commands == ()
    assert len(reading.answers) == 1 and reading.answers[0].startswith("ERROR ")


# Fields


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
    """In a later request, and in either place of a history: nothing of it comes to the core, nothing changes."""
    ewn = "setup" in request_
    nothing = {"setup": "-1"} if ewn else {"source": "-1", "target": "-1"}
    request = {"target": "a4"} | request_
    histories: list[tuple[list[Any], list[Any]]] = [([nothing, request], [nothing]), ([nothing, nothing], [request])]
    for requests, responses in histories:
        if "dice" in request_ and request_ in responses:
            continue  # a response has no die
        dialect = chosen_by("{")
        reading = dialect.read(json.dumps({"requests": requests, "responses": responses}), 0)
        assert reading.commands == ()
        assert fault in json.loads(reading.answers[0])["error"]
        assert "needs requests" in dialect.read(json.dumps(request_), 0).answers[0]
    dialect = chosen_by("{")
    dialect.read(json.dumps({"requests": [nothing], "responses": []}), 0)
    dialect.write("turn first")
    dialect.write(f"bestmove {'123456' if ewn else 'h2e2'}")
    reading = dialect.read(json.dumps(request), 0)
    assert reading.commands == ()
    assert fault in json.loads(reading.answers[0])["error"]
    following = {"setup": "654321", "dice": 1} if ewn else {"source": "h9", "target": "g7"}
    played = "123456 654321" if ewn else "h2e2 h9g7"
    assert dialect.read(json.dumps(following), 0).commands[0] == f"position startpos moves {played}"


@pytest.mark.parametrize(
    "begin, line",
    [
        (("xboard", "new"), "setboard 3k5/9/9/9/9/9/9/9/9/4K4 w moves e0e1"),
        (("xboard", "new"), "option UCI_Variant=connect6"),
        (("xboard", "new"), "option Hash value 99 x=1"),
        (("INFO 1.0", "START 1 60 31"), "GO F4G4H4I4 3 00"),
        (("INFO 1.0", "START 0 60 31"), "GO F4G4 3 A1A2"),
        (("INFO 1.0", "START 0 60 31"), "GO F9G9 3 00"),
        (("name?", "new white"), "move AA@@BB"),
        (("name", "version"), "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A1"),
        (("name", "version"), "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3 moves"),
        (("name", "version"), "time_setting 5s"),
    ],
)
def test_a_field_has_its_shape(begin: tuple[str, ...], line: str) -> None:
    dialect = chosen_by(begin[0])
    for text in begin:
        dialect.read(text, 0)
    dialect.write("turn first")
    if begin[0] == "INFO 1.0":
        dialect.write(f"bestmove {FIRST}")
    reading = dialect.read(line, 0)
    assert reading.commands == ()
    assert len(reading.answers) == 1 and reading.answers[0].lower().startswith("error")


# UCI's habits in Xiangqi

AFTER_CANNON = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR"


@pytest.mark.parametrize(
    "line",
    [
        "position fen {b} b - - 1 1",
        "position fen {b} b 1 1",
        "position fen {b} b",
        "position fen {h} b - - 1 1",
        "position fen {h} b 1 1",
        "position fen {b} b - - 1 1 moves",
        "position startpos moves h2e2",
        "position startpos moves H2-E2",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r moves h2e2",
        "position fen rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR moves h2e2",
        "fen {b} b moves",
        "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r - - 0 1 moves h2e2",
    ],
)
def test_uci_s_ways_to_write_a_position(shared: Client, line: str) -> None:
    h = AFTER_CANNON.translate(str.maketrans("nbNB", "heHE"))
    shared.send("position startpos", line.format(b=AFTER_CANNON, h=h), "d", "isready")
    lines = shared.expect("readyok", START_TIMEOUT_S)
    assert not [line for line in lines if "error" in line]
    assert [line for line in lines if line.startswith(f"Fen: {AFTER_CANNON} b")]


def test_uci_s_current_fen_with_the_whole_history(shared: Client) -> None:
    """The history cannot be played from there: the FEN stands, and what was left out is told."""
    shared.send(f"position fen {AFTER_CANNON} b - - 1 1 moves h2e2", "d", "isready")
    lines = shared.expect("readyok", START_TIMEOUT_S)
    assert "info string error illegal move: h2e2 (move 1; the 0 before it stand)" in lines
    assert [line for line in lines if line.startswith(f"Fen: {AFTER_CANNON} b")]
    shared.send("go depth 2")
    assert shared.expect("bestmove")


def test_uci_s_ranks_from_one(shared: Client) -> None:
    shared.send("setoption name UCI_Coordinates value 1", "position startpos moves h3e3 h10g8", "d", "legal", "isready")
    lines = shared.expect("readyok", START_TIMEOUT_S)
    assert [line for line in lines if line.startswith("Fen: rnbakab1r/9/1c4nc1/")]
    assert any(line.startswith("legal ") and " h1g3" in line for line in lines)
    shared.send("go depth 2")
    move = shared.expect("bestmove")[-1].split()[1]
    assert any(f" {move}" in line for line in lines)
    shared.send("setoption name UCI_Coordinates value 0")


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    """One process for tests that leave it at rest."""
    with Client("uci") as client:
        yield client


# CECP


def test_xboard_plays_and_takes_back(client: Client) -> None:
    client.send("xboard", "protover 2", "accepted done", "new", "variant xiangqi", "level 0 0:20 0", "post", "easy")
    client.expect("feature", START_TIMEOUT_S)
    client.send("time 2000", "otim 2000", "usermove h2e2", "ping 1")
    lines = client.expect("pong", START_TIMEOUT_S)
    move = next(line.split()[1] for line in lines if line.startswith("move"))  # before the pong
    thought = [line.split() for line in lines if line[0].isdigit()]
    assert thought and all(len(words) > 4 and words[0].isdigit() for words in thought)
    assert thought[-1][4] == move
    client.send("force", "undo", "undo", "usermove b2e2", "usermove b2e2", "ping 2")
    assert client.expect("pong") == ["Illegal move: b2e2", "pong 2"]
    client.send("sd 2", "go")
    assert client.expect("move")


def test_xboard_is_told_of_the_end(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "sd 3", "nopost")
    client.send("force", "setboard 3k5/1R7/R8/9/9/9/9/9/9/4K4 w 0 1", "go")
    lines = client.expect(lambda line: line.startswith("1-0"), START_TIMEOUT_S)
    assert lines[-2].startswith("move ")
    assert lines[-1] == "1-0 {checkmate}"
    client.send("result 1-0 {checkmate}", "new", "usermove h2e2")
    assert client.expect("move")


def test_xboard_sends_a_game_without_waiting(client: Client) -> None:
    """As when it loads one: all moves in force mode, the game still being compiled."""
    moves = ["h2e2", "h9g7", "h0g2", "i9h9", "x9x9", "b0c2", "b9c7"]
    client.send("xboard", "protover 2", "new", "force", *(f"usermove {move}" for move in moves), "sd 2", "go")
    lines = client.expect("move", START_TIMEOUT_S)
    assert [line for line in lines if line.startswith("Illegal")] == ["Illegal move: x9x9"]
    client.send("force", "undo", "undo", "undo", "ping 3", "undo", "undo", "undo", "undo", "undo", "ping 4")
    assert client.expect("pong") == ["pong 3"]
    assert client.expect("pong") == ["Error (no move to take back): undo", "pong 4"]


def test_xboard_ponders_and_analyses(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "level 0 0:10 0", "hard", "nopost", "usermove h2e2")
    client.expect("move", START_TIMEOUT_S)
    client.send("hint")
    expected = client.expect("Hint:")[-1].split()[1]
    client.send("time 900", f"usermove {expected}")
    assert client.expect("move")
    client.send("hint")
    expected = client.expect("Hint:")[-1].split()[1]
    others = [move for move in ("a0a1", "i0i1", "a3a4") if move != expected]
    client.send(f"usermove {others[0]}", f"usermove {others[1]}")
    assert len([line for line in client.expect("move") if line.startswith("move")]) == 1
    client.send("force", "analyze")
    client.expect(lambda line: line[:2] == "4 ")
    client.send(".", "undo")
    assert client.expect("stat01:")[-1].split()[3].isdigit()
    client.expect(lambda line: line[:2] == "4 ")
    client.send("exit", "ping 9")
    assert client.expect("pong")[-1] == "pong 9"
    client.send("ping 10")
    assert client.expect("pong") == ["pong 10"]


@pytest.mark.parametrize("lines, moves", [(("analyze",), 0), (("hard", "st 1", "usermove h2e2"), 1)])
def test_xboard_s_end_of_input_is_the_end(lines: tuple[str, ...], moves: int) -> None:
    """Of an analysis without a move; of pondering without one more than was asked for."""
    with Client("xboard", "protover 2", "new", *lines) as client:
        client.close_input()
        told = client.rest(START_TIMEOUT_S)
        assert len([line for line in told if line.startswith("move")]) == moves
        assert client.end() == 0


def test_xboard_s_clocks_are_the_engine_s_and_the_opponent_s() -> None:
    """`time` and `otim` come before `go` says which side the engine has."""
    dialect = chosen_by("xboard")
    for line in ("new", "easy", "level 0 5 0"):
        dialect.read(line, 0)
    dialect.write("turn first")
    for line in ("force", "time 100", "otim 60000", "go"):
        dialect.read(line, 0)
    (go,) = dialect.write("turn first").commands
    assert go == "go wtime 1000 btime 600000 winc 0 binc 0"


def test_xboard_thinks_by_the_clock_told_after_pondering(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "level 0 0:30 0", "hard", "nopost", "time 3000", "usermove h2e2")
    client.expect("move", START_TIMEOUT_S)
    client.send("hint")
    expected = client.expect("Hint:")[-1].split()[1]
    started = time.monotonic()
    client.send("time 20", "otim 3000", f"usermove {expected}")
    client.expect("move")
    assert time.monotonic() - started < 1  # two tenths are on the clock


def test_xboard_s_bad_lines_leave_what_runs_alone(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "hard", "st 1", "usermove h2e2", "setboard", "cores 128")
    lines = client.expect("move", START_TIMEOUT_S)
    assert "Error (bad argument): setboard" in lines
    client.send("cores 128", "setboard rubbish", "usermove a3a4")
    lines = client.expect("move")
    assert len([line for line in lines if line.startswith("tellusererror Illegal position")]) == 1
    assert not [line for line in lines if line.startswith("Illegal move")]
    client.send("force", "analyze", "memory 99999", "usermove h9g7", "new", "post")
    client.expect(lambda line: line[:2] == "4 ")  # it stays in analysis
    client.send("exit", "usermove h2e2", "undo", "undo", "ping 4")
    assert "Error (no move to take back): undo" in client.expect("pong")
    client.send("draw", "ping 5")
    assert client.expect("pong") == ["pong 5"]


def test_ucci_stops_what_waits_for_its_moves(client: Client) -> None:
    client.send("ucci", "position startpos", "banmoves h2e2", "go infinite", "stop")
    assert client.expect("bestmove", START_TIMEOUT_S)
    client.send("position startpos", "banmoves h2e2", "go ponder time 1", "ponderhit")
    assert client.expect("bestmove")


EINSTEIN = "ABE2/FC3/D3d/3cf/2eba f"


def test_xboard_s_engine_throws_the_die_for_a_person_too(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "variant einstein", "level 0 1:00 0", "sd 2", "nopost", "ping 1")
    lines = client.expect("pong", START_TIMEOUT_S)
    assert len([line for line in lines if line.startswith(("setup", "piece"))]) == 7
    naive = Naive(EINSTEIN)
    refused = 0
    while naive.winner() is None:
        naive.die = thrown(lines)
        legal = naive.legal_moves()
        others = sorted(set(Naive(naive.fen()[:-1] + "-").legal_moves()) - set(legal))
        client.send(f"lift {legal[0][:2]}", *(f"usermove {move}" for move in others[:1]), "ping 2")
        marks, *refusals = client.expect("pong")[:-1]
        marked = {
            column + row
            for row, line in zip("54321", marks.split()[1].split("/"))
            for column, mark in zip("abcde", "".join("." * int(sign) if sign.isdigit() else sign for sign in line))
            if mark == "Y"
        }
        assert marked == {move[2:] for move in legal if move[:2] == legal[0][:2]}
        assert refusals == [f"Illegal move (the die is {naive.die}): {move}" for move in others[:1]]
        refused += len(refusals)
        naive.push(legal[0])
        client.send(f"usermove {legal[0]}", "ping 3")
        lines = client.expect("pong")
        if naive.winner() is None:
            at = next(i for i, line in enumerate(lines) if line.startswith("move"))
            naive.die = thrown(lines[:at])
            naive.push(lines[at].split()[1])
            lines = lines[at:]
    assert (
        lines[-2] == ("0-1", "1-0")[naive.winner() == 0] + f" {{{'corner' if 'e1' in legal[0] else lines[-2][5:-1]}}}"
    )
    assert refused


def thrown(lines: list[str]) -> int:
    """The last die of which the engine tells."""
    return int([line for line in lines if line.startswith("0 0 0 0 die ")][-1][-1])


def test_xboard_s_other_engine_throws_its_own_die(client: Client) -> None:
    """And a win is told by who has lost."""
    client.send(
        "xboard", "protover 2", "new", "variant einstein", "computer", "setboard 5/2A2/5/1a3/3bc w - - 0 1", "sd 2"
    )
    client.send("usermove c4c3", "ping 1")
    lines = client.expect("pong", START_TIMEOUT_S)
    assert lines[-2].split()[0] == "move"
    client.send("setboard 5/5/2A2/4b/a4 w - - 0 1", "go", "ping 2")
    assert client.expect("pong")[-2].startswith("move c3")
    client.send("force", "setboard 5/5/5/3A1/a4 w - - 0 1", "computer", "go", "ping 3")
    assert client.expect("pong")[-2:] == ["move d2e1", "pong 3"]
    client.send("new", "computer", "setboard 5/5/5/3A1/a4 w - - 0 1", "usermove d2e1", "ping 4")
    assert client.expect("pong")[-2:] == ["1-0 {corner}", "pong 4"]


# Botzone


def answered(client: Client, line: object) -> dict[str, Any]:
    client.send(json.dumps(line))
    answer, running = client.expect(lambda text: text.startswith(">>>"), START_TIMEOUT_S)
    assert running == ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
    response: dict[str, Any] = json.loads(answer)["response"]
    return response


def test_botzone_keeps_running(client: Client) -> None:
    first = answered(client, {"requests": [{"source": "-1", "target": "-1"}], "responses": [], "time_limit": "0.1"})
    assert set(first) == {"source", "target"}
    assert answered(client, {"source": "h9", "target": "g7"})["source"] != "g7"
    client.send('{"source": "h9", "target": "g7"}', "[1]", "{", '{"source": "a"}', '{"x0": 3}')
    for word in ("illegal move", "", "", "", ""):
        assert word in json.loads(client.expect(lambda line: True)[-1])["error"]
    assert answered(client, {"source": "b9", "target": "c7"})


def test_botzone_goes_on_from_a_history(client: Client) -> None:
    requests = [{"source": "h2", "target": "e2"}, {"source": "h0", "target": "g2"}]
    told = {"requests": requests, "responses": [{"source": "h9", "target": "g7"}], "time_limit": "0.1"}
    response = answered(client, told)
    assert response["source"][1] in "56789"


def test_botzone_in_connect6_and_ewn() -> None:
    with Client() as client:
        stones = {"x0": 9, "y0": 9, "x1": -1, "y1": -1}
        response = answered(client, {"requests": [stones], "responses": [], "time_limit": "0.1"})
        assert all(0 <= response[key] < 19 for key in ("x0", "y0", "x1", "y1"))
    with Client() as client:
        setup = answered(client, {"requests": [{"setup": "-1"}], "responses": [], "time_limit": "0.1"})["setup"]
        assert sorted(setup) == list("123456")
        move = answered(client, {"setup": "654321", "dice": 6})
        assert move["source"] in ("a5", "b5", "c5", "a4", "b4", "a3")
        assert set(answered(client, {"source": "e1", "target": "d2", "dice": 1})) == {"source", "target"}


# SAU, Cloudict, MyAI


def test_a_game_by_sau(client: Client) -> None:
    assert ask(client, "name?", "name") == "name Siqi"
    client.send("setoption name Depth value 2")
    assert ask(client, "new black", "move") == "move JJ@@"
    assert ask(client, "move AAZZ", "ERROR") == "ERROR not a turn: move AAZZ"
    reply = ask(client, "move ABAC", "move")
    assert len(reply) == 9 and "@" not in reply
    assert ask(client, "move ABAD", "ERROR").startswith("ERROR illegal move")  # a18 is taken
    assert ask(client, "move", "ERROR") == "ERROR too few words: move"
    assert ask(client, "move SSSR", "move") != reply
    client.send("end win")
    assert len(ask(client, "new black", "move")) == 9
    client.send("quit")
    assert client.process.wait(20) == 0


def test_sau_and_cloudict_count_rows_from_either_end() -> None:
    sau, cloudict = chosen_by("name?"), chosen_by("name")
    assert sau.read("move AAJJ", 0).commands[0] == "position startpos moves a19j10"
    cloudict.read("name", 0)
    assert cloudict.read("black AA", 0).commands[-2:] == ("position startpos moves a1", "turn")
    for dialect, centre, row in ((chosen_by("name?"), "move JJ@@", "18"), (started("new white"), "move JJJJ", "2")):
        assert dialect.read("new black", 0).commands[-1].startswith("go ")
        assert dialect.write("bestmove j10").answers == (centre,)
        dialect.read("move AAAB", 0)
        dialect.write("turn first")
        assert dialect.write(f"bestmove b{row}c{row}").answers == ("move BBCB",)


def test_an_option_s_error_is_no_answer_to_a_move(client: Client) -> None:
    client.send("name", "depth 500", "depth 1", "new white", "move JJJJ")
    lines = client.expect("move", START_TIMEOUT_S)
    assert [line for line in lines if line.startswith("ERROR")] == ["ERROR option Depth: 500 is not within 0..47"]


def test_cloudict_leaves_out_turns_that_cannot_be(client: Client) -> None:
    client.send("name", "depth 1", "new xxx", "black JJJJ", "white JJJK", "white KKLL", "black IIHH", "next")
    lines = client.expect("move", START_TIMEOUT_S)
    assert len([line for line in lines if line.startswith("ERROR illegal move")]) == 1
    client.send(f"white {lines[-1].split()[1]}", "next")
    assert client.expect("move")


@pytest.mark.parametrize(
    "begin, think, end, move",
    [
        (("name?", "new white"), "move JJ@@", "end black", "move "),
        (("INFO 1.0", "START 0 60 31"), "GO 0000 0 00", "END 1", "BESTMOVE "),
    ],
)
def test_no_move_comes_after_the_end(client: Client, begin: tuple[str, ...], think: str, end: str, move: str) -> None:
    client.send(*begin)
    client.expect(lambda line: line.startswith(("name", "ARRAY")), START_TIMEOUT_S)
    client.send(think)
    time.sleep(0.3)
    client.send(end)
    time.sleep(0.3)
    client.send("rubbish")
    lines = client.expect("ERROR")
    assert not [line for line in lines if line.startswith(move)]


def test_myai_says_that_a_game_is_over(client: Client) -> None:
    client.send("name", "get R 1 E5 D5 C5 E4 D4 E3 0 0 0 0 0 0")
    assert client.expect(lambda line: line.startswith("ERROR"), START_TIMEOUT_S)[-1] == "ERROR the game is over"


@pytest.mark.parametrize("limit", ["0.0001", "-1", "1e300", "1e999"])
def test_botzone_s_odd_time_limits(limit: str) -> None:
    dialect = chosen_by("{")
    request = '"requests": [{"source": "-1", "target": "-1"}], "responses": []'
    dialect.read(f'{{{request}, "time_limit": {limit}}}', 0)
    (go,) = dialect.write("turn first").commands
    assert 1 <= int(go.split()[2]) <= 3600_000
    assert (
        "beyond" in dialect.read('{"requests": [{"x0": -2, "y0": 1, "x1": 1, "y1": 1}], "responses": []}', 0).answers[0]
    )


def started(line: str) -> Dialect:
    dialect = chosen_by("name")
    dialect.read("name", 0)
    dialect.read(line, 0)
    return dialect


def test_a_game_by_cloudict(client: Client) -> None:
    assert ask(client, "name", "name") == "name Siqi"
    client.send("depth 2", "vcf", "new xxx", "black JJ")
    move = ask(client, "next", "move")
    assert len(move) == 9
    assert ask(client, "black JJ", "ERROR").startswith("ERROR illegal move")


def test_a_game_by_myai(client: Client) -> None:
    assert ask(client, "name", "name") == "name Siqi"
    assert ask(client, "version", "") != ""
    assert ask(client, "time_setting 3", "") == "1"
    assert ask(client, "board_setting 5 6", "") == "1"
    assert set(ask(client, "ini R", "").split()) == {"A1", "B1", "C1", "A2", "B2", "A3"}
    assert set(ask(client, "ini B", "").split()) == {"E5", "D5", "C5", "E4", "D4", "E3"}
    origin, target = ask(client, "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", "").split()
    assert origin == "C1" and target in ("D1", "C2", "D2")
    assert ask(client, "get B 6 0 0 0 0 0 B2 0 0 C2 0 0 0", "") in ("B2 A1", "B2 A2", "B2 B1")
    assert ask(client, "get R 9 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", "ERROR").startswith("ERROR bad FEN")
    assert ask(client, "get R 1 E5", "ERROR").startswith("ERROR twelve squares")
    assert ask(client, "board_setting 6 6", "ERROR").startswith("ERROR the board is")
    client.send("exit")
    assert client.process.wait(20) == 0


def test_myai_s_time_holds_at_once() -> None:
    """Before any `ini`, after one, and after a search; a new game has all of it."""
    get = "get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"
    dialect = started("time_setting 7")
    for line, seconds in (("", 7), ("ini R", 7), ("time_setting 3", 3), ("ini B", 3)):
        if line:
            dialect.read(line, now_ns())
        if line.startswith("ini"):
            dialect.write("bestmove 123456")
        assert dialect.read(get, now_ns()).commands[0].startswith("position fen ABC")
        (go,) = dialect.write("turn first").commands
        assert 1000 * (seconds - 1) < int(go.split()[2]) <= 1000 * seconds
        dialect.write("bestmove c5d4")


def test_who_asks_for_the_name_is_known_by_the_next_word() -> None:
    for line, game in (("version", "ewn"), ("ini R", "ewn"), ("new black", "connect6"), ("depth 3", "connect6")):
        dialect = chosen_by("name")
        assert isinstance(dialect, Named)
        assert dialect.read("name", 0).answers == ("name Siqi",)
        assert dialect.write("info depth 1").answers == ()
        assert dialect.read(line, 0).commands[:1] == (f"setoption name UCI_Variant value {game}",)


@pytest.mark.parametrize("line", ["INFO 1.0", "name?", "ugi", "ucci", "xboard", '{"requests": []}'])
def test_nothing_that_a_client_says_is_too_much(line: str) -> None:
    dialect = chosen_by(line)
    for text in (line, "go", "move", "new", "get R", "setoption", "query", "go time x", "banmoves", "\x00", "a b c"):
        reading = dialect.read(text, 0)
        assert isinstance(reading.commands, tuple)
