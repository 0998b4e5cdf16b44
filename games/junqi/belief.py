"""What a side knows: deductions from the referee's results, and completing the board by sampling.

Deduction keeps for each piece the types consistent with each event it took part in, then spreads counts (all
pieces of a type found: nobody else is one). Sampling gives every piece a type from its set, tightest set first,
by the learned prior, every type as often as the set of pieces has it.
"""

from __future__ import annotations

from games.junqi.position import POSITION
from games.junqi.tables import (
    ANY,
    BOMB,
    COUNTS,
    FLAG,
    HEADQUARTERS,
    MINE,
    PIECES,
    SLOTS,
    SQUARES,
    TABLES,
    result_of,
)
from games.junqi.weights import SLOT_COUNTS, SMOOTHING
from games.junqi.work import WORK
from games.kernel.intrinsics import popcount
from games.kernel.jit import Record, inner, int64, void
from games.kernel.random import below, next_state

ATTEMPTS = 32
"""Tries at a sample before it is given up; a dead end is rare."""


def slot_types(slot: int) -> int:
    """The types that a deployment may put in a slot of the set-up word."""
    square = SLOTS[slot]
    row = square // 5
    types = ANY
    if row == 6:
        types &= ~(1 << BOMB)
    if row < 10:
        types &= ~(1 << MINE)
    if square not in HEADQUARTERS:
        types &= ~(1 << FLAG)
    return types


def square_types(square: int, side: int) -> int:
    """The types that an unknown piece of a side may be by where it stands: mines and flags never moved there."""
    own = square if side == 0 else SQUARES - 1 - square
    types = ANY
    if own // 5 < 10:
        types &= ~(1 << MINE)
    if own < 30 or own not in HEADQUARTERS:
        types &= ~(1 << FLAG)
    return types


def slot_weights() -> list[list[float]]:
    """[slot][type]: prior of the sampler, from the deployments seen."""
    return [[count + SMOOTHING for count in row] for row in SLOT_COUNTS]


def compatible(attackers: int, defenders: int, code: int) -> tuple[int, int]:
    """The types of both pieces that a result code leaves."""
    attacker_types = defender_types = 0
    for attacker in range(12):
        for defender in range(12):
            if attackers >> attacker & 1 and defenders >> defender & 1 and result_of(attacker, defender) == code:
                attacker_types |= 1 << attacker
                defender_types |= 1 << defender
    return attacker_types, defender_types


def complete(may: list[int]) -> list[int] | None:
    """One assignment of types to the sets of a side by augmenting paths; None if there is none."""
    holders: list[list[int]] = [[] for _ in COUNTS]

    def place(piece: int, barred: set[int]) -> bool:
        for kind in range(12):
            if may[piece] >> kind & 1 and kind not in barred:
                barred.add(kind)
                if len(holders[kind]) < COUNTS[kind]:
                    holders[kind].append(piece)
                    return True
                for index, holder in enumerate(holders[kind]):
                    if place(holder, barred):
                        holders[kind][index] = piece
                        return True
        return False

    for piece in range(PIECES):
        if not place(piece, set()):
            return None
    types = [0] * PIECES
    for kind, pieces in enumerate(holders):
        for piece in pieces:
            types[piece] = kind
    return types


def spread_counts(may: list[int]) -> list[int]:
    """Sharpen the 25 sets of a side by the counts of each type; ValueError if they contradict each other."""
    may = list(may)
    changed = True
    while changed:
        changed = False
        for kind, count in enumerate(COUNTS):
            bit = 1 << kind
            found = [i for i in range(PIECES) if may[i] == bit]
            possible = [i for i in range(PIECES) if may[i] & bit]
            if len(found) > count or len(possible) < count:
                raise ValueError("contradicts what is known of the pieces")
            if len(found) == count and len(possible) > count:
                for i in possible:
                    if may[i] != bit:
                        may[i] &= ~bit
                        changed = True
            elif len(possible) == count and len(found) < count:
                for i in possible:
                    changed |= may[i] != bit
                    may[i] = bit
        if not all(may):
            raise ValueError("contradicts what is known of the pieces")
    if any(types & types - 1 for types in may) and complete(may) is None:
        raise ValueError("contradicts what is known of the pieces")
    return may


@inner(int64(POSITION, WORK, TABLES, int64))
def try_sample(world: Record, work: Record, t: Record, side: int) -> int:
    """Give each piece of a side one of its types at random, tightest set first; 0 at a dead end."""
    base = side * PIECES
    for kind in range(12):
        work.left[kind] = t.count[kind]
    for i in range(PIECES):
        work.order[i] = i
    open_types = ANY
    for i in range(PIECES):
        # The set with the fewest types still to be had comes next.
        tightest, fewest = i, 99
        for j in range(i, PIECES):
            options = popcount(int64(world.may[base + work.order[j]]) & open_types)
            if options < fewest:
                fewest = options
                tightest = j
        if fewest == 0:
            return 0
        piece = base + int64(work.order[tightest])
        work.order[tightest] = work.order[i]
        work.order[i] = piece - base
        may = int64(world.may[piece]) & open_types
        total = 0.0
        for kind in range(12):
            if may >> kind & 1:
                total += work.left[kind] * work.weights[piece * 12 + kind]
        work.random = next_state(work.random)
        mark = total * below(work.random, int64(1 << 20)) / (1 << 20)
        chosen = int64(-1)
        for kind in range(12):
            if may >> kind & 1:
                chosen = kind
                mark -= work.left[kind] * work.weights[piece * 12 + kind]
                if mark < 0:
                    break
        work.left[chosen] -= 1
        if work.left[chosen] == 0:
            open_types &= ~(1 << chosen)
        world.may[piece] = 1 << chosen
    return 1


@inner(void(POSITION, POSITION, WORK, TABLES, int64))
def sample_world(view: Record, world: Record, work: Record, t: Record, side: int) -> None:
    """Complete the pieces of `side` in `world`, which else stands as `view`. Falls back on one known completion."""
    unknown = 0
    for piece in range(side * PIECES, side * PIECES + PIECES):
        if popcount(int64(view.may[piece])) > 1:
            unknown += 1
    if unknown == 0:
        return
    for _ in range(ATTEMPTS):
        for piece in range(side * PIECES, side * PIECES + PIECES):
            world.may[piece] = view.may[piece]
        if try_sample(world, work, t, side) == 1:
            return
    for i in range(PIECES):
        world.may[side * PIECES + i] = 1 << int64(work.fallback[i])
