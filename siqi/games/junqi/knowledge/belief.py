"""Deduction: for each piece the set of types consistent with its deployment, its battles and the counts of types.

Events narrow these sets. Once all pieces of a type are found, no other piece is one. The probabilities of what is
possible are in worlds.py.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from siqi.games.junqi.data.advantages import ADVANTAGES
from siqi.games.junqi.data.deployments import WEIGHTS
from siqi.games.junqi.rules.lookup import (
    COUNTS,
    PIECES,
    SLOTS,
    result_of,
    square_of,
)

FLAG_SLOT = SLOTS.index(square_of("L1"))
MIRRORED = [SLOTS.index(square // 5 * 5 + 4 - square % 5) for square in SLOTS]
"""By slot of a deployment word: the slot mirrored at the middle column."""

_WEIGHTS = np.maximum(np.array(WEIGHTS), 0.01)  # types that the rules forbid are not in the sets
_ADVANTAGES = np.array(ADVANTAGES)


def deployment_weights(flag: int) -> Any:
    """Return how often types stand in slots with the flag in slot `flag`: float [slot, type], relative, above 0."""
    return _WEIGHTS if flag == FLAG_SLOT else _WEIGHTS[MIRRORED]


def deployment_advantages(flag: int) -> Any:
    """Return what types are worth in slots with the flag in slot `flag`: float [slot, type], hundredths of log odds."""
    return _ADVANTAGES if flag == FLAG_SLOT else _ADVANTAGES[MIRRORED]


@functools.cache
def compatible_types(attackers: int, defenders: int, code: int) -> tuple[int, int]:
    """Return the sets of types that a result code leaves to attacker and defender; (0, 0) if it is impossible."""
    attacker_types = defender_types = 0
    for attacker in range(12):
        for defender in range(12):
            if attackers >> attacker & 1 and defenders >> defender & 1 and result_of(attacker, defender) == code:
                attacker_types |= 1 << attacker
                defender_types |= 1 << defender
    return attacker_types, defender_types


def find_world(may: list[int]) -> list[int] | None:
    """Return one world of a side, types of its 25 pieces, by augmenting paths; None if the sets have none."""
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
    """Return a side's 25 sets narrowed by the counts of types; ValueError if sets and counts contradict each other."""
    may = list(may)
    changed = True
    while changed:
        changed = False
        for kind, count in enumerate(COUNTS):
            bit = 1 << kind
            certain = [i for i in range(PIECES) if may[i] == bit]
            possible = [i for i in range(PIECES) if may[i] & bit]
            if len(certain) > count or len(possible) < count:
                raise ValueError("contradicts what is known of the pieces")
            if len(certain) == count and len(possible) > count:
                for i in possible:
                    if may[i] != bit:
                        may[i] &= ~bit
                        changed = True
            elif len(possible) == count and len(certain) < count:
                for i in possible:
                    changed |= may[i] != bit
                    may[i] = bit
        if not all(may):
            raise ValueError("contradicts what is known of the pieces")
    return may


def check_possible(may: list[int]) -> None:
    """Check that a side's 25 sets have a world; ValueError if not."""
    if any(types & types - 1 for types in may) and find_world(may) is None:
        raise ValueError("contradicts what is known of the pieces")
