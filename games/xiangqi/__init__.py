"""Xiangqi (象棋)."""

from games.contract import GameInfo, Option
from games.options import ENDGAMES, OPENING_BOOK, RULES
from games.shape import BoardShape

SKILL_ELO = (
    724, 843, 961, 1080, 1199, 1317, 1435, 1553, 1671, 1836,
    2000, 2164, 2329, 2420, 2511, 2602, 2693, 2784, 2876, 2967,
)  # fmt: skip
"""Elo of each Skill Level from 0 on (scripts/tune/rate_skill_levels.py; RESULTS.md has the matches)."""

INFO = GameInfo(
    name="xiangqi",
    board=BoardShape(tuple("abcdefghi"), tuple("0123456789")),
    sides=("w", "b"),
    pieces=("KABNRCP", "kabnrcp"),
    expected_turns=50,
    skill_elo=SKILL_ELO,
    learns=True,
    options=(
        *OPENING_BOOK,
        *RULES,
        *ENDGAMES,
        Option("Evaluation", "combo", "tuned", choices=("tuned", "paper")),
        Option("PositionFile", "string"),
        Option("UCI_Coordinates", "combo", "0", choices=("0", "1")),
    ),
)
