"""Move generation, in which a piece of unknown type moves as any type that it may be, and perft over full positions."""

from __future__ import annotations

from numba import types

from siqi.games.junqi.rules.lookup import CAMP_SET, ENGINEER, HEADQUARTERS_SET, LOOKUP, MOBILE, PIECES, STEPS, WAYS
from siqi.games.junqi.rules.position import (
    POSITION,
    POSITION_DTYPE,
    do_move,
    make_move,
    origin_of,
    result_code,
    target_of,
)
from siqi.games.junqi.rules.work import WORK
from siqi.games.kernel.control import poll
from siqi.games.kernel.intrinsics import copy_record, leading_zeros, trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, record_type

BOARDS = types.Array(record_type(POSITION_DTYPE), 1, "C")
"""One position record per ply: kernels copy a position and play the move on the copy."""


@inner(int64(int64, int64), forceinline=True)
def engineer_stations(square: int, occupied: int) -> int:
    """Return the bits of the stations that an engineer reaches from a square, first pieces in its way included.

    It may turn at empty stations.
    """
    reached = int64(1) << square
    frontier = reached
    while frontier != 0:
        beside = (frontier & STEPS[0]) >> 1 | (frontier & STEPS[1]) << 1
        beside |= (frontier & STEPS[2]) >> 5 | (frontier & STEPS[3]) << 5
        frontier = beside & ~reached
        reached |= frontier
        frontier &= ~occupied
    return reached & ~(int64(1) << square)


@inner(int64(LOOKUP, int64, int64), forceinline=True)
def straight_stations(lookup: Record, square: int, occupied: int) -> int:
    """Return the bits of the stations that other pieces reach from a square, first pieces in their way included."""
    reached = int64(0)
    for way in range(0, WAYS, 2):
        line = int64(lookup.lines[square * WAYS + way])
        blockers = line & occupied
        if blockers != 0:
            line &= int64(-1) << (63 - leading_zeros(blockers))
        reached |= line
        line = int64(lookup.lines[square * WAYS + way + 1])
        blockers = line & occupied
        if blockers != 0:
            line &= blockers ^ (blockers - 1)
        reached |= line
    return reached


@inner(int64(POSITION, LOOKUP, int64, int64, int64))
def targets_of(pos: Record, lookup: Record, square: int, side: int, may: int) -> int:
    """Return the bits of the squares that a side's piece can enter from a square as any of the types `may`."""
    if may & MOBILE == 0 or HEADQUARTERS_SET >> square & 1 == 1:
        return int64(0)
    own = pos.occupied[side]
    enemy = pos.occupied[1 - side]
    if may >> ENGINEER & 1:
        stations = engineer_stations(square, own | enemy)
    else:
        stations = straight_stations(lookup, square, own | enemy)
    return (lookup.roads[square] | stations) & ~(own | enemy & CAMP_SET)


@inner(int64(WORK, int64, int64, int64), forceinline=True)
def list_moves(work: Record, origin: int, targets: int, end: int) -> int:
    """Write the moves from a square to a set of squares to work.moves[end:]; return the new end."""
    while targets != 0:
        work.moves[end] = make_move(origin, trailing_zeros(targets))
        targets &= targets - 1
        end += 1
    return end


@entry(int64(POSITION, WORK, LOOKUP, int64))
def list_legal(pos: Record, work: Record, lookup: Record, side: int) -> int:
    """Write a side's moves to work.moves, whoever is to move, and return their number."""
    end = int64(0)
    pieces = pos.occupied[side]
    while pieces != 0:
        origin = trailing_zeros(pieces)
        pieces &= pieces - 1
        targets = targets_of(pos, lookup, origin, side, int64(pos.may[pos.board[origin] - 1]))
        end = list_moves(work, origin, targets, end)
    return end


@entry(int64(POSITION, LOOKUP, int64, int64))
def reaches(pos: Record, lookup: Record, move: int, may: int) -> int:
    """Return 1 if the piece on a move's origin can make the move as one of the types `may`, else 0."""
    side = int64(int64(pos.board[origin_of(move)]) > PIECES)
    return targets_of(pos, lookup, origin_of(move), side, may) >> target_of(move) & 1


MAX_PERFT = 30
"""The deepest perft, in plies: each has a board of its own."""


@inner(int64(BOARDS, WORK, LOOKUP, int64, int64))
def perft_below(boards: Record, work: Record, lookup: Record, depth: int, ply: int) -> int:
    """Return the leaves `depth` plies below boards[ply], a full position; too few once work.stopped.

    A lost game has no moves.
    """
    if depth == 0:
        return 1
    pos = boards[ply]
    if pos.loser >= 0:
        return 0
    count = list_legal(pos, work, lookup, pos.turn)
    if depth == 1:
        return count
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, int64(0), work.nodes)
        if work.poll_at < 0:
            work.stopped = 1
    total = 0
    for i in range(count):
        if work.stopped == 1:
            return total
        if i > 0:
            list_legal(pos, work, lookup, pos.turn)
        move = int64(work.moves[i])
        copy_record(boards[ply + 1], pos)
        do_move(boards[ply + 1], move, result_code(pos, lookup, move))
        total += perft_below(boards, work, lookup, depth - 1, ply + 1)
    return total


@entry(int64(BOARDS, WORK, LOOKUP, int64, int64), is_rare=True)
def perft(boards: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Return the leaves below a legal move of boards[0], `depth` plies deep with it (depth >= 1)."""
    copy_record(boards[1], boards[0])
    do_move(boards[1], move, result_code(boards[0], lookup, move))
    return perft_below(boards, work, lookup, depth - 1, int64(1))
