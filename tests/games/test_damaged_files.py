"""Readers of all games' file formats: damage and false sizes give one clear line, quickly and in little memory."""

from __future__ import annotations

import random
import struct
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard
from game_trees import random_game
from random_records import random_record
from samples import sampled

from siqi.daemon.command_line import run
from siqi.games import registry
from siqi.games.formats import Format, ParsedFile, recognised
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.games.xiangqi.library.tree import Line

ALL = {(game, form.name): form for game in registry.NAMES for form in registry.formats(game)}
KEYS = [pytest.param(key, id="-".join(key)) for key in ALL]

MAX_S = 2.0
"""CPU time for REPEATED bytes: readers need a quarter of a second at most; with quadratic time they would need 4."""
REPEATED = 25_000


def sample(key: tuple[str, str], rng: random.Random) -> bytes:
    """Return a file of a format with one to three games."""
    form = ALL[key]
    count = rng.randint(1, 3) if "games" in form.holds else 1
    games: Sequence[Any]
    if key[0] == "xiangqi":
        games = [random_game(rng, from_fen=False) for _ in range(count)]
        games[0].moves = games[0].moves or [Move.from_uci("h2e2")]  # lists of moves have no game without any
    else:
        games = [random_record(key[0], rng, 14) for _ in range(count)]
    return form.write(games).data


def check(form: Format, data: bytes) -> ParsedFile | None:
    """Read a file: one clear line if it is refused, one for each fault; return what was found."""
    try:
        parsed = form.read(data)
    except ValueError as error:
        assert str(error) and len(str(error).splitlines()) == 1
        return None
    assert parsed.games or parsed.faults or parsed.notes
    assert all(len(fault.splitlines()) == 1 for fault in [*parsed.faults, *parsed.notes])
    return parsed


@pytest.mark.parametrize("key", KEYS)
def test_files_cut_short(key: tuple[str, str]) -> None:
    data = sample(key, random.Random(3))
    sizes = range(len(data)) if len(data) < 400 else [*range(40), *range(len(data) - 60, len(data))]
    for size in sizes:
        check(ALL[key], data[:size])


@pytest.mark.parametrize("key", KEYS)
def test_flipped_bits(key: tuple[str, str]) -> None:
    rng = random.Random(4)
    data = sample(key, rng)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 3, 30])):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        check(ALL[key], bytes(damaged))


@pytest.mark.parametrize("key", KEYS)
def test_random_bytes_behind_a_true_beginning(key: tuple[str, str]) -> None:
    rng = random.Random(5)
    data = sample(key, rng)
    for size in (0, 1, 16, 64, len(data) // 2, len(data)):
        check(ALL[key], data[:size] + rng.randbytes(2000))


@pytest.mark.parametrize("key", KEYS)
def test_compressed_files_are_not_unpacked(key: tuple[str, str]) -> None:
    """No reader unpacks anything of a small file that would unpack into a gigabyte."""
    part = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 20))
    assert peak_mib(ALL[key], part * 1000) < 64


HEADS = {
    "xqf": [b"XQ\x0a" + bytes(1021), b"XQ\x12" + bytes(1021)],
    "cbr": [b"CCBridge Record\0" + bytes(2198)],
    "cbl": [b"CCBridgeLibrary\0" + bytes(66_608)],
    "ubb": [b"[DhtmlXQ]", b"[DhtmlXQ][DhtmlXQ_title]", b"[DhtmlXQ][DhtmlXQ_movelist]"],
    "dhtmlxq": [b"[DhtmlXQHTML]", b"[DhtmlXQHTML][DhtmlXQ_comment0]"],
    "wxf": [b"FORMAT WXF\n", b"FORMAT WXF\nSTART{\n1. C2.5 ", b"FORMAT WXF\nSETUP{"],
    "cbf": [b"<ChineseChessRecord><MoveList>", b"<ChineseChessRecord><Head><FEN>"],
    "dpxq": ["结果: 和棋\n".encode(), "结果: 和棋\n \n1.炮二平五\n".encode(), "初始局面:\n".encode()],
    "pgn": [b'[A "b"]\n\n', b'[A "b"]\n\n1. C2.5 ', b""],
    "fens": [b"", b"fen "],
    "moves": [b"", b"1. "],
    "championship": [b"{[C6]", b"{[C6][A B];", b"#[WTN]", b"#[WTN][A R];"],
    "sgf": [b"(;", b"(;B[", b"(;C["],
    "log": [b"", b"a\tb\tc\t"],
}
BINARY = (b"\0", b"\xff", b"\x80\x80\x80\x80", b"\x40\x40\xc0\x40", b"\4\0\0\0\0\0\0\0", b"CCBridge Record\0")
TEXT = (
    *(b"a", b"1", b" ", b"\n", b"\t", b"[", b"]", b"(", b")", b"{", b"}", b";", b"#", b"\\", b'"', b".", b"/", b"&a"),
    *(
        b"X[",
        b"X[\\",
        b"(;",
        b"B[a1]",
        b'[A "',
        b'[A "b"]',
        b"[x]",
        b"{}",
        b"$1",
        b"1:",
        b"R: ",
        b"R:A5-1; ",
        b"B(A,1);",
    ),
    *(
        b"[DhtmlXQ_a]",
        b"[/DhtmlXQ_a]",
        b"[DhtmlXQ_",
        b"[DhtmlXQ]",
        b"[0_1_0]1",
        b"\\u",
        b"||",
        b"9/",
        b"moves ",
        b"<Move>",
        b"<Move value='77-47'/>",
        "【变1-0-1】\n1.炮八平五\n".encode(),
        "炮二平五".encode(),
        b"C2.5",
        b"\ta",
    ),
)


@sampled("every", 6, 1)
@pytest.mark.parametrize("key", KEYS)
def test_time_grows_with_the_size_only(key: tuple[str, str], every: int) -> None:
    game, form = key[0], ALL[key]
    check(form, sample(key, random.Random(6)))  # the kernels are loaded
    for head in HEADS.get(form.name, (b"",)):
        for sign in (TEXT if form.is_text else BINARY)[::every]:
            data = head + sign * (REPEATED // len(sign))
            start = time.process_time()
            recognised(registry.formats(game), data)
            check(form, data)
            assert time.process_time() - start < MAX_S, (head, sign)


def peak_mib(form: Format, data: bytes) -> float:
    tracemalloc.start()
    try:
        check(form, data)
        return tracemalloc.get_traced_memory()[1] / (1 << 20)
    finally:
        tracemalloc.stop()


def test_claims_of_gigabytes() -> None:
    """Sizes and counts in a file are checked against its real size before anything is read or allocated."""
    moves = [Move.from_uci(word) for word in ("h2e2", "h9g7")]
    board = Game({}, moves)
    library = bytearray(ALL["xiangqi", "cbl"].write([board]).data)
    for slots in (0x7FFFFFFF, 0xFFFFFFFF):
        struct.pack_into("<I", library, 60, slots)
        assert peak_mib(ALL["xiangqi", "cbl"], bytes(library)) < 8
        parsed = check(ALL["xiangqi", "cbl"], bytes(library))
        assert parsed is not None and [game.moves for game in parsed.games] == [board.moves]
    record = bytearray(ALL["xiangqi", "cbr"].write([board]).data)
    record[2214] |= 4  # the first step has a comment ...
    record[2218:2218] = struct.pack("<i", 0x7FFFFFFF)  # ... of 2 GiB
    assert peak_mib(ALL["xiangqi", "cbr"], bytes(record)) < 8
    with pytest.raises(ValueError, match="a comment of 2147483647 bytes"):
        ALL["xiangqi", "cbr"].read(bytes(record))
    game = bytearray(ALL["xiangqi", "xqf"].write([board]).data)
    struct.pack_into("<i", game, 1028, 0x7FFFFFFF)
    assert peak_mib(ALL["xiangqi", "xqf"], bytes(game)) < 8
    with pytest.raises(ValueError, match="a comment of 2147483647 bytes"):
        ALL["xiangqi", "xqf"].read(bytes(game))


def test_trees_without_end() -> None:
    """Reading ends if all steps have a next one and an alternative, and if variations branch from each other."""
    board = Board()
    board.push_uci("h2e2")
    plain, branched = Game.from_board(board), Game.from_board(board)
    branched.variations[0] = [Line([Move.from_uci("b2e2")])]
    for game, step in ((plain, b"\x18\x20\xff\0" + bytes(4)), (branched, b"\x18\x20\xc0\0")):
        start = ALL["xiangqi", "xqf"].write([game]).data[:1024]
        parsed = check(ALL["xiangqi", "xqf"], start + step * 20_000)
        assert parsed is not None and "ends before the game does" in parsed.faults[-1]
    loop = "[DhtmlXQ][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]"
    loop += "[DhtmlXQ_move_1_1_2]7747[/DhtmlXQ_move_1_1_2][DhtmlXQ_move_2_1_1]7747[/DhtmlXQ_move_2_1_1]"
    loop += "[DhtmlXQ_move_0_1_0]1242[/DhtmlXQ_move_0_1_0][DhtmlXQ_move_3_1_3]1242[/DhtmlXQ_move_3_1_3][/DhtmlXQ]"
    parsed = check(ALL["xiangqi", "ubb"], loop.encode())
    assert parsed is not None and len(parsed.games) == 1 and any("no variation" in fault for fault in parsed.faults)


def test_values_of_sgf_without_end_are_faults() -> None:
    parsed = ALL["connect6", "sgf"].read(b"(;FF[4]PB[a\\]b];B[j10];C[open;W[i11k9")
    assert parsed.games[0].moves == ("j10",) and parsed.games[0].first == "a]b"
    assert parsed.faults == ["a value without end: C[open;W[i11k9"]


def test_the_commands_refuse_in_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(7)
    path, out = tmp_path / "in", tmp_path / "out.pgn"
    for key, form in ALL.items():
        path.write_bytes(rng.randbytes(3000))
        assert run(["convert", "--from", form.name, "--game", key[0], str(path), str(out), "--to", form.name]) in (1, 2)
        assert run(["show", "--from", form.name, "--game", key[0], str(path)]) in (1, 2)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) >= 2 and all(line.startswith("siqi ") for line in lines)
