"""python-chess as a UCI client of the daemon."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from games.xiangqi.board import Board

chess_engine = pytest.importorskip("games.xiangqi.chess_engine", reason="python-chess is not installed")
chess = pytest.importorskip("chess.engine")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.SimpleEngine]:
    command = [sys.executable, "-m", "daemon"]
    with chess_engine.popen_uci(command, cwd=ROOT, timeout=300) as engine:
        engine.ping()
        yield engine


def test_a_game_with_clocks_and_pondering(engine: chess.SimpleEngine) -> None:
    board = Board()
    for _ in range(12):
        limit = chess.Limit(white_clock=3, black_clock=3, white_inc=0.1, black_inc=0.1)
        result = engine.play(chess_engine.EngineBoard(board), limit, ponder=True, info=chess.INFO_ALL)
        assert board.is_legal(result.move)
        assert result.info["pv"][0] == result.move
        board.push(result.move)
        if result.ponder is not None:
            assert board.is_legal(result.ponder)
    assert len(board.move_stack) == 12


def test_a_game_to_its_end(engine: chess.SimpleEngine) -> None:
    board = Board()
    while board.outcome() is None:
        result = engine.play(chess_engine.EngineBoard(board), chess.Limit(nodes=300))
        assert result.move is not None
        board.push(result.move)
    assert len(board.move_stack) > 10
    move = engine.play(chess_engine.EngineBoard(board), chess.Limit(nodes=300)).move
    assert (move is None) == (not any(board.legal_moves))  # an end by counting leaves moves


def test_analysis_with_several_lines(engine: chess.SimpleEngine) -> None:
    board = Board("3k5/1R7/R8/9/9/9/9/9/9/4K4 w")
    lines = engine.analyse(chess_engine.EngineBoard(board), chess.Limit(depth=4), multipv=3)
    assert len(lines) == 3
    assert lines[0]["score"].white().mate() == 1
    assert len({line["pv"][0] for line in lines}) == 3
    for line in lines:
        replayed = board.copy()
        for move in line["pv"]:
            replayed.push(move)


def test_an_analysis_that_is_stopped(engine: chess.SimpleEngine) -> None:
    with engine.analysis(chess_engine.EngineBoard(Board())) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5:
                break
    assert analysis.wait().move is not None
    board = Board()
    board.push_uci("h2e2")
    assert engine.play(chess_engine.EngineBoard(board), chess.Limit(nodes=2000)).move is not None


def test_options_and_root_moves(engine: chess.SimpleEngine) -> None:
    assert engine.options["Hash"].max >= 1024
    engine.configure({"Hash": 16})
    board = Board()
    moves = [board.parse_uci("a0a1"), board.parse_uci("i0i1")]
    result = engine.play(chess_engine.EngineBoard(board), chess.Limit(depth=3), root_moves=moves)
    assert result.move in moves
