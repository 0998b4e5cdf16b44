"""The behaviour of pieces, as both sides saw it: which wait, advance, attack, stand under attack or flee.

By the learned habits (siqi/games/junqi/data/habits.py) the counts of `TRAITS` make types likelier or less likely. The
network of beliefs (network.py) reads those of `HISTORY` too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from siqi.games.junqi.data.habits import HABITS
from siqi.games.junqi.rules.lookup import (
    ATTACKER_DIES,
    BOTH_DIE,
    CAMP_SET,
    COLUMNS,
    COMMANDER,
    FIRST_HALF,
    LOOKUP,
    MOBILE,
    NOWHERE,
    PIECES,
    PLAIN,
)
from siqi.games.junqi.rules.movegen import targets_of
from siqi.games.junqi.rules.position import POSITION, origin_of, target_of
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, void

TRAITS = {
    "waited": 60,  # moves of its side before its own first
    "moved": 8,
    "crossed": 1,  # has been on the enemy's half
    "attacked": 2,
    "stood": 4,  # stayed on a square that an enemy could enter
    "fled": 2,  # left such a square for one that no enemy could enter
    "approached": 4,  # the reverse
    "rested": 2,  # moved into a camp
}
"""Traits of a piece: the count at which each is complete (1); more count no more."""

HISTORY = (
    "beat",  # enemies that it attacked and survived
    "withstood",  # enemies that attacked it and fell
    "steps",  # the distance that it went, rows and columns together
    "runs",  # moves over more than two squares
    "first",  # the ply of its first move, the game's first being 1; 0: none yet, as for the next two
    "last",  # the ply of its last move
    "fallen",  # the ply at which it fell
)
"""Further counts of a piece; their columns follow those of the traits."""

WAITED, MOVED, CROSSED, ATTACKED, STOOD, FLED, APPROACHED, RESTED = range(len(TRAITS))
BEAT, WITHSTOOD, STEPS, RUNS, FIRST, LAST, FALLEN = range(len(TRAITS), len(TRAITS) + len(HISTORY))
COUNTS = types.Array(types.int64, 2, "C")
SETS = types.Array(types.uint16, 1, "C")

_CAPS = np.array(list(TRAITS.values()))
_HABITS = np.array(HABITS)


@inner(int64(POSITION, LOOKUP, SETS, int64))
def attacked_squares(pos: Record, lookup: Record, public: Any, side: int) -> int:
    """Return the bits of the squares that a side's pieces can enter; engineers do not turn here."""
    attacked = 0
    pieces = pos.occupied[side]
    while pieces != 0:
        square = trailing_zeros(pieces)
        pieces &= pieces - 1
        if int64(public[int64(pos.board[square]) - 1]) & MOBILE:
            attacked |= targets_of(pos, lookup, square, side, int64(1) << COMMANDER)
    return attacked


def no_counts() -> Any:
    """Return the counts of a game that has not begun: int64 [piece 0-49, trait and history]."""
    return np.zeros((2 * PIECES, len(TRAITS) + len(HISTORY)), np.int64)


def plies_of(counts: Any) -> int:
    """Return the number of moves that led to the counts [piece 0-49, ...] of both sides."""
    return int(counts[:, MOVED].sum())


@inner(void(POSITION, int64, int64, int64, int64, COUNTS))
def note_history(pos: Record, mover: int, origin: int, target: int, code: int, counts: Any) -> None:
    """Add the history that a move makes; `pos`: before it."""
    ply = int64(1)
    for piece in range(2 * PIECES):
        ply += counts[piece, MOVED]
    if counts[mover, FIRST] == 0:
        counts[mover, FIRST] = ply
    counts[mover, LAST] = ply
    distance = abs(origin // COLUMNS - target // COLUMNS) + abs(origin % COLUMNS - target % COLUMNS)
    counts[mover, STEPS] += distance
    counts[mover, RUNS] += distance > 2
    if code == PLAIN:
        return
    other = int64(pos.board[target]) - 1
    if code in (ATTACKER_DIES, BOTH_DIE):
        counts[mover, FALLEN] = ply
        counts[other, WITHSTOOD] += code == ATTACKER_DIES
    if code != ATTACKER_DIES:
        counts[other, FALLEN] = ply
        counts[mover, BEAT] += code != BOTH_DIE


@entry(void(POSITION, POSITION, LOOKUP, SETS, int64, int64, COUNTS))
def note_move(pos: Record, after: Record, lookup: Record, public: Any, move: int, code: int, counts: Any) -> None:
    """Add what a move shows to counts [piece 0-49, trait and history]; `pos` and `after`: before it and after it.

    `public` [piece 0-49]: the types possible to an observer who sees neither side's pieces.
    """
    side = pos.turn
    origin, target = origin_of(move), target_of(move)
    mover = int64(pos.board[origin]) - 1
    before = attacked_squares(pos, lookup, public, 1 - side)
    for piece in range(side * PIECES, side * PIECES + PIECES):
        square = int64(pos.where[piece])
        if square == NOWHERE or piece == mover:
            continue
        if counts[piece, MOVED] == 0:
            counts[piece, WAITED] += 1
        counts[piece, STOOD] += before >> square & 1
    note_history(pos, mover, origin, target, code, counts)
    counts[mover, MOVED] += 1
    home = FIRST_HALF if side == 0 else ~int64(FIRST_HALF)
    if home >> target & 1 == 0:
        counts[mover, CROSSED] = 1
    if code != PLAIN:
        counts[mover, ATTACKED] += 1
        return
    counts[mover, RESTED] += CAMP_SET >> target & 1
    was, now = before >> origin & 1, attacked_squares(after, lookup, public, 1 - side) >> target & 1
    counts[mover, FLED] += was & (1 - now)
    counts[mover, APPROACHED] += now & (1 - was)


def scaled(counts: Any) -> Any:
    """Return how complete each trait is: float [..., piece, trait], 0..1."""
    return np.minimum(counts[..., : len(TRAITS)] / _CAPS, 1)


def factors(counts: Any) -> Any:
    """Return the factors by which traits change the weights of types: float [piece, type]."""
    return np.exp(scaled(counts) @ _HABITS)
