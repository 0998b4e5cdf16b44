"""Misuse by clients: PROTOCOLS.md's points on robustness, against the real process."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest
from client import COMMAND, ROOT, START_TIMEOUT_S, Client

from siqi import __version__
from siqi.daemon.engine.options import declared
from siqi.daemon.serve import Server
from siqi.games import registry
from siqi.system.output import Output
from siqi.system.pipes import ClientLine, read_lines

SET_UP = {
    "xiangqi": ("position startpos moves h2e2",),
    "connect6": ("position startpos moves j10 i9k11",),
    "ewn": ("position startpos moves 123456 615243", "dice 2"),
    "junqi": ("position fen 1c1l1/5/5/1d1f1/5/5/5/5/1h3/5/1g1i1/B2LC f - 0",),
}
"""Lines that set up a position in the middle of each game, without a quick win."""

BAD_FENS = {
    "xiangqi": (
        "x",
        "9/9/9/9/9/9/9/9/9/9 w",
        "4k4/9/9/9/9/9/9/9/9/4K4 w",
        "4k4/9/9/9/9/9/9/9/9/3K5 x",
        "3kk4/9/9/9/9/9/9/9/9/3K5 w",
        "3k5/9/9/9/9/9/9/9/9/RRRK5 w",
        "3k5/9/9/9/9/9/9/9/9/10 w",
    ),
    "connect6": ("19 b 1", "/".join(["19"] * 19) + " b 3", "/".join(["18"] * 19) + " b 1"),
    "ewn": (
        "ABC2/DE3/F3f/3ed/2cba x",
        "ABC2/DE3/F3f/3ed/2cbaa f",
        "5/5/5/5/5 f -",
        "ABC2/DE3/F3f/A2ed/2cba f -",
        "ABC2/DE3/F3f/3ed/2cba f 7",
    ),
    "junqi": ("5/5/5/5/5/5/5/5/5/5/5/5 f - 0", "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAC z - 0", "6/5 f"),
}

INFO = re.compile(
    r"info (throw [1-6] )?depth \d+ seldepth \d+ (multipv \d+ )?score (cp -?\d+|mate -?\d+)( wdl \d+ \d+ \d+)?"
    r" nodes \d+ nps \d+ hashfull \d+ time \d+ pv \S+( \S+)*"
)


@pytest.fixture(params=SET_UP, scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[tuple[Client, str]]:
    """Yield one process for each game, shared by all tests that leave it alive."""
    with Client(f"setoption name UCI_Variant value {request.param}") as client:
        client.sync()
        yield client, request.param


@pytest.fixture
def game(shared: tuple[Client, str]) -> Iterator[tuple[Client, str]]:
    """Yield the shared process in the middle of a game; check afterwards that it is silent and alive."""
    client, name = shared
    client.answers("ucinewgame", *SET_UP[name])
    yield client, name
    assert client.sync() == []


def bestmoves(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("bestmove")]


def errors(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("info string error")]


def board_fen(client: Client) -> str:
    (line,) = [line for line in client.answers("d") if line.startswith("Fen: ")]
    return line


def without_times(lines: list[str]) -> list[str]:
    return [re.sub(r" (nps|time) \d+", "", line) for line in lines]


# Handshake


@pytest.mark.parametrize("protocol", ["uci", "ugi"])
def test_handshake_without_numba(protocol: str, tmp_path: Path) -> None:
    """`uciok` comes before a game is loaded, which would write to numba's cache folder."""
    with Client(protocol, environment={**os.environ, "SIQI_CACHE": str(tmp_path)}) as client:
        lines = client.expect(f"{protocol}ok", timeout_s=10)  # normally a tenth of a second; GUIs give up
        assert lines[0].startswith("id name ") and lines[-1] == f"{protocol}ok"
        assert list(tmp_path.iterdir()) == []
        assert all(len(line) < 2000 and line == line.rstrip() for line in lines)
        client.send("quit")
        assert client.rest() == [] and client.end() == 0 and client.errors == ""


@pytest.mark.parametrize(
    "lines, answers",
    [(("ucci",), ["ucciok", "bye"]), (("name?",), ["name Siqi"]), (("name", "version"), ["name Siqi", __version__])],
)
def test_a_greeting_does_not_hold_up_the_end(lines: tuple[str, ...], answers: list[str], tmp_path: Path) -> None:
    """The process ends although the greeting has begun to load a game, of which no kernel is compiled."""
    with Client(*lines, "quit", environment={**os.environ, "SIQI_CACHE": str(tmp_path)}) as client:
        said = client.rest(10)
        assert [line for line in said if not line.startswith(("id", "option", "info message compil"))] == answers
        assert client.end() == 0


def test_every_option_echoed_at_its_default(shared: tuple[Client, str]) -> None:
    client, name = shared
    client.send("uci")
    for line in client.expect("uciok"):
        if match := re.match(r"option name (.+?) type (\w+)(?: default (\S*))?", line):
            option, kind, default = match.groups()
            value = name if option == "UCI_Variant" else default
            answers = client.answers(f"setoption name {option}" + (f" value {value}" if kind != "button" else ""))
            assert errors(answers) == [], option


# The reader is always live


def test_isready_and_stop_during_a_search(game: tuple[Client, str]) -> None:
    client, _ = game
    client.ask("go infinite", until="info")
    assert bestmoves(client.sync()) == []
    client.search("stop")


def test_stop_position_go_without_waiting(game: tuple[Client, str]) -> None:
    client, name = game
    client.send("go infinite", "stop", "position startpos", *SET_UP[name], "go nodes 50")
    client.expect("bestmove")
    client.expect("bestmove")


def test_position_during_a_search_is_the_next_searches(game: tuple[Client, str]) -> None:
    client, _ = game
    before = board_fen(client)
    client.ask("go infinite", until="info")
    client.send("position startpos")
    after = [line for line in client.ask("d", until=lambda line: line.startswith("Fen: ")) if line.startswith("Fen: ")]
    assert after != [before]
    client.search("stop")


def test_idle_stop_and_ponderhit_are_silent(game: tuple[Client, str]) -> None:
    client, _ = game
    assert client.answers("stop", "ponderhit", "", "   ") == []


@pytest.mark.parametrize("go, release", [("go infinite depth 1", "stop"), ("go ponder depth 1", "ponderhit")])
def test_no_bestmove_before_it_is_released(game: tuple[Client, str], go: str, release: str) -> None:
    client, _ = game
    client.ask(go, until="info")
    time.sleep(0.1)
    assert bestmoves(client.sync()) == []
    client.search(release)


def test_stopped_perft_and_bench(game: tuple[Client, str]) -> None:
    client, name = game
    depth = dict(xiangqi=12, connect6=4, ewn=30, junqi=12)[name]
    client.send(f"perft {depth}")
    client.ask("stop", until=lambda line: line == f"info string perft {depth} stopped")
    client.ask("bench", "stop", "isready", until="readyok")
    # A search waits for the end of the bench.
    assert len(bestmoves(client.search("go nodes 10"))) == 1


# Bad input


GARBAGE = (
    "hello",
    "GO",
    "setoption",
    "setoption name",
    "setoption name Nonsense value 1",
    "setoption name Hash value many",
    "setoption name Hash value 0",
    "setoption name Hash value 99999999999999999999",
    "setoption name UCI_Variant value chess",
    "setoption name Ponder value maybe",
    "setoption name Debug Log File value /nonexistent/folder/log",
    "position",
    "position nonsense",
    "position startpos nonsense",
    "dice",
    "dice 0",
    "dice 7",
    "dice one",
    "perft",
    "perft x",
    "perft 0",
)


def test_each_bad_line_is_one_error_and_changes_nothing(game: tuple[Client, str]) -> None:
    client, _ = game
    before = board_fen(client)
    for line in GARBAGE:
        answers = client.answers(line)
        assert len(answers) == 1 and errors(answers) == answers, line
        assert "internal" not in answers[0], line
    assert board_fen(client) == before


def test_bad_fens_change_nothing(game: tuple[Client, str]) -> None:
    client, name = game
    before = board_fen(client)
    for fen in BAD_FENS[name]:
        answers = client.answers(f"position fen {fen}")
        assert len(answers) == 1 and answers[0].startswith("info string error bad FEN"), fen
    assert board_fen(client) == before


def test_illegal_move_keeps_the_legal_prefix(game: tuple[Client, str]) -> None:
    client, name = game
    whole = SET_UP["junqi"][0] if name == "junqi" else SET_UP[name][0]
    client.answers(whole)
    expected = board_fen(client)
    answers = client.answers(f"{whole} {'' if ' moves ' in whole else 'moves '}zz h0g2")
    assert len(answers) == 1 and "zz" in errors(answers)[0]
    assert board_fen(client) == expected
    assert client.answers(f"{whole} " if " moves " in whole else f"{whole} moves") == []


def test_die_only_where_there_is_one(game: tuple[Client, str]) -> None:
    client, name = game
    assert bool(errors(client.answers("dice 3"))) == (not registry.info(name).has_dice)


def test_a_line_that_continues_the_last_is_read_like_a_fresh_one(game: tuple[Client, str]) -> None:
    client, name = game
    start = SET_UP[name][0] + ("" if " moves " in SET_UP[name][0] else " moves")
    continued = []
    for _ in range(4):
        (legal,) = client.answers("legal")
        continued.append(legal.split()[1] if name != "connect6" else f"a{len(continued) + 1}s1{len(continued)}")
        assert client.answers(f"{start} {' '.join(continued)}") == []
        shown = client.answers("d")
        client.answers("position startpos", f"{start} {' '.join(continued)}")
        assert client.answers("d") == shown
        # After a wrong continuation the legal moves stand; a shorter list is set up anew.
        assert len(errors(client.answers(f"{start} {' '.join(continued)} zz"))) == 1
        assert client.answers("d") == shown
    assert client.answers(f"{start} {continued[0]}", f"{start} {' '.join(continued)}") == []
    assert client.answers("d") == shown


def test_a_throw_is_forgotten_when_the_line_goes_on() -> None:
    with Client("setoption name UCI_Variant value ewn") as client:
        client.sync()
        line = "position startpos moves 123456 123456"
        assert client.answers(line, "dice 3") == []
        (legal,) = client.answers("legal")
        assert client.answers(line) == []
        others = set(client.answers("legal")[0].split()) - set(legal.split())
        assert others and client.answers(line, "dice 3", f"{line} {min(others)}") == []


@pytest.mark.parametrize(
    "name, words",
    [
        ("ewn", ("123455", "12345", "1234567", "123450", "a5b4")),
        ("junqi", ("diahcbgkkfiecfigjhedjljhgg", "diahcbgkkfiecfigjhedjljhh", "diahckgbkfiecfigjhedjljh", "G0F0")),
    ],
)
def test_bad_set_ups_change_nothing(name: str, words: tuple[str, ...]) -> None:
    with Client(f"setoption name UCI_Variant value {name}") as client:
        client.sync()
        for word in words:
            answers = client.answers(f"position startpos moves {word}")
            assert len(answers) == 1 and errors(answers) == answers, word
            assert board_fen(client) == "Fen: startpos"


@pytest.mark.parametrize(
    "name, lines",
    [
        ("xiangqi", ("setoption name MultiPV value 2", "go depth 2 searchmoves h2e2 h2e2 " + "h2e2 " * 130)),
        ("xiangqi", ("go wtime 999999999999999 btime 1 depth 1",)),
        ("xiangqi", ("go movetime 999999999999999 depth 1",)),
        ("connect6", ("position startpos moves j10", "go nodes 20 searchmoves " + "i9k11 " * 300)),
        ("ewn", ("setoption name Threads value 64", *SET_UP["ewn"][:1], "go nodes 300")),
        ("ewn", (*SET_UP["ewn"][:1], "go nodes 300 searchmoves c5d4")),
        ("ewn", (*SET_UP["ewn"][:1], "go nodes 2 searchmoves c5d4 c5d4 " + "c5d4 " * 30)),
        ("junqi", ("position fen 1l3/5/5/5/5/2a2/2A2/5/5/5/5/1L3 f - 31", "go nodes 50")),
        ("junqi", ("position startpos", "go nodes 5 searchmoves ?")),
    ],
)
def test_extreme_searches_end_with_a_move(name: str, lines: tuple[str, ...]) -> None:
    with Client(f"setoption name UCI_Variant value {name}") as client:
        client.sync()
        answers = client.search(*lines)
        assert not errors(answers) and len(bestmoves(answers)) == 1 and "?" not in answers[-1]
        thrown = [line.split()[2] for line in answers if line.startswith("info throw")]
        assert (answers[-1] == "bestmove (none)") == bool(thrown)


def test_a_coordinates_option_counts_from_the_next_position_on() -> None:
    with Client("position startpos moves h2e2", "setoption name UCI_Coordinates value 1") as client:
        assert client.sync() == []
        assert client.answers("position startpos moves h3e3 h10g8") == []


def test_isready_after_a_stop_keeps_its_turn(game: tuple[Client, str]) -> None:
    client, name = game
    client.ask("go infinite", until="info")
    lines = client.answers(
        "stop", "setoption name UCI_Variant value xiangqi", f"setoption name UCI_Variant value {name}"
    )
    assert len(bestmoves(lines)) == 1


@pytest.mark.parametrize("protocol", ["uci", "ucci", "ugi"])
def test_no_answer_comes_after_the_ready_that_follows_its_stop(protocol: str) -> None:
    """No stale answer comes, with all lines in one write, before the game is loaded and after."""
    with Client(protocol) as client:
        client.expect(f"{protocol}ok")
        for go in ("go infinite", "go ponder"):
            lines = client.ask(go, "stop", go, "stop", "isready", until="readyok", timeout_s=START_TIMEOUT_S)
            assert len(bestmoves(lines)) == 2
            assert not bestmoves(client.sync())


def test_ucci_says_goodbye_last() -> None:
    with Client("ucci", "go depth 3", "go infinite", "quit") as client:
        lines = [line.split()[0] for line in client.rest(START_TIMEOUT_S)]
        assert lines.count("bestmove") == 2 and lines.count("bye") == 1 and lines[-1] == "bye"
        assert client.end() == 0


def test_a_bad_fen_without_words(game: tuple[Client, str]) -> None:
    (answer,) = game[0].answers("position fen")
    assert answer.startswith("info string error bad FEN")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
@pytest.mark.parametrize("loaded_first", [False, True])
def test_too_much_hash_is_reported_and_survived(loaded_first: bool) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))"
    with Client(program=f"{limit}; from siqi.daemon.main import main; main()") as client:
        if loaded_first:
            client.sync()
        lines = client.answers("setoption name Hash value 16384")
        assert errors(lines) == []
        assert (
            lines[-1]
            == f"info string warning option Hash: no memory for 16384 MiB; using {64 if loaded_first else 16} MiB"
        )
        for _ in range(2):  # reported once, and not tried again with each search
            assert not [line for line in client.search("go nodes 50") if "warning" in line]
        assert client.answers("setoption name Hash value 1") == []


def test_set_ups_differ_from_game_to_game() -> None:
    with Client("setoption name UCI_Variant value junqi") as client:
        client.sync()
        words = {client.search("ucinewgame", "position startpos", "go nodes 1")[-1] for _ in range(4)}
        assert len(words) == 4


def test_binary_and_long_lines(game: tuple[Client, str]) -> None:
    client, _ = game
    client.send_bytes(bytes(range(256)) + b"\n\0\0\0\n\xff\xfe\n" + b"\r\n" + b"x" * (1 << 20) + b"\n")
    assert all(line.isascii() and line.isprintable() and len(line) < 1000 for line in client.sync())
    client.send_bytes(b"isready\r\n")
    client.expect("readyok")


# Limits


@pytest.mark.parametrize(
    "go",
    [
        "go nodes 1",
        "go depth 1",
        "go movetime 1",
        "go wtime 0 btime 0",
        "go wtime -100 btime -100 winc -5 binc -5",
        "go wtime 100",
        "go movestogo 1 wtime 50 btime 50 winc 1 binc 1",
        "go mate 1 nodes 20",
        "go depth 999999999999999 nodes 10",
        "go nodes 10 unknown",
        "go movetime 20 nodes 5 depth 3",
    ],
)
def test_every_go_has_one_bestmove(game: tuple[Client, str], go: str) -> None:
    client, _ = game
    lines = client.search(go)
    assert len(bestmoves(lines)) == 1 and not any("internal" in line for line in lines)
    assert len(lines[-1].split()) in (2, 4)
    scored = [line for line in lines if line.startswith("info ") and not line.startswith("info string")]
    assert scored and all(INFO.fullmatch(line) for line in scored)


@pytest.mark.parametrize("options", [("Threads", "2"), ("MultiPV", "5"), ("Skill Level", "0"), ("Hash", "1")])
def test_options_that_change_the_search(game: tuple[Client, str], options: tuple[str, str]) -> None:
    client, _ = game
    option, value = options
    (declared,) = [line for line in client.ask("uci", until="uciok") if line.startswith(f"option name {option} ")]
    assert client.answers(f"setoption name {option} value {value}") == []
    lines = client.search("go nodes 300")
    default = declared.split(" default ")[1].split()[0]
    assert client.answers(f"setoption name {option} value {default}") == []
    if option == "MultiPV":
        (legal,) = client.answers("legal")
        moves = 5 if legal.startswith("legal count") else len(legal.split()) - 1
        ranks = [int(match[1]) for line in lines if (match := re.search(r" multipv (\d+) ", line))]
        assert max(ranks) == ranks[-1] == min(5, moves)


def test_reproducible_after_new_game(game: tuple[Client, str]) -> None:
    client, name = game
    assert client.answers("setoption name Seed value 7") == []
    runs = []
    for _ in range(2):
        client.answers("ucinewgame", *SET_UP[name])
        runs.append(without_times(client.search("go nodes 2000")))
    assert client.answers("setoption name Seed value 0") == []
    assert runs[0] == runs[1]


def test_moves_of_a_variation_are_legal(game: tuple[Client, str]) -> None:
    client, name = game
    if name in ("ewn", "junqi"):
        pytest.skip("later moves hang on throws or battles")
    line = client.search("go nodes 3000")[-2]
    moves = line.split(" pv ")[1]
    assert client.answers(f"{SET_UP[name][0]} {moves}") == []


# Games that change


def test_variant_switched_back_and_forth(game: tuple[Client, str]) -> None:
    client, name = game
    client.ask("go infinite", until="info")
    client.send(*(f"setoption name UCI_Variant value {other}" for other in (*registry.NAMES, name)))
    client.search("stop")
    assert not errors(client.answers(*SET_UP[name]))
    client.search("go nodes 10")


def test_set_up_phase(game: tuple[Client, str]) -> None:
    client, name = game
    client.answers("position startpos")
    moves: list[str] = []
    for _ in range(2 if registry.info(name).has_setup else 1):
        moves.append(client.search("go nodes 5")[-1].split()[1])
        assert client.answers(f"position startpos moves {' '.join(moves)}") == []
    assert len(client.answers("result")) == 1


# The end


@pytest.mark.parametrize("name", SET_UP)
def test_end_of_input_finishes_what_was_asked(name: str) -> None:
    with Client(f"setoption name UCI_Variant value {name}", *SET_UP[name], "go nodes 50", "go depth 1") as client:
        client.send_bytes(b"result")  # a last line without its newline
        client.close_input()
        lines = client.rest()
        assert len(bestmoves(lines)) == 2 and any(line.startswith("result") for line in lines)
        assert client.end() == 0 and client.errors == ""


def test_movetime_is_used_and_kept(game: tuple[Client, str]) -> None:
    """The time is used, but not exceeded so much that a client gives up; the answer may be some 10 ms early."""
    client, name = game
    if name == "junqi":  # that position is lost too soon
        client.send("position startpos moves diahcbgkkfiecfigjhedjljhg ?")
    started = time.monotonic()
    client.search("go movetime 200")
    assert 0.1 < time.monotonic() - started < 5


def test_end_of_input_gives_a_bounded_search_its_time() -> None:
    with Client() as client:
        client.sync()
        started = time.monotonic()
        client.send("go movetime 400")
        client.close_input()
        assert len(bestmoves(client.rest())) == 1
        assert time.monotonic() - started > 0.3
        assert client.end() == 0


@pytest.mark.parametrize("go", ["go infinite", "go", "go movestogo 5", "go ponder movetime 100000"])
def test_end_of_input_stops_an_unbounded_search(go: str) -> None:
    with Client() as client:
        client.sync()
        client.ask(go, until="info")
        client.close_input()
        assert len(bestmoves(client.rest())) == 1
        assert client.end() == 0


def test_end_of_input_leaves_a_ponder_hit_its_time() -> None:
    with Client() as client:
        client.sync()
        started = time.monotonic()
        client.send("go ponder movetime 400", "ponderhit")
        client.close_input()
        assert len(bestmoves(client.rest())) == 1 and time.monotonic() - started > 0.3


def test_quit_in_a_search() -> None:
    with Client() as client:
        client.sync()
        client.ask("go infinite", until="info")
        client.send("quit")
        client.rest()
        assert client.end() == 0 and client.errors == ""


@pytest.mark.parametrize(
    "line, awaited",
    [
        ("perft 3", "perft 3 nodes 79666"),
        ("go perft 3", "perft 3 nodes 79666"),
        ("go depth 2", "bestmove "),
        ("go infinite", "bestmove "),
        ("go ponder wtime 100000", "bestmove "),
        ("d", "Key: "),
        ("isready", "readyok"),
        ("bench", "bench xiangqi nodes "),
    ],
)
def test_quit_answers_what_came_before(line: str, awaited: str) -> None:
    out = forked.run(given=f"{line}\nquit\nd\n".encode())
    assert out.stdout.decode().splitlines()[-1].startswith(awaited) and out.stderr == b"" and out.returncode == 0


def test_quit_does_not_wait_for_a_search_that_a_front_end_has_yet_to_begin() -> None:
    """A quit is not delayed by a search that would have the time of a whole game."""
    with Client("name?", "new white", "move JJ@@", "quit") as client:
        assert client.rest(START_TIMEOUT_S)[-1].startswith("move ")
        assert client.end() == 0


def test_quit_waits_for_no_compiler_that_only_readyok_wants() -> None:
    """The process ends although kernels are still to be compiled, as with a cold cache, when `quit` comes."""
    slow = (
        "import time; from siqi.games import registry; from siqi.games.kernel import jit; load = registry.load\n"
        "def slow(name, warn):\n"
        "    time.sleep(1); jit.on_compile('kernel'); time.sleep(60); return load(name, warn)\n"
        "registry.load = slow; from siqi.daemon.main import main; main()"
    )
    for line, rest in (("isready", ["info string compiling xiangqi"]), ("isready\nd", None)):
        with Client(line, "quit", program=slow) as client:
            if rest is not None:
                assert [line.split(" for ")[0] for line in client.rest()] == rest and client.end() == 0
            else:
                client.expect(lambda line: "compiling" in line)
                time.sleep(1)
                assert client.process.poll() is None


COLD = """
import threading
from siqi.daemon.main import main
from siqi.daemon.serve import Server
from siqi.games import registry
from siqi.games.kernel import jit

load, leave, left = registry.load, Server._leave, threading.Event()


def compile_until_quit(name, warn):
    jit.on_compile("kernel")
    left.wait()
    return load(name, warn)


def leave_and_load(server):
    leave(server)
    left.set()


registry.load, Server._leave = compile_until_quit, leave_and_load
main()
"""
"""The daemon with a cold cache, whose kernels are compiled only once a `quit` has come."""


@pytest.mark.parametrize(
    "lines, answer",
    [
        ("position startpos moves h2e2\ngo depth 1", "bestmove "),
        ("ucci\nposition startpos\ngo depth 1", "bye"),
        ("ugi\nquery p1turn", "response true$"),
        ("xboard\nnew\nst 1\nusermove h2e2", "move "),
        ("xboard\nnew\nforce\nusermove h2e2\nst 1\ngo", "move "),
        ("name?\nnew black", "move JJ@@$"),
        ("name\nnew xxx\nblack JJ\nnext", "move "),
        ("name\nversion\nini R", "([A-E][1-5] ?){6}$"),
    ],
)
def test_quit_waits_for_the_compiler_if_a_move_is_awaited(lines: str, answer: str) -> None:
    out = forked.run(given=f"{lines}\nquit\n".encode(), program=COLD).stdout.decode().splitlines()
    assert re.match(answer, out[-1]) and (answer != "bye" or out[-2].startswith("bestmove "))


def test_a_ponder_hit_before_the_game_is_loaded_loses_no_clock() -> None:
    with Client("go ponder wtime 6000 btime 6000", "ponderhit") as client:  # 100 ms for the move
        assert "depth 3" in "".join(client.expect("bestmove", START_TIMEOUT_S))


def test_a_go_that_is_too_long_has_its_bestmove(game: tuple[Client, str]) -> None:
    client, _ = game
    answers = client.answers("go depth 1 " + "x" * 70_000)
    assert len(errors(answers)) == 1 and answers[1:] == ["bestmove (none)"]
    assert len(client.answers("position startpos moves " + "x" * 70_000)) == 1


def test_no_thread_to_spare() -> None:
    """A job that cannot be started is refused; the session continues."""
    script = (
        "import threading; start = threading.Thread.start; left = [2]\n"
        "def few(self):\n"
        "    if self.name == 'job':\n"
        "        left[0] -= 1\n"
        "        if left[0] % 2: raise RuntimeError('no thread')\n"
        "    start(self)\n"
        "threading.Thread.start = few; from siqi.daemon.main import main; main()"
    )
    with Client("d", program=script) as client:
        lines = client.expect(lambda line: "could not be loaded" in line)
        assert [line for line in lines if "no thread" in line]
        client.sync()
        for fails in (True, False):
            lines = client.search("go depth 1")
            assert any("no thread" in line for line in errors(lines)) == fails
            assert lines[-1] != "bestmove (none)"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell")
def test_what_belongs_to_standard_error_never_comes_out_on_standard_output() -> None:
    script = (
        "from siqi.system.pipes import to_stderr; to_stderr('x'); from siqi.daemon.engine.engine import Engine;"
        "from siqi.daemon.frontends.botzone import Botzone; Botzone(Engine(print), None, print).warning('x')"
    )
    out = subprocess.run(
        ["sh", "-c", f'{sys.executable} -c "{script}" 2>&-'], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert out.stdout == ""


def test_a_second_quit_does_not_wait() -> None:
    with Client() as client:
        client.sync()
        client.send("perft 12", "quit", "quit")
        assert client.rest(10) == [] and client.end() == 0


@pytest.mark.long
@pytest.mark.parametrize("end", ["quit", ""])
def test_a_reader_that_has_gone_to_sleep_is_not_waited_for_for_ever(end: str) -> None:
    """A reader has READER_WAIT_S to empty a pipe that is full at the end of input, here one second instead of ten."""
    program = "import siqi.system.output as o; o.READER_WAIT_S = 1; from siqi.daemon.main import main; main()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        process.stdin.write(b"d\n" * 2000 + f"{end}\n".encode())
        process.stdin.close()
        assert process.wait(100) == 1


def test_leaving_an_analysis_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """XBoard's `exit` does not end the wait for a sleeping reader; `quit` and the end of input do."""
    for text, ends in ((b"analyze\nexit\n", 1), (b"quit\n", 2)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        seen: list[None] = []
        read_lines(lambda item: None, lambda seen=seen: seen.append(None))  # type: ignore[misc]
        assert len(seen) == ends


@pytest.mark.parametrize("first", ["uci", "ugi", "ucci", "xboard", "name?", "INFO 1.0", '{"requests": []}'])
@pytest.mark.parametrize("is_late", [True, False])
def test_a_word_of_another_protocol_does_not_arm_the_end(
    first: str, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader may see `quit` before or after the first line has chosen the protocol."""
    ends: list[None] = []
    monkeypatch.setattr(Output, "expect_end", lambda self: ends.append(None))
    monkeypatch.setattr(Output, "line", lambda self, *texts: None)
    server = Server()
    if not is_late:
        server._see_quit()
    server._read(ClientLine(first, 0))
    if is_late:
        server._see_quit()
    assert bool(ends) == (not first.startswith(("INFO", "{")))


def test_a_byte_order_mark_before_the_first_word_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte order mark, which shells of Windows write, is skipped; later it is part of a line."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\ufeffucci\n\ufeffisready\n".encode())))
    seen: list[str] = []
    read_lines(lambda item: seen.append(getattr(item, "text", "end")), lambda: None)
    assert seen == ["ucci", "\ufeffisready", "end"]


def test_a_slow_reader_gets_every_line() -> None:
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"legal\n" * 2000 + b"quit\n")
        process.stdin.close()
        time.sleep(0.5)
        lines = process.stdout.read().splitlines()
        assert sum(line.startswith(b"legal ") for line in lines) == 2000 and process.wait(30) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", ">&- 2>&-"])
def test_closed_descriptors(closed: str) -> None:
    command = f"printf 'uci\\ngo nodes 100\\nd\\nquit\\n' | {sys.executable} -m siqi {closed}"
    out = subprocess.run(["sh", "-c", command], check=False, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert out.stderr == "" and out.returncode == 0


REFUSED_SEARCHES = ("go depth x", "go searchmoves zz", "go nodes", "go movetime 0", "go searchmoves")


def test_a_refused_go_gets_its_bestmove(game: tuple[Client, str]) -> None:
    client, _ = game
    for line in REFUSED_SEARCHES:
        answers = client.answers(line)
        assert len(errors(answers)) == 1 and answers[1:] == ["bestmove (none)"], line
    assert client.answers("go perft x") == ["info string error go perft: not a number: x", "bestmove (none)"]
    assert client.answers("perft x") == ["info string error go perft: not a number: x"]


@pytest.mark.parametrize(
    "option", ["BookFile", "EndgamePath", "CooperationFile", "LayoutFile", "GameLog", "RecordPath"]
)
@pytest.mark.parametrize("path", ["x" * 5000, "/dev/zero/x", "nul\0byte"])
def test_every_go_ends_in_a_move_whatever_a_file_is_called(option: str, path: str) -> None:
    name = "junqi" if option in ("CooperationFile", "LayoutFile") else "xiangqi"
    with Client(f"setoption name UCI_Variant value {name}", "setoption name OwnBook value true") as client:
        client.send("setoption name Algorithm value cooperation", f"setoption name {option} value {path}")
        client.send("ucinewgame", "position startpos")
        for _ in range(2):
            move = client.search("go wtime 100 btime 100 nodes 100", timeout_s=300)[-1]
            assert move != "bestmove (none)"
            client.send("ucinewgame")
        client.sync()
        assert not any("internal" in line for line in client.seen)


def test_debug_reports_how_time_is_spent(game: tuple[Client, str]) -> None:
    client, _ = game
    assert client.answers("debug on") == []
    answers = client.search("go wtime 1000 btime 1000")
    assert any(re.fullmatch(r"info string time for this move \d+ ms, at most \d+ ms", line) for line in answers)
    assert re.fullmatch(r"info string time used \d+\.\d ms", answers[-2])
    assert client.answers("debug off") == []
    assert not any("time used" in line for line in client.search("go wtime 1000 btime 1000"))
    assert len(errors(client.answers("debug maybe"))) == 1


def test_help_names_every_command(game: tuple[Client, str]) -> None:
    from siqi.daemon.frontends.uci import Uci

    client, _ = game
    lines = client.answers("help")
    assert [line.split()[:2] for line in lines] == [["help", name] for name in Uci.commands]


def test_an_analysis_plays_nothing_unsearched() -> None:
    reply = "position fen 3k5/9/9/p2Rp3p/9/9/P3P3P/9/9/5K3 b"  # a single one
    with Client(reply) as client:
        assert not any(line.startswith("info depth 2") for line in client.search("go wtime 1000"))
        client.send("setoption name UCI_AnalyseMode value true", "setoption name OwnBook value true")
        assert any(line.startswith("info depth 2") for line in client.search("go wtime 60000"))
        client.send("position startpos")
        assert not any(line.startswith("info string book") for line in client.search("go wtime 1000"))


def test_loading_takes_nothing_from_a_clock_that_ran_before_it() -> None:
    """A script that does not wait for `readyok` loses no time, although loading takes longer than a move may."""
    with Client("position startpos", "go wtime 4000 btime 4000") as client:  # some 60 ms for the move
        answers = client.expect("bestmove", 300)
        assert "depth 2" in "".join(answers)  # depth 1 is always searched


def test_a_short_clock_is_spent_on_a_search() -> None:
    with Client() as client:
        client.sync()
        deepest = max(
            int(line.split()[2])
            for _ in range(5)
            for line in client.search("ucinewgame", "position startpos", "go wtime 20 btime 20")
            if line.startswith("info depth")
        )
        assert deepest >= 1  # 1 to 5 on an idle machine, of which 5 ms are left to the search


def test_quit_while_compiling(tmp_path: Path) -> None:
    """A quit does not wait until a cold cache is filled, which takes a minute."""
    with Client("isready", environment={**os.environ, "SIQI_CACHE": str(tmp_path)}) as client:
        client.expect(lambda line: "compiling" in line)
        client.send("quit")
        client.rest()
        assert client.end() == 0 and client.errors == ""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.skipif(signal.getsignal(signal.SIGINT) == signal.SIG_IGN, reason="processes started here ignore it")
def test_interrupt() -> None:
    with Client() as client:
        client.sync()
        client.ask("go infinite", until="info")
        client.process.send_signal(signal.SIGINT)
        client.rest()
        assert client.end() == -signal.SIGINT and client.errors == ""


@pytest.mark.long
def test_a_timer_ends_the_search_where_kernels_have_no_clock(tmp_path: Path) -> None:
    """A timer ends the search as on Windows; kernels compiled without `clock_gettime` need their own cache."""
    script = "import time; del time.clock_gettime_ns; from siqi.daemon.main import main; main()"
    command, cache = (sys.executable, "-c", script), {**os.environ, "SIQI_CACHE": str(tmp_path)}
    with Client("setoption name UCI_Variant value ewn", command=command, environment=cache) as client:
        client.sync()
        for go in ("go movetime 100", "go wtime 500 btime 500"):
            client.search(*SET_UP["ewn"], go)
        client.ask("go ponder movetime 100", until="info")
        client.search("ponderhit")


def test_empty_environment_in_the_root_folder() -> None:
    cache = {name: value for name, value in os.environ.items() if name == "SIQI_CACHE"}
    with Client("isready", environment=cache, folder="/") as client:
        client.sync()
        client.search("go nodes 10")


def test_closed_output_ends_the_process() -> None:
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    with process:
        process.stdout.close()
        process.stdin.write(b"uci\n" * 10)
        process.stdin.flush()
        process.wait(30)


@pytest.mark.parametrize("algorithm", ["expectimax", "uct"])
def test_a_throw_sent_while_pondering_is_answered(algorithm: str) -> None:
    with Client("setoption name UCI_Variant value ewn") as client:
        client.send(f"setoption name Algorithm value {algorithm}")
        for release, least_ms in (("ponderhit", 150), ("stop", 0)):
            client.send("position startpos moves 123456 615243", "go ponder movetime 200")
            client.sync()
            client.send("dice 4")
            started = time.monotonic()
            answer = client.search(release)[-1].split()[1]
            assert answer[:2] == "a4", answer  # the piece of that number
            assert least_ms / 1000 <= time.monotonic() - started < 5
        # Without a throw there is no move, and a throw for another position does not count.
        client.send("position startpos moves 123456 615243", "go ponder movetime 50")
        assert client.search("ponderhit")[-1] == "bestmove (none)"
        client.send("go ponder movetime 50", "position startpos moves 615243 123456", "dice 4")
        assert client.search("ponderhit")[-1] == "bestmove (none)"


def test_throws_that_fit_nothing_are_refused_while_pondering() -> None:
    with Client("setoption name UCI_Variant value ewn") as client:
        # A throw for which no move is allowed.
        client.send("position startpos moves 123456 615243", "go ponder searchmoves a4b3 movetime 50", "dice 6")
        assert client.search("ponderhit")[-1] == "bestmove (none)"
        # Of two throws the last counts.
        client.send("position startpos moves 123456 615243", "go ponder movetime 50", "dice 4", "dice 5")
        assert client.search("ponderhit")[-1].split()[1][:2] == "b4"
        # The throw that the position had stays.
        client.send("position startpos moves 123456 615243", "dice 3", "go ponder movetime 50", "dice 5")
        assert client.search("ponderhit")[-1].split()[1][:2] == "c5"
        # Before the set-ups no die is thrown.
        client.send("position startpos", "go ponder nodes 5000", "dice 6")
        lines = client.search("ponderhit")
        assert "info string error dice: no die is thrown before the set-ups" in lines
        assert not any("internal" in line for line in lines)


def test_a_path_that_no_file_can_have_is_no_harm() -> None:
    with Client("setoption name UCI_Variant value ewn", f"setoption name EndgamePath value {'x' * 3000}") as client:
        client.send("position fen 5/1A3/2e2/3d1/5 f 3")
        assert client.search("go nodes 1000")[-1] == "bestmove b4c4"
        assert not any("internal" in line for line in client.seen)


def test_settings_of_numba_do_not_reach_the_engine(tmp_path: Path) -> None:
    """Neither the environment nor a file of the current folder; those that are ignored are named once."""
    (tmp_path / ".numba_config.yaml").write_text("num_threads: 0\ndebug: 1\n")
    settings = {"NUMBA_DEBUG": "1", "NUMBA_NUM_THREADS": "0", "NUMBA_OPT": "9"}
    lines = "uci\nisready\nposition startpos\ngo depth 2\nsetoption name UCI_Variant value ewn\nisready\n"
    command = [sys.executable, "-c", "from siqi.daemon.main import main; main()"]
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, input=lines, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300, check=True
    )
    named = [line for line in done.stdout.splitlines() if "NUMBA" in line]
    ignored = "NUMBA_DEBUG, NUMBA_NUM_THREADS, NUMBA_OPT, .numba_config.yaml"
    assert len(named) == 1 and named[0].startswith(f"info string warning ignored: {ignored} (")
    assert done.stdout.count("readyok") == 2 and done.stdout.count("bestmove") == 1 and not done.stderr
    assert all(re.match(r"(id|option|uciok|info|readyok|bestmove)\b", line) for line in done.stdout.splitlines())


def test_a_program_that_has_imported_numba_keeps_its_settings() -> None:
    code = """
import os, sys
import numba
os.environ["NUMBA_NUM_THREADS"] = "1"
from siqi.games.kernel import environment
assert not environment.ignored and os.environ["NUMBA_NUM_THREADS"] == "1"
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=100, check=True)


FIRST_LINES = {
    "uci": "setoption name {} value {}",
    "ucci": "setoption {} {}",
    "ugi": "setoption name {} value {}",
    "xboard": "option {}={}",
}
"""Lines that set an option, by the first line of a session."""


@pytest.mark.parametrize("first", FIRST_LINES)
def test_without_files_no_client_names_one(first: str, tmp_path: Path) -> None:
    """Each option that names a file is refused in one line, whatever the value; the empty default may be repeated."""
    games = ("", "xiangqi") if first == "ucci" else ("", *registry.NAMES)
    names = sorted({option.name for option, game in declared() if option.kind == "string" and game in games})
    assert {"GameLog", "Debug Log File", "BookFile", "EndgamePath"} <= set(names)
    lines = [first]
    for name in names:
        word = name.replace(" ", "_") if first == "ucci" else name
        lines += [FIRST_LINES[first].format(word, tmp_path / "file"), FIRST_LINES[first].format(word, "<empty>")]
    lines += [f"setoption bookfiles {tmp_path / 'file'}"] * (first == "ucci")
    done = forked.run("--no-files", given="\n".join([*lines, "quit", ""]).encode())
    refused = [line for line in done.stdout.decode().splitlines() if "--no-files" in line]
    assert len(refused) == len(names) + (first == "ucci") and not list(tmp_path.iterdir())
    assert all(name in "".join(refused) for name in names if first != "ucci")


def test_without_files_the_command_line_still_names_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    given = f"uci\nsetoption name Debug Log File value {tmp_path / 'other'}\nquit\n"
    done = forked.run("--no-files", "--option", f"Debug Log File={log}", given=given.encode())
    assert b"--no-files" in done.stdout and log.read_text().count("\n") > 5 and list(tmp_path.iterdir()) == [log]
    query = '{"id": "a", "game": "junqi", "nodes": 10, "options": {"LayoutFile": "/etc/passwd"}}\n'
    done = forked.run("--no-files", "analyse", given=query.encode())
    assert b"it names a file" in done.stdout and b"passwd" not in done.stdout
    done = forked.run("--no-files", "show")
    assert done.returncode == 2 and done.stderr.startswith(b"siqi: --no-files: for the daemon and analyse")
