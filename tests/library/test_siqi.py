"""The library: the examples in its documentation and in README, and errors of callers."""

from __future__ import annotations

import copy
import doctest
import gc
import os
import pickle
import random
import re
import rlcompleter
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import siqi
from siqi.games import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def xiangqi() -> Iterator[siqi.Engine]:
    with siqi.Engine("xiangqi", {"Hash": 4}) as engine:
        yield engine


def test_engines_and_games_name_themselves(xiangqi: siqi.Engine) -> None:
    assert repr(xiangqi) == "<siqi.Engine xiangqi>" and repr(siqi.AsyncEngine("ewn")) == "<siqi.AsyncEngine ewn>"
    board = siqi.Board()
    board.push_san("炮二平五")
    assert repr(siqi.Game.from_board(board, Red="A", Black="B")) == "<siqi.Game A - B, *, moves: 1>"


def test_the_examples_of_the_module() -> None:
    result = doctest.testmod(siqi)
    assert result.attempted >= 4 and not result.failed


def test_the_package_shows_its_public_names_alone() -> None:
    from siqi.games.xiangqi import library

    names = [name for name in dir(siqi) if not name.startswith("__")]
    assert names == sorted({*siqi._HOMES, *library.__all__}) == sorted({*siqi.__all__} - {"__version__"})
    assert all(getattr(siqi, name) is not None for name in names)
    assert re.fullmatch(r"\d+\.\d+\.\d+", siqi.__version__)
    completer = rlcompleter.Completer({"siqi": siqi})
    offered = [completer.complete("siqi.", number) for number in range(len(names))]
    assert [re.sub(r"^siqi\.|\(\)?$", "", name or "") for name in offered] == names
    with pytest.raises(AttributeError):
        siqi.nothing  # noqa: B018


def test_the_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import siqi\n.*?)```", text, re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), scope)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all(re.fullmatch(r"-?\d+( [a-i]\d[a-i]\d)+", line) for line in lines)


@pytest.mark.parametrize("name", siqi.GAMES)
def test_an_engine_plays_each_game(name: str) -> None:
    """One engine plays four moves for each side, or to the end; each is legal, and the position is the protocol's."""
    position = siqi.position(name)
    with siqi.Engine(name, {"Seed": 1, "Hash": 4}) as engine:
        while len(position.move_stack) < 8 and position.outcome() is None:
            if name == "ewn" and len(position.move_stack) >= 2:
                position.set_dice(1 + len(position.move_stack) % 6)
            result = engine.play(position, siqi.Limit(nodes=200))
            if (name, len(position.move_stack)) == ("connect6", 0):
                assert result == siqi.PlayResult("j10", None)  # the first stone needs no search
            else:
                assert result.info is not None and result.info.pv[0] == result.move
            if name == "junqi" and position.outcome() is None and len(position.move_stack) >= 2:
                assert result.move in position.legal_moves
            position.push(result.move)
    root = position.root()
    for move in position.move_stack:
        root.push(move)
    assert root.fen().split()[:2] == position.fen().split()[:2]


def test_options_of_memory_may_come_before_others(xiangqi: siqi.Engine) -> None:
    before = {name: xiangqi.options[name] for name in ("Hash", "Threads", "Skill Level")}
    xiangqi.configure({"Hash": 8, "Threads": 2, "Skill Level": 10})
    assert [xiangqi.options[name] for name in before] == ["8", "2", "10"]
    with pytest.raises(siqi.Refusal):
        xiangqi.configure({"Threads": 1, "Skill Level": -1})
    xiangqi.configure(before)
    xiangqi.new_game()


def test_lines_come_best_first(xiangqi: siqi.Engine) -> None:
    board = siqi.position("xiangqi")
    lines = xiangqi.analyse(board, siqi.Limit(depth=5), multipv=3)
    assert [line.multipv for line in lines] == [1, 2, 3]
    assert all(line.score.expected == line.score.win + line.score.draw / 2 for line in lines)
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
    """Another call ends an analysis, even one that was partly read or left by an error."""
    board = siqi.position("xiangqi")
    with xiangqi.analysis(board) as running:
        assert xiangqi.play(board, siqi.Limit(depth=1)).move in board.legal_moves
        assert running.is_done and not list(running)
    with pytest.raises(ZeroDivisionError):
        for _ in xiangqi.analysis(board):
            1 // 0  # noqa: B018
    assert xiangqi.play(board, siqi.Limit(depth=1)).move in board.legal_moves


class Interruption(KeyboardInterrupt):
    """Raised by the handler of an alarm."""


def interrupted(call: Callable[[], object], seconds: float) -> bool:
    """Make a call and interrupt it after a time; return False if it ended before."""

    def interrupt(*_: object) -> None:
        raise Interruption

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Interruption:
        return True
    finally:
        signal.signal(signal.SIGALRM, before)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="no alarms")
@pytest.mark.parametrize("name", ["connect6", "xiangqi"])
def test_calls_interrupted_at_any_moment_leave_an_idle_engine(name: str) -> None:
    """No later call is refused, and none waits for the search of an earlier one, which would take a minute."""
    chance, position, limit = random.Random(name), siqi.position(name), siqi.Limit(depth=1)
    with siqi.Engine(name, {"Hash": 1}) as engine:

        def analyse() -> None:
            for number, _ in enumerate(engine.analysis(position)):
                if number == 2:
                    break

        calls: list[tuple[Callable[[], object], float]] = [
            (lambda: engine.play(position, siqi.Limit(time=0.004)), 0.006),
            (lambda: engine.play(position, siqi.Limit(time=60)), 0.02),
            (lambda: engine.analyse(position, siqi.Limit(time=0.004), multipv=2), 0.006),
            (analyse, 0.01),
            (lambda: engine.configure({"Hash": chance.randint(1, 2), "Seed": 3}), 0.002),
            (engine.new_game, 0.001),
        ]
        count = 0
        for number in range(150):
            call, most = calls[number % len(calls)]
            count += interrupted(call, chance.uniform(1e-5, most))
            started = time.monotonic()
            assert engine.play(position, limit).move
            assert time.monotonic() - started < 30
        assert count > 20
    for _ in range(20):
        interrupted(lambda: siqi.Engine(name, {"Hash": 1}).close(), chance.uniform(1e-5, 0.02))
    with siqi.Engine(name, {"Hash": 1}) as engine:
        assert engine.play(position, limit).move


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_fork_during_a_search_is_refused() -> None:
    """A fork of an idle engine plays; one made during a search needs an engine of its own, and does not hang."""
    code = """
import os, siqi
board, one = siqi.position("connect6"), siqi.Limit(depth=1)
def child(call):
    if not os.fork():
        try:
            print(call(), flush=True)
        except siqi.EngineError as error:
            print(error, flush=True)
        os._exit(0)
    os.wait()
engine = siqi.Engine("connect6", {"Hash": 1})
child(lambda: engine.play(board, one).move)
running = engine.analysis(board)
child(lambda: engine.play(board, one))
child(running.wait)
child(engine.close)
print(running.is_done, engine.play(board, one).move)
"""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT, check=True)
    played, *refused, closed, went_on = done.stdout.splitlines()
    assert played in siqi.position("connect6").legal_moves and closed == "None"
    assert refused == ["this process was forked during a search: it needs an engine of its own"] * 2
    assert went_on.split()[0] == "False"


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


WRONG_TYPES: dict[str, tuple[Callable[[siqi.Engine], object], str]] = {
    "a number for a limit": (
        lambda e: e.play(siqi.Board(), 1.0),
        r"limit: a siqi\.Limit, such as siqi\.Limit\(time=1\.0\), is needed, not float",
    ),
    "no limit": (lambda e: e.analyse(siqi.Board(), None), "limit: a siqi.Limit.* is needed, not NoneType"),
    "a limit of an analysis": (lambda e: e.analysis(siqi.Board(), {"depth": 3}), "limit: .* not dict"),
    "a text for a depth": (lambda e: e.play(siqi.Board(), siqi.Limit(depth="3")), "limit depth: .* from 1 .* not str"),
    "a text for a time": (lambda e: e.play(siqi.Board(), siqi.Limit(time="1")), "limit time: .* seconds .* not str"),
    "a text for a clock": (
        lambda e: e.play(siqi.Board(), siqi.Limit(white_clock="9")),
        "limit first_clock: .* not str",
    ),
    "True for a depth": (lambda e: e.play(siqi.Board(), siqi.Limit(depth=True)), "limit depth: .* not bool"),
    "a FEN for a position": (lambda e: e.play("startpos", siqi.Limit(depth=1)), "position: a siqi.Position .* not str"),
    "a text for moves": (
        lambda e: e.play(siqi.Board(), siqi.Limit(depth=1), root_moves="h2e2"),
        "root_moves: a list of moves is needed, not str",
    ),
    "numbers for moves": (
        lambda e: e.play(siqi.Board(), siqi.Limit(depth=1), root_moves=[3]),
        "root_moves: .* not int",
    ),
    "a number for moves": (lambda e: e.play(siqi.Board(), siqi.Limit(depth=1), root_moves=3), "root_moves: .* not int"),
    "a text for multipv": (lambda e: e.analyse(siqi.Board(), siqi.Limit(depth=1), multipv="2"), "multipv: .* not str"),
    "a list of options": (lambda e: e.configure(["Hash"]), "options: a mapping of names to values is needed, not list"),
    "a text of options": (lambda e: siqi.Engine("xiangqi", "Hash=4"), "options: a mapping .* not str"),
    "None for an option": (lambda e: e.configure({"Hash": None}), "option Hash: .* not NoneType"),
    "a number for an option's name": (lambda e: e.configure({4: "Hash"}), "option: .* not int"),
    "a number for a game": (lambda e: siqi.Engine(3), "game: its name is needed, not int"),
    "a list for a game": (lambda e: siqi.position(["ewn"]), "game: its name is needed, not list"),
    "a seed for a generator": (
        lambda e: siqi.position("ewn").random_move(3),
        "rng: a random.Random is needed, not int",
    ),
    "a text for a side": (lambda e: siqi.position("junqi").view("f"), "side: 0 or 1 is needed, not str"),
    "a number for a FEN": (lambda e: siqi.position("ewn", 3), "fen: a text is needed, not int"),
    "a number for a board": (lambda e: siqi.Board(3), "a FEN is needed, not int"),
    "a number for a move": (lambda e: siqi.position("connect6").push(3), "move: a word .* not int"),
    "a move for a word": (lambda e: siqi.position("connect6").is_legal(siqi.Move(1, 2)), "move: a word .* not Move"),
    "a number for a move's text": (lambda e: siqi.Board().push_uci(3), "a move's text is needed, not int"),
    "a number for a move's name": (lambda e: siqi.Board().push_san(3), "a move's text is needed, not int"),
    "a text for a die": (lambda e: siqi.position("ewn").set_dice("3"), "dice: a whole number is needed, not str"),
    "a FEN for a picture": (lambda e: siqi.picture("startpos"), "position: a siqi.Position .* not str"),
    "a FEN for a replay": (lambda e: siqi.replay("startpos"), "position: a siqi.Position .* not str"),
    "a text for words": (lambda e: siqi.replay(siqi.Board(), words="h2e2"), "words: a list of texts .* not str"),
    "a text for points": (lambda e: siqi.picture(siqi.Board(), squares="h2"), "squares: a list is needed, not str"),
    "a text for a size": (lambda e: siqi.picture(siqi.Board(), size="9"), "size: .* not str"),
    "an argument of another game": (
        lambda e: siqi.picture(siqi.position("ewn"), heat=True),
        "heat: pictures of ewn have",
    ),
    "an unknown argument": (
        lambda e: siqi.picture(siqi.Board(), foo=1),
        "foo: .* argument, but faces, numerals",
    ),
    "an unknown argument of a replay": (lambda e: siqi.replay(siqi.Board(), foo=1), "foo: .* no such argument"),
    "a number for heat": (lambda e: siqi.picture(siqi.position("connect6"), heat=5), "heat: True, False or a mapping"),
    "a list of chances": (lambda e: siqi.picture(siqi.position("ewn"), chances=[1]), "chances: a mapping .* not list"),
    "a name for an open file": (lambda e: siqi.read_game("a.pgn"), "handle: an open text file is needed, not str"),
    "a number for a file": (lambda e: siqi.load_games(5), "path: the name of a file is needed, not int"),
    "a file without a name": (lambda e: siqi.save_games(None, []), "path: the name .* not NoneType"),
    "a game of Xiangqi for records": (
        lambda e: siqi.save_games("a.txt", [siqi.Game()], game="ewn"),
        "games: a list of siqi.GameRecord is needed",
    ),
    "a board for games": (lambda e: siqi.save_games("a.pgn", siqi.Board()), "games: a list of siqi.Game"),
    "a number for a game's board": (lambda e: siqi.Game.from_board(5), "board: a siqi.Board is needed, not int"),
    "a list of colours": (lambda e: siqi.picture(siqi.Board(), fill=["red"]), "fill: a mapping is needed, not list"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_a_wrong_type_gets_one_line_with_what_was_expected(xiangqi: siqi.Engine, name: str) -> None:
    call, reason = WRONG_TYPES[name]
    with pytest.raises(TypeError, match=reason) as error:
        call(xiangqi)
    assert "\n" not in str(error.value)
    assert xiangqi.play(siqi.Board(), siqi.Limit(depth=1)).move in siqi.Board().legal_moves


def test_what_cannot_be_carried_out_is_a_refusal_with_its_kind(xiangqi: siqi.Engine) -> None:
    board, limit = siqi.Board(), siqi.Limit(depth=1)
    refused: dict[str, Callable[[], object]] = {
        "OPTION": lambda: xiangqi.configure({"Hash": -4}),
        "MOVE": lambda: xiangqi.play(board, limit, root_moves=["a0a9"]),
        "LIMIT": lambda: xiangqi.play(board, siqi.Limit()),
        "POSITION": lambda: xiangqi.play(siqi.position("ewn"), limit),
    }
    for kind, call in refused.items():
        with pytest.raises(siqi.Refusal) as error:
            call()
        assert error.value.kind.name == kind and error.value.reason == str(error.value)
        assert isinstance(error.value, ValueError)


def test_limits_by_python_chess_s_names() -> None:
    limit = siqi.Limit(white_clock=60, black_clock=50, white_inc=1, black_inc=2, remaining_moves=9)
    assert (
        limit
        == siqi.Limit(first_clock=60, second_clock=50, first_inc=1, second_inc=2, remaining_moves=9)
        == siqi.Limit(None, None, None, None, 60, 50, 1, 2, 9)
    )
    assert (limit.white_clock, limit.black_clock, limit.white_inc, limit.black_inc) == (60, 50, 1, 2)
    assert limit._replace(first_clock=3).white_clock == 3 and pickle.loads(pickle.dumps(limit)) == limit
    assert eval(repr(limit), {"Limit": siqi.Limit}) == limit and siqi.Limit().first_inc == 0
    for name, other in (("white_clock", "first_clock"), ("black_inc", "second_inc")):
        with pytest.raises(ValueError, match=f"limit {name}: {other} is given, too"):
            siqi.Limit(**{name: 1, other: 1})
    with siqi.Engine("xiangqi", {"OwnBook": True, "Hash": 4}) as engine:
        assert engine.play(siqi.Board(), siqi.Limit(white_clock=60, black_clock=60)).info is None, (
            "a book, by the clock"
        )


def test_a_picture_is_a_text_that_notebooks_show() -> None:
    for name in siqi.GAMES:
        shown = siqi.picture(siqi.position(name))
        assert isinstance(shown, str) and shown.startswith("<svg") and shown._repr_svg_() == shown
        assert type(shown._repr_svg_()) is str and type(shown[:4]) is str and shown.encode().startswith(b"<svg")


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
    """A board's history is sent, since the rules of repetition need it."""
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


def test_a_game_that_ended_by_counting_has_no_lines_but_can_be_played_on(xiangqi: siqi.Engine) -> None:
    for position in (
        siqi.Board("3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 120 100"),
        siqi.position("xiangqi", "3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 120 100"),
    ):
        assert xiangqi.analyse(position, siqi.Limit(depth=2)) == []
        assert xiangqi.play(position, siqi.Limit(depth=2)).move is not None


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
    assert 0.2 < time.monotonic() - started < 10


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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
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


# Positions of the other three games


@pytest.mark.parametrize("name", ["connect6", "ewn", "junqi"])
def test_random_moves_are_legal_and_repeat_with_their_seed(name: str) -> None:
    def words(seed: int) -> list[str]:
        position, rng = siqi.position(name), random.Random(seed)
        while len(position.move_stack) < 40 and position.outcome() is None:
            position.push(position.random_move(rng))
        return position.move_stack

    assert words(1) == words(1) != words(2)


def test_a_game_that_is_over_has_no_random_move() -> None:
    row = siqi.position("connect6", "19/19/19/19/19/19/19/19/19/4bbbbb10/19/19/19/19/19/19/19/19/19 b 2")
    row.push("j10")
    with pytest.raises(ValueError, match="no legal move"):
        row.random_move(random.Random(1))


def test_the_legal_moves_of_connect6_are_listed_when_they_must_be() -> None:
    """The sequence is that of the position as it was, and behaves as its sorted list."""
    position = siqi.position("connect6")
    position.push("j10")
    moves = position.legal_moves
    position.push("a1b1")
    assert len(moves) == 360 * 359 // 2 and "a1b1" in moves and "_list" not in vars(moves)
    assert all(word not in moves for word in ("b1a1", "a1", "j10k10", "A1B1", 3))
    assert list(moves) == sorted(moves) and moves[0] == "a10a11" and moves[-2:] == list(moves)[-2:]
    assert moves == list(moves) and moves != position.legal_moves and repr(moves) == "<64620 legal moves>"
    assert random.Random(1).choice(moves) in moves


SETUP = "diahcbgkkfiecfigjhedjljhg"


def test_each_side_hears_a_referees_game_as_its_view_has_it() -> None:
    """Views are those of moves pushed one by one; results and the flag are heard, set-ups of the other side are not."""
    rng, heard = random.Random(5), ""
    while not re.search(r"=0.*=1.*=2.*@[A-L][0-4]", heard):  # each turns up in some games
        referee = siqi.position("junqi")
        views = [siqi.position("junqi"), siqi.position("junqi")]
        while referee.outcome() is None:
            referee.push(referee.random_move(rng))
            for side, view in enumerate(views):
                view.push(referee.view_moves(side)[-1])
            heard += " ".join(view.move_stack[-1] for view in views)
        for side, view in enumerate(views):
            assert view == referee.view(side) and view.move_stack == referee.view_moves(side)
            assert view.move_stack[side] == referee.move_stack[side] and view.move_stack[1 - side] == "?"


def test_views_need_a_referees_game() -> None:
    view = siqi.position("junqi")
    for word in (SETUP, "?"):
        view.push(word)
    with pytest.raises(ValueError, match="a referee's game from the start"):
        view.view(0)
    full = "ghjlj/dehjg/i1f1c/ei1fk/k1g1b/ch1id/DI1HC/B1G1K/KF1IE/C1F1I/GJHED/JLJHG s - 0"
    with pytest.raises(ValueError, match="a referee's game from the start"):
        siqi.position("junqi", full).view_moves(1)
    with pytest.raises(ValueError, match="side: 0 or 1, not 2"):
        view.view(2)
    for call in (siqi.position("ewn").beliefs, lambda: siqi.position("ewn").view(0)):
        with pytest.raises(ValueError, match="nothing is hidden in ewn"):
            call()


def test_beliefs_are_chances_by_square() -> None:
    """Every hidden piece has chances that sum to 1; a mine in the front row, and a flag off its two squares, have 0."""
    view = siqi.position("junqi")
    for word in (SETUP, "?", "G2F2=1"):
        view.push(word)
    beliefs = view.beliefs()
    hidden = {row + column for row in "ABCDEF" for column in "01234"} - {"C1", "C3", "D2", "E1", "E3", "F2"}
    assert set(beliefs) == hidden
    assert all(list(row) == list("abcdefghijkl") for row in beliefs.values())
    assert all(abs(sum(row.values()) - 1) < 1e-6 for row in beliefs.values())
    assert beliefs["F0"]["j"] == beliefs["B2"]["l"] == 0 < beliefs["A1"]["l"]
    assert siqi.position("junqi").beliefs() == {}


# Files of the other three games


def random_game(name: str, rng: random.Random) -> siqi.Position:
    position = siqi.position(name)
    while position.outcome() is None and len(position.move_stack) < 60:
        if name == "ewn" and len(position.move_stack) >= 2:
            position.set_dice(rng.randint(1, 6))
        position.push(position.random_move(rng))
    return position


@pytest.mark.parametrize("name", ["connect6", "ewn", "junqi"])
def test_games_are_saved_and_loaded_in_every_format_of_their_game(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    games = [random_game(name, rng) for _ in range(3)]
    records = [game.record("Alpha", "乙", event="Cup") for game in games]
    for number, form in enumerate(registry.formats(name)):
        path = tmp_path / f"{number}{form.suffixes[0]}"
        siqi.save_games(path, records, form.name, game=name)
        loaded = siqi.load_games(path, game=name)
        assert not loaded.faults
        for game, record, read in zip(games, records, loaded.games, strict=True):
            assert isinstance(read, siqi.GameRecord)
            assert (read.moves, read.dice, read.result) == (record.moves, record.dice, record.result)
            assert siqi.Position.from_record(name, read) == game
        with pytest.raises(FileExistsError, match="replace=True"):
            siqi.save_games(path, records, form.name, game=name)


def test_a_game_with_throws_taken_back_has_a_record_of_those_left() -> None:
    game = random_game("ewn", random.Random(2))
    whole = game.record()
    game.pop()
    assert game.copy().record() == whole._replace(moves=whole.moves[:-1], dice=whole.dice[:-1], result="*")
    begun = siqi.position("ewn", "ABC2/DE3/F3f/3ed/2cba f 3")
    begun.push("c5c4")
    assert begun.record()[:2] == (("c5c4",), (3,)) and siqi.Position.from_record("ewn", begun.record()) == begun


def test_no_move_is_chosen_for_a_die_that_is_not_thrown() -> None:
    game = siqi.position("ewn", "ABC2/DE3/F3f/3ed/2cba f -")
    with siqi.Engine("ewn") as engine:
        with pytest.raises(siqi.Refusal, match="no die is thrown") as refused:
            engine.play(game, siqi.Limit(nodes=100))
        assert refused.value.kind.name == "DICE"
        begun = siqi.position("ewn")
        assert begun.is_legal(str(engine.play(begun, siqi.Limit(nodes=100)).move))  # a set-up answers no throw


def test_all_positions_draw_a_random_move() -> None:
    for name in siqi.GAMES:
        position = siqi.position(name)
        assert position.is_legal(position.random_move(random.Random(1)))
    cornered = siqi.Board("3k5/R8/1R7/9/9/9/9/9/9/4K4 b")
    with pytest.raises(ValueError, match="there is no legal move"):
        cornered.random_move(random.Random(1))


def test_a_record_has_known_fields_and_a_known_result() -> None:
    position = siqi.position("connect6")
    with pytest.raises(TypeError, match="no field of a record: place"):
        position.record(place="Beijing")
    with pytest.raises(ValueError, match=r"result: 1-0, 0-1, 1/2-1/2, \*, not 'won'"):
        position.record(result="won")


def test_games_of_another_game_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "ewn.txt"
    record = random_game("ewn", random.Random(2)).record()
    siqi.save_games(path, [record], game="ewn")
    before = path.read_bytes()
    for wrong in ("xiangqi", "connect6", "junqi"):
        with pytest.raises(ValueError, match=r"ewn\.txt: .*; a file of ewn\? Name the game: game='ewn'"):
            siqi.load_games(path, game=wrong)
    for wrong in ("connect6", "junqi"):
        with pytest.raises(ValueError, match=f"not of {wrong}, or with an illegal move: game 1, "):
            siqi.save_games(path, [record], game=wrong, replace=True)
    assert path.read_bytes() == before


def test_a_record_is_cut_before_its_first_illegal_move(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("(;FF[4]XX[odd];B[j10];W[i9k9];B[j10j11])", encoding="ascii")
    games, faults = siqi.load_games(path, game="connect6")
    assert [game.moves for game in games] == [("j10", "i9k9")]
    assert len(faults) == 2 and "move 3: illegal move, j10 is taken" in faults[0] and "XX" in faults[1]
    with pytest.raises(ValueError, match="no format of ewn is called sgf; there are championship"):
        siqi.load_games(path, "sgf", game="ewn")
