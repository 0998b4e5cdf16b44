"""python-chess's `chess.engine` as a client of the daemon, with our boards in place of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from siqi.games.xiangqi.library import Board, chess_engine

chess = pytest.importorskip("chess.engine", reason="python-chess is not installed")

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "siqi"]


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.SimpleEngine]:
    with chess.SimpleEngine.popen_uci(COMMAND, cwd=ROOT, timeout=300) as engine:
        engine.ping()
        yield engine


def test_a_game_with_clocks_and_pondering(engine: chess.SimpleEngine) -> None:
    board = Board()
    for _ in range(12):
        limit = chess.Limit(white_clock=3, black_clock=3, white_inc=0.1, black_inc=0.1)
        result = engine.play(board, limit, ponder=True, info=chess.INFO_ALL)
        assert board.is_legal(result.move)
        assert result.info["pv"][0] == result.move
        board.push(result.move)
        if result.ponder is not None:
            assert board.is_legal(result.ponder)
    assert len(board.move_stack) == 12


def test_a_game_to_its_end(engine: chess.SimpleEngine) -> None:
    board = Board()
    while board.outcome() is None:
        result = engine.play(board, chess.Limit(nodes=300))
        assert result.move is not None
        board.push(result.move)
    assert len(board.move_stack) > 10
    move = engine.play(board, chess.Limit(nodes=300)).move
    assert (move is None) == (not any(board.legal_moves))  # after an end by counting there are moves


def test_analysis_with_several_lines(engine: chess.SimpleEngine) -> None:
    board = Board("3k5/1R7/R8/9/9/9/9/9/9/4K4 w")
    lines = engine.analyse(board, chess.Limit(depth=4), multipv=3)
    assert len(lines) == 3
    assert lines[0]["score"].white().mate() == 1
    assert len({line["pv"][0] for line in lines}) == 3
    for line in lines:
        replayed = board.copy()
        for move in line["pv"]:
            replayed.push(move)


def test_an_analysis_that_is_stopped(engine: chess.SimpleEngine) -> None:
    with engine.analysis(Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5:
                break
    assert analysis.wait().move is not None
    board = Board()
    board.push_uci("h2e2")
    assert engine.play(board, chess.Limit(nodes=2000)).move is not None


def test_options_and_root_moves(engine: chess.SimpleEngine) -> None:
    assert engine.options["Hash"].max >= 1024
    engine.configure({"Hash": 16})
    board = Board()
    moves = [board.parse_uci("a0a1"), board.parse_uci("i0i1")]
    result = engine.play(board, chess.Limit(depth=3), root_moves=moves)
    assert result.move in moves


def test_lines_of_moves_are_read_whole(engine: chess.SimpleEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variations are read although chess's own pattern of a move has no rank 0 and no file i."""
    monkeypatch.setattr(chess, "UCI_REGEX", re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?\Z|0000\Z"))
    board = Board()
    board.push_uci("h2e2")
    info = engine.analyse(board, chess.Limit(depth=6))
    assert len(info["pv"]) >= 3 and any(re.search("[09i]", move.uci()) for move in info["pv"])
    assert board.variation_san(info["pv"]).startswith("1...")
    assert all(chess.UCI_REGEX.match(word) for word in ("e7e8q", "h10g8", "i9i0", "0000"))
    assert not chess.UCI_REGEX.match("string")


def test_ranks_from_one(engine: chess.SimpleEngine) -> None:
    engine.configure({"UCI_Coordinates": "1"})
    try:
        board = Board(ranks=1)
        board.push_uci("h3e3")
        root_moves = [board.parse_uci("a10a9")]
        result = engine.play(board, chess.Limit(depth=3), root_moves=root_moves, info=chess.INFO_ALL)
        assert result.move == result.info["pv"][0] == root_moves[0] and result.move.uci() == "a10a9"
    finally:
        engine.configure({"UCI_Coordinates": "0"})


def test_options_that_come_after_the_handshake() -> None:
    """Options of a game are known that come while python-chess waits for the game's selection."""
    with chess.SimpleEngine.popen_uci([*COMMAND, "--option", "UCI_Variant=ewn"], cwd=ROOT, timeout=300) as engine:
        assert "Algorithm" in engine.options and "Evaluation" not in engine.options
        board = Board()
        for _ in range(2):
            board.push(engine.play(board, chess.Limit(depth=2)).move)
        assert engine.analyse(board, chess.Limit(depth=2))["multipv"] == 1


def test_a_board_that_the_rules_cannot_play(engine: chess.SimpleEngine) -> None:
    board = Board()
    engine.play(board, chess.Limit(nodes=100))
    board.remove_piece_at(4)
    with pytest.raises(chess.EngineError, match="illegal position: red has no king"):
        engine.play(board, chess.Limit(nodes=100))
    assert engine.play(Board(), chess.Limit(nodes=100)).move is not None


def test_the_names_of_earlier_versions() -> None:
    board = Board()
    with chess_engine.popen_uci(COMMAND, cwd=ROOT, timeout=300) as engine:
        assert board.is_legal(engine.play(chess_engine.EngineBoard(board), chess.Limit(nodes=100)).move)


def test_a_game_by_xboard_s_protocol() -> None:
    with chess.SimpleEngine.popen_xboard(COMMAND, cwd=ROOT, timeout=300) as engine:
        board = Board()
        for _ in range(6):
            result = engine.play(board, chess.Limit(depth=3), info=chess.INFO_ALL)
            assert result.info["pv"][0] == result.move
            board.push(result.move)
        board.pop()
        board.pop()
        other = next(move for move in board.legal_moves if move != result.move)
        board.push(other)
        assert board.is_legal(engine.play(board, chess.Limit(depth=3)).move)
