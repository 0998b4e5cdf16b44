"""What a side knows: for each piece the types consistent with each event it took part in, and with the counts.

Deduction narrows sets of types; where all pieces of a type are found, nobody else is one. What is likely among what is
possible is the matter of worlds.py.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from games.junqi.knowledge.advantages import ADVANTAGES
from games.junqi.knowledge.deployments import WEIGHTS
from games.junqi.rules.lookup import (
    ANY,
    BOMB,
    COUNTS,
    FLAG,
    HEADQUARTERS,
    MINE,
    PIECES,
    SLOTS,
    SQUARES,
    result_of,
    square_of,
)

FLAG_SLOT = SLOTS.index(square_of("L1"))
MIRRORED = [SLOTS.index(square // 5 * 5 + 4 - square % 5) for square in SLOTS]
"""The slots of a set-up word as mirrored at the middle column."""

_WEIGHTS = np.maximum(np.array(WEIGHTS), 0.01)  # what the rules forbid the sets leave out
_ADVANTAGES = np.array(ADVANTAGES)


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


def deployment_weights(flag: int) -> Any:
    """float [slot, type]: where pieces are deployed beside a flag in this slot."""
    return _WEIGHTS if flag == FLAG_SLOT else _WEIGHTS[MIRRORED]


def deployment_advantages(flag: int) -> Any:
    """float [slot, type]: what it is worth to deploy beside a flag in this slot, in hundredths of log odds."""
    return _ADVANTAGES if flag == FLAG_SLOT else _ADVANTAGES[MIRRORED]


@functools.cache
def compatible_types(attackers: int, defenders: int, code: int) -> tuple[int, int]:
    """The types of both pieces that a result code leaves."""
    attacker_types = defender_types = 0
    for attacker in range(12):
        for defender in range(12):
            if attackers >> attacker & 1 and defenders >> defender & 1 and result_of(attacker, defender) == code:
                attacker_types |= 1 << attacker
                defender_types |= 1 << defender
    return attacker_types, defender_types


def find_world(may: list[int]) -> list[int] | None:
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


def narrow_by_counts(may: list[int]) -> list[int]:
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
    return may


def check_possible(may: list[int]) -> None:
    """ValueError if the 25 sets of a side have no completion."""
    if any(types & types - 1 for types in may) and find_world(may) is None:
        raise ValueError("contradicts what is known of the pieces")
