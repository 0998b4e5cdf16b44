"""EinStein würfelt nicht! (爱恩斯坦棋)."""

from siqi.games.contract import GameInfo, Names, Option, ReviewDefaults
from siqi.games.options import ENDGAMES, OWN_BOOK
from siqi.games.shape import BoardShape

SKILL_ELO = (
    1927, 1928, 1929, 1930, 1931, 1948, 1965, 1981, 1998, 1999,
    2000, 2001, 2002, 2022, 2042, 2063, 2083, 2103, 2123, 2143,
)  # fmt: skip
"""Elo of each Skill Level, from 0 (scripts/tune/rate_skill_levels.py; RESULTS.md has the matches)."""

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
        Option("Algorithm", "combo", "expectimax", choices=("expectimax", "uct")),
        Option("WINK", "number", "0.4", 0, 100),
        Option("UCTK", "number", "1.0", 0, 100),
        Option("UCTPlayout", "combo", "random", choices=("random", "informed", "short", "greedy", "evaluation")),
        Option("UCTParallel", "combo", "root", choices=("root", "tree", "children")),
        Option("UCTReward", "combo", "0..1", choices=("0..1", "-1..1")),
        Option("UCTProofs", "check", "true"),
        Option("UCTReuseTree", "check", "true"),
        Option("UCTLeafVisits", "spin", "8", 1, 1000000),
    ),
)
