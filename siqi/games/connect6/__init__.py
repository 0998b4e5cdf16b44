"""Connect6 (六子棋)."""

from typing import NamedTuple

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.options import NETWORK_FILE, OPENING_BOOK, combo
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1747, 1759, 1772, 1784, 1796, 1825, 1854, 1883, 1911, 1956,
    2000, 2044, 2089, 2117, 2146, 2175, 2204, 2233, 2261, 2290,
)  # fmt: skip
"""Elo of each Skill Level, from 0 (scripts/tune/rate_skill_levels.py; docs/results/levels.md has the matches)."""

ALGORITHMS = ("pvs", "roads")
"""The values of the option `Algorithm`, the default first."""

SCANS = ("local", "global", "incremental")
"""The values of the option `Scan`, the default first."""

EVALUATIONS = ("network", "roads")
"""The values of the option `Evaluation`, the default first."""

INFO = GameInfo(
    name="connect6",
    shape=BoardShape(tuple("abcdefghijklmnopqrs"), tuple(map(str, range(1, 20)))),
    sides=("b", "w"),
    pieces=("b", "w"),
    players=("Black", "White"),
    english=Names("Connect6", ("Black", "White")),
    chinese=Names("六子棋", ("黑方", "白方")),
    expected_turns=22,
    review=ReviewDefaults(movetime_ms=500, shallow_depth=2),
    early_weight=2.0,
    stones_per_turn=2,
    score_unit=200,
    skill_elo=SKILL_ELO,
    opening_lists=("connect6-5", "connect6-7"),
    options=(
        *OPENING_BOOK,
        combo("Algorithm", *ALGORITHMS).explained(
            "`pvs`, principal variation search with threat searches; `roads`, paper 3's program",
            "`pvs`，主要变例搜索加威胁搜索；`roads`，论文 3 的程序",
        ),
        combo("Scan", *SCANS, paper=3).explained(
            "`roads`: which roads are read for a pair of stones: `local`, those through it; `global`, all; "
            "`incremental`, none, as each stone updates its own",
            "`roads`：估计一对棋子时扫描的路：`local`，经过它们的路；`global`，所有的路；`incremental`，不扫描，每子只更新自己的路",
        ),
        NETWORK_FILE,  # first, so that `Evaluation network` finds it when a game is loaded
        combo("Evaluation", *EVALUATIONS).explained(
            "`network`, neural networks; `roads`, the stones on each road. `eval` lists their parts",
            "`network`，神经网络；`roads`，按每条路上的子数估值。`eval` 列出各部分",
        ),
        Option("Width", "spin", "8", 2, 40).explained(
            "turns searched per node; with `Evaluation roads` 12 is stronger",
            "每个节点搜索的步数（每步两子）；用 `Evaluation roads` 时 12 更强",
        ),
        Option("Depth", "spin", "0", 0, 47).explained(
            "greatest search depth in turns, also under a clock; 0: no limit",
            "最大搜索深度，以步数计，计时时也有效；0：不限",
        ),
    ),
)


class Settings(NamedTuple):
    """The values of the options above."""

    own_book: bool
    book_file: str
    book_depth: int
    book_min_games: int
    algorithm: str
    scan: str
    network_file: str
    evaluation: str
    width: int
    depth: int
