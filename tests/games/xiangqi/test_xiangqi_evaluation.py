"""Xiangqi's evaluation and exchanges: properties that hold for all weights."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from samples import sampled

from siqi.games import registry
from siqi.games.kernel.jit import entry, int64, new_record
from siqi.games.xiangqi.data.weights import EXCHANGE, TERMS
from siqi.games.xiangqi.evaluation.exchange import see_ge
from siqi.games.xiangqi.evaluation.terms import fill_terms, tapered
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def exchange(pos: Any, work: Any, lookup: Any, move: int, threshold: int) -> int:
    return see_ge(pos, work, lookup, move, threshold)


@entry(int64(int64, int64))
def mix(packed: int, phase: int) -> int:
    return tapered(packed, phase)


def random_positions(count: int, seed: int) -> list[Any]:
    rng = random.Random(seed)
    game = registry.load("xiangqi")
    positions = []
    position: Any = game.position()
    while len(positions) < count:
        moves = position.legal_moves()
        if not moves or position.ply > 120:
            position = game.position()
            continue
        position.push(rng.choice(moves))
        if rng.random() < 0.2:
            positions.append(position.copy())
    return positions


def mirrored(fen: str) -> str:
    board, side, *rest = fen.split()
    rows = ["".join(c.swapcase() for c in row) for row in reversed(board.split("/"))]
    return " ".join(["/".join(rows), "b" if side == "w" else "w", *rest])


def test_both_sides_and_both_wings_are_valued_alike() -> None:
    game = registry.load("xiangqi")
    for position in random_positions(200, 1):
        value = fill_terms(position.record)
        other: Any = game.position(mirrored(position.fen()))
        # The interpolation of the phases rounds down, so the sign matters.
        assert abs(fill_terms(other.record) - value) <= 1
        board, *rest = position.fen().split()
        flipped: Any = game.position(" ".join(["/".join(row[::-1] for row in board.split("/")), *rest]))
        assert fill_terms(flipped.record) == value


def test_score_kept_up_to_date_is_the_score_from_scratch() -> None:
    game = registry.load("xiangqi")
    for position in random_positions(200, 2):
        fresh: Any = game.position(position.fen())
        assert fresh.record.score == position.record.score


@pytest.mark.parametrize("middle, end", [(0, 0), (5, -7), (-5, 7), (-3000, 2999), (32767, -20000)])
def test_packed_halves(middle: int, end: int) -> None:
    packed = middle + 65536 * end
    assert (mix(packed, 32), mix(packed, 0)) == (middle, end)


def test_explanation_adds_up() -> None:
    game = registry.load("xiangqi")
    game.set_option("Evaluation", "terms")
    lines = game.evaluate(game.position())
    assert len(lines) == len(TERMS) + 3 and lines[-1].startswith("total ")


@pytest.mark.parametrize(
    ("won", "drawn"),
    [
        ("2bak4/4a4/9/9/9/9/9/9/4A4/3R1K3 w - - 0 1", "2bak4/4a4/4b4/9/9/9/9/9/4A4/3R1K3 w - - 0 1"),
        ("4k4/4a4/9/9/9/9/9/4N4/9/5K3 w - - 0 1", "3ak4/4a4/9/9/9/9/9/4N4/9/5K3 w - - 0 1"),
    ],
)
def test_drawish_forces_are_valued_as_such(won: str, drawn: str) -> None:
    game = registry.load("xiangqi")
    value, drawish = (fill_terms(game.position(fen).record) for fen in (won, drawn))
    assert value > 150 and 0 < drawish < value / 3


def test_nobody_wins_without_attackers() -> None:
    position = registry.load("xiangqi").position("3k5/4a4/9/9/9/9/9/4B4/4A4/2BA1K3 w - - 0 1")
    assert fill_terms(position.record) == 0


def settled(position: Any, square: int, legal: list[int]) -> int:
    """Return the gain of a naive exchange on a square: each side takes with its cheapest piece, or stops."""
    takers = [move for move in legal if move >> 7 == square]
    if not takers:
        return 0
    kinds = {move: (int(LOOKUP_RECORD.kind_of[position.record.board[move & 127]]) - 1) % 7 for move in takers}
    victim = (int(LOOKUP_RECORD.kind_of[position.record.board[square]]) - 1) % 7
    move = min(takers, key=lambda m: EXCHANGE[kinds[m]])
    position.push(move)
    gain = EXCHANGE[victim] - settled(position, square, position.legal_moves())
    position.pop()
    return max(gain, 0)


@sampled("count", 25, 120)
def test_exchanges_as_a_naive_search_has_them(count: int) -> None:
    """At least 97 % agree: by design the kernel does not look at pins and attacked kings."""
    work = new_record(WORK_DTYPE)
    agreed = tried = 0
    for position in random_positions(count, 3):
        if position.is_check():
            continue
        for move in position.legal_moves():
            captured = int(position.record.board[move >> 7])
            if not captured:
                continue
            before = position.record.tobytes()
            gains = [g for g in range(-700, 701, 10) if exchange(position.record, work, LOOKUP_RECORD, move, g)]
            assert position.record.tobytes() == before
            assert gains == list(range(-700, gains[-1] + 1, 10)), "not monotonous"
            victim = (int(LOOKUP_RECORD.kind_of[captured]) - 1) % 7
            position.push(move)
            expected = EXCHANGE[victim] - settled(position, move >> 7, position.legal_moves())
            position.pop()
            tried += 1
            agreed += gains[-1] == expected // 10 * 10
    assert tried > count
    assert agreed >= 0.97 * tried, f"{agreed} of {tried}"


def test_terms_are_small_numbers() -> None:
    for position in random_positions(50, 4):
        fill_terms(position.record)
        assert np.all(np.abs(position.record.terms) < 60)
