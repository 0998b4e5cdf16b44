"""Front ends in real processes: short games and searches of clients, and behaviour that needs a process."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import forked
import pytest
from client import START_TIMEOUT_S, Client

from naive.ewn import Naive
from siqi.daemon.engine.options import declared
from siqi.daemon.frontends import front_end_for


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


def ask(client: Client, line: str, word: str) -> str:
    """Send a line and return its answer, the only line that begins with `word`."""
    client.send(line)
    (answer,) = client.expect(lambda text: text.startswith(word), START_TIMEOUT_S)
    return answer


# All


@pytest.mark.parametrize(
    "first",
    ["uci", "ucci", "ugi", "xboard", "name?", "name\nversion", "name\nnew black", "INFO 1.0", '{"requests": []}'],
)
def test_control_characters_of_a_client_are_not_echoed(first: str, tmp_path: Path) -> None:
    """Whatever the command, no answer has a sign that acts on a terminal or ends a line, nor has the log."""
    commands = getattr(front_end_for(first.splitlines()[-1]), "commands", {})
    words = [*commands, "what", "fen", "startpos", "moves"]
    evil = "\x1b[31m\x07\x08\r\x0b\x1c\x7f\x00\x85\x9b\u2028"
    lines = [f"{word}{gap}{evil}{end}" for word in words for gap in (" ", "") for end in ("", " value 1", "=1", '"')]
    lines += [
        f"{start} {evil}" for start in ("position fen", "position startpos moves", "setoption name", "option", "go")
    ]
    lines += [f"setoption name {name} value {evil}" for name in ("Hash", "BookFile", "GameLog", "UCI_Variant")]
    lines = [line for line in lines if line.split()[0] not in ("quit", "exit", "bench", "perft", "go")]
    log = tmp_path / "log"
    given = "\n".join([first, f"setoption name Debug Log File value {log}", *lines, "quit", ""])
    done = forked.run(given=given.encode())
    assert done.returncode == 0 and set(done.stdout) <= {*b"\n", *range(32, 127)}
    assert not log.exists() or not set(log.read_bytes()) & {*range(10), *range(11, 32), 127}


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


def test_ucci_bans_moves(client: Client) -> None:
    client.send("ucci", "position fen 4k4/9/9/9/9/9/9/9/9/3K5 w", "banmoves d0e0", "go depth 3")
    answer = client.expect("bestmove", START_TIMEOUT_S)[-1]
    assert answer.split()[1] in ("d0d1",)
    client.send("banmoves d0d1", "go depth 3")
    assert client.expect("nobestmove") == ["nobestmove"]
    client.send("position fen 4k4/9/9/9/9/9/9/9/9/3K5 w", "go depth 1")
    assert client.expect("bestmove")


def test_ucci_takes_a_bare_fen(client: Client) -> None:
    client.send("ucci", f"fen {AFTER_CANNON} b moves h9g7", "banmoves h0g2", "go depth 1")
    assert client.expect("bestmove", START_TIMEOUT_S)[-1].split()[1] != "h0g2"


def test_ucci_lists_what_xiangqi_has(client: Client) -> None:
    client.send("ucci")
    names = {line.split()[1] for line in client.expect("ucciok") if line.startswith("option")}
    assert {"hashsize", "Skill_Level", "UseRules"} <= names
    assert not {name for name in names if name.startswith("UCI_")} - {"UCI_LimitStrength", "UCI_Elo"}
    own = {option.name for option, owner in declared() if owner in ("", "xiangqi")}
    others = {option.name for option, _ in declared()} - own
    assert others and not names & {name.replace(" ", "_") for name in others}
    client.send("setoption UCI_Variant connect6", "setoption Width 5", "position startpos moves h2e2", "go depth 1")
    lines = client.expect("bestmove", START_TIMEOUT_S)
    assert not [line for line in lines if line.startswith("info message") and "compil" not in line]
    assert re.fullmatch("[a-i][0-9][a-i][0-9]", lines[-1].split()[1])


# UGI


# Signs of life, refusals


@pytest.mark.long
def test_the_first_load_shows_signs_of_life(tmp_path: Path) -> None:
    """Without cached kernels, progress goes to standard error, as the client reads just one line per command."""
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


def test_refusals_have_the_client_s_squares(client: Client) -> None:
    client.send("name?", "setoption name Depth value 1", "new white", "move JJ@@")
    client.expect("move", START_TIMEOUT_S)
    assert ask(client, "move AAJJ", "ERROR") == "ERROR illegal move, JJ is taken: AAJJ"


# Fields


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
    """A history that cannot be played from the FEN is reported, and the position is the FEN's."""
    shared.send(f"position fen {AFTER_CANNON} b - - 1 1 moves h2e2", "d", "isready")
    lines = shared.expect("readyok", START_TIMEOUT_S)
    assert "info string error illegal move: h2e2 (move 1; 0 moves kept)" in lines
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
    """Yield one process for tests that leave it idle."""
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


@pytest.mark.long
def test_the_end_is_reported_to_xboard(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "sd 3", "nopost")
    client.send("force", "setboard 3k5/1R7/R8/9/9/9/9/9/9/4K4 w 0 1", "go")
    lines = client.expect(lambda line: line.startswith("1-0"), START_TIMEOUT_S)
    assert lines[-2].startswith("move ")
    assert lines[-1] == "1-0 {checkmate}"
    client.send("result 1-0 {checkmate}", "new", "usermove h2e2")
    assert client.expect("move")


def test_xboard_sends_a_game_without_waiting(client: Client) -> None:
    """XBoard can load a game: it sends all moves in force mode, even while the game is being compiled."""
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
    """An analysis ends without a move; pondering ends without another move."""
    with Client("xboard", "protover 2", "new", *lines) as client:
        client.close_input()
        written = client.rest(START_TIMEOUT_S)
        assert len([line for line in written if line.startswith("move")]) == moves
        assert client.end() == 0


def test_xboard_thinks_by_the_clock_sent_after_pondering(client: Client) -> None:
    client.send("xboard", "protover 2", "new", "level 0 0:30 0", "hard", "nopost", "time 3000", "usermove h2e2")
    client.expect("move", START_TIMEOUT_S)
    client.send("hint")
    expected = client.expect("Hint:")[-1].split()[1]
    started = time.monotonic()
    client.send("time 20", "otim 3000", f"usermove {expected}")
    client.expect("move")
    assert time.monotonic() - started < 1  # the clock has 0.2 s


def test_xboard_s_bad_lines_leave_the_search_alone(client: Client) -> None:
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


def test_ucci_stops_queued_searches_with_banned_moves(client: Client) -> None:
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
    """Return the last die that the engine reports."""
    return int([line for line in lines if line.startswith("0 0 0 0 die ")][-1][-1])


def test_xboard_s_other_engine_throws_its_own_die(client: Client) -> None:
    """The throws of another engine are not reported, and only the loser reports a win."""
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
    history_ = {"requests": requests, "responses": [{"source": "h9", "target": "g7"}], "time_limit": "0.1"}
    response = answered(client, history_)
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


def test_an_option_s_error_is_no_answer_to_a_move(client: Client) -> None:
    client.send("name", "depth 500", "depth 1", "new white", "move JJJJ")
    lines = client.expect("move", START_TIMEOUT_S)
    assert [line for line in lines if line.startswith("ERROR")] == ["ERROR option Depth: 500 is not within 0..47"]


def test_cloudict_refuses_bad_turns(client: Client) -> None:
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
    assert ask(client, "get R 9 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", "ERROR").startswith("ERROR a die is 1 to 6")
    assert ask(client, "get R 1 E5", "ERROR").startswith("ERROR twelve squares")
    assert ask(client, "board_setting 6 6", "ERROR").startswith("ERROR the board is")
    client.send("exit")
    assert client.process.wait(20) == 0
