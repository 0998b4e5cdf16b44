"""A game of Championship is restored from a list of its moves, as paper or another record has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from championship_games import MemoryDays, Operator

from siqi.daemon.board.championship.commands import EndGame, EnterMoves, Play
from siqi.daemon.board.championship.entries import Entered
from siqi.daemon.board.commands import Resume
from siqi.games import registry

GAMES = pytest.mark.parametrize("game", registry.NAMES)


def operator(folder: Path, game: str) -> Operator:
    op = Operator(MemoryDays(folder))
    op.begin(game)
    return op


def bare(op: Operator) -> str:
    """Return the moves of the game that is shown as words, each with its throw."""
    path = op.mode.state.games[0].path()
    return " ".join(f"{node.answered}:{node.word}" if node.answered else node.word for node in path)


@GAMES
@pytest.mark.parametrize("kind", ["bare", "record"])
def test_a_whole_game_is_restored(game: str, kind: str, tmp_path: Path) -> None:
    op = operator(tmp_path / "a", game)
    (tmp_path / "b").mkdir()
    while len(op.shown().moves) < 16:
        op.step()
    before = op.shown()
    text = bare(op)
    if kind == "record":
        record = op.mode.record()
        assert record is not None
        text = record[1].decode(registry.record_format(game).encoding)
    again = operator(tmp_path / "b", game)
    again.now += 9000
    shown = again.do(EnterMoves(text, "the power failed"))
    assert shown.moves == before.moves and shown.pieces == before.pieces and shown.turn == before.turn
    assert shown.press == "resume" and shown.clocks is not None and shown.clocks.running is None
    (correction,) = shown.corrections
    assert (correction.what, correction.detail, correction.note) == ("entered", "16", "the power failed")
    assert isinstance(again.store, MemoryDays)
    (fact,) = [entry for entry in again.store.entries if isinstance(entry, Entered)]
    assert len(fact.moves) == 16
    reopened = Operator(MemoryDays(tmp_path / "b", again.store.entries))
    assert reopened.mode.state == again.mode.state
    again.hidden = op.hidden
    again.do(Resume())
    assert again.step()  # the game goes on


def test_a_list_may_leave_out_the_set_ups_and_shares_what_was_played(tmp_path: Path) -> None:
    op = operator(tmp_path, "ewn")
    while len(op.shown().moves) < 8:
        op.step()
    words = bare(op).split()
    nodes = op.shown().line
    shown = op.do(EnterMoves(" ".join(f"{n}. {word}" for n, word in enumerate(words[2:6], 1))))
    assert len(shown.moves) == 6 and shown.line == nodes[:7] and shown.ahead == nodes[7:]
    spaced = " ".join(words[2:6]).replace(":", ": ")
    assert op.do(EnterMoves(spaced)).line == nodes[:7]
    fresh = operator(tmp_path / "..", "ewn")
    assert fresh.refused(EnterMoves(" ".join(words[2:6]))) == "the set-ups come first"


def test_players_notations_are_read(tmp_path: Path) -> None:
    op = operator(tmp_path, "xiangqi")
    shown = op.do(EnterMoves("1. 炮二平五 马8进7 2. 马二进三"))
    assert [move.word for move in shown.moves] == ["h2e2", "h9g7", "h0g2"]
    op = operator(tmp_path, "connect6")
    shown = op.do(EnterMoves("J10\nK11 I9\nL3 M4"))
    assert [move.word for move in shown.moves] == ["j10", "i9k11", "l3m4"]


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        ("ewn", "123456 123456 a5b4", "move 1, a5b4: its throw is missing"),
        ("ewn", "123456 123456 3:c5c4 2:e1e2", "move 2, e1e2"),
        ("ewn", "123456 123457", "set-up 2, 123457"),
        ("xiangqi", "h2e2 h9g8", "h9g8"),
        ("connect6", "j10 j10k10", "move 2, j10k10"),
        ("connect6", "", "no moves"),
        ("xiangqi", "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1", "start of the game"),
    ],
)
def test_a_list_with_a_fault_changes_nothing_and_names_the_move(
    game: str, text: str, reason: str, tmp_path: Path
) -> None:
    op = operator(tmp_path, game)
    assert reason in op.refused(EnterMoves(text))


def test_a_move_of_junqi_needs_its_answer(tmp_path: Path) -> None:
    op = operator(tmp_path, "junqi")
    while len(op.shown().moves) < 4:
        op.step()
    text = bare(op)
    assert "move 2" in op.refused(EnterMoves(text[: text.rindex("=")]))


def test_a_game_that_is_over_is_opened_first(tmp_path: Path) -> None:
    op = operator(tmp_path, "connect6")
    op.do(EndGame(0, "resignation"))
    assert op.refused(EnterMoves("j10")) == "the game is over"
    assert op.refused(Play("j10")) == "the game is over"
