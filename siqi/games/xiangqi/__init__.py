"""Xiangqi (象棋)."""

import os
from typing import NamedTuple

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.options import ENDGAMES, NETWORK_FILE, OPENING_BOOK, RULES, combo
from siqi.games.shape import BoardShape

SKILL_ELO = (
    957, 1054, 1150, 1247, 1343, 1447, 1552, 1656, 1760, 1880,
    2000, 2120, 2240, 2385, 2529, 2674, 2819, 2964, 3109, 3253,
)  # fmt: skip
"""Elo of each Skill Level from 0 on (scripts/tune/rate_skill_levels.py; docs/results/levels.md has the matches)."""

ALGORITHMS = ("pvs", "paper2", "paper5")
"""The values of the option `Algorithm`, the default first."""

EVALUATIONS = ("network", "terms", "paper")
"""The values of the option `Evaluation`, the default first."""


def _tuning() -> tuple[Option, ...]:
    """Return the options for the margins of the search, which exist only for tuning (SIQI_TUNE)."""
    if "SIQI_TUNE" not in os.environ:
        return ()
    from siqi.games.xiangqi.data.margins import tuning_options  # late: few need them

    return tuning_options()


INFO = GameInfo(
    name="xiangqi",
    shape=BoardShape(tuple("abcdefghi"), tuple("0123456789")),
    sides=("w", "b"),
    pieces=("KABNRCP", "kabnrcp"),
    players=("Red", "Black"),
    english=Names("Xiangqi", ("Red", "Black")),
    chinese=Names("象棋", ("红方", "黑方")),
    expected_turns=50,
    review=ReviewDefaults(movetime_ms=500, shallow_depth=8),
    skill_elo=SKILL_ELO,
    learns=True,
    has_rules=True,
    solves=True,
    has_tablebases=True,
    opening_lists=("xiangqi",),
    options=(
        *OPENING_BOOK,
        combo("Algorithm", *ALGORITHMS).explained(
            "`pvs`, principal variation search; `paper5`, paper 5's negamax and evaluation; `paper2`, paper 2's "
            "player: an answer of its rules, else the same search",
            "`pvs`，主要变例搜索；`paper5`，论文 5 的负极大值搜索和估值；`paper2`，论文 2 的程序：先用规则应着，"
            "没有时用同样的搜索",
        ),
        *RULES,
        *ENDGAMES,
        NETWORK_FILE,  # first, so that `Evaluation network` finds it when a game is loaded
        combo("Evaluation", *EVALUATIONS).explained(
            "`network`, a neural network; `terms`, hand-made terms with fitted weights; `paper`, paper 5's for "
            "endgames. `eval` lists the terms",
            "`network`，神经网络；`terms`，人工设计、权重经过拟合的各项；`paper`，论文 5 的残局估值。`eval` 列出各项",
        ),
        Option("PositionFile", "string").explained(
            "positions of known value, a `FEN, value` per line (`#` begins a comment)",
            "已知其值的局面，每行一个 `FEN, value`（`#` 开始注释）",
        ),
        combo("UCI_Coordinates", "0", "1").explained(
            "number of the first rank, 0 or 1; from the next `position` on",
            "第一行的行号，0 或 1；从下一个 `position` 起有效",
        ),
        *_tuning(),
    ),
)


class Settings(NamedTuple):
    """The values of the options above without those for tuning."""

    own_book: bool
    book_file: str
    book_depth: int
    book_min_games: int
    algorithm: str
    use_rules: str
    mine_rules: bool
    rule_file: str
    use_endgames: bool
    endgame_path: str
    network_file: str
    evaluation: str
    position_file: str
    uci_coordinates: str
