"""Junqi (軍棋), the dark two-player game."""

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1603, 1644, 1685, 1726, 1766, 1810, 1854, 1898, 1942, 1971,
    2000, 2029, 2058, 2087, 2116, 2145, 2174, 2203, 2232, 2261,
)  # fmt: skip
"""Elo by Skill Level, from 0 on (scripts/tune/rate_skill_levels.py; RESULTS.md has the matches)."""

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
        Option("Algorithm", "combo", "worlds", choices=("worlds", "flat", "uct", "cooperation")),
        Option("CooperationAlpha", "number", "0.4", 0, 1),
        Option("CooperationGamma", "number", "0.6", 0, 1),
        Option("CooperationPieces", "spin", "4", 1, 4),
        Option("CooperationFile", "string"),
        Option("LayoutFile", "string"),
    ),
)
