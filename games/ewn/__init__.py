"""EinStein würfelt nicht! (爱恩斯坦棋)."""

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.options import ENDGAMES, OWN_BOOK
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1927, 1928, 1929, 1930, 1931, 1948, 1965, 1981, 1998, 1999,
    2000, 2001, 2002, 2022, 2042, 2063, 2083, 2103, 2123, 2143,
)  # fmt: skip
"""Elo of each Skill Level, from 0 (scripts/tune/rate_skill_levels.py; docs/results/levels.md has the matches)."""

INFO = GameInfo(
    name="ewn",
    board=BoardShape(tuple("abcde"), tuple("12345")),
    sides=("f", "s"),
    pieces=("ABCDEF", "abcdef"),
    players=("Red", "Blue"),
    english=Names("EinStein würfelt nicht!", ("Red", "Blue")),
    chinese=Names("爱恩斯坦棋", ("红方", "蓝方")),
    expected_turns=12,
    review=ReviewDefaults(movetime_ms=200, shallow_depth=5),
    die_faces=6,
    usual_start="ABE2/FC3/D3d/3cf/2eba f -",  # the best set-up by the book, on both sides
    has_setup=True,
    scores_chances=True,
    skill_elo=SKILL_ELO,
    options=(
        OWN_BOOK,
        *ENDGAMES,
        Option("Algorithm", "combo", "expectimax", choices=("expectimax", "uct")).explained(
            "`expectimax`, Star1 and Star2 with the learned evaluation; `uct`, the improved UCT",
            "`expectimax`，Star1、Star2 剪枝加学习得到的估值；`uct`，改进的 UCT",
        ),
        Option("WINK", "number", "0.4", 0, 100).explained(
            "weight of a move's mean result, UCTValue = Win * WINK + sqrt(log N / N_i) * UCTK; listed as a "
            "string, for UCI knows no fractions",
            "着法平均结果的权重，UCTValue = Win * WINK + sqrt(log N / N_i) * UCTK；UCI 没有小数，所以列为字符串",
        ),
        Option("UCTK", "number", "1.0", 0, 100).explained(
            "weight of the term that explores; plain UCT is 1, 1",
            "探索项的权重；普通 UCT 为 1、1",
        ),
        Option(
            "UCTPlayout", "combo", "random", choices=("random", "informed", "short", "greedy", "evaluation")
        ).explained(
            "`random`; `informed`, a winning step if there is one, else random moves that favour captures and "
            "diagonal steps; `short`, four such plies, then the evaluation; `greedy`, the moves that the "
            "evaluation likes best; `evaluation`, no playout",
            "`random` 随机；`informed` 能胜则胜，否则随机走子，偏向吃子和斜走；`short` 如此走四步后估值；`greedy`"
            " 走估值最高的着法；`evaluation` 不模拟，直接估值",
        ),
        Option("UCTParallel", "combo", "root", choices=("root", "tree", "children")).explained(
            "with several Threads: `root`, a tree for each, merged for the answer; `tree`, one tree with virtual "
            "losses; `children`, the paper's: one tree, at most three threads on different root moves, backed up "
            "under a lock",
            "多个线程时：`root`，每个线程一棵树，作答时合并；`tree`，一棵树加虚拟损失；`children`，论文的做法：一"
            "棵树，最多三个线程各在不同的根着法上，加锁回传",
        ),
        Option("UCTReward", "combo", "0..1", choices=("0..1", "-1..1")).explained(
            "what a loss and a win count in UCTValue, `0..1` or `-1..1`; scores are reported as chances all the "
            "same. WINK w with `-1..1` chooses as 2 w does with `0..1`",
            "UCTValue 中负和胜的值，`0..1` 或 `-1..1`；报告的分数仍是胜率。WINK 取 w 时 `-1..1` 的选择与取 2 w 时"
            "的 `0..1` 相同",
        ),
        Option("UCTProofs", "check", "true").explained(
            "values are proven by the end of the game, the tablebase and proven children, and a search ends once "
            "all moves' values are. `false`: the end of the game is a playout's result like others, and the "
            "tablebase is not asked in the tree (`UCTPlayout` may ask it)",
            "用终局、残局库和已证明的子节点证明节点的值，所有着法都证明后搜索结束。`false`：终局与其他模拟结果一"
            "样，树中不查残局库（`UCTPlayout` 仍可查）",
        ),
        Option("UCTReuseTree", "check", "true").explained(
            "a search goes on with the part of the last tree that the moves since have led to; `false`: each "
            "search begins anew",
            "沿用上一棵树中实际走到的部分；`false`：每次搜索重新开始",
        ),
        Option("UCTLeafVisits", "spin", "8", 1, 1000000).explained(
            "playouts from a node before it gets children; with 1 the second visit adds them",
            "节点展开前的模拟次数；1：第二次访问时展开",
        ),
    ),
)
