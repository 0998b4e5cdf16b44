"""Malicious books: right checksums and wrong contents, files that are not regular, files that change while open."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from client import Client

from siqi.games import connect6, registry
from siqi.games.books import book, opening
from siqi.games.books.book import BOOKS_FOLDER, BookFileError, open_book, write_book
from siqi.games.contract import Task, exhaust
from siqi.games.ewn.evaluation import evaluate
from siqi.games.ewn.knowledge import setupbook
from siqi.games.ewn.knowledge.setupbook import SetupBook
from siqi.games.ewn.rules.setup import SETUPS
from siqi.games.junqi.paper import cooperation
from siqi.games.junqi.paper.experience import KIND_DTYPE, KINDS
from siqi.games.kernel.control import Control
from siqi.games.options import Values
from siqi.games.xiangqi.knowledge import rulebook, tablebase
from siqi.games.xiangqi.knowledge.numbering import MaterialSignature
from siqi.games.xiangqi.knowledge.patterns import PatternBook
from siqi.games.xiangqi.knowledge.rulebook import RuleBook
from siqi.games.xiangqi.knowledge.tablebase import SignatureTable, Tablebase

LIMIT = 1 << 20


def raw_book(header: bytes, payload: bytes = b"") -> bytes:
    """Return a book with the right checksum for any header."""
    return struct.pack("<8sII", book.MAGIC, len(header), zlib.crc32(header)) + header + payload


def header(**fields: object) -> bytes:
    sound: dict[str, object] = {"kind": "test", "version": 3, "size": 0, "crc": 0}
    return json.dumps(sound | fields).encode()


HEADERS = {
    "nested lists": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b'{"kind": "\xff"}',
    "a list": b"[1]",
    "a number": b"1",
    "a text": b'"kind"',
    "null": b"null",
    "an empty object": b"{}",
    "no size": b'{"kind": "test", "version": 3, "crc": 0}',
    "size a text": header(size="x"),
    "size negative": header(size=-1),
    "size a float": header(size=1e99),
    "size true": header(size=True),
    "size NaN": header(size=math.nan),
    "size infinite": header(size=math.inf),
    "size huge": header(size=1 << 80),
    "size of 5000 digits": b'{"kind": "test", "version": 3, "crc": 0, "size": ' + b"9" * 5000 + b"}",
    "size of a list": header(size=[0]),
    "version a text": header(version="3"),
    "version a float": header(version=3.0),
    "crc missing": header(crc=None),
    "crc a float": header(crc=0.0),
    "kind with a line's end": header(kind="a\nb"),
    "kind of another script": header(kind="马"),
    "kind long": header(kind="a" * 100_000),
    "kind a list": header(kind=["test"]),
    "kind null": header(kind=None),
}


@pytest.mark.parametrize("name", HEADERS)
def test_crafted_headers_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    path.write_bytes(raw_book(HEADERS[name]))
    with pytest.raises(BookFileError, match=r"^[^\n]{,300}a\.book: [^\n]{,200}$"):
        open_book(path, "test", 3, LIMIT)


def test_a_payload_has_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    write_book(path, "test", 3, {}, bytes(1001))
    assert len(open_book(path, "test", 3, 1001).payload) == 1001
    with pytest.raises(BookFileError, match="1001 bytes, more than the 1000 it may have"):
        open_book(path, "test", 3, 1000)
    path.write_bytes(raw_book(header(size=1 << 40)))
    os.truncate(path, path.stat().st_size + (1 << 40))
    with pytest.raises(BookFileError, match="more than"):
        open_book(path, "test", 3, LIMIT)


# Payloads with their right checksums


def harmed(data: bytes, rng: random.Random) -> bytes:
    """Return `data` with some random bytes or extreme numbers, sometimes cut or extended."""
    harm = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 30))):
        at = rng.randrange(len(harm))
        extremes = (b"\xff", b"\0", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\xff" * 7 + b"\x7f", b"\x80" + bytes(7))
        put = rng.choice((rng.randbytes(1), rng.choice(extremes)))
        harm[at : at + len(put)] = put
    if rng.random() < 0.1:
        return bytes(harm[: rng.randrange(len(harm))])
    return bytes(harm) + rng.randbytes(rng.choice((0, 0, 0, 8, 24)))


def harmed_book(source: Path, kind: str, version: int, path: Path, rng: random.Random, part: int = 1 << 40) -> None:
    """Write the source's book with the first `part` bytes of its payload harmed."""
    book = open_book(source, kind, version, 1 << 30)
    payload = book.payload.tobytes()
    payload = harmed(payload[:part], rng) + payload[part:]
    put_book(path, kind, version, payload, {name: book.about.get(name) for name in ("ending", "entries")})


def put_book(path: Path, kind: str, version: int, payload: bytes, about: dict[str, Any]) -> None:
    """Write a book without the slow precautions of `write_book`."""
    fields = {"kind": kind, "version": version, "size": len(payload), "crc": zlib.crc32(payload)}
    path.write_bytes(raw_book(header(**fields | about), payload))


def opens(make: Callable[[], Any]) -> Any:
    """Return the object made; None if the book is refused, with one line."""
    try:
        return make()
    except BookFileError as error:
        assert "\n" not in str(error)
        return None


@pytest.mark.parametrize("name", ["xiangqi", "connect6"])
def test_moves_of_an_opening_book_that_are_none(name: str, tmp_path: Path) -> None:
    """Only legal moves are returned, although all entries, having the key of one position, are read."""
    game, path, rng = registry.load(name), tmp_path / "a.book", random.Random(1)
    settings = Values(connect6.INFO.options, connect6.Settings).settings
    settings = settings._replace(book_file=str(path), book_min_games=0)
    count = 0
    for words in ([], ["j10"] if name == "connect6" else ["b2e2"]):
        position = game.position()
        for word in words:
            position.push(position.parse_move(word))
        key, _ = opening.opening_key(position)
        legal = position.legal_moves()[:50]
        odd = [
            0,
            127,
            128,
            511,
            511 << 9,
            361 | 400 << 9,
            511 | 511 << 9,
            2**32 - 1,
            90 | 91 << 7,
            *range(0, 2**20, 997),
        ]
        odd += [rng.randrange(2**32) for _ in range(300)]
        moves = sorted({*odd, *legal})
        entries = np.array([(key, move, 5, 500, 500) for move in moves], opening.ENTRY)
        opening.write(path, name, {}, entries)
        openings = opening.OpeningBooks(name, settings, pytest.fail)
        asked = openings.moves(position)
        assert asked and all(position.is_legal(entry.move) for entry in asked)
        assert all(opening.opening_text(position, entry) for entry in asked)
        count += len(asked)
    assert count >= 10


def test_a_harmed_opening_book(tmp_path: Path) -> None:
    path, rng = tmp_path / "a.book", random.Random(2)
    game = registry.load("xiangqi")
    position = game.position()
    key, _ = opening.opening_key(position)
    shipped = opening.OpeningBook(BOOKS_FOLDER / "xiangqi-openings.book", "xiangqi")._entries
    small = shipped[np.flatnonzero(shipped["key"] == key)[0] :][:40]
    opening.write(tmp_path / "small.book", "xiangqi", {}, small)
    opened = 0
    for _ in range(200):
        harmed_book(tmp_path / "small.book", "xiangqi-openings", opening.VERSION, path, rng)
        book = opens(lambda: opening.OpeningBook(path, "xiangqi"))
        if book is not None:
            opened += 1
            for entry in book.find(key):
                assert 0 <= entry.score <= 1 and 0 <= entry.weight <= 1
                assert position.is_legal(entry.move) in (False, True)
    assert 0 < opened < 200


def test_a_harmed_rule_base(tmp_path: Path) -> None:
    path, rng = tmp_path / "a.book", random.Random(3)
    game = registry.load("xiangqi")
    position = game.position()
    for word in ("h2e2", "h9g7"):
        position.push(position.parse_move(word))
    rules = RuleBook(BOOKS_FOLDER / "xiangqi-rules.book").rules
    rulebook.write(tmp_path / "small.book", {}, [*rules[:30], *(rule for rule in rules if rule.answer is None)][:60])
    opened = 0
    for _ in range(200):
        harmed_book(tmp_path / "small.book", rulebook.KIND, rulebook.VERSION, path, rng)
        book = opens(lambda: RuleBook(path))
        if book is not None:
            opened += 1
            book.prepare(position)
            assert all(set(fit.moves) <= set(position.legal_moves()) for fit in book.fitting(position))
    assert 0 < opened < 200


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": math.nan},
        {"confidence": math.inf},
        {"confidence": -1.0},
        {"confidence": 0.0},
        {"when": 1 << 63},
        {"when": -1},
        {"intents": 1 << 62},
        {"games": -1},
        {"lift": math.inf},
        {"score": math.nan},
        {"after": "long"},
    ],
)
def test_a_rule_that_cannot_be(change: dict[str, Any], tmp_path: Path) -> None:
    rule = RuleBook(BOOKS_FOLDER / "xiangqi-rules.book").rules[0]
    fields = {name: getattr(rule, name) for name in rule.__struct_fields__}
    if change == {"after": "long"}:
        change = {"after": rule.after * 50}
    rulebook.write(tmp_path / "a.book", {}, [rulebook.MinedRule(**fields | change)])
    with pytest.raises(BookFileError, match="a rule with a number out of range"):
        RuleBook(tmp_path / "a.book")


def test_a_harmed_table_of_xiangqi(tmp_path: Path) -> None:
    """A search that probes damaged offsets and frames plays a legal move and reports one line."""
    source, rng = BOOKS_FOLDER / "xiangqi-endings/NN-.ending", random.Random(4)
    if not source.exists():
        pytest.skip("the table is not shipped")
    game = registry.load("xiangqi")
    position = game.position("3k5/9/9/9/9/9/9/9/9/3NKN3 w")
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    refused = 0
    for part in (40, 300, 1 << 40) * 15:
        harmed_book(source, tablebase.KIND, tablebase.VERSION, tmp_path / "NN-.ending", rng, part)
        warnings: list[str] = []
        game.knowledge.tablebase = Tablebase([tmp_path], warnings.append)
        searcher.clear()
        best = exhaust(searcher, Task(position, Control(300))).lines[0].pv[0]
        assert position.is_legal(best)
        assert len(warnings) <= 1 and "\n" not in "".join(warnings)
        refused += len(warnings)
    assert 0 < refused < 45


def test_a_block_that_unpacks_to_more_than_it_should(tmp_path: Path) -> None:
    """A frame too large is not unpacked, whether it states its size or not."""
    signature = MaterialSignature.parse("P-A")
    size = 2 * signature.entries
    for bomb in (
        zstandard.ZstdCompressor().compress(bytes(1 << 26)),
        zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 26)),
        zstandard.ZstdCompressor().compress(bytes(size - 1)),
        b"",
        b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8 + bytes(3),  # a frame of 2**64 - 1 bytes
    ):
        blocks = -(-size // (1 << 20))
        head = 8 * (blocks + 1)
        offsets = [head] + [head + len(bomb)] * blocks
        about = {"ending": "P-A", "entries": signature.entries}
        path = tmp_path / "P-A.ending"
        write_book(path, tablebase.KIND, tablebase.VERSION, about, np.array(offsets, "<i8").tobytes() + bomb)
        table = SignatureTable(path, signature)
        with pytest.raises(BookFileError, match=r"P-A\.ending: block 0[^\n]*$"):
            table.unpack(0)


@pytest.mark.parametrize(
    "name",
    [
        "RNCPAB-RNCPAB",
        "RRNNCCPPPPPAABB-RRNNCCPPPPPAABB",
        "PPPP-",
        "RRNNCCPP-RRNN",
        "R" * 200 + "-",
        "马-",
        "-",
        "",
        "N-\n",
        "nn-",
    ],
)
def test_names_of_endings_that_cannot_be_numbered(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^(not an ending|more than a set holds|not in order|too many pieces)"):
        MaterialSignature.parse(name)
    (tmp_path / f"{name}.ending").write_bytes(b"")
    warnings: list[str] = []
    game = registry.load("xiangqi", warnings.append)
    game.set_option("EndgamePath", str(tmp_path))
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    assert exhaust(searcher, Task(game.position(), Control(50))).lines
    assert len(warnings) == 1


def test_a_harmed_book_of_setups(tmp_path: Path) -> None:
    path, rng, words = tmp_path / "a.book", random.Random(5), set(SETUPS)
    opened = 0
    source = open_book(BOOKS_FOLDER / "ewn-setups.book", setupbook.KIND, setupbook.VERSION, 1 << 20).payload
    for _ in range(200):
        entries = source.view(setupbook.SETUP_DTYPE).copy()
        entry = entries[rng.randrange(len(entries))]
        field = rng.choice(("setup", "against_all", "against_best", "answers", "chances"))
        value = rng.choice((0, 1, 10_000, 10_001, 65_535, 123_456, 654_321, 111_111, 2**32 - 1))
        if field in ("answers", "chances"):
            entry[field][rng.randrange(setupbook.ANSWERS)] = value & (0xFFFF if field == "chances" else 0xFFFFFFFF)
        else:
            entry[field] = value if field == "setup" else value & 0xFFFF
        put_book(path, setupbook.KIND, setupbook.VERSION, entries.tobytes(), {})
        book = opens(lambda: SetupBook(path))
        if book is not None:
            opened += 1
            for known in (None, "123456", one_word(rng), str(entry["setup"])):
                setup, chance = book.choose(known, rng)
                assert setup in words and 0 <= chance <= 1
    assert 0 < opened < 200


def one_word(rng: random.Random) -> str:
    return rng.choice(SETUPS)


def test_any_weights_of_ewn_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    for weights in (np.full(evaluate.WEIGHTS, 32767), np.full(evaluate.WEIGHTS, -32768), None):
        chosen = rng.integers(-32768, 32768, evaluate.WEIGHTS) if weights is None else weights
        write_book(tmp_path / "a.book", evaluate.KIND, evaluate.VERSION, {}, chosen.astype("<i2").tobytes())
        monkeypatch.setattr(evaluate, "BOOK", tmp_path / "a.book")
        game = registry.load("ewn", pytest.fail)
        position = game.position("5/5/2e2/a4/3A1 f 1")
        searcher = game.searcher()
        searcher.configure(1, 1, 1)
        assert position.parse_move(position.move_text(exhaust(searcher, Task(position, Control(500))).lines[0].pv[0]))
        assert game.evaluate(position)


@pytest.mark.parametrize(
    ("field", "value", "is_refused"),
    [
        ("lessons", -1, True),
        ("lessons", 1 << 60, True),
        ("lessons", (1 << 60) - 1, False),
        ("total", 5e6, True),  # of four lessons
        ("total", -4e6, False),
        ("total", math.nan, True),
        ("total", -math.inf, True),
        ("size", -1, True),
    ],
)
def test_a_harmed_cooperation_file(field: str, value: float, is_refused: bool, tmp_path: Path) -> None:
    kinds = np.zeros(KINDS, KIND_DTYPE)
    kinds["lessons"] = 4
    if field == "size":
        kinds = kinds[:-1]
    else:
        kinds[field][1] = value
    path = tmp_path / "a.book"
    write_book(path, cooperation.KIND, cooperation.VERSION, {}, kinds.tobytes())
    before = path.read_bytes()
    warnings: list[str] = []
    game = registry.load("junqi", warnings.append)
    game.set_option("Algorithm", "cooperation")
    game.set_option("CooperationFile", str(path))
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    position = game.position()
    assert exhaust(searcher, Task(position, Control(100))).lines
    assert len(warnings) == is_refused and "\n" not in "".join(warnings)
    searcher.clear()
    assert path.read_bytes() == before or not is_refused


def test_a_harmed_source_of_patterns(tmp_path: Path) -> None:
    text, rng = (BOOKS_FOLDER / "xiangqi-patterns.txt").read_bytes(), random.Random(7)
    path = tmp_path / "patterns.txt"
    opened = 0
    lines = [line + b"\n" for line in text.splitlines() if line and not line.startswith(b"#")]
    for _ in range(150):
        path.write_bytes(harmed(b"".join(rng.sample(lines, 2)), rng))
        opened += opens(lambda: PatternBook(path)) is not None
    assert 0 < opened < 150
    path.write_bytes(b"N - A = win | x | y\n" * 600)
    with pytest.raises(BookFileError, match="more entries than can be stored"):
        PatternBook(path)
    os.truncate(path, 1 << 40)
    with pytest.raises(BookFileError, match="more than"):
        PatternBook(path)


# Files that are not regular


def fifo(path: Path, kind: str) -> None:
    os.mkfifo(path)


def zero(path: Path, kind: str) -> None:
    path.symlink_to("/dev/zero")


def null(path: Path, kind: str) -> None:
    path.symlink_to("/dev/null")


def folder(path: Path, kind: str) -> None:
    path.mkdir()


def sparse(path: Path, kind: str) -> None:
    """Write a sparse file of 1 TiB: a book with this size in its header, or zeros if `kind` is empty."""
    size = 1 << 40
    path.write_bytes(raw_book(header(kind=kind, version=1, size=size)) if kind else b"")
    os.truncate(path, path.stat().st_size + size)


def too_long(path: Path, kind: str) -> None:
    """Write nothing: the file's name is too long."""


CLOCK = "go wtime 60000 btime 60000 depth 2"
START = "position startpos"
OPTIONS = {  # by option: game, kind of book, other options to set, commands that open the file
    "BookFile": ("xiangqi", "xiangqi-openings", ["OwnBook value true"], ["position startpos moves a0a1", CLOCK]),
    "LayoutFile": ("junqi", "", [], [START, "go nodes 10"]),
    "CooperationFile": (
        "junqi",
        "junqi-cooperation",
        ["Algorithm value cooperation"],
        ["ucinewgame", START, "go nodes 10"],
    ),
    "PositionFile": ("xiangqi", "", [], [START, "go nodes 10"]),
    "EndgamePath": ("ewn", "ewn-ending", [], ["position fen 5/5/2e2/a4/3A1 f 1", "go nodes 10"]),
}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
@pytest.mark.parametrize("option", OPTIONS)
def test_what_is_no_file_is_reported_once_and_play_goes_on(option: str, tmp_path: Path) -> None:
    game, kind, settings, commands = OPTIONS[option]
    with Client(f"setoption name UCI_Variant value {game}", *(f"setoption name {text}" for text in settings)) as client:
        client.sync()
        for make in (fifo, zero, null, folder, sparse, too_long):
            place = tmp_path / make.__name__
            place.mkdir()
            path = place / ("3-2.ending" if option == "EndgamePath" else "x" * 300 if make is too_long else "file")
            make(path, kind)
            value = place if option == "EndgamePath" else path
            lines = [*client.answers(f"setoption name {option} value {value}"), *client.search(*commands)]
            lines += client.search(*commands)
            warned = [line for line in lines if "warning" in line and make.__name__ in line]
            assert len(warned) == (0 if option == "EndgamePath" and make is too_long else 1), (make, lines)
            assert not [line for line in lines if "error" in line]
            client.answers(f"setoption name {option} value")
        client.send(f"setoption name {option} value {value}", "quit")
        assert client.end() == 0


# Files that change while they are open


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open cannot be cut short there")
@pytest.mark.parametrize(
    ("game", "first", "second"),
    [
        (
            "xiangqi",
            ["position fen 3k1a3/9/4b4/9/9/9/9/9/9/3NKC3 w", "go nodes 300"],
            ["position fen 4k4/9/3ab4/9/C8/9/9/8N/9/4K4 b", "go nodes 20000"],
        ),
        ("xiangqi", ["position startpos moves b2e2", "go wtime 60000 btime 60000"], None),
        (
            "ewn",
            ["position fen AB3/5/5/5/3ef f 1", "go nodes 100"],
            ["position fen A4/B4/5/4f/3e1 s 6", "go nodes 20000"],
        ),
    ],
)
def test_books_that_change_while_they_are_open(
    game: str, first: list[str], second: list[str] | None, tmp_path: Path
) -> None:
    """Searches give the same answers if all shipped books are damaged while they are open."""
    answers = []
    for harm in ("none", "cut", "overwritten"):
        books = tmp_path / harm
        shutil.copytree(BOOKS_FOLDER, books)
        there = (
            f"import pathlib, siqi.games.books.book; siqi.games.books.book.BOOKS_FOLDER = pathlib.Path({str(books)!r})"
        )
        program = f"{there}; from siqi.daemon.main import main; main()"
        settings = (f"UCI_Variant value {game}", "OwnBook value true", "Seed value 1")
        with Client(*(f"setoption name {text}" for text in settings), program=program) as client:
            client.sync()
            client.search(*first)
            for path in filter(Path.is_file, books.rglob("*")):
                if harm == "cut":
                    os.truncate(path, 0)
                elif harm == "overwritten":
                    with path.open("r+b") as file:
                        file.write(b"\xff" * path.stat().st_size)
            dialogues = [
                line for _ in range(3) for line in (client.answers("ucinewgame"), client.search(*(second or first)))
            ]
            assert not [line for lines in dialogues for line in lines if "warning" in line or "error" in line]
            answers.append([lines[-1] for lines in dialogues if lines])
            client.send("quit")
            assert client.end() == 0
    assert answers[0] == answers[1] == answers[2] and answers[0]
