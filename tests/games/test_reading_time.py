"""Readers take time that grows with a file's size only: each format, each of its tokens, many times."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from siqi.games import registry
from siqi.games.formats import Format, recognised
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game, read_game

FEW, MANY = 2_000, 8_000
MOST = 8.0
"""The most that MANY tokens may take in times of what FEW take; with quadratic time they would take 16."""

MANUAL = [
    "{x} ",
    "(C2.5) ",
    "( ",
    ") ",
    "} ",
    "; x\n",
    "$1 ",
    "! ",
    "+= ",
    "xyz ",
    "1. ",
    "* ",
    "C2.5 ",
    "R9+1 r9+1 R9-1 r9-1 ",
]
UBB = [
    *("[DhtmlXQ_a{n}]x[/DhtmlXQ_a{n}]", "[DhtmlXQ_a]", "[/DhtmlXQ_a]", "[DhtmlXQ]", "[/DhtmlXQ]", "[0_1_0]1", "\\u00"),
    *("[DhtmlXQ_move_0_1_{n}]1747[/DhtmlXQ_move_0_1_{n}]", "[DhtmlXQ_comment{n}]x[/DhtmlXQ_comment{n}]", "||", "&amp;"),
    *(
        "[DhtmlXQ_move_{n}_1_{m}]1747[/DhtmlXQ_move_{n}_1_{m}]",
        "77477062",
        "DhtmlXQ_movelist='",
        'DhtmlXQ_movelist="x"+',
    ),
    *(
        "[DhtmlXQ][DhtmlXQ_a]x[/DhtmlXQ_a][/DhtmlXQ]",
        "&#91;DhtmlXQ_a&#93;",
        "%5BDhtmlXQ_a%5D",
        "<meta charset=",
        "<div>",
    ),
    *("DhtmlXQ_movelist = '7747';", "DhtmlXQ_movelist=", "[DhtmlXQ_movelist][/DhtmlXQ_movelist]"),
]
CHAMPIONSHIP = ["{[C6][A B][B W][][][];B(J,10)}", "B(A,1);", "B(J,10);W(I,11);", "x;", "[", "]", "{", "}"]
HEADS_AND_TOKENS: dict[tuple[str, str], tuple[list[str], list[str]]] = {
    ("xiangqi", "ubb"): (["[DhtmlXQ]", "[DhtmlXQ][DhtmlXQ_movelist]", "[DhtmlXQ][/DhtmlXQ]<script>"], UBB),
    ("xiangqi", "dhtmlxq"): (["<html>[DhtmlXQHTML]", "<html>[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]"], UBB),
    ("xiangqi", "wxf"): (
        ["FORMAT WXF\n", "FORMAT WXF\nSTART{\n1. C2.5 ", "FORMAT WXF\nSETUP{"],
        [
            *MANUAL,
            "FORMAT WXF\n",
            "START{\n",
            "}END\n",
            "SETUP{\n",
            "Ke0 ",
            "RED a ; b ;;\n",
            "REMARK a\n",
            "X{n} a\n",
            "\n",
        ],
    ),
    ("xiangqi", "cbf"): (
        ["<ChineseChessRecord><MoveList>", "<ChineseChessRecord><Head>", "<ChineseChessRecord><Head><FEN>"],
        [
            *("<Head><Red>x</Red></Head>", "<Head>", "<Red>x</Red>", "&amp;", "<a>", "</a>", "<!--", "-->", "9/"),
            *("<Move value='77-47'>x</Move>", "<Move value='77-47' a{n}='1'/>", "<Move>"),
        ],
    ),
    ("xiangqi", "dpxq"): (
        ["结果: 和棋\n", "结果: 和棋\n \n1.炮二平五\n", "初始局面:\n"],
        [
            *(
                "标题: 甲\n",
                "结果: 和棋\n",
                "1.炮二平五 马８进７\n",
                "说明\n",
                "初始局面: x\n",
                "{ 9/ }\n",
                "(车)",
                "[车]┼",
            ),
            *(
                "棋谱由 x\n",
                "【变1-0-1】\n1.炮八平五\n",
                "变①接主变第2回合\n",
                "初始局面:\n" + "┌┬┬┬┬┬┬┬┐\n" * 10 + "红方\n",
                "【主变】\n",
                "甲{n}: 乙\n",
                "\n",
                "*",
            ),
        ],
    ),
    ("xiangqi", "pgn"): (
        ["", '[A "b"]\n\n', '[A "b"]\n\n1. C2.5 ', '[A "b"]\n\n1. C2.5 R9.5 ', '[A "b"]\n\n1. C2.5 {'],
        [
            *(
                *MANUAL,
                '[A "b"]\n',
                '[A{n} "b"]\n',
                '[White{n} "b"]\n',
                '[A "b\n',
                "[x]\n",
                "% x\n",
                "{x}\n",
                "xyz\n",
                "\n",
            ),
            *(
                "{Siqi +0.01/1} ",
                "{Siqi +0.01/1 ",
                "1-0\n",
                "炮二平五",
                "炮二平五 ",
                "，",
                "；",
                "；x\n",
                "｛",
                "（",
                "C2.5±",
            ),
        ],
    ),
    ("xiangqi", "fens"): (
        ["", "startpos moves "],
        [
            "fen ",
            "9/",
            "startpos\n",
            "startpos moves h2e2\n",
            "3k5/9 w - - bm a;\n",
            "# x\n",
            "bm x;",
            "a0a1 a9a8 a1a0 a8a9 ",
        ],
    ),
    ("xiangqi", "moves"): (["", "1. "], [*MANUAL, "1. C2.5\n\n", "炮二平五\n", "# x\n", "，", "C2.5", "1."]),
    ("connect6", "championship"): (["", "{[C6]", "{[C6][A B];"], CHAMPIONSHIP),
    ("connect6", "sgf"): (
        ["(;", "(;B[", "(;C[", "(;B[j10]"],
        [
            *(
                "(;B[j10])",
                "(;B[j10]",
                "B[j10];",
                "C[x]",
                "AB[a1]",
                "AB[aa][bb]",
                "[aa]",
                ";",
                "X{n}[a]",
                "A[\\]",
                "CA[",
                ")",
            ),
            *("B[]", "X[", "X[\\", "W[i9l10];B[j8l8];"),
        ],
    ),
    ("connect6", "moves"): (["", "j10 "], ["j10 i9k11\n", "a1b1 ", "1. ", "#\n", " moves ", "1-0 "]),
    ("ewn", "moves"): (["", "123456 654321 "], ["123456 654321 3 a3b3\n", "a3b3 ", "3 ", "#\n", " moves "]),
    ("junqi", "moves"): (["", "? ? "], ["? ? A1B1=1\n", "A1B1=1@L1 ", "? ", "#\n", " moves "]),
    ("ewn", "championship"): (
        ["#[WTN]", "#[WTN][A R];"],
        [
            *(
                "#[WTN]",
                "1:6;(R6,B4)\n",
                "{n}:6;(R6,B4)\n",
                "R:A5-1;B5-2;C5-3;A4-4;B4-5;A3-6\n",
                "A5-1;",
                "1:",
                "R: ",
                "[",
            ),
            "#[WTN][A R][B B][][][];\n",
        ],
    ),
    ("junqi", "log"): (["", "a\tb\tc\t"], ["a\tb\tc\t?\t?\tA1B11\tfirst\n", "A1B11 ", "\t", "#\n", "a\tb\n"]),
    ("xiangqi", "xqf"): (
        [],
        ["\0", "\x80\x80\x80\x80", "\x40\x40\xc0\x40", "\x5e\x5e\x80\0", "\x18\x20\xff\0\0\0\0\0"],
    ),
    ("xiangqi", "cbr"): ([], ["\0", "\0\0\x58\x45", "\4\0\0\0\0\0\0\0", "\2\0\x58\x45"]),
    ("xiangqi", "cbl"): ([], ["\0", "\0\0\x58\x45", "CCBridge Record\0", "CCBridge Record\0" + "\0" * 4080]),
}
FORMATS = {(game, form.name): form for game in registry.NAMES for form in registry.formats(game)}
KEYS = [pytest.param(key, id="-".join(key)) for key in HEADS_AND_TOKENS]


def test_each_format_has_its_tokens() -> None:
    assert HEADS_AND_TOKENS.keys() == FORMATS.keys()


def heads(key: tuple[str, str]) -> list[bytes]:
    """Return the beginnings behind which the tokens of a format stand."""
    if pair := HEADS_AND_TOKENS[key][0]:
        return [head.encode() for head in pair]
    size = {"xqf": 1024 + 8, "cbr": 2214 + 4}.get(key[1])
    return [FORMATS[key].write([Game({}, [Move.from_uci("h2e2")])]).data[:size]]


def repeated(token: str, count: int, is_text: bool) -> bytes:
    """Return a token many times, `{n}` in it replaced by a number of its own, `{m}` by the next one."""
    if "{n}" in token:
        return "".join(token.replace("{n}", str(i)).replace("{m}", str(i + 1)) for i in range(count)).encode()
    return (token * count).encode("utf-8" if is_text else "latin-1")


def read(key: tuple[str, str], data: bytes) -> None:
    form: Format = FORMATS[key]
    recognised(registry.formats(key[0]), data)
    with contextlib.suppress(ValueError):
        form.read(data)


@pytest.mark.long
@pytest.mark.parametrize("key", KEYS)
def test_four_times_the_tokens_take_less_than_eight_times_as_long(key: tuple[str, str]) -> None:
    def seconds(data: bytes) -> float:
        start = time.process_time()
        read(key, data)
        return time.process_time() - start

    for head in heads(key):
        read(key, head)
        for token in HEADS_AND_TOKENS[key][1]:
            few, many = (head + repeated(token, count, FORMATS[key].is_text) for count in (FEW, MANY))
            ratio = min(seconds(many) for _ in range(3)) / max(min(seconds(few) for _ in range(3)), 0.002)
            assert ratio < MOST, (head, token, ratio)


def steps_of(work: Callable[[], object]) -> int:
    """Return the number of calls that a piece of work makes, of Python's functions and of built-in ones."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("key", KEYS)
def test_steps_grow_with_the_number_of_tokens(key: tuple[str, str]) -> None:
    for head in heads(key)[:2]:
        read(key, head)
        for token in HEADS_AND_TOKENS[key][1]:
            few, many = (head + repeated(token, count, FORMATS[key].is_text) for count in (30, 120))
            read(key, many)  # what is done once is done
            ratio = steps_of(lambda data=many: read(key, data)) / steps_of(lambda data=few: read(key, data))  # type: ignore[misc]
            assert ratio < 6, (head, token, ratio)


class CountingLine(str):
    """A line that counts how often its length is taken."""

    __slots__ = ()
    lengths = 0

    def __len__(self) -> int:
        CountingLine.lengths += 1
        return super().__len__()

    def lstrip(self, chars: str | None = None, /) -> CountingLine:
        return CountingLine(super().lstrip(chars))


class Lines(io.StringIO):
    """A file whose lines count."""

    def readline(self, size: int | None = -1, /) -> str:
        return CountingLine(super().readline())


def test_each_tag_is_measured_a_few_times_only() -> None:
    counts = []
    for count in (50, 200):
        CountingLine.lengths = 0
        game = read_game(Lines('[A "b"]\n' * count + "\n1. C2.5 *\n"))
        assert game is not None and len(game.moves) == 1
        counts.append(CountingLine.lengths)
    assert counts[1] < 6 * counts[0]
