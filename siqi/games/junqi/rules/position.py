"""The Junqi position record: where pieces stand and what each may be.

A piece keeps its number for the whole game (0-24 the first side's, 25-49 the second's); `may` is the set of
types that it can still be. In a full position (a referee's, or a world) every set has one member. The record
is small and moves change many parts of it, so kernels copy it before a move instead of undoing the move.
"""

from __future__ import annotations

from siqi.games.junqi.rules.lookup import (
    ATTACKER_DIES,
    ATTACKER_WINS,
    BOTH_DIE,
    FLAG,
    LOOKUP,
    NOWHERE,
    PIECES,
    PLAIN,
    SQUARES,
)
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, accessor, entry, inner, int64, record, record_type, void

QUIET_LIMIT = 31
"""Plies without contact that end the game; the side that makes the last of them loses."""

NOBODY = -1

POSITION_DTYPE = record(
    [
        ("board", "u1", SQUARES + 1),  # piece number + 1, 0 empty; [NOWHERE] stays empty
        ("occupied", "i8", 2),  # bits of each side's squares
        ("where", "u1", 2 * PIECES),  # square by piece, NOWHERE if dead
        ("may", "u2", 2 * PIECES),  # bit set of types; dead pieces keep theirs
        ("fought", "i8"),  # bits of the pieces that survived a battle
        ("turn", "i8"),
        ("quiet", "i8"),  # plies since contact
        ("loser", "i8"),  # side whose flag fell, or NOBODY
    ]
)
POSITION = record_type(POSITION_DTYPE)


@accessor
def make_move(origin: int, target: int) -> int:
    """Return the move from one square to another, without a result."""
    return origin | target << 6


@accessor
def origin_of(move: int) -> int:
    """Return the square that a move leaves."""
    return move & 63


@accessor
def target_of(move: int) -> int:
    """Return the square that a move enters or attacks."""
    return move >> 6 & 63


@inner(int64(POSITION, int64), forceinline=True)
def type_of(pos: Record, piece: int) -> int:
    """Return the type of a known piece; of an unknown one, its lowest possible type."""
    return trailing_zeros(int64(pos.may[piece]))


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def result_code(pos: Record, lookup: Record, move: int) -> int:
    """Return the referee's result code of a move; both pieces must be known."""
    target = int64(pos.board[target_of(move)])
    if target == 0:
        return PLAIN
    attacker = type_of(pos, int64(pos.board[origin_of(move)]) - 1)
    return int64(lookup.battle[attacker * 12 + type_of(pos, target - 1)])


@entry(void(POSITION, int64, int64))
def do_move(pos: Record, move: int, code: int) -> None:
    """Play a move of 12 bits with its result code; `loser` is set only if the fallen piece is known to be the flag."""
    origin = origin_of(move)
    target = target_of(move)
    mover = int64(pos.board[origin]) - 1
    other = int64(pos.board[target]) - 1
    pos.board[origin] = 0
    pos.occupied[pos.turn] &= ~(int64(1) << origin)
    if other >= 0 and (code == ATTACKER_WINS or code == BOTH_DIE):
        pos.where[other] = NOWHERE
        pos.board[target] = 0
        pos.occupied[1 - pos.turn] &= ~(int64(1) << target)
        if pos.may[other] == 1 << FLAG:
            pos.loser = 1 if other >= PIECES else 0
    if code == ATTACKER_DIES or code == BOTH_DIE:
        pos.where[mover] = NOWHERE
    else:
        pos.where[mover] = target
        pos.fought |= int64(code == ATTACKER_WINS) << mover
        pos.board[target] = mover + 1
        pos.occupied[pos.turn] |= int64(1) << target
    if code == ATTACKER_DIES:
        pos.fought |= int64(1) << other
    pos.quiet = pos.quiet + 1 if code == PLAIN else 0
    pos.turn ^= 1
