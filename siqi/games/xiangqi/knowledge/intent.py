"""Intents: classes of moves, so that a mined rule can stand for all moves of an intent; and the passing situations.

Each intent is a bit, in the order of INTENTS, seen from the side to move. The search needs none of this: the module is
imported, and its kernels compiled, when a rule is to be played or shown.
"""

from __future__ import annotations

from siqi.games.kernel.jit import Record, entry, int64
from siqi.games.xiangqi.evaluation.exchange import hanging
from siqi.games.xiangqi.knowledge.situation import LASTING, describe_lasting, has_open_file
from siqi.games.xiangqi.rules.lookup import FIRST_CANNON, FIRST_HORSE, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import IN_CHECK, checks_and_pins, gives_check
from siqi.games.xiangqi.rules.position import (
    POSITION,
    do_move,
    is_cannon,
    is_rook,
    origin_of,
    slot_of,
    target_of,
    undo_move,
)
from siqi.games.xiangqi.rules.work import THREAD_WORK, WORK

INTENTS = (
    "capture", "retake", "check", "attack rook", "attack horse or cannon", "attack pawn", "escape", "develop",
    "cross river", "central cannon", "rook to open file",
)  # fmt: skip

ROOKS, HORSES_AND_CANNONS, PAWNS = 0b11 << 7, 0b11 << 5 | 0b11 << 9, 0b11111 << 11
"""Sets of slots, as bits."""


@entry(int64(POSITION, WORK, LOOKUP))
def describe(pos: Record, work: Record, lookup: Record) -> int:
    """Return all situations of a position (situation.py) as bits."""
    situations = describe_lasting(pos, lookup)
    if pos.height > 0 and pos.past_captured[pos.height - 1] != 0:
        situations |= 1 << LASTING
    if checks_and_pins(pos, lookup) & IN_CHECK:
        situations |= 2 << LASTING
    slots = hanging(pos, work, lookup)
    if slots & ROOKS:
        situations |= 4 << LASTING
    if slots & HORSES_AND_CANNONS:
        situations |= 8 << LASTING
    if slots & PAWNS:
        situations |= 16 << LASTING
    return situations


@entry(int64(POSITION, WORK, LOOKUP, int64))
def classify(pos: Record, work: Record, lookup: Record, move: int) -> int:
    """Return the intents of a legal move as bits."""
    side = pos.turn
    origin, target = origin_of(move), target_of(move)
    slot = slot_of(pos.board[origin])
    intents = 0
    if pos.board[target] != 0:
        intents |= 1 << 0
        last = pos.height - 1
        if last >= 0 and pos.past_captured[last] != 0 and target_of(int64(pos.past_move[last])) == target:
            intents |= 1 << 1
    intents |= gives_check(pos, lookup, move) << 2
    if hanging(pos, work, lookup) >> slot & 1:
        intents |= 1 << 6
    home = lookup.rank_of[origin] == (0 if side == 0 else 9)
    if home and slot >= FIRST_HORSE and slot < FIRST_CANNON:
        intents |= 1 << 7
    if slot >= FIRST_HORSE and (origin >= 45) != (target >= 45) and (target >= 45) == (side == 0):
        intents |= 1 << 8
    if is_cannon(slot) and lookup.file_of[target] == 4 and lookup.file_of[origin] != 4:
        intents |= 1 << 9
    was_open = has_open_file(pos, lookup, side)
    # New attacks: what hangs for the enemy after the move, less what would hang after a pass.
    pos.turn ^= 1
    before = hanging(pos, work, lookup)
    pos.turn ^= 1
    do_move(pos, lookup, move)
    new = hanging(pos, work, lookup) & ~before
    if is_rook(slot):
        intents |= (has_open_file(pos, lookup, side) & (was_open ^ 1)) << 10
    undo_move(pos, lookup)
    intents |= (
        (1 if new & ROOKS else 0) << 3 | (1 if new & HORSES_AND_CANNONS else 0) << 4 | (1 if new & PAWNS else 0) << 5
    )
    return intents


def situations_of(pos: Record) -> int:
    """Return all situations of a position, as bits."""
    return int(describe(pos, THREAD_WORK.record, LOOKUP_RECORD))


def intents_of(pos: Record, move: int) -> int:
    """Return the intents of a legal move, as bits."""
    return int(classify(pos, THREAD_WORK.record, LOOKUP_RECORD, move))
