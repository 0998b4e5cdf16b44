"""Mined rules in a search (paper 2: Jiang, Chen, Tang 2004): their answers are tried early and may gain a bonus.

`work.mined_rules` is the address of the rules that fit the game (knowledge/rulebook.py), 0 if none does.
"""

from __future__ import annotations

from siqi.games.kernel.jit import Record, inner, int64, void
from siqi.games.xiangqi.knowledge.rulebook import mined_confidence
from siqi.games.xiangqi.rules.lookup import LOOKUP
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION, do_move
from siqi.games.xiangqi.rules.work import WORK

RULE_MAX_PLY = 1
"""The last ply from the root at which rules are asked.

Their order saves 4.8 % +- 2.0 of the nodes to depth 9 in 400 openings (20a8655, evaluation by terms). Asked at every
node, which takes time, it saves 3.5 % +- 1.8.
"""

RULE_ORDER = 16
"""Points in the order of quiet moves per mille of a rule's confidence."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64), forceinline=True)
def rule_order(pos: Record, work: Record, lookup: Record, move: int, ply: int) -> int:
    """Return what a mined rule adds to the order of a quiet move at `ply`; 0 for no rule."""
    if work.mined_rules == 0 or ply > RULE_MAX_PLY:
        return 0
    return RULE_ORDER * mined_confidence(pos, lookup, work.mined_rules, move)


@inner(void(POSITION, WORK, LOOKUP, int64, int64), forceinline=True)
def do_move_with_rules(pos: Record, work: Record, lookup: Record, move: int, bonus: int) -> None:
    """`do_move`; near the root it puts the mover's gain by the mined rules into work.experience.

    `bonus`: centipawns that the answer of a sure rule gains; others gain in proportion to their confidence.
    """
    ply = pos.height - work.root_height
    if work.mined_rules != 0 and ply <= RULE_MAX_PLY:
        work.experience[ply] = bonus * mined_confidence(pos, lookup, work.mined_rules, move) // 1000
    do_move(pos, lookup, move)


@inner(int64(POSITION, WORK), forceinline=True)
def experience(pos: Record, work: Record) -> int:
    """Return what mined rules near the root add to the static value, in the view of the side to move.

    It is t(n), the experience in f = g + h + t of the paper. By default it is 0: with 20 centipawns for
    a sure rule 48.9 % +- 3.8 of 400 games at 5,000 nodes against no rules (network, 9bcd881).
    """
    ply = pos.height - work.root_height
    near = min(ply, RULE_MAX_PLY + 1)
    total = int64(0)
    for at in range(near):
        gained = int64(0)
        if pos.past_move[work.root_height + at] != NO_MOVE:
            gained = int64(work.experience[at])
        total = -total - gained
    return -total if (ply - near) & 1 else total
