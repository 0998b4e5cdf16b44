"""Static evaluation of a full position, a world's: linear in its weights, so that a regression can fit them.

`count_terms` counts for both sides, the first's with a plus; `evaluate` sums them up by their weights and tells the
first side's chance through the logistic function.
"""

from __future__ import annotations

import math

from games.junqi.position import POSITION, QUIET_LIMIT, type_of
from games.junqi.tables import (
    BOMB,
    CAMP_SET,
    ENGINEER,
    FLAG,
    HEADQUARTERS_SET,
    MINE,
    SQUARES,
    TABLES,
)
from games.junqi.weights import TERMS
from games.junqi.work import WORK
from games.kernel.intrinsics import popcount, trailing_zeros
from games.kernel.jit import Record, entry, float64, inner, int64, void

(
    COMMANDER_TERM, CORPS_TERM, DIVISION_TERM, BRIGADE_TERM, REGIMENT_TERM, BATTALION_TERM, COMPANY_TERM, PLATOON_TERM,
    ENGINEER_TERM, MINE_TERM, BOMB_TERM, UNBEATEN, BEATEN_BY, BOMBS_ON_RANKS, ENGINEERS_ON_MINES, MINES_AT_FLAG,
    GUARDS_AT_FLAG, FOES_AT_FLAG, FOES_NEAR_FLAG, NEAREST, APPROACH, QUIET, CROSSED, IN_ENEMY_CAMPS, TEMPO,
) = range(len(TERMS))  # fmt: skip
TERM_COUNT = len(TERMS)

FAR = 12
"""No square is further from another, in steps by road."""

PATIENCE = 10
"""Plies without contact that matter to nobody."""

SLOPE = 0.1
"""Share of the chance that rises with the sum up to the surest win: who is ahead still sees a better from a worse."""

FIRST_HALF = (1 << SQUARES) - (1 << 30)
"""Squares of the first side's half."""


@inner(void(POSITION, TABLES, WORK, int64, int64, int64), forceinline=True)
def count_ranks(pos: Record, t: Record, work: Record, side: int, sign: int, mask: int) -> None:
    """A side's pieces by type, its flag and its mobile pieces, into `work`; the terms that need only its own pieces."""
    for kind in range(12):
        work.counts[12 * side + kind] = 0
    flag = int64(-1)
    mines = int64(0)
    mobile = int64(0)
    while mask != 0:
        square = trailing_zeros(mask)
        mask &= mask - 1
        kind = type_of(pos, int64(pos.board[square]) - 1)
        work.counts[12 * side + kind] += 1
        if kind == FLAG:
            flag = square
        elif kind == MINE:
            mines |= int64(1) << square
        elif HEADQUARTERS_SET >> square & 1 == 0:
            mobile |= int64(1) << square
    home = FIRST_HALF if side == 0 else ~int64(FIRST_HALF)
    work.mobile[side] = mobile
    work.flag[side] = flag
    work.terms[CROSSED] += sign * popcount(mobile & ~home)
    work.terms[IN_ENEMY_CAMPS] += sign * popcount(mobile & ~home & CAMP_SET)
    if flag >= 0:
        beside = t.roads[flag]
        work.terms[MINES_AT_FLAG] += sign * popcount(mines & beside)
        work.terms[GUARDS_AT_FLAG] += sign * popcount(mobile & beside)


@inner(void(POSITION, TABLES, WORK))
def count_terms(pos: Record, t: Record, work: Record) -> None:
    """Set work.terms."""
    for term in range(TERM_COUNT):
        work.terms[term] = 0
    for side in range(2):
        count_ranks(pos, t, work, int64(side), int64(1 - 2 * side), pos.occupied[side])
    for side in range(2):
        sign = 1 - 2 * side
        own, other = 12 * side, 12 * (1 - side)
        stronger = int64(0)  # enemies that beat the rank looked at
        top = int64(-1)
        for kind in range(ENGINEER + 1):
            count = int64(work.counts[own + kind])
            work.terms[COMMANDER_TERM + kind] += sign * count
            if stronger == 0:
                work.terms[UNBEATEN] += sign * count
            work.terms[BEATEN_BY] += sign * count * stronger
            stronger += int64(work.counts[other + kind])
            if top < 0 and work.counts[other + kind] > 0:
                top = int64(kind)
        work.terms[MINE_TERM] += sign * int64(work.counts[own + MINE])
        work.terms[BOMB_TERM] += sign * int64(work.counts[own + BOMB])
        if top >= 0:
            work.terms[BOMBS_ON_RANKS] += sign * int64(work.counts[own + BOMB]) * (ENGINEER - top)
        work.terms[ENGINEERS_ON_MINES] += sign * int64(work.counts[own + ENGINEER]) * int64(work.counts[other + MINE])
        flag = work.flag[side]
        if flag >= 0:
            foes = work.mobile[1 - side]
            work.terms[FOES_AT_FLAG] += sign * popcount(foes & t.roads[flag])
            work.terms[FOES_NEAR_FLAG] += sign * popcount(foes & t.near[flag])
            nearest = int64(FAR if foes != 0 else 0)
            while foes != 0:
                distance = int64(t.distance[flag * SQUARES + trailing_zeros(foes)])
                foes &= foes - 1
                nearest = min(nearest, distance)
                work.terms[APPROACH] -= sign * (FAR - distance)
            work.terms[NEAREST] += sign * nearest
    last = pos.turn ^ (QUIET_LIMIT - 1 - pos.quiet) & 1  # who would make the last ply without contact
    work.terms[QUIET] = (2 * last - 1) * max(pos.quiet - PATIENCE, int64(0))
    work.terms[TEMPO] = 1 - 2 * pos.turn


@inner(float64(POSITION, TABLES, WORK))
def evaluate(pos: Record, t: Record, work: Record) -> float:
    """The first side's chance in a full position, 0..1."""
    if pos.loser >= 0:
        return float64(pos.loser)
    count_terms(pos, t, work)
    total = 0.0
    for term in range(TERM_COUNT):
        total += work.terms[term] * t.terms[term]
    return (1 - SLOPE) / (1.0 + math.exp(-total / 100)) + SLOPE / (1.0 + math.exp(-total / 1000))


@entry(float64(POSITION, TABLES, WORK))
def evaluate_here(pos: Record, t: Record, work: Record) -> float:
    """`evaluate` from Python; work.terms is what it counted."""
    return evaluate(pos, t, work)
