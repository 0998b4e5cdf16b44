"""EWN moves after a throw, or of any throw if it is not known; perft."""

from __future__ import annotations

from siqi.games.ewn.rules.lookup import LOOKUP, NOBODY
from siqi.games.ewn.rules.position import POSITION, do_move, make_move, undo_move
from siqi.games.ewn.rules.work import MAX_UNION, WORK
from siqi.games.kernel.control import poll
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def piece_mask(pos: Record, lookup: Record, die: int) -> int:
    """Return the mask of the mover's pieces that a throw moves, of all its pieces if the die is 0."""
    alive = pos.alive[pos.turn]
    if die == 0:
        return alive
    pair = int64(lookup.movable[alive * 7 + die])
    mask = int64(1) << (pair & 15)
    if pair >> 4 != NOBODY:
        mask |= int64(1) << (pair >> 4)
    return mask


@inner(int64(LOOKUP, int64, int64, int64), forceinline=True)
def step(lookup: Record, side: int, square: int, way: int) -> int:
    """Return the move of a side's piece from a square; `way` is below lookup.step_count."""
    return make_move(square, int64(lookup.steps[(side * 25 + square) * 3 + way]))


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def list_legal(pos: Record, work: Record, lookup: Record, die: int, first: int) -> int:
    """List the legal moves after a throw (0: of any throw) in work.moves from `first`; return their end."""
    if pos.winner >= 0:
        return first
    mask = piece_mask(pos, lookup, die)
    side = pos.turn
    while mask != 0:
        square = int64(pos.square[6 * side + trailing_zeros(mask) + 1])
        mask &= mask - 1
        for way in range(lookup.step_count[side * 25 + square]):
            work.moves[first] = step(lookup, side, square, int64(way))
            first += 1
    return first


MAX_PERFT = 100
"""The deepest perft, in plies; games are shorter."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def perft_below(pos: Record, work: Record, lookup: Record, depth: int, ply: int) -> int:
    """Return the number of leaves `depth` plies below; after the first ply moves are those of any throw.

    The count is too low once work.stopped.
    """
    if depth == 0:
        return 1
    first = ply * MAX_UNION
    end = list_legal(pos, work, lookup, pos.die, first)
    if depth == 1:
        return end - first
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, int64(0), work.nodes)
        if work.poll_at < 0:
            work.stopped = 1
    total = 0
    for i in range(first, end):
        if work.stopped == 1:
            return total
        do_move(pos, lookup, int64(work.moves[i]))
        total += perft_below(pos, work, lookup, depth - 1, ply + 1)
        undo_move(pos)
    return total


@entry(int64(POSITION, WORK, LOOKUP, int64, int64), is_rare=True)
def perft(pos: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Return the number of leaves below one legal move, `depth` plies deep with this one (depth >= 1)."""
    do_move(pos, lookup, move)
    total = perft_below(pos, work, lookup, depth - 1, int64(0))
    undo_move(pos)
    return total
