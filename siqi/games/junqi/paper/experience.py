"""What recurs from game to game: Q by the kind of a piece's part in a joint action.

The states of a search hardly ever recur in another game. So every lesson also counts for a *kind*: the type of the
piece, what its move meets, how far it then is from the next enemy and from its next partner, which of the two is
stronger, whether the partner attacks, and what of this is known to the side (figure 2 feeds the matrix back over
games). A kind has the sum of its lessons and their number, so that what several engines have learned can be added.
"""

from __future__ import annotations

from typing import Any

from numba import types

from siqi.games.junqi.rules.lookup import ATTACKER_WINS, BOMB, CAMP_SET, LOOKUP, NOWHERE, PIECES, SQUARES, TYPES
from siqi.games.junqi.rules.position import POSITION, type_of
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, float64, inner, int64, record, record_type, void

FAR = 3
"""Distances in steps by road are 1, 2, or this and more."""

MEETINGS = 5
"""A move meets nothing, an unknown piece, one that has fought, a known one that it beats, or another known one."""

PARTNERS = 1 + FAR * 3 * 2
"""None, or [distance, stronger | no stronger | bomb, attacks or not]."""

KINDS = len(TYPES) * MEETINGS * FAR * 2 * 2 * PARTNERS

LEAST_LESSONS = 64
"""The lessons of a kind from which on it has a value."""

KIND_DTYPE = record([("total", "f8"), ("lessons", "i8")])
EXPERIENCE = types.Array(record_type(KIND_DTYPE), 1, "C")


@inner(int64(LOOKUP, int64, int64), forceinline=True)
def steps(lookup: Record, origin: int, target: int) -> int:
    """Return the distance of two squares, 0 to FAR - 1; adjacent ones and a square itself have 0."""
    return min(max(int64(lookup.distance[origin * SQUARES + target]), 1), FAR) - 1


@inner(int64(POSITION, int64), forceinline=True)
def is_known(view: Record, piece: int) -> int:
    """Return 1 if the view knows a piece's type, else 0."""
    return int64(int64(view.may[piece]) & (int64(view.may[piece]) - 1) == 0)


@inner(int64(POSITION, POSITION, LOOKUP, int64, int64))
def meeting(view: Record, pos: Record, lookup: Record, kind: int, target: int) -> int:
    """Return what a piece of a type meets on a square, as the view knows it: 0 to MEETINGS - 1."""
    met = int64(pos.board[target]) - 1
    if met < 0:
        return int64(0)
    if is_known(view, met) == 0:
        return int64(1) + (view.fought >> met & 1)
    wins = lookup.battle[kind * len(TYPES) + trailing_zeros(int64(view.may[met]))] == ATTACKER_WINS
    return int64(3) if wins else int64(4)


@inner(int64(POSITION, POSITION, LOOKUP, int64, int64), forceinline=True)
def neighbour(view: Record, pos: Record, lookup: Record, side: int, target: int) -> int:
    """Return distance and knowledge of the enemy next to a square, the square itself left out: 0 to 2 * FAR - 1."""
    best, known = int64(FAR - 1), int64(0)
    for piece in range((1 - side) * PIECES, (2 - side) * PIECES):
        square = int64(pos.where[piece])
        if square != NOWHERE and square != target:
            distance = steps(lookup, target, square)
            if distance < best:
                best, known = distance, is_known(view, int64(piece))
            elif distance == best:
                known |= is_known(view, int64(piece))
    return best * 2 + known


@inner(float64(EXPERIENCE, int64), forceinline=True)
def mean_lesson(experience: Any, kind: int) -> float:
    """Return the mean of a kind's lessons, 0 without any."""
    return experience[kind].total / max(int64(experience[kind].lessons), 1)


@inner(void(EXPERIENCE, int64, float64), forceinline=True)
def add_lesson(experience: Any, kind: int, lesson: float) -> None:
    """Count a lesson for a kind."""
    experience[kind].total += lesson
    experience[kind].lessons += 1


@inner(int64(POSITION, POSITION, LOOKUP, int64, int64, int64, int64))
def kind_of(
    view: Record, pos: Record, lookup: Record, piece: int, target: int, partner: int, partner_meets: int
) -> int:
    """Return the kind of a piece's move to a square; `partner` is -1 if it has none, else the piece next to it.

    `partner_meets` is 1 if the partner's move of the joint action meets an enemy.
    """
    kind = type_of(pos, piece)
    place = (kind * MEETINGS + meeting(view, pos, lookup, kind, target)) * 2 * FAR
    place = (place + neighbour(view, pos, lookup, piece // PIECES, target)) * 2 + (CAMP_SET >> target & 1)
    if partner < 0:
        return place * PARTNERS
    other = type_of(pos, partner)
    relation = int64(2) if other == BOMB else int64(other < kind)
    distance = steps(lookup, target, int64(pos.where[partner]))
    return place * PARTNERS + 1 + (distance * 3 + relation) * 2 + partner_meets
