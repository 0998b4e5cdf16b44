"""Junqi (軍棋), the dark two-player game."""

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1603, 1644, 1685, 1726, 1766, 1810, 1854, 1898, 1942, 1971,
    2000, 2029, 2058, 2087, 2116, 2145, 2174, 2203, 2232, 2261,
)  # fmt: skip
"""Elo by Skill Level, from 0 on (scripts/tune/rate_skill_levels.py; docs/results/levels.md has the matches)."""

INFO = GameInfo(
    name="junqi",
    board=BoardShape(tuple("01234"), tuple("LKJIHGFEDCBA"), is_row_first=True),
    sides=("f", "s"),
    pieces=("ABCDEFGHIJKL", "abcdefghijkl"),
    players=("First", "Second"),
    english=Names("Junqi", ("Red", "Blue")),
    chinese=Names("军棋", ("红方", "蓝方")),
    expected_turns=100,
    review=ReviewDefaults(movetime_ms=300, shallow_depth=3),
    has_hidden=True,
    has_setup=True,
    scores_chances=True,
    skill_elo=SKILL_ELO,
    options=(
        Option("Algorithm", "combo", "worlds", choices=("worlds", "flat", "uct", "cooperation")).explained(
            "`worlds`, alpha-beta averaged over shared worlds, with sequential halving of the moves; `flat`, "
            "playouts over shared worlds with sequential halving; `uct`, information-set UCT; `cooperation`, "
            "paper 4's player: UCT, activated pieces, Q-learning over joint actions",
            "`worlds`，对共用的世界做 alpha-beta 并取平均，着法逐轮减半；`flat`，在共用的世界里模拟，着法逐轮减半"
            "；`uct`，信息集 UCT；`cooperation`，论文 4 的棋手：UCT、激活的棋子、联合动作的 Q 学习",
        ),
        Option("CooperationAlpha", "number", "0.4", 0, 1).explained(
            "`cooperation`: learning rate",
            "`cooperation`：学习率",
        ),
        Option("CooperationGamma", "number", "0.6", 0, 1).explained(
            "`cooperation`: discount factor",
            "`cooperation`：折扣因子",
        ),
        Option("CooperationPieces", "spin", "4", 1, 4).explained(
            "`cooperation`: pieces that act together",
            "`cooperation`：一起行动的棋子数",
        ),
        Option("CooperationFile", "string").explained(
            "`cooperation`: save what was learned to this file at `ucinewgame`, and start games with it; a file "
            "that cannot be used stays unchanged",
            "`cooperation`：在 `ucinewgame` 时把学到的内容存入这个文件，开局时读入；不能用的文件保持不变",
        ),
        Option("LayoutFile", "string").explained(
            "the user's deployments, one set-up word per line (`#` begins a comment), one drawn by the Seed for "
            "each game. Without it deployments are drawn from those of human players, weighted towards what wins "
            "in the engine's own games, and mirrored at random",
            "用户的布阵，每行一个布阵词（`#` 开始注释），每局按 Seed 抽取一个。没有它时从人类棋手的布阵中抽取，偏"
            "向在引擎自己的对局中取胜的布阵，并随机左右镜像",
        ),
    ),
)
