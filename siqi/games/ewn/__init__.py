"""EinStein würfelt nicht! (爱恩斯坦棋)."""

from typing import NamedTuple

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.options import ENDGAMES, OWN_BOOK, combo
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1927, 1928, 1929, 1930, 1931, 1948, 1965, 1981, 1998, 1999,
    2000, 2001, 2002, 2022, 2042, 2063, 2083, 2103, 2123, 2143,
)  # fmt: skip
"""Elo of each Skill Level, from 0 (scripts/tune/rate_skill_levels.py; docs/results/levels.md has the matches)."""

ALGORITHMS = ("expectimax", "uct", "paper", "plain-uct", "minimax", "alphabeta", "montecarlo")
"""The values of the option `Algorithm`, the default first."""

INFO = GameInfo(
    name="ewn",
    shape=BoardShape(tuple("abcde"), tuple("12345")),
    sides=("f", "s"),
    pieces=("ABCDEF", "abcdef"),
    players=("Red", "Blue"),
    english=Names("EinStein würfelt nicht!", ("Red", "Blue")),
    chinese=Names("爱恩斯坦棋", ("红方", "蓝方")),
    expected_turns=12,
    review=ReviewDefaults(movetime_ms=200, shallow_depth=5),
    die_faces=6,
    default_start="ABE2/FC3/D3d/3cf/2eba f -",  # the best set-up by the book, on both sides
    has_setup=True,
    has_tablebases=True,
    scores_chances=True,
    skill_elo=SKILL_ELO,
    options=(
        OWN_BOOK,
        *ENDGAMES,
        combo("Algorithm", *ALGORITHMS).explained(
            "`expectimax`, Star1 and Star2 with the learned evaluation; `uct`, improved UCT as the options set it; "
            "`paper`, paper 1's player whole; `plain-uct`, `minimax`, `alphabeta`, `montecarlo`, its opponents",
            "`expectimax`，Star1、Star2 剪枝加学习得到的估值；`uct`，由各选项设定的改进 UCT；"
            "`paper`，完整的论文 1 程序；`plain-uct`、`minimax`、`alphabeta`、`montecarlo`，它的对手",
        ),
        Option("WINK", "number", "0.4", 0, 100, paper=1).explained(
            "weight of the mean result, UCTValue = Win * WINK + sqrt(log N / N_i) * UCTK; a string in UCI, "
            "which has no fractions",
            "平均结果的权重，UCTValue = Win * WINK + sqrt(log N / N_i) * UCTK；UCI 没有小数，所以列为字符串",
        ),
        Option("UCTK", "number", "1.0", 0, 100, paper=1).explained(
            "weight of the exploration term; plain UCT has 1 for both weights",
            "探索项的权重；普通 UCT 的两个权重都是 1",
        ),
        combo("UCTPlayout", "random", "informed", "short", "greedy", "evaluation", paper=1).explained(
            "how a leaf is valued: `random` moves, `informed` ones, a `short` playout, `greedy` moves, or the "
            "`evaluation` alone",
            "叶节点如何估值：`random` 随机走子，`informed` 择优走子，`short` 短模拟，`greedy` 贪心走子，"
            "`evaluation` 只用估值",
        ),
        combo("UCTParallel", "root", "tree", "children", paper=1).explained(
            "with several threads: `root`, a tree each; `tree`, one tree with virtual losses; `children`, the "
            "paper's way",
            "多个线程时：`root`，各有一棵树；`tree`，共用一棵树，加虚拟损失；`children`，论文的做法",
        ),
        combo("UCTReward", "0..1", "-1..1", paper=1).explained(
            "what a loss and a win count in UCTValue, `0..1` or `-1..1`",
            "负和胜在 UCTValue 中的值，`0..1` 或 `-1..1`",
        ),
        Option("UCTProofs", "check", "true", paper=1).explained(
            "true: the end of the game, the tablebase and proven children prove values, and a search ends once "
            "all moves are proven",
            "true：用终局、残局库和已证明的子节点证明节点的值，所有着法都证明后搜索结束",
        ),
        Option("UCTReuseTree", "check", "true", paper=1).explained(
            "true: a search keeps the part of the last tree that the game has reached; `false`: each search "
            "begins anew",
            "true：沿用上一棵树中实际走到的部分；`false`：每次搜索重新开始",
        ),
        Option("UCTLeafVisits", "spin", "8", 1, 1000000, paper=1).explained(
            "playouts from a node before its children are added; with 1 the second visit adds them",
            "节点展开前的模拟次数；1：第二次访问时展开",
        ),
    ),
)


class Settings(NamedTuple):
    """The values of the options above."""

    own_book: bool
    use_endgames: bool
    endgame_path: str
    algorithm: str
    wink: float
    uctk: float
    uct_playout: str
    uct_parallel: str
    uct_reward: str
    uct_proofs: bool
    uct_reuse_tree: bool
    uct_leaf_visits: int
