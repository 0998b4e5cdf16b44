"""EWN's tablebases: numbering, small endings against a plain solver, exact values, files that cannot be used."""

from __future__ import annotations

import csv
import functools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixture_files import SHARED, damaged, vectors
from samples import sampled

from scripts.books import build_ewn_tablebases
from scripts.books.ewn_retrograde import Solver

from naive.ewn import Naive, letter_of
from siqi.games import registry
from siqi.games.books.book import BookFileError
from siqi.games.ewn.knowledge.knowledge import TABLEBASE_FOLDER
from siqi.games.ewn.knowledge.numbering import (
    INDEXING,
    NUMBERING,
    NUMBERING_RECORD,
    SIGNATURES,
    MaterialSignature,
    class_count,
    index,
    number,
)
from siqi.games.ewn.knowledge.tablebase import SUFFIX, SignatureTable, Tablebase
from siqi.games.ewn.rules.lookup import ONE
from siqi.games.ewn.rules.position import POSITION
from siqi.games.kernel.jit import entry, int64

ERROR = 3 / (2 * ONE) + 1e-9
"""The error bound for four pieces, as stated in siqi/games/ewn/knowledge/tablebase.py."""


@entry(int64(POSITION, NUMBERING, INDEXING, int64))
def index_of(pos: Any, n: Any, e: Any, strong: int) -> int:
    return index(pos, n, e, strong)


@functools.cache
def exact(fen: str) -> float:
    """Return the mover's chance before the throw, by plain recursion."""
    total = 0.0
    values: dict[str, float] = {}  # by move: several throws allow it
    for die in range(1, 7):
        moves = Naive(f"{fen} {die}").legal_moves()
        for move in moves:
            if move not in values:
                after = Naive(f"{fen} {die}")
                after.push(move)
                won = after.winner() is not None
                values[move] = 1.0 if won else 1 - exact(after.fen().rsplit(" ", 1)[0])
        total += max(values[move] for move in moves)
    return total / 6


def random_fen(rng: random.Random, first: int, second: int) -> str:
    """Return the FEN of a random position without a winner, without the die."""
    while True:
        squares = rng.sample([column + row for row in "54321" for column in "abcde"], first + second)
        if "e1" in squares[:first] or "a5" in squares[first:]:
            continue
        board: dict[str, str] = {}
        for side, mine in enumerate((squares[:first], squares[first:])):
            for square, digit in zip(mine, rng.sample(range(1, 7), len(mine)), strict=True):
                board[square] = letter_of(side, digit)
        rows = ["".join(board.get(column + row, "1") for column in "abcde") for row in "54321"]
        return f"{'/'.join(rows)} {rng.choice('fs')}"


def shape(board: str) -> str:
    """Return the board with its pieces' sides, without their numbers."""
    return "".join("X" if sign.isupper() else "x" if sign.islower() else sign for sign in board)


@pytest.fixture(scope="module")
def tables() -> Tablebase:
    refused: list[str] = []
    tables = Tablebase([TABLEBASE_FOLDER], refused.append)
    assert refused == []
    return tables


def test_classes() -> None:
    assert [class_count(count) for count in (1, 2, 3, 4)] == [1, 15, 60, 180]


def test_shipped_tables_are_all_of_four_pieces_and_small(tables: Tablebase) -> None:
    assert all((signature in tables) == (sum(signature) <= 4) for signature in SIGNATURES)
    assert sum(path.stat().st_size for path in TABLEBASE_FOLDER.iterdir()) < 20_000_000


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
@sampled("count", 500, 3000)
def test_alike_positions_have_one_number_and_others_their_own(signature: MaterialSignature, count: int) -> None:
    game, rng, e = registry.load("ewn"), random.Random(7), number(signature)
    seen: dict[int, set[str]] = {}
    for _ in range(count):
        fen = random_fen(rng, *signature)
        pieces, side = fen.split()
        rows = [list(row) for row in pieces.split("/")]
        mirrored = "/".join("".join(column) for column in zip(*rows, strict=True))
        if shape(mirrored) == shape(pieces):
            continue  # not known to be equivalent: the numbers on the squares differ
        turned = "/".join(row[::-1] for row in pieces.split("/")[::-1]).swapcase()
        numbers = set()
        for alike, strong in ((pieces, 0), (mirrored, 0), (turned, 1)):
            numbers.add(int(index_of(game.position(f"{alike} {side} -").record, NUMBERING_RECORD, e, strong)))
        (common,) = numbers
        assert 0 <= common < e.entries
        # The representative of all equivalent boards: the least of mirror images and reversed numbers of either side.
        reverse = {0: str.maketrans("ABCDEF", "FEDCBA"), 1: str.maketrans("abcdef", "fedcba")}
        alike_texts = [pieces, mirrored]
        for pieces_of, table in zip(signature, reverse.values(), strict=True):
            if pieces_of == 1:
                lone = str.maketrans(
                    "ABCDEF" if table is reverse[0] else "abcdef", ("A" if table is reverse[0] else "a") * 6
                )
                alike_texts = [text.translate(lone) for text in alike_texts]
            else:
                alike_texts += [text.translate(table) for text in alike_texts]
        seen.setdefault(common, set()).add(min(alike_texts))
    assert all(len(texts) == 1 for texts in seen.values())


@sampled("share", 5, 1)
def test_small_tables_against_plain_recursion(tables: Tablebase, share: int) -> None:
    game, rng = registry.load("ewn"), random.Random(3)
    for first, second, positions in ((1, 1, 60), (2, 1, 25), (1, 2, 25)):
        for _ in range(positions // share):
            fen = random_fen(rng, first, second)
            chance = tables.chance(game.position(f"{fen} -").record)
            assert chance == pytest.approx(exact(fen), abs=ERROR), fen


def test_exact_positions(tables: Tablebase) -> None:
    game = registry.load("ewn")
    known = 0
    for case in vectors("ewn_exact.jsonl"):
        chance = tables.chance(game.position(case["fen"]).record)
        known += chance is not None
        assert chance is None or chance == pytest.approx(case["v"], abs=ERROR)
    assert known >= 20


@pytest.mark.shared
def test_all_exact_values(tables: Tablebase) -> None:
    game = registry.load("ewn")
    known = 0
    with (SHARED / "ewn/exact_values.csv").open() as file:
        for row in csv.DictReader(file):
            board, side = row["fen"].split()
            for digit in "123456":
                board = board.replace(digit, chr(ord("A") + int(digit) - 1))
            chance = tables.chance(game.position(f"{board.replace('.', '1')} {'fs'[side == 'b']} -").record)
            known += chance is not None
            assert chance is None or chance == pytest.approx(float(row["v"]), abs=ERROR)
    assert known == 135


def test_building_gives_what_is_shipped(tmp_path: Path) -> None:
    for name in ("1-1", "2-1"):
        build_ewn_tablebases.build(tmp_path, 1, MaterialSignature.parse(name))
        shipped = SignatureTable(TABLEBASE_FOLDER / f"{name}{SUFFIX}", MaterialSignature.parse(name))
        built = SignatureTable(tmp_path / f"{name}{SUFFIX}", MaterialSignature.parse(name))
        assert (built.values == shipped.values).all()


def test_the_check_sees_a_wrong_value(tables: Tablebase) -> None:
    solver = Solver(MaterialSignature(2, 1), tables.address, 1)
    solver.run(lambda done: None)
    assert solver.check() == 0
    at = int(np.flatnonzero((solver.values > 0.3) & (solver.values < 0.6))[5])
    solver.values[at] += 2 / ONE
    assert solver.check() > 0


def test_unsound_files_are_refused(tmp_path: Path) -> None:
    rng = random.Random(1)
    good = (TABLEBASE_FOLDER / "2-1.ending").read_bytes()
    for data in [damaged(good, rng) for _ in range(10)] + [b"", (TABLEBASE_FOLDER / "1-1.ending").read_bytes()]:
        (tmp_path / "2-1.ending").write_bytes(data)
        with pytest.raises(BookFileError):
            SignatureTable(tmp_path / "2-1.ending", MaterialSignature(2, 1))
        refused: list[str] = []
        assert MaterialSignature(2, 1) not in Tablebase([tmp_path], refused.append)
        assert len(refused) == 1


def test_names() -> None:
    assert [str(signature) for signature in SIGNATURES] == ["1-1", "2-1", "2-2", "3-1", "3-2", "4-1"]
    for name in ("1-2", "5-1", "x", ""):
        with pytest.raises(ValueError, match="not an ending"):
            MaterialSignature.parse(name)
