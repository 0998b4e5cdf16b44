"""Static exchange evaluation: the outcome of a capture if both sides go on taking on its square, cheapest piece first.

Pieces are lifted off the board as they take, so that lines open and cannons gain or lose their screens. Pins and checks
are not looked at.
"""

from __future__ import annotations

from siqi.games.kernel.jit import Record, inner, int64, outlined
from siqi.games.xiangqi.rules.lookup import CAPTURED, FIRST_HORSE, FIRST_ROOK, KING_SLOT, LOOKUP
from siqi.games.xiangqi.rules.movegen import CAPTURES, generate_pieces
from siqi.games.xiangqi.rules.position import (
    POSITION,
    is_advisor,
    is_cannon,
    is_elephant,
    is_pawn,
    is_rook,
    origin_of,
    slot_of,
    target_of,
)
from siqi.games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, WORK

NOWHERE = -1
"""Sentinel for the square of an attacker: there is none."""

_SCRATCH = MAX_MOVES * (MAX_PLY + 2)
"""Place in work.moves above those of the search."""


@inner(int64(LOOKUP, int64), forceinline=True)
def exchange_value(lookup: Record, piece: int) -> int:
    """Return the value of a piece code in exchanges in centipawns, 0 for no piece."""
    return int64(lookup.exchange[lookup.kind_of[piece]])


@inner(int64(POSITION, LOOKUP, int64, int64))
def cheapest_attacker(pos: Record, lookup: Record, square: int, side: int) -> int:
    """Return the square of the cheapest piece of a side that attacks an occupied square; NOWHERE if none does."""
    base = 16 << side
    rank = int64(lookup.rank_of[square])
    file = int64(lookup.file_of[square])
    # Pawns stand behind the square as they go, or beside it beyond the river.
    behind = square - 9 + 18 * side
    if behind >= 0 and behind < 90 and is_pawn(pos.board[behind] - base):
        return behind
    if (rank >= 5) == (side == 0):
        if file > 0 and is_pawn(pos.board[square - 1] - base):
            return square - 1
        if file < 8 and is_pawn(pos.board[square + 1] - base):
            return square + 1
    i = square * 5
    origin = int64(lookup.advisor_steps[i])
    while origin >= 0:
        if is_advisor(pos.board[origin] - base):
            return origin
        i += 1
        origin = int64(lookup.advisor_steps[i])
    i = square * 9
    origin = int64(lookup.elephant_steps[i])
    while origin >= 0:
        if is_elephant(pos.board[origin] - base) and pos.board[lookup.elephant_steps[i + 1]] == 0:
            return origin
        i += 2
        origin = int64(lookup.elephant_steps[i])
    for slot in range(FIRST_HORSE, FIRST_ROOK):
        origin = int64(pos.square[base + slot])
        if origin < CAPTURED and pos.board[lookup.horse_leg[square * 91 + origin]] == 0:
            return origin
    rook = int64(NOWHERE)
    across = int64(lookup.rank_blockers[file << 9 | pos.rank_bits[rank]])
    along = int64(lookup.file_blockers[rank << 10 | pos.file_bits[file]])
    for _ in range(2):
        for line in range(2):
            first = rank * 9 + (across & 15) if line == 0 else (along & 15) * 9 + file
            second = rank * 9 + (across >> 4 & 15) if line == 0 else (along >> 4 & 15) * 9 + file
            if second != square and first != square and is_cannon(pos.board[second] - base):
                return second
            if first != square and is_rook(pos.board[first] - base):
                rook = first
        across >>= 12
        along >>= 12
    if rook >= 0:
        return rook
    i = square * 5
    origin = int64(lookup.king_steps[i])
    while origin >= 0:
        if pos.board[origin] == base:
            return origin
        i += 1
        origin = int64(lookup.king_steps[i])
    return NOWHERE


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64))
def see_ge(pos: Record, work: Record, lookup: Record, move: int, threshold: int) -> int:
    """1 if the exchange that a pseudo-legal move starts gains the mover at least `threshold` centipawns.

    Either side may stop taking when that is better for it. A quiet move starts an exchange with a gain of 0. `pos` is
    left as it was; work.lifted is overwritten.
    """
    origin = origin_of(move)
    target = target_of(move)
    balance = exchange_value(lookup, int64(pos.board[target])) - threshold
    if balance < 0:
        return 0
    balance -= exchange_value(lookup, int64(pos.board[origin]))
    if balance >= 0:
        return 1
    mover = pos.turn
    side = mover
    lifted = 0
    while True:
        piece = int64(pos.board[origin])
        work.lifted[2 * lifted] = piece
        work.lifted[2 * lifted + 1] = origin
        lifted += 1
        pos.board[origin] = 0
        pos.square[piece] = CAPTURED
        pos.rank_bits[lookup.rank_of[origin]] ^= 1 << lookup.file_of[origin]
        pos.file_bits[lookup.file_of[origin]] ^= 1 << lookup.rank_of[origin]
        side ^= 1
        origin = cheapest_attacker(pos, lookup, target, side)
        if origin < 0:
            break
        next_piece = int64(pos.board[origin])
        # A king takes last, and only a piece that is no longer guarded.
        if slot_of(next_piece) == KING_SLOT and cheapest_attacker(pos, lookup, target, side ^ 1) >= 0:
            break
        balance = -balance - 1 - exchange_value(lookup, next_piece)
        if balance >= 0:
            side ^= 1
            break
    for i in range(lifted - 1, -1, -1):
        piece = int64(work.lifted[2 * i])
        origin = int64(work.lifted[2 * i + 1])
        pos.board[origin] = piece
        pos.square[piece] = origin
        pos.rank_bits[lookup.rank_of[origin]] ^= 1 << lookup.file_of[origin]
        pos.file_bits[lookup.file_of[origin]] ^= 1 << lookup.rank_of[origin]
    # `side` has lost: it could not take any more, or the other side stays ahead whatever it takes.
    return 1 if side != mover else 0


@inner(int64(POSITION, WORK, LOOKUP))
def hanging(pos: Record, work: Record, lookup: Record) -> int:
    """Return the slots of the side to move, as bits, that the enemy could take with profit; the king is left out."""
    pos.turn ^= 1
    end = generate_pieces(pos, work, lookup, int64(_SCRATCH), int64(CAPTURES))
    slots = 0
    for i in range(_SCRATCH, end):
        move = int64(work.moves[i])
        slot = slot_of(pos.board[target_of(move)])
        if slot != KING_SLOT and see_ge(pos, work, lookup, move, int64(1)) == 1:
            slots |= 1 << slot
    pos.turn ^= 1
    return slots
