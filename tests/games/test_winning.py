"""The chances to win, draw and lose: the model, the chances that searches report, and the fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from siqi.games import registry
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.contract import Line, Task, exhaust
from siqi.games.kernel.control import Control
from siqi.games.search.win_model import WinModel
from siqi.system.files import open_append

ROOT = Path(__file__).parents[2]

MODEL = WinModel((0.005, 0.001), (2.5, -2.0), 2000)


@pytest.mark.parametrize("phase", [0.1, 0.5, 1.0])
def test_chances_are_chances_and_fair_to_both_sides(phase: float) -> None:
    before = 0.0
    for cp in range(-3000, 3001, 50):
        win, draw = MODEL.chances(cp, phase)
        other, same = MODEL.chances(-cp, phase)
        assert 0 <= win <= 1 and 0 <= draw <= 1
        assert win + draw + other == pytest.approx(1)
        assert draw == pytest.approx(same)
        assert win >= before
        before = win
    assert MODEL.chances(5000, phase) == MODEL.chances(2000, phase)


def line_of(name: str, fen: str | None, nodes: int = 2000) -> Line:
    game = registry.load(name)
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    return exhaust(searcher, Task(game.position(fen), Control(nodes))).lines[0]


def test_xiangqi_reports_chances() -> None:
    even = line_of("xiangqi", None).score
    assert even.win is not None and 0.1 < even.win < 0.7 and even.draw > 0.05
    ahead = line_of("xiangqi", "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKAB1R b - - 0 1").score
    assert ahead.win is not None and ahead.win > even.win
    # A draw is likelier with fewer pieces
    late = line_of("xiangqi", "3akab2/9/4b4/p3n3p/9/9/P3N3P/4B4/9/3AKAB2 w - - 0 1").score
    assert late.draw > even.draw + 0.2


@pytest.mark.parametrize(
    ("fen", "win"), [("3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1", 1.0), ("3k5/9/9/9/9/9/9/1r7/r8/4K4 w - - 0 1", 0.0)]
)
def test_a_proven_result_is_certain(fen: str, win: float) -> None:
    score = line_of("xiangqi", fen).score
    assert score.mate is not None
    assert (score.win, score.draw) == (win, 0.0)


def test_an_ending_that_tables_call_drawn_is_drawn_for_certain() -> None:
    score = line_of("xiangqi", "3ak4/4a4/9/9/9/9/9/4N4/9/4K4 w - - 0 1").score
    assert (score.cp, score.win, score.draw) == (0, 0.0, 1.0)


def test_connect6_reports_chances_without_draws() -> None:
    game = registry.load("connect6")
    position = game.position()
    for word in ("j10", "i9k9", "i11k11"):
        position.push(position.parse_move(word))
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    searcher.start(Task(position, Control(3000), (), 4))
    lines = searcher.iterate().lines
    searcher.finish()
    assert all(line.score.win is not None and 0 < line.score.win < 1 and not line.score.draw for line in lines)
    by_score = sorted(lines, key=lambda line: line.score.cp)
    assert [line.score.win for line in by_score] == sorted(line.score.win or 0 for line in lines)


def synthetic(model: WinModel, count: int) -> Any:
    """Return samples with results drawn by a model."""
    from scripts.tune.fit_win_model import Samples

    rng = np.random.default_rng(1)
    cp, phase, lot = rng.normal(0, 300, count), rng.random(count), rng.random(count)
    chances = np.array([model.chances(*pair) for pair in zip(cp, phase, strict=True)])
    result = np.where(lot < chances[:, 0], 1.0, np.where(lot < chances.sum(1), 0.5, 0.0))
    return Samples(cp, phase, result)


@pytest.mark.parametrize("model", [MODEL, WinModel((0.004, 0.002), (0.0, 0.0), 2000)])
def test_a_fit_finds_the_model_behind_results(model: WinModel) -> None:
    from scripts.tune.fit_win_model import Form, fit

    fitted = fit(synthetic(model, 40_000), Form(any(model.reserve), 2000, 1))
    for cp in (-400, -100, 0, 100, 400):
        for phase in (0.1, 0.5, 0.9):
            assert fitted.chances(cp, phase) == pytest.approx(model.chances(cp, phase), abs=0.02)


def test_games_to_fit_to_are_kept_and_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scripts.tune.fit_win_model import main

    words = ["connect6", "--out", str(tmp_path), "--nodes", "50", "--degree", "0"]
    assert main([*words, "--games", "4"]) == 0
    path = tmp_path / "connect6-win-model.jsonl"
    first = path.read_bytes()
    path.write_bytes(first[:-20])  # a kill cut the last line short
    assert main([*words, "--games", "6"]) == 0
    assert "WinModel(" in capsys.readouterr().out
    assert path.read_bytes().startswith(first)
    games = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert [game["number"] for game in games] == list(range(6))
    whole = path.read_bytes()
    for other, difference in (
        (["--seed", "3"], "seed was 2, now 3"),
        (["--nodes", "60"], "nodes was [50], now [60]"),
    ):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--games", "7", *other])
        assert ended.value.code == 2 and path.read_bytes() == whole
        assert capsys.readouterr().err.endswith(f"{path}: has games of other settings: {difference}\n")
    path.write_bytes(whole.replace(b"connect6", b"xiangqi"))
    with pytest.raises(SystemExit):
        main([*words, "--games", "6"])
    assert "game was xiangqi, now connect6" in capsys.readouterr().err
    path.write_text("my notes\n")
    with pytest.raises(SystemExit):
        main([*words, "--games", "6"])
    assert "another kind of file" in capsys.readouterr().err
    assert path.read_text() == "my notes\n"
    for fit_only in ([], ["--fit"]):
        with pytest.raises(SystemExit):
            main([*words, *fit_only])
        assert "another kind of file" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["connect6", "--out", str(BOOKS_FOLDER / "fit")])
    assert ended.value.code == 2 and "belongs to what is shipped" in capsys.readouterr().err
    assert not (BOOKS_FOLDER / "fit").exists()


def test_one_game_log_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scripts.tune.fit_win_model import main

    path = tmp_path / "connect6-win-model.jsonl"
    with open_append(path, lambda head: True, exclusive=True), pytest.raises(SystemExit) as ended:
        main(["connect6", "--out", str(tmp_path), "--nodes", "50", "--games", "4"])
    assert ended.value.code == 2 and "is being written by another process" in capsys.readouterr().err
