"""The library: the examples of its documentation and of README, and callers' errors."""

from __future__ import annotations

import copy
import doctest
import gc
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import siqi
from games import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def xiangqi() -> Iterator[siqi.Engine]:
    with siqi.Engine("xiangqi", {"Hash": 4}) as engine:
        yield engine


def test_the_examples_of_the_module() -> None:
    found = doctest.testmod(siqi)
    assert found.attempted >= 4 and not found.failed


def test_readme_s_example(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import siqi\n.*?)```", text, re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), scope)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all(re.fullmatch(r"-?\d+( [a-i]\d[a-i]\d)+", line) for line in lines)


@pytest.mark.parametrize("name", siqi.GAMES)
def test_an_engine_plays_each_game(name: str) -> None:
    """One engine plays four moves for each side; each is legal, and the position is the protocol's."""
    position = siqi.position(name)
    with siqi.Engine(name, {"Seed": 1, "Hash": 4}) as engine:
        for _ in range(8):
            if name == "ewn" and len(position.move_stack) >= 2:
                position.set_dice(1 + len(position.move_stack) % 6)
            result = engine.play(position, siqi.Limit(nodes=200))
            assert result.info is not None and result.info.pv[0] == result.move
            if name == "junqi" and position.outcome() is None and len(position.move_stack) >= 2:
                assert result.move in position.legal_moves
            position.push(result.move)
    assert len(position.move_stack) == 8
    root = position.root()
    for move in position.move_stack:
        root.push(move)
    assert root.fen().split()[:2] == position.fen().split()[:2]


def test_lines_come_best_first(xiangqi: siqi.Engine) -> None:
    board = siqi.position("xiangqi")
    lines = xiangqi.analyse(board, siqi.Limit(depth=5), multipv=3)
    assert [line.multipv for line in lines] == [1, 2, 3]
    assert sorted(lines, key=lambda line: -line.score.cp) == lines
    assert len({line.pv[0] for line in lines}) == 3 and all(line.pv[0] in board.legal_moves for line in lines)
    (line,) = xiangqi.analyse(board, siqi.Limit(depth=4), root_moves=[siqi.Move.from_uci("a0a1")])
    assert line.pv[0].uci() == "a0a1" and line.depth == 4


def test_an_analysis_ends_by_its_block_by_stop_and_by_a_limit(xiangqi: siqi.Engine) -> None:
    board = siqi.position("xiangqi")
    with xiangqi.analysis(board) as running:
        assert next(iter(running)).depth == 1
    assert running.is_done and running.wait().move in board.legal_moves
    running = xiangqi.analysis(board)
    threading.Timer(0.2, xiangqi.stop).start()
    assert list(running) and running.is_done
    assert [info.depth for info in xiangqi.analysis(board, siqi.Limit(depth=4))][-1] == 4


def test_a_call_ends_an_analysis_that_runs(xiangqi: siqi.Engine) -> None:
    """The analysis ends even if it was half read or left by an error."""
    board = siqi.position("xiangqi")
    with xiangqi.analysis(board) as running:
        assert xiangqi.play(board, siqi.Limit(depth=1)).move in board.legal_moves
        assert running.is_done and not list(running)
    with pytest.raises(ZeroDivisionError):
        for _ in xiangqi.analysis(board):
            1 // 0  # noqa: B018
    assert xiangqi.play(board, siqi.Limit(depth=1)).move in board.legal_moves


def test_an_interrupted_call_leaves_an_idle_engine(xiangqi: siqi.Engine) -> None:
    board = siqi.position("xiangqi")
    threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        xiangqi.play(board, siqi.Limit(time=60))
    assert xiangqi.play(board, siqi.Limit(depth=1)).move in board.legal_moves


def test_boards_that_count_ranks_from_one(xiangqi: siqi.Engine) -> None:
    board = siqi.Board(ranks=1)
    board.push_uci("h3e3")
    for _ in range(3):
        board.push(xiangqi.play(board, siqi.Limit(depth=2), root_moves=list(board.legal_moves)[:5]).move)
    assert len(board.move_stack) == 4


@pytest.mark.parametrize(
    "limit",
    [
        {},
        {"depth": 0},
        {"nodes": 0},
        {"mate": -1},
        {"depth": 1.5},
        {"depth": "3"},
        {"remaining_moves": 2},
        {"time": -1},
        {"time": float("inf")},
        {"time": float("nan")},
        {"nodes": 10**30},
    ],
)
def test_impossible_limits(xiangqi: siqi.Engine, limit: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="limit"):
        xiangqi.play(siqi.position("xiangqi"), siqi.Limit(**limit))


def test_no_search_goes_on_for_nobody() -> None:
    engine = siqi.Engine("connect6", {"Hash": 1})
    running = engine.analysis(
        siqi.position("connect6", "19/19/19/19/19/19/19/19/19/9b9/19/19/19/19/19/19/19/19/19 w 2")
    )
    inner = engine._engine
    del engine, running
    gc.collect()
    deadline = time.monotonic() + 30
    while inner._scheduler.job is not None and not inner._scheduler.job._is_stopped and time.monotonic() < deadline:
        time.sleep(0.01)
    assert time.monotonic() < deadline


def test_the_history_of_a_board_counts(xiangqi: siqi.Engine) -> None:
    """The rules of repetition need the history."""
    board = siqi.Board("3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1")
    for move in ("a1a2", "d9d8", "a2a1", "d8d9") * 2:
        board.push_uci(move)
    xiangqi.analyse(board, siqi.Limit(depth=1))
    assert xiangqi._engine.position.ply == 8 and str(xiangqi._engine.outcome()) == "draw repetition"
    assert board.is_repetition()


def test_a_game_that_is_over_has_no_move() -> None:
    position = siqi.position("ewn", "A4/5/5/5/4B s -")
    assert position.is_game_over() and position.result() == "1-0"
    with siqi.Engine("ewn") as engine:
        assert engine.play(position, siqi.Limit(depth=2)).move is None
        assert engine.analyse(position, siqi.Limit(depth=2)) == []


def test_without_a_throw_each_has_its_line() -> None:
    with siqi.Engine("ewn") as engine:
        lines = engine.analyse(siqi.position("ewn", "ABC2/DE3/F3f/3ed/2cba f -"), siqi.Limit(depth=2))
    assert [line.throw for line in lines] == [1, 2, 3, 4, 5, 6]


def test_a_view_hides_what_it_does_not_know() -> None:
    setup = siqi.position("junqi")
    with siqi.Engine("junqi", {"Seed": 3}) as engine:
        own = engine.play(setup, siqi.Limit(nodes=50)).move
        view = siqi.position("junqi")
        for word in (own, "?"):
            view.push(word)
        assert engine.play(view, siqi.Limit(nodes=50)).move in view.legal_moves
    assert "X" in view.fen() or "x" in view.fen()


@pytest.mark.parametrize(
    "call, reason",
    [
        (lambda: siqi.position("chess"), "unknown game"),
        (lambda: siqi.Engine("chess"), "unknown game"),
        (lambda: siqi.position("connect6", "nonsense"), "1 fields, not 3"),
        (lambda: siqi.Engine("connect6", {"Colour": 3}), "unknown option: Colour"),
        (lambda: siqi.Engine("connect6", {"Width": 1}), "not within"),
        (lambda: siqi.Engine("connect6", {"UCI_Variant": "ewn"}), "not for a library"),
        (lambda: siqi.Engine("connect6", {"debug log file": "x"}), "not for a library"),
        (lambda: siqi.position("connect6").push("z1"), "z1"),
    ],
)
def test_an_impossible_call_is_a_value_error(call: object, reason: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=reason):
        call()


def test_a_position_of_another_game(xiangqi: siqi.Engine) -> None:
    with pytest.raises(ValueError, match="a position of connect6 for an engine of xiangqi"):
        xiangqi.play(siqi.position("connect6"), siqi.Limit(depth=1))
    with pytest.raises(TypeError, match=r"siqi\.Position or siqi\.Board"):
        xiangqi.play("startpos", siqi.Limit(depth=1))
    with pytest.raises(ValueError, match="illegal move"):
        xiangqi.play(siqi.position("xiangqi"), siqi.Limit(depth=1), root_moves=["a0a9"])


def test_a_closed_engine_refuses_calls() -> None:
    engine = siqi.Engine("connect6")
    running = engine.analysis(siqi.position("connect6"))
    engine.close()
    assert running.wait().move
    with pytest.raises(siqi.EngineError, match="closed"):
        engine.play(siqi.position("connect6"), siqi.Limit(depth=1))


def test_a_game_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, warn: object = None) -> None:
        raise OSError("no such disk")

    monkeypatch.setattr(registry, "load", broken)
    with pytest.raises(siqi.EngineError, match="no such disk"):
        siqi.Engine("connect6")


def test_a_fault_of_a_search_is_raised_once(xiangqi: siqi.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = xiangqi._engine._loaded_game
    assert loaded is not None
    with monkeypatch.context() as patch:
        patch.setattr(type(loaded.searcher), "iterate", lambda self: 1 // 0)
        with pytest.raises(siqi.EngineError, match="ZeroDivisionError"):
            xiangqi.play(siqi.position("xiangqi"), siqi.Limit(depth=1))
    assert xiangqi.play(siqi.position("xiangqi"), siqi.Limit(depth=1)).move


def test_options_as_they_are(xiangqi: siqi.Engine) -> None:
    assert xiangqi.options["Hash"] == "4" and "Width" not in xiangqi.options and "UCI_Variant" not in xiangqi.options
    xiangqi.configure({"OwnBook": True})
    assert xiangqi.options["OwnBook"] == "true"
    assert xiangqi.play(siqi.position("xiangqi"), siqi.Limit(first_clock=60, second_clock=60)).info is None
    xiangqi.configure({"OwnBook": False})
    xiangqi.new_game()


def test_a_time_is_kept(xiangqi: siqi.Engine) -> None:
    started = time.monotonic()
    xiangqi.play(siqi.position("xiangqi"), siqi.Limit(time=0.3))
    assert 0.2 < time.monotonic() - started < 3


def test_searches_leave_nothing_behind(xiangqi: siqi.Engine) -> None:
    board = siqi.position("xiangqi")
    for _ in range(20):
        xiangqi.play(board, siqi.Limit(depth=2))
    tracemalloc.start()
    for _ in range(5):
        xiangqi.play(board, siqi.Limit(depth=2))
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(200):
        xiangqi.play(board, siqi.Limit(depth=2))
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 100_000, grown


def test_the_import_loads_no_kernel() -> None:
    code = "import siqi, sys; siqi.GAMES, siqi.Limit(time=1); print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout.strip() == "[]"
    assert siqi.SQUARES is not None and siqi.RED is True
    with pytest.raises(AttributeError):
        siqi.nothing_of_this_name  # noqa: B018


def test_a_position_shows_itself() -> None:
    position = siqi.position("connect6")
    position.push("j10")
    assert eval(repr(position), {"siqi": siqi}).fen() == position.fen()
    assert str(position).count("\n") > 18 and position.turn == 1
    twin = copy.copy(position)
    assert twin == position and twin != siqi.position("connect6")
    assert position.pop() == "j10" and twin.move_stack == ["j10"] and not position.move_stack
    with pytest.raises(IndexError):
        position.pop()
    assert "startpos" in repr(siqi.position("junqi"))
