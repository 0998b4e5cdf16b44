"""Pyffish as referee: its legal moves and its ends of games equal ours, and a difference stops the match."""

from __future__ import annotations

import random

import pytest
from samples import sampled

from siqi.games.contract import Outcome
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.library.pyffish_position import DisagreementError, PyffishPosition

ROOK_CHASES_KING = "4k4/9/9/9/9/9/9/4p4/9/3K1R3 w - - 0 1"
MATED = "R3k4/R8/9/9/9/9/9/9/9/3K5 b - - 0 1"
STALEMATED = "3k5/7R1/9/9/9/9/9/9/9/4K4 b - - 0 1"
BARE_KINGS = "3k5/9/9/9/9/9/9/9/9/5K3 w - - 0 1"


def play(position: XiangqiPosition, words: str) -> None:
    for word in words.split():
        position.push(position.parse_move(word))


@sampled("games", 2, 4)
def test_random_games_have_the_same_legal_moves_in_both_libraries(games: int) -> None:
    rng = random.Random(5)
    for _ in range(games):
        position = PyffishPosition()
        while position.ply < 150 and position.outcome() is None:  # raises if the libraries differ
            position.push(rng.choice(position.legal_moves()))
        assert position.ply > 10


@pytest.mark.parametrize(("fen", "winner"), [(MATED, 0), (STALEMATED, 0), (BARE_KINGS, None)])
def test_positions_that_are_over(fen: str, winner: int | None) -> None:
    ours, theirs = XiangqiPosition(fen).outcome(), PyffishPosition(fen).outcome()
    assert ours is not None and theirs is not None
    assert ours.winner == theirs.winner == winner


def test_perpetual_check_loses() -> None:
    position = PyffishPosition(ROOK_CHASES_KING)
    play(position, "f0f9 e9e8 f9f8 e8e9 f8f9 e9e8 f9f8 e8e9 f8f9")
    assert position.outcome() == Outcome(1, "repetition or move count")


def test_a_difference_stops_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    position = PyffishPosition()
    moves = position.legal_moves()
    monkeypatch.setattr(PyffishPosition, "legal_moves", lambda self: moves[1:])
    with pytest.raises(DisagreementError, match="rnbakabnr/9"):
        position.outcome()
