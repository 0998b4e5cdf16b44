"""Random input against one process for each game: after any input it answers the next `isready` and can still play.

Every line is random with a fixed seed; a failure names the batch, which `batches` reproduces.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Client
from samples import sampled

from scripts.measure.check_bounds import FENS

LINES = 25
"""Lines in a batch."""

STARTS = {
    "xiangqi": (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        "3k5/4P4/4b4/9/9/9/9/9/4A4/3AK1R2 r - - 119 60",
    ),
    "connect6": (
        "19/19/19/19/19/19/19/19/8b10/9b9/10w8/19/19/19/19/19/19/19/19 w 2",
        "/".join(["19"] * 19) + " b 1",
        "/".join(["bbwwbbwwbbwwbbwwbbw", "wwbbwwbbwwbbwwbbwwb"] * 9 + ["bbbb1www1bbbbb1wwww"]) + " w 2",  # nearly full
    ),
    "ewn": ("ABC2/DE3/F3f/3ed/2cba f -", "1A3/5/2B2/4f/3e1 s 3", "5/5/a4/5/4A f 2"),
    "junqi": (
        "1c1l1/5/5/1d1f1/5/5/5/5/1h3/5/1g1i1/B2LC f - 0",
        "1xxx1/5/5/1x1x1/5/5/5/1A3/5/5/JJ1I1/B2LC f f 3",
        "x1x1x/1x3/5/1x1x1/5/5/5/1A3/5/5/JJ1I1/B2LC f f 3",  # no flag left on the hidden side
    ),
}
ILLEGAL = {
    "xiangqi": (
        "3k5/4A4/9/9/9/9/9/9/9/4K4 w",
        "3k5/9/9/9/B8/9/9/9/9/4K4 b",
        "3k5/9/9/9/9/9/9/9/1B7/4K4 w",
        "4k4/9/9/9/9/9/9/9/9/4K4 w",
        "9/9/9/9/9/9/9/9/9/4K4 w",
        "3k5/9/9/3R5/9/9/9/9/9/4K4 w",
        "RRR6/3k5/9/9/9/9/9/9/9/4K4 w",
    ),
    "connect6": (
        "/".join(["bbbbbb13"] + ["19"] * 17 + ["wwwwww13"]) + " b 2",
        "/".join(["19"] * 19) + " b 3",
    ),
    "ewn": ("5/5/5/5/5 f -", "a4/5/5/5/4A f -", "A4/5/5/5/4A f 3"),
    "junqi": (
        "5/5/5/5/5/5/5/5/5/5/5/5 f - 0",
        "1l3/5/5/5/5/5/J4/5/5/5/5/1L3 f - 0",
        "l4/5/5/5/5/5/5/5/5/5/5/1L3 f - 0",
        "1x1l1/5/5/5/5/5/5/5/5/5/5/1L3 f - 0",
        "1l3/5/5/5/5/5/5/5/5/5/5/1L3 f - 1000",
    ),
}
"""FENs that must be refused: kernels could not hold them, or would take a king."""

MOVES = {
    "xiangqi": ("h2e2", "h9g7", "H2-E2", "a0a9", "b2b9"),
    "connect6": ("j10", "i9k11", "a1s19", "j10j10", "k11i9"),
    "ewn": ("123456", "615243", "a5b4", "c5d4", "e1d1"),
    "junqi": ("?", "fgegckgkcdidifijahjhjbhle", "G0F0", "G0F0=2", "F1G1=3@A1"),
}
WORDS = re.findall(
    r"\S+",
    """
    uci isready setoption name value UCI_Variant Hash Threads MultiPV Seed Move Overhead Skill Level Clear position
    startpos fen moves dice go stop ponderhit ucinewgame d legal eval result wtime btime winc binc movestogo depth
    nodes movetime searchmoves mate true false -1 0 1 3 7 100 1e3 99999999999999999999 <empty> \x00 \u4e2d\u70ae
    """,
)
REFUSED_GO = ("go depth x", "go searchmoves zz", "go mate 0", "go nodes -1", "go movetime", "go depth 1 zz")
NEVER = ("quit", "perft", "bench", "Debug", "infinite", "ponder")
"""Words that would end the process, take long, write files, or wait for a `stop`."""


def mutate(text: str, draw: random.Random) -> str:
    """Return a line with a few characters deleted, doubled, swapped or replaced."""
    letters = list(text)
    for _ in range(draw.randint(1, 3)):
        if not letters:
            break
        at, other = draw.randrange(len(letters)), draw.randrange(len(letters))
        match draw.randrange(4):
            case 0:
                del letters[at]
            case 1:
                letters.insert(at, letters[other])
            case 2:
                letters[at], letters[other] = letters[other], letters[at]
            case _:
                letters[at] = chr(draw.randrange(1, 256))
    return "".join(letters)


def mutated_fen(fen: str, draw: random.Random) -> str:
    """Return a FEN mutated within its own alphabet: more of these are accepted, or nearly so."""
    letters = list(fen)
    for _ in range(draw.randint(1, 4)):
        letters[draw.randrange(len(letters))] = draw.choice(fen)
    return "".join(letters)


def valid_line(game: str, draw: random.Random) -> str:
    moves = " ".join(draw.choices(MOVES[game], k=draw.randint(0, 4)))
    return draw.choice(
        (
            f"position startpos moves {moves}",
            f"position fen {draw.choice(STARTS[game])} moves {moves}",
            f"go nodes {draw.randint(1, 50)} searchmoves {moves}",
            f"position fen {draw.choice(ILLEGAL[game])}",
            draw.choice(REFUSED_GO),
            draw.choice(("debug on", "debug off", "help", "analyze", "probe", "turn", "book", "query gameover")),
            f"go depth 1 nodes {draw.randint(1, 50)}",
            f"go wtime {draw.randint(0, 20)} btime {draw.randint(0, 20)} movestogo 1",
            f"dice {draw.randint(1, 6)}",
            "setoption name MultiPV value 2",
            "ucinewgame",
            "legal",
            "eval",
            "result",
            "d",
        )
    )


def random_line(game: str, draw: random.Random) -> bytes:
    """Return a random line without its newline; never one that would wait for a `stop`."""
    match draw.randrange(5):
        case 0:
            return bytes(draw.randrange(256) for _ in range(draw.randrange(60))).replace(b"\n", b"")
        case 1:
            line = " ".join(draw.choices(WORDS, k=draw.randint(1, 6)))
        case 2:
            line = mutate(valid_line(game, draw), draw)
        case 3:
            line = f"position fen {mutated_fen(draw.choice(STARTS[game]), draw)}"
        case _:
            line = valid_line(game, draw)
    words = line.split()
    if any(word in NEVER for word in words) or "\n" in line or "UCI_Variant" in words:
        return b"d"
    if words[:1] == ["go"]:
        line += " nodes 20"
    if "Hash" in words or "Threads" in words:
        return b"legal"
    return line.encode()


def batches(game: str, count: int) -> Iterator[list[bytes]]:
    draw = random.Random(f"fuzz {game}")
    for _ in range(count):
        yield [random_line(game, draw) for _ in range(LINES)]


@sampled("count", 5, 100)
@pytest.mark.parametrize("game", STARTS)
def test_nothing_kills_it(game: str, count: int) -> None:
    with Client(f"setoption name UCI_Variant value {game}") as client:
        client.sync()
        for number, batch in enumerate(batches(game, count)):
            client.send_bytes(b"\n".join([*batch, b"stop", b""]))
            lines = client.sync(timeout_s=60)
            assert not [line for line in lines if "internal" in line], f"batch {number}: {batch}"
        client.send("stop", "ucinewgame")
        client.sync(timeout_s=60)
        client.search("position startpos", "go nodes 100")
        client.send("quit")
        client.rest()
        assert client.end() == 0 and client.errors == ""


@sampled("count", 20, 200)
@pytest.mark.parametrize("game", STARTS)
def test_any_accepted_fen_can_be_played(game: str, count: int) -> None:
    """A FEN close to a valid one is refused with one line, or accepted; every command then works, and `d` prints a FEN
    of the same position."""
    draw = random.Random(f"fens {game}")
    with Client(f"setoption name UCI_Variant value {game}") as client:
        client.sync()
        for _ in range(count):
            fen = mutated_fen(draw.choice(STARTS[game]), draw)
            answers = client.answers(f"position fen {fen}")
            if answers:
                assert len(answers) == 1 and answers[0].startswith("info string error bad FEN"), fen
                continue
            check_commands(client, fen)


def check_commands(client: Client, fen: str) -> None:
    """Check that every command is answered in the current position, a search by one legal move or `(none)`."""
    shown = client.answers("d", "legal", "eval", "result", "book", "turn", "probe", "perft 1")
    assert not [line for line in shown if "error" in line], (fen, shown)
    (printed,) = [line for line in shown if line.startswith("Fen: ")]
    (legal,) = [line.split()[1:] for line in shown if line.startswith("legal")]
    searched = client.search("go nodes 30")
    assert not [line for line in searched if "error" in line], (fen, searched)
    answer = searched[-1].split()[1]
    assert answer in legal or legal[:1] == ["count"] or answer == "(none)", (fen, answer)
    assert client.answers(f"position fen {printed[5:]}") == [], fen
    assert printed in client.answers("d"), fen


@pytest.mark.parametrize("game", STARTS)
def test_illegal_fens_change_nothing(game: str) -> None:
    with Client(f"setoption name UCI_Variant value {game}", f"position fen {STARTS[game][0]}") as client:
        before = client.answers("d")
        for fen in ILLEGAL[game]:
            (answer,) = client.answers(f"position fen {fen}")
            assert answer.startswith("info string error bad FEN: "), fen
            assert client.answers("d") == before[-len(client.answers("d")) :]


def extreme_fens(game: str, count: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return FENs near the limits of acceptable ones, and options to search them with."""
    draw = random.Random(f"extreme {game}")
    searchers = [f"setoption name Algorithm value {name}" for name in ("worlds", "flat", "uct", "cooperation")]
    for number in range(count):
        is_known = number < len(STARTS[game])
        fen = STARTS[game][number] if is_known else FENS[game](draw)
        yield fen, (searchers[number % 4],) if game == "junqi" else ()


@sampled("count", 5, 40)
@pytest.mark.parametrize("game", STARTS)
def test_every_command_on_extreme_positions(game: str, count: int) -> None:
    with Client(f"setoption name UCI_Variant value {game}", "setoption name Hash value 1") as client:
        client.sync()
        for fen, options in extreme_fens(game, count):
            answers = client.answers(*options, f"position fen {fen}")
            if not [line for line in answers if "error" in line]:
                check_commands(client, fen)


def hostile_files(folder: Path) -> dict[str, str]:
    """Make files in a folder that options must not read or write; return their names."""
    (folder / "folder").mkdir()
    (folder / "game.pgn").write_text('[Game "Chinese Chess"]\n\n1. C2.5 H8+7 *\n')
    (folder / "binary").write_bytes(bytes(range(256)) * 8)
    (folder / "lines.json").write_text("[" * 5000)
    os.symlink(folder / "loop", folder / "loop")
    os.symlink(folder / "game.pgn", folder / "link")
    names = {name: str(folder / name) for name in ("folder", "game.pgn", "binary", "lines.json", "loop", "link")}
    return names | {"long": "x" * 5000, "long folder": "/".join(["y" * 200] * 100), "beneath a file": __file__ + "/x"}


def blocking_files(folder: Path) -> dict[str, str]:
    """Return the names of files that a reader would never finish."""
    os.mkfifo(folder / "fifo")
    return {"fifo": str(folder / "fifo"), "zero": "/dev/zero", "null": "/dev/null", "full": "/dev/full"}


FILE_OPTIONS = (
    ("xiangqi", "GameLog"),
    ("connect6", "RecordPath"),
    ("ewn", "Debug Log File"),
    ("xiangqi", "BookFile"),
    ("connect6", "BookFile"),
    ("xiangqi", "EndgamePath"),
    ("ewn", "EndgamePath"),
    ("junqi", "LayoutFile"),
    ("junqi", "CooperationFile"),
)


@pytest.mark.parametrize(("game", "option"), FILE_OPTIONS)
def test_no_file_harms_or_is_harmed(game: str, option: str, tmp_path: Path) -> None:
    """An unusable file leads to at most one line; it stays unchanged, and play continues."""
    names = hostile_files(tmp_path) | blocking_files(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    present = sorted(path.name for path in tmp_path.iterdir())
    with Client(f"setoption name UCI_Variant value {game}", "setoption name OwnBook value true") as client:
        client.sync()
        if option == "CooperationFile":
            client.answers("setoption name Algorithm value cooperation")
        for name in names.values():
            lines = client.answers(f"setoption name {option} value {name}")
            lines += client.answers("ucinewgame", "position startpos", "book")
            lines += client.search("go nodes 20")
            assert not [line for line in lines if "internal" in line], (name[:80], lines)
            lines += client.search("go wtime 50 btime 50")
            assert not [line for line in lines if "internal" in line], (name[:80], lines)
        client.send("quit")
        client.rest()
        assert client.end() == 0 and client.errors == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == present
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


CLIENTS = {
    "ucci": (
        "ucci",
        "position startpos moves h2e2|banmoves h2e2 b2e2|go depth 1|go time 1 increment 0|go draw nodes 20|probe|"
        "setoption usemillisec true|setoption promotion false|position fen 4k4/9/9/9/9/9/9/9/9/3K5 w|isready|stop",
    ),
    "ugi": (
        "ugi",
        "position startpos moves h2e2|query p1turn|query gameover|query result|uginewgame|go depth 1|"
        "go p1time 5 p2time 5 p1inc 0 p2inc 0|isready|stop",
    ),
    "xboard": (
        "xboard|protover 2|new|sd 1",
        "usermove h2e2|usermove h9g7|go|force|undo|remove|new|playother|?|.|hint|bk|draw|level 0 0:01 0|st 1|sd 1|"
        "time 5|otim 5|easy|hard|post|nopost|result 1-0 {x}|analyze|exit|"
        "setboard 3k5/1R7/R8/9/9/9/9/9/9/4K4 w 0 1|ping 7",
    ),
    "name?": (
        "name?|setoption name Depth value 1",
        "new black|new white|move JJ@@|move IKKI|move AABB|error|end win|name?",
    ),
    "name": (
        "name|setoption name Depth value 1",
        "new xxx|new black|black JJ|white IKKI|next|depth 1|vcf|unvcf|move AABB",
    ),
    "myai": (
        "name|time_setting 1",
        "ini R|ini B|get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3|get B 1 E5 0 0 0 0 0 A1 0 0 0 0 0|"
        "version|board_setting 5 6",
    ),
    "INFO": (
        "INFO 1.0|START 0 1 31",
        "START 0 1 31|START 1 1 31|GO 0000 0 00|GO F4G4 1 00|GO G0F0 3 A1|RESULT 2 A1|RESULT 3 00|END 2",
    ),
    "botzone": (
        '{"requests":[{"source":"-1","target":"-1"}],"responses":[],"time_limit":"0.02"}',
        '{"source":"h9","target":"g7"}|{"source":"a0"}|{"requests":[]}|'
        '{"source":"h2","target":"e2 h9g7"}|{"source":" ","target":""}|'
        '{"requests":[{"x0":9,"y0":9,"x1":-1,"y1":-1}],"responses":[],"time_limit":"0.02"}|{"x0":1,"y0":1,"x1":2,"y1":2}',
    ),
}
"""The first lines of each session, and lines that belong to it."""

ALL_LINES = [line for _, lines in CLIENTS.values() for line in lines.split("|")]


def client_line(name: str, draw: random.Random) -> bytes:
    own = CLIENTS[name][1].split("|")
    line = draw.choice(own if draw.random() < 0.6 else ALL_LINES)
    if draw.random() < 0.3:
        line = mutate(line, draw)
    if draw.random() < 0.05:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(60))).replace(b"\n", b"")
    starts_long_search = "infinite" in line or "UCI_Variant" in line or "Depth" in line or "time_limit" in line
    words = line.split()
    is_unbounded = (starts_long_search and name != "botzone") or (
        words[:1] in (["quit"], ["exit"]) and name != "xboard"
    )
    if name in ("ucci", "ugi") and words[:1] == ["go"]:
        line += " nodes 20"
    if words[:1] in (["st"], ["level"], ["sd"], ["depth"], ["time_setting"], ["START"]) and line not in ALL_LINES:
        return b"."
    return b"." if is_unbounded else line.encode()


@pytest.mark.parametrize("name", CLIENTS)
def test_nothing_kills_a_front_end(name: str) -> None:
    """After lines of all clients, whole and mutated, the next unknown word is answered."""
    draw = random.Random(f"fuzz {name}")
    with Client(*CLIENTS[name][0].split("|")) as client:
        for number in range(8):
            batch = [client_line(name, draw) for _ in range(25)]
            client.send_bytes(b"\n".join([*batch, *([b"force", b"exit"] if name == "xboard" else []), b""]))
            awaited = f"unknown{number}"
            client.send(f"unknown{number}")
            client.expect(lambda line, awaited=awaited: awaited in line, 60)
        client.close_input()
        client.rest(60)
        assert not [line for line in client.seen if "internal" in line]
        assert client.end() == 0
        assert client.errors == ""
