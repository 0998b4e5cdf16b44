"""Mined rules in a search (paper 2: Jiang, Chen, Tang 2004): their answers are tried early and break ties.

`work.mined_rules` is the address of the rules that fit the game (knowledge/rulebook.py), 0 if none does.
"""

from __future__ import annotations

from siqi.games.kernel.jit import Record, inner, int64, void
from siqi.games.xiangqi.knowledge.rulebook import mined_confidence
from siqi.games.xiangqi.rules.lookup import LOOKUP
from siqi.games.xiangqi.rules.position import POSITION, do_move
from siqi.games.xiangqi.rules.work import WORK

RULE_MAX_PLY = 1
"""The last ply from the root at which rules are asked.

Their order saves 4.8 % +- 2.0 of the nodes to depth 9 in 400 openings (20a8655, evaluation by terms). Asked at every
node, which takes time, it saves 3.5 % +- 1.8.
"""

RULE_ORDER = 16
"""Points in the order of quiet moves per mille of a rule's confidence."""

RULE_BONUS = 2
"""Centipawns that the answer of a sure rule gains in the middle game: enough to break ties.

Against no rules, 500 games at 5,000 nodes (c1c69ad, evaluation by terms): 47.0 % +- 3.8 with 6, 50.0 % +- 3.6 with 12,
53.3 % +- 3.9 with 0, when rules only order. None is significant.
"""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64), forceinline=True)
def rule_order(pos: Record, work: Record, lookup: Record, move: int, ply: int) -> int:
    """Return what a mined rule adds to the order of a quiet move at `ply`; 0 for no rule."""
    if work.mined_rules == 0 or ply > RULE_MAX_PLY:
        return 0
    return RULE_ORDER * mined_confidence(pos, lookup, work.mined_rules, move)


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def do_move_with_rules(pos: Record, work: Record, lookup: Record, move: int) -> None:
    """`do_move`; the answer of a mined rule near the root gains a bonus, which `undo_move` takes back.

    The bonus is t(n), the experience in f = g + h + t of the paper. It is a part of pos.score, which the evaluation by
    terms alone reads.
    """
    bonus = int64(0)
    if work.mined_rules != 0 and pos.height - work.root_height <= RULE_MAX_PLY:
        bonus = RULE_BONUS * mined_confidence(pos, lookup, work.mined_rules, move) // 1000
    do_move(pos, lookup, move)
    pos.score += bonus if pos.turn == 1 else -bonus
