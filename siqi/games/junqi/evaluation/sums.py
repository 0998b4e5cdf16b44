"""The sum of the terms along a line of a search: a move changes what depends on its squares and its pieces alone.

Once the squares of the flags are known, which never move, most terms are a sum over pieces by type, square and whether
they have fought; others depend on the types left, which only battles change. The sum is that of `sum_terms` and
`steps_overdue` (terms.py), which count all terms anew and took half of a search's time: 3.06 M nodes a second with
them, 4.96 M without. Sums are integers, in tenths of the weights' unit, so they are exact however a position was
reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.junqi.data.weights import TERMS
from siqi.games.junqi.evaluation.terms import (
    APPROACH,
    BEATEN_BY,
    BOMBS_ON_UNBEATEN,
    CONTACT_WEIGHT,
    ENGINEERS_AT_SIEGE,
    ENOUGH_MOBILE,
    FEW_MOBILE,
    FOES_AT_FLAG,
    FOES_NEAR_FLAG,
    GUARDS_AT_FLAG,
    HIDDEN_RANKS,
    IN_CAMPS,
    MAX_DISTANCE,
    MINES_AT_FLAG,
    QUIET,
    QUIET_GRACE,
    STEPS_OPEN,
    TEMPO,
    UNBEATEN,
    due_side,
    steps_to_contact,
)
from siqi.games.junqi.rules.lookup import (
    ATTACKER_DIES,
    ATTACKER_WINS,
    BOMB,
    BRIGADE,
    CAMP_SET,
    COLUMNS,
    ENGINEER,
    FLAG,
    HEADQUARTERS,
    HEADQUARTERS_SET,
    LOOKUP,
    LOOKUP_RECORD,
    MINE,
    PLAIN,
    SQUARES,
    TYPES,
)
from siqi.games.junqi.rules.position import POSITION, origin_of, target_of, type_of
from siqi.games.junqi.rules.work import MAX_PLY, WORK
from siqi.games.kernel.intrinsics import pointer_to, popcount, trailing_zeros
from siqi.games.kernel.jit import Record, inner, int64, record, record_type, void

WEIGHTS = tuple(round(10 * weight) for weight in TERMS.values())
"""The weights in tenths."""

CONTACT = round(10 * CONTACT_WEIGHT)

KINDS = len(TYPES)

FLAGS = 1 + len(HEADQUARTERS) // 2
"""The places of a side's flag: no square, the left or the right of the board as it is stored."""

COUNT_BITS, COUNT_MASK = 4, 15
"""A count of pieces of one type within an integer for all types."""

SUMS_DTYPE = record(
    [
        ("pieces", "i8"),  # of each piece by itself, the first side's less the second's
        ("ranks", "i8"),  # of what depends on the types left alone, likewise
        ("counts", "i8", 2),  # by side: pieces of each type, COUNT_BITS for one
        ("mobile", "i8", 2),  # by side: bits of the squares of its mobile pieces
        ("shelter", "i8", 2),  # by side: mines beside its flag
    ]
)
SUMS = record_type(SUMS_DTYPE)
SUMS_BYTES = SUMS_DTYPE.itemsize
_sums_record_at = pointer_to(SUMS)

VALUES_DTYPE = record([("values", "i4", 2 * FLAGS * FLAGS * 2 * KINDS * SQUARES)])
VALUES = record_type(VALUES_DTYPE)
values_at = pointer_to(VALUES)


# ---------------------------------------------------------------- the values of pieces


def _bits(squares: Any) -> Any:
    """Return a set of squares as numbers, int64 [square], 0 or 1."""
    return np.array([int(squares) >> square & 1 for square in range(SQUARES)], np.int64)


def _piece_values(side: int) -> Any:
    """Return what a side's pieces add to its sum, without their open steps.

    int64 [own flag, enemy's flag, has fought, type, square].
    """
    weights, lookup = WEIGHTS, LOOKUP_RECORD
    own_flags, enemy_flags = (HEADQUARTERS[2:], HEADQUARTERS[:2])[:: 1 - 2 * side]
    values = np.zeros((FLAGS, FLAGS, 2, KINDS, SQUARES), np.int64)
    values[:, :, :, :FLAG] += np.array(weights[:FLAG])[:, None]  # the terms of types come first, in their order
    values[:, :, 0, : BRIGADE + 1] += weights[HIDDEN_RANKS]
    places = np.zeros((FLAGS, FLAGS, SQUARES), np.int64) + weights[IN_CAMPS] * _bits(CAMP_SET)  # of mobile pieces
    for number, flag in enumerate(own_flags, 1):
        beside = _bits(lookup.roads[flag])
        places[number] += weights[GUARDS_AT_FLAG] * beside
        values[number, :, :, MINE] += weights[MINES_AT_FLAG] * beside
    for number, flag in enumerate(enemy_flags, 1):
        distances = lookup.distance[flag * SQUARES : (flag + 1) * SQUARES].astype(np.int64)
        places[:, number] += weights[APPROACH] * (MAX_DISTANCE - distances)
        places[:, number] -= weights[FOES_AT_FLAG] * _bits(lookup.roads[flag])
        places[:, number] -= weights[FOES_NEAR_FLAG] * _bits(lookup.near[flag])
    places[:, :, list(HEADQUARTERS)] = 0
    for kind in (*range(ENGINEER + 1), BOMB):
        values[:, :, :, kind] += places[:, :, None]
    return values


VALUES_OF_PIECES = np.array([_piece_values(0), -_piece_values(1)], np.int32)
"""The contents of VALUES, the second side's negative."""

assert VALUES_OF_PIECES.nbytes == VALUES_DTYPE.itemsize


def new_line() -> Any:
    """Return the sums of a line's plies, one more than MAX_PLY."""
    return np.zeros(MAX_PLY + 1, SUMS_DTYPE)


# ---------------------------------------------------------------- kernels


@inner(SUMS(WORK, int64), forceinline=True)
def sums_at(work: Record, ply: int) -> Record:
    """Return the sums of a ply."""
    return _sums_record_at(work.sums + ply * SUMS_BYTES)


@inner(int64(POSITION, int64), forceinline=True)
def flag_square(pos: Record, side: int) -> int:
    """Return the square of a side's flag, -1 if it has fallen; all pieces must be known."""
    squares = pos.occupied[side] & HEADQUARTERS_SET
    while squares != 0:
        square = trailing_zeros(squares)
        if type_of(pos, int64(pos.board[square]) - 1) == FLAG:
            return square
        squares &= squares - 1
    return -1


@inner(int64(WORK, int64, int64, int64, int64), forceinline=True)
def piece_value(work: Record, side: int, kind: int, square: int, has_fought: int) -> int:
    """Return what a piece adds to the sum, negative for the second side, without its open steps."""
    place = work.first_value[side] + (has_fought * KINDS + kind) * SQUARES + square
    return int64(values_at(work.values).values[place])


@inner(int64(SUMS))
def ranks_of(sums: Record) -> int:
    """Return the sum of the terms that depend on the types left and the mines beside flags alone."""
    total = int64(0)
    for side in range(2):
        own, other = int64(sums.counts[side]), int64(sums.counts[1 - side])
        stronger, unbeaten, beaten_by = int64(0), int64(0), int64(0)
        for kind in range(ENGINEER + 1):
            count = own >> COUNT_BITS * kind & COUNT_MASK
            if stronger == 0:
                unbeaten += count
            beaten_by += count * stronger
            stronger += other >> COUNT_BITS * kind & COUNT_MASK
        bombs = other >> COUNT_BITS * BOMB & COUNT_MASK
        value = WEIGHTS[UNBEATEN] * unbeaten + WEIGHTS[BEATEN_BY] * beaten_by
        value -= WEIGHTS[BOMBS_ON_UNBEATEN] * min(bombs, unbeaten)
        if own >> COUNT_BITS * ENGINEER & COUNT_MASK != 0:
            value += WEIGHTS[ENGINEERS_AT_SIEGE] * sums.shelter[1 - side]
        total += value if side == 0 else -value
    return total


@inner(void(POSITION, WORK, LOOKUP, int64))
def begin_sums(pos: Record, work: Record, lookup: Record, ply: int) -> None:
    """Count the position of a line's first ply, in which all pieces are known."""
    sums = sums_at(work, ply)
    sums.pieces = 0
    for side in range(2):
        flag, enemy_flag = flag_square(pos, int64(side)), flag_square(pos, int64(1 - side))
        row = side * FLAGS + (0 if flag < 0 else 1 + int64(flag % COLUMNS > COLUMNS // 2))
        row = row * FLAGS + (0 if enemy_flag < 0 else 1 + int64(enemy_flag % COLUMNS > COLUMNS // 2))
        work.first_value[side] = row * 2 * KINDS * SQUARES
        work.beside_flag[side] = 0 if flag < 0 else lookup.roads[flag]
        counts, mobile, shelter = int64(0), int64(0), int64(0)
        squares = pos.occupied[side]
        while squares != 0:
            square = trailing_zeros(squares)
            squares &= squares - 1
            piece = int64(pos.board[square]) - 1
            kind = type_of(pos, piece)
            counts += int64(1) << COUNT_BITS * kind
            sums.pieces += piece_value(work, int64(side), kind, square, pos.fought >> piece & 1)
            if kind == MINE:
                shelter += work.beside_flag[side] >> square & 1
            elif kind != FLAG and HEADQUARTERS_SET >> square & 1 == 0:
                mobile |= int64(1) << square
                steps = popcount(lookup.roads[square] & ~pos.occupied[side])
                sums.pieces += (1 - 2 * side) * WEIGHTS[STEPS_OPEN] * steps
        sums.counts[side], sums.mobile[side], sums.shelter[side] = counts, mobile, shelter
    sums.ranks = ranks_of(sums)


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def follow_sums(pos: Record, work: Record, lookup: Record, ply: int, next_ply: int, move: int, code: int) -> None:
    """Set the sums of `next_ply`, to which a move leads from `pos`, the position of `ply`."""
    old, new = sums_at(work, ply), sums_at(work, next_ply)
    origin, target = origin_of(move), target_of(move)
    around_origin, around_target, target_bit = lookup.roads[origin], lookup.roads[target], int64(1) << target
    side, foe = pos.turn, 1 - pos.turn
    piece = int64(pos.board[origin]) - 1
    kind, has_fought = type_of(pos, piece), pos.fought >> piece & 1
    pieces = old.pieces - piece_value(work, side, kind, origin, has_fought)
    own = pos.occupied[side] & ~(int64(1) << origin)
    mobile = old.mobile[side] & ~(int64(1) << origin)
    steps = popcount(around_origin & mobile) - popcount(around_origin & ~own)  # the side's open ones, gained
    if code == PLAIN or code == ATTACKER_WINS:
        pieces += piece_value(work, side, kind, target, has_fought | int64(code == ATTACKER_WINS))
        steps -= popcount(around_target & mobile)
        if HEADQUARTERS_SET & target_bit == 0:
            mobile |= target_bit
            steps += popcount(around_target & ~own)
    new.mobile[side], new.mobile[foe] = mobile, old.mobile[foe]
    new.ranks = old.ranks
    for each in range(2):
        new.counts[each], new.shelter[each] = old.counts[each], old.shelter[each]
    if code != PLAIN:
        other = int64(pos.board[target]) - 1
        other_kind = type_of(pos, other)
        pieces -= piece_value(work, foe, other_kind, target, pos.fought >> other & 1)
        if code == ATTACKER_DIES:
            pieces += piece_value(work, foe, other_kind, target, int64(1))
        else:
            new.mobile[foe] &= ~target_bit
            steps -= popcount(around_target & new.mobile[foe])
            if old.mobile[foe] & target_bit != 0:
                steps += popcount(around_target & ~pos.occupied[foe])
            new.counts[foe] -= int64(1) << COUNT_BITS * other_kind
            if other_kind == MINE:
                new.shelter[foe] -= work.beside_flag[foe] >> target & 1
        if code != ATTACKER_WINS:
            new.counts[side] -= int64(1) << COUNT_BITS * kind
        new.ranks = ranks_of(new)
    new.pieces = pieces + (1 - 2 * side) * WEIGHTS[STEPS_OPEN] * steps


@inner(int64(WORK, int64), forceinline=True)
def mobile_pieces(work: Record, ply: int) -> int:
    """Return the number of mobile pieces of both sides at a ply."""
    sums = sums_at(work, ply)
    return popcount(sums.mobile[0]) + popcount(sums.mobile[1])


@inner(int64(POSITION, WORK, LOOKUP, int64))
def sum_in_line(pos: Record, work: Record, lookup: Record, ply: int) -> int:
    """Return the sum of the position of a ply, whose sums are set, in tenths; the first side's view."""
    sums = sums_at(work, ply)
    first, second = popcount(sums.mobile[0]), popcount(sums.mobile[1])
    total = sums.pieces + sums.ranks + WEIGHTS[TEMPO] * (1 - 2 * pos.turn)
    total += WEIGHTS[FEW_MOBILE] * (max(ENOUGH_MOBILE - first, int64(0)) - max(ENOUGH_MOBILE - second, int64(0)))
    if pos.quiet > QUIET_GRACE:
        due = due_side(pos)
        overdue = (1 - 2 * due) * (pos.quiet - QUIET_GRACE)
        total += overdue * (CONTACT * steps_to_contact(pos, lookup, due, sums.mobile[due]) - WEIGHTS[QUIET])
    return total
