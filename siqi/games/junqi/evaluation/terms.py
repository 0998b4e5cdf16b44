"""The terms of the evaluation, of a full position or a world: a sum with weights, so that a regression can fit them.

`count_terms` counts each term for both sides, the second's negative; `sum_terms` sums them by their weights, in
hundredths of log odds.
"""

from __future__ import annotations

from siqi.games.junqi.data.weights import TERMS
from siqi.games.junqi.rules.lookup import (
    BOMB,
    BRIGADE,
    CAMP_SET,
    ENGINEER,
    FLAG,
    HEADQUARTERS_SET,
    LOOKUP,
    MINE,
    SQUARES,
)
from siqi.games.junqi.rules.position import POSITION, QUIET_LIMIT, type_of
from siqi.games.junqi.rules.work import WORK
from siqi.games.kernel.intrinsics import popcount, trailing_zeros
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, void

(
    COMMANDER_TERM, CORPS_TERM, DIVISION_TERM, BRIGADE_TERM, REGIMENT_TERM, BATTALION_TERM, COMPANY_TERM, PLATOON_TERM,
    ENGINEER_TERM, MINE_TERM, BOMB_TERM, UNBEATEN, BEATEN_BY, BOMBS_ON_UNBEATEN, ENGINEERS_AT_SIEGE, HIDDEN_RANKS,
    IN_CAMPS, STEPS_OPEN, FEW_MOBILE, MINES_AT_FLAG, GUARDS_AT_FLAG, FOES_AT_FLAG, FOES_NEAR_FLAG, APPROACH, QUIET,
    TEMPO,
) = range(len(TERMS))  # fmt: skip
TERM_COUNT = len(TERMS)

MAX_DISTANCE = 12
"""Above the distance between any two squares (at most 11), in steps by road."""

QUIET_GRACE = 10
"""Plies without contact that do not count, in QUIET and in `steps_overdue`."""

CONTACT_WEIGHT = -1.0
"""The weight of `steps_overdue`. Of 60 games against a program without a search 12 were lost for lack of contact
without it, 1 with it."""

ENOUGH_MOBILE = 5
"""Mobile pieces that suffice; FEW_MOBILE counts those missing, for a side without any loses."""


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def count_ranks(pos: Record, work: Record, lookup: Record, side: int, sign: int, mask: int) -> None:
    """Count a side's pieces by type, its mobile pieces, flag and shelter in `work`; add the terms of its own pieces.

    `mask`: bits of its squares; `sign`: 1 for the first side, -1 for the second.
    """
    for kind in range(12):
        work.counts[12 * side + kind] = 0
    flag = int64(-1)
    mines = int64(0)
    mobile = int64(0)
    occupied = mask
    while mask != 0:
        square = trailing_zeros(mask)
        mask &= mask - 1
        piece = int64(pos.board[square]) - 1
        kind = type_of(pos, piece)
        work.counts[12 * side + kind] += 1
        if kind == FLAG:
            flag = square
        elif kind == MINE:
            mines |= int64(1) << square
        elif HEADQUARTERS_SET >> square & 1 == 0:
            mobile |= int64(1) << square
            work.terms[STEPS_OPEN] += sign * popcount(lookup.roads[square] & ~occupied)
        if kind <= BRIGADE and pos.fought >> piece & 1 == 0:
            work.terms[HIDDEN_RANKS] += sign
    work.mobile[side] = mobile
    work.flag[side] = flag
    work.terms[IN_CAMPS] += sign * popcount(mobile & CAMP_SET)
    work.terms[FEW_MOBILE] += sign * max(ENOUGH_MOBILE - popcount(mobile), int64(0))
    if flag >= 0:
        work.shelter[side] = popcount(mines & lookup.roads[flag])
        work.terms[MINES_AT_FLAG] += sign * work.shelter[side]
        work.terms[GUARDS_AT_FLAG] += sign * popcount(mobile & lookup.roads[flag])


@inner(int64(POSITION), forceinline=True)
def due_side(pos: Record) -> int:
    """Return the side that is due to make the last ply without contact, which loses."""
    return pos.turn ^ (QUIET_LIMIT - 1 - pos.quiet) & 1


@inner(void(POSITION, WORK, LOOKUP))
def count_terms(pos: Record, work: Record, lookup: Record) -> None:
    """Set work.terms, the first side's counts less the second's."""
    for term in range(TERM_COUNT):
        work.terms[term] = 0
    for side in range(2):
        count_ranks(pos, work, lookup, int64(side), int64(1 - 2 * side), pos.occupied[side])
    for side in range(2):
        sign = 1 - 2 * side
        own, other = 12 * side, 12 * (1 - side)
        stronger = int64(0)  # enemies that beat this rank
        unbeaten = int64(0)
        for kind in range(ENGINEER + 1):
            count = int64(work.counts[own + kind])
            work.terms[COMMANDER_TERM + kind] += sign * count
            if stronger == 0:
                unbeaten += count
            work.terms[BEATEN_BY] += sign * count * stronger
            stronger += int64(work.counts[other + kind])
        work.terms[UNBEATEN] += sign * unbeaten
        work.terms[BOMBS_ON_UNBEATEN] -= sign * min(int64(work.counts[other + BOMB]), unbeaten)
        work.terms[MINE_TERM] += sign * int64(work.counts[own + MINE])
        work.terms[BOMB_TERM] += sign * int64(work.counts[own + BOMB])
        if work.counts[own + ENGINEER] > 0:
            work.terms[ENGINEERS_AT_SIEGE] += sign * work.shelter[1 - side]
        flag = work.flag[side]
        if flag >= 0:
            foes = work.mobile[1 - side]
            work.terms[FOES_AT_FLAG] += sign * popcount(foes & lookup.roads[flag])
            work.terms[FOES_NEAR_FLAG] += sign * popcount(foes & lookup.near[flag])
            while foes != 0:
                work.terms[APPROACH] -= sign * (
                    MAX_DISTANCE - int64(lookup.distance[flag * SQUARES + trailing_zeros(foes)])
                )
                foes &= foes - 1
    work.terms[QUIET] = (2 * due_side(pos) - 1) * max(pos.quiet - QUIET_GRACE, int64(0))
    work.terms[TEMPO] = 1 - 2 * pos.turn


@inner(int64(POSITION, LOOKUP, int64, int64))
def steps_to_contact(pos: Record, lookup: Record, side: int, mobile: int) -> int:
    """Return the steps by road from a mobile piece of a side to an enemy that it may attack, at most MAX_DISTANCE.

    `mobile`: bits of the squares of these pieces.
    """
    targets = pos.occupied[1 - side] & ~CAMP_SET
    free = ~(pos.occupied[0] | pos.occupied[1])
    frontier = mobile
    for steps in range(1, MAX_DISTANCE):
        around = int64(0)
        while frontier != 0:
            around |= lookup.roads[trailing_zeros(frontier)]
            frontier &= frontier - 1
        if around & targets != 0:
            return steps
        frontier = around & free
        free &= ~around
    return MAX_DISTANCE


@inner(float64(POSITION, WORK, LOOKUP), forceinline=True)
def sum_terms(pos: Record, work: Record, lookup: Record) -> float:
    """Count the terms and return their sum by weights."""
    count_terms(pos, work, lookup)
    total = 0.0
    for term in range(TERM_COUNT):
        total += work.terms[term] * lookup.weights[term]
    return total


@inner(int64(POSITION, WORK, LOOKUP))
def steps_overdue(pos: Record, work: Record, lookup: Record) -> int:
    """Return `steps_to_contact` of the side due to make the last ply without contact, times the plies that count.

    Negative for the second side. A search sees a few plies; this leads its pieces to an enemy in time. `count_terms`
    must have counted.
    """
    if pos.quiet <= QUIET_GRACE:
        return 0
    due = due_side(pos)
    return (1 - 2 * due) * (pos.quiet - QUIET_GRACE) * steps_to_contact(pos, lookup, due, int64(work.mobile[due]))


@entry(void(POSITION, WORK, LOOKUP))
def count_terms_here(pos: Record, work: Record, lookup: Record) -> None:
    """Set work.terms for Python."""
    count_terms(pos, work, lookup)


@entry(int64(POSITION, WORK, LOOKUP))
def steps_overdue_here(pos: Record, work: Record, lookup: Record) -> int:
    """Return `steps_overdue` to Python."""
    return steps_overdue(pos, work, lookup)
