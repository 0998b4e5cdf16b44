"""Junqi (軍棋), the dark two-player game."""

from typing import NamedTuple

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.options import NETWORK_FILE, combo
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1775, 1800, 1825, 1850, 1875, 1891, 1907, 1923, 1938, 1969,
    2000, 2031, 2062, 2090, 2119, 2148, 2177, 2206, 2234, 2263,
)  # fmt: skip
"""Elo by Skill Level, from 0 on (scripts/tune/rate_skill_levels.py; docs/results/levels.md has the matches)."""

ALGORITHMS = ("worlds", "flat", "uct", "cooperation", "paper", "plain-uct", "minimax", "alphabeta", "montecarlo")
"""The values of the option `Algorithm`, the default first."""

INFO = GameInfo(
    name="junqi",
    shape=BoardShape(tuple("01234"), tuple("LKJIHGFEDCBA"), is_row_first=True),
    sides=("f", "s"),
    pieces=("ABCDEFGHIJKL", "abcdefghijkl"),
    players=("First", "Second"),
    english=Names("Junqi", ("Red", "Blue")),
    chinese=Names("军棋", ("红方", "蓝方")),
    expected_turns=100,
    reply_ms=5.0,
    review=ReviewDefaults(movetime_ms=300, shallow_depth=3),
    has_hidden=True,
    has_setup=True,
    scores_chances=True,
    skill_elo=SKILL_ELO,
    options=(
        combo("Algorithm", *ALGORITHMS).explained(
            "`worlds`, alpha-beta in sampled worlds; `flat`, playouts in them; `uct`, information-set UCT; "
            "`cooperation`, paper 4's as the options set it; `paper`, the same whole: one thread, the choice `q`; "
            "`plain-uct`, its UCT alone; `minimax`, `alphabeta`, `montecarlo`, its other opponents",
            "`worlds`，在抽样局面中做 alpha-beta；`flat`，在其中模拟；`uct`，信息集 UCT；"
            "`cooperation`，由各选项设定的论文 4 程序；`paper`，完整的论文 4 程序：一个线程，按 `q` 选着；"
            "`plain-uct`，只有它的 UCT；`minimax`、`alphabeta`、`montecarlo`，它的其他对手",
        ),
        NETWORK_FILE,  # first, so that `Evaluation network` finds it when a game is loaded
        combo("Evaluation", "network", "terms").explained(
            "of completed boards, in the default search: `terms` with fitted weights, or `network`, which adds a "
            "neural network's value",
            "默认搜索中完整局面的估值：`terms` 用拟合权重的各项；`network` 在各项之上加神经网络",
        ),
        combo("Beliefs", "network", "habits").explained(
            "how likely the types of unseen pieces are: `habits`, by what pieces of each type do; `network`, "
            "by a neural network, and by habits as far as the game proves them right",
            "未知棋子各种类型的可能性：`habits` 按各类棋子行为习惯的表；"
            "`network` 按神经网络，并按本局的验证参用行为习惯",
        ),
        Option("BeliefsFile", "string").explained(
            "the network of `Beliefs network`, used in place of the shipped one",
            "`Beliefs network` 用的网络，代替自带的网络",
        ),
        Option("CooperationAlpha", "number", "0.4", 0, 1, paper=4).explained(
            "`cooperation`: learning rate",
            "`cooperation`：学习率",
        ),
        Option("CooperationGamma", "number", "0.6", 0, 1, paper=4).explained(
            "`cooperation`: discount factor",
            "`cooperation`：折扣因子",
        ),
        Option("CooperationPieces", "spin", "4", 1, 4, paper=4).explained(
            "`cooperation`: pieces that act together",
            "`cooperation`：一起行动的棋子数",
        ),
        combo("CooperationChoice", "combined", "q", paper=4).explained(
            "`cooperation`: how it chooses: by UCT's and learned values `combined`, or by the highest `q` alone",
            "`cooperation`：`combined` 综合 UCT 的值和学到的值选着；`q` 只选 Q 值最高的联合动作",
        ),
        Option("CooperationFile", "string", paper=4).explained(
            "`cooperation`: begin games with what this file has, and save what was learned to it at `ucinewgame`",
            "`cooperation`：开局时读入这个文件，在 `ucinewgame` 时把学到的内容存入",
        ),
        Option("LayoutFile", "string").explained(
            "the user's deployments, one set-up word per line (`#` begins a comment); `Seed` draws one for each game",
            "用户的布阵，每行一个布阵词（`#` 开始注释），每局按 `Seed` 抽取一个",
        ),
    ),
)


class Settings(NamedTuple):
    """The values of the options above."""

    algorithm: str
    network_file: str
    evaluation: str
    beliefs: str
    beliefs_file: str
    cooperation_alpha: float
    cooperation_gamma: float
    cooperation_pieces: int
    cooperation_choice: str
    cooperation_file: str
    layout_file: str
