"""The margins of Xiangqi's search: all are used, and there are options for them only in tuning."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from fixture_files import ROOT
from samples import sampled

from siqi.games import registry
from siqi.games.contract import Game, Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.data.margins import HIGHEST, LOWEST, MARGIN_OPTIONS, Margins
from siqi.games.xiangqi.search.margins import MarginsRecord

FENS = (
    "r1bakab1r/9/1cn2cn2/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R b - - 0 1",
    "2bak4/4a4/4b1n2/p3p1p1p/2pn2c2/4P3P/P1P3P2/2N1B1C2/4N4/2BAKA3 w - - 0 1",
)


def opened() -> XiangqiPosition:
    """Return a position that mined rules answer: after 炮二平五."""
    position = XiangqiPosition()
    position.push(position.parse_move("h2e2"))
    return position


def nodes(game: Game) -> list[int]:
    """Return the nodes of some iterations of searches."""
    searcher = game.searcher()
    searcher.configure(1, 1, 0)
    counts = []
    for position in (*map(XiangqiPosition, FENS), opened()):
        searcher.clear()
        searcher.start(Task(position, Control()))
        counts.append([searcher.iterate().nodes for _ in range(9)][-1])
        searcher.finish()
    return counts


@sampled("every", 4, 1)
def test_each_margin_changes_searches(every: int) -> None:
    game = registry.load("xiangqi")
    usual = nodes(game)
    for name, field in list(MARGIN_OPTIONS.items())[::every]:
        for margins in (LOWEST, HIGHEST):
            if getattr(margins, field) != getattr(Margins(), field):
                game.set_option(name, str(getattr(margins, field)))
                assert nodes(game) != usual, name
        game.set_option(name, str(getattr(Margins(), field)))
    assert nodes(game) == usual


def test_a_mate_at_hand_is_seen_a_ply_sooner() -> None:
    game = registry.load("xiangqi")
    position = XiangqiPosition("3k5/R8/9/9/p7r/9/9/9/1R6P/5K3 b - - 0 1")
    scores = []
    for value in (0, 1):
        game.set_option("TuneMateAtHand", str(value))
        searcher = game.searcher()
        searcher.configure(1, 1, 0)
        searcher.start(Task(position, Control(), moves=(position.parse_move("d9e9"),)))
        scores.append(searcher.iterate().lines[0].score)
        searcher.finish()
    assert scores[0].mate is None and scores[1].mate == -1  # b1b9


def test_a_sure_rule_s_answer_gains_by_experience() -> None:
    """Two plies deep: the answer's gain is there at the leaf; a move that no rule answers gains nothing."""
    game = registry.load("xiangqi")
    values = {}
    for word in ("h9g7", "a9a8"):
        for bonus in (0, 200):
            game.set_option("TuneExperience", str(bonus))
            searcher = game.searcher()
            searcher.configure(1, 1, 0)
            position = opened()
            searcher.start(Task(position, Control(), moves=(position.parse_move(word),)))
            values[word, bonus] = searcher.iterate().lines[0].score.cp
            searcher.finish()
    assert values["a9a8", 200] == values["a9a8", 0]
    assert 50 <= values["h9g7", 200] - values["h9g7", 0] <= 200


def test_reductions_are_logarithms() -> None:
    margins = MarginsRecord(Margins(reduction_base=50, reduction_divisor=200))
    table = margins._array[0].reduction
    assert address_of(margins._array) == margins.address
    for depth, number in ((1, 1), (3, 5), (12, 30), (63, 63)):
        assert table[64 * depth + number] == int(0.5 + math.log(depth) * math.log(number) / 2)
    assert table[0] == 0 and np.all(np.diff(table.reshape(64, 64)[20]) >= 0)


@pytest.mark.parametrize("is_tuning", [False, True])
def test_only_those_who_tune_have_the_options(is_tuning: bool) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "SIQI_TUNE"}
    out = subprocess.run(
        [sys.executable, "-m", "siqi"],
        input="uci\nsetoption name TuneRazor value 10\nsetoption name TuneRazor value 60\nquit\n",
        env=environment | ({"SIQI_TUNE": "1"} if is_tuning else {}),
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        check=True,
    ).stdout
    assert [f"option name {name} type spin" in out for name in MARGIN_OPTIONS] == [is_tuning] * len(MARGIN_OPTIONS)
    errors = [line for line in out.splitlines() if line.startswith("info string error")]
    assert len(errors) == (1 if is_tuning else 2) and "TuneRazor" in errors[0]
