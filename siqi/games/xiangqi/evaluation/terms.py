"""The evaluation by terms: counts on the board, linear in their weights, so that a regression can fit them.

do_move keeps material and piece-square values up to date (`pos.score`). `count_terms` counts features that depend on
more than one piece, and `evaluate_by_terms` multiplies the counts by their weights. A weight has two halves, for the
middle game and the endgame, packed in one number (weights.py); `tapered` mixes the halves by the pieces left.

The kernels `count_...` add the counts of one side to pos.terms. `sign`: 1 for Red, -1 for Black.
"""

from __future__ import annotations

from siqi.games.kernel.intrinsics import popcount, trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, outlined, void
from siqi.games.xiangqi.data.endings import WHOLE
from siqi.games.xiangqi.data.weights import TERMS
from siqi.games.xiangqi.evaluation.evaluate import scale_factor
from siqi.games.xiangqi.rules.lookup import (
    ADVISOR,
    CANNON,
    CAPTURED,
    ELEPHANT,
    FIRST_CANNON,
    FIRST_ELEPHANT,
    FIRST_HORSE,
    FIRST_PAWN,
    FIRST_ROOK,
    HORSE,
    LOOKUP,
    LOOKUP_RECORD,
    ROOK,
    SLOTS,
)
from siqi.games.xiangqi.rules.position import POSITION, count_kind, is_cannon, is_pawn, is_rook
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE

(
    ROOK_MOBILITY, CANNON_MOBILITY, HORSE_MOBILITY, HOBBLED_HORSE, ROOK_IN_PALACE, CANNON_IN_PALACE, HORSE_IN_PALACE,
    ADVISORS_BY_ROOKS, ADVISORS_BY_HORSES, ELEPHANTS_BY_CANNONS, BARE_CANNON, SCREENED_CANNON, CORNER_CANNON,
    LINKED_PAWNS, FULL_DEFENCE, TEMPO, ATTACKERS, CROSSED_PAWNS, NO_ROOK, CANNON_PAIR, HORSE_PAIR, CANNONS_ON_ROOKS,
    HORSES_ON_ROOKS, KING_STEPS, ROOK_FILES, BLOCKED_EYES, SIEGE,
) = range(len(TERMS))  # fmt: skip

FULL_PHASE = 32
"""Phase of the start position: rooks count 4, cannons and horses 2."""

PALACE_FILES = 0b000111000
"""Bits of the files of the palaces."""


@inner(void(POSITION, LOOKUP, int64, int64, int64), forceinline=True)
def count_lines(pos: Record, lookup: Record, side: int, sign: int, pawn_files: int) -> None:
    """Count squares that rooks and cannons reach, and those that they attack in the enemy palace.

    For rooks also files without own pawns (`pawn_files`: a bit per file); for cannons corners and enemy rooks attacked.
    """
    base = 16 << side
    palace_ranks = 0b1110000000 if side == 0 else 0b0000000111
    for slot in range(FIRST_ROOK, FIRST_PAWN):
        square = int64(pos.square[base + slot])
        if square >= CAPTURED:
            continue
        rank = int64(lookup.rank_of[square])
        file = int64(lookup.file_of[square])
        across = int64(lookup.rank_targets[file << 9 | pos.rank_bits[rank]])
        along = int64(lookup.file_targets[rank << 10 | pos.file_bits[file]])
        reached = popcount((across & 511) | (along & 1023) << 9)
        in_palace = int64(0)
        taken = 10 if slot < FIRST_CANNON else 20
        if palace_ranks >> rank & 1:
            in_palace += popcount(((across >> taken) | (across if slot < FIRST_CANNON else 0)) & PALACE_FILES)
        if PALACE_FILES >> file & 1:
            in_palace += popcount(((along >> taken) | (along if slot < FIRST_CANNON else 0)) & palace_ranks)
        if slot < FIRST_CANNON:
            pos.terms[ROOK_MOBILITY] += sign * reached
            pos.terms[ROOK_IN_PALACE] += sign * in_palace
            if pawn_files >> file & 1 == 0:
                pos.terms[ROOK_FILES] += sign
        else:
            pos.terms[CANNON_MOBILITY] += sign * reached
            pos.terms[CANNON_IN_PALACE] += sign * in_palace
            if rank == (9 if side == 0 else 0) and (file == 0 or file == 8):
                pos.terms[CORNER_CANNON] += sign
            hits = (across >> 20 & 511) | (along >> 20 & 1023) << 9
            while hits:
                victim = int64(pos.board[lookup.line_square[square * 20 + trailing_zeros(hits)]]) - (48 - base)
                if is_rook(victim):
                    pos.terms[CANNONS_ON_ROOKS] += sign
                hits &= hits - 1


@inner(void(POSITION, LOOKUP, int64, int64), forceinline=True)
def count_horses(pos: Record, lookup: Record, side: int, sign: int) -> None:
    """Count free steps of horses, hobbled horses, steps into the enemy palace, enemy rooks attacked."""
    base = 16 << side
    palace_ranks = 0b1110000000 if side == 0 else 0b0000000111
    for slot in range(FIRST_HORSE, FIRST_ROOK):
        square = int64(pos.square[base + slot])
        if square >= CAPTURED:
            continue
        reached = int64(0)
        i = square * 17
        target = int64(lookup.horse_steps[i])
        while target >= 0:
            if pos.board[lookup.horse_steps[i + 1]] == 0:
                if PALACE_FILES >> lookup.file_of[target] & 1 and palace_ranks >> lookup.rank_of[target] & 1:
                    pos.terms[HORSE_IN_PALACE] += sign
                if pos.board[target] & base == 0:
                    reached += 1
                    victim = int64(pos.board[target]) - (48 - base)
                    if is_rook(victim):
                        pos.terms[HORSES_ON_ROOKS] += sign
            i += 2
            target = int64(lookup.horse_steps[i])
        pos.terms[HORSE_MOBILITY] += sign * reached
        if reached <= 1:
            pos.terms[HOBBLED_HORSE] += sign


@inner(void(POSITION, int64, int64), forceinline=True)
def count_material(pos: Record, side: int, sign: int) -> None:
    """Count defenders missing against each kind of attackers, pairs of a kind, a lack of rooks; add to pos.phase."""
    other = side ^ 1
    advisors = count_kind(pos, side, int64(ADVISOR))
    elephants = count_kind(pos, side, int64(ELEPHANT))
    pos.terms[ADVISORS_BY_ROOKS] += sign * (2 - advisors) * count_kind(pos, other, int64(ROOK))
    pos.terms[ADVISORS_BY_HORSES] += sign * (2 - advisors) * count_kind(pos, other, int64(HORSE))
    pos.terms[ELEPHANTS_BY_CANNONS] += sign * (2 - elephants) * count_kind(pos, other, int64(CANNON))
    if advisors + elephants == 4:
        pos.terms[FULL_DEFENCE] += sign
    rooks = count_kind(pos, side, int64(ROOK))
    horses = count_kind(pos, side, int64(HORSE))
    cannons = count_kind(pos, side, int64(CANNON))
    pos.phase += 4 * rooks + 2 * (horses + cannons)
    if rooks == 0 and count_kind(pos, other, int64(ROOK)) > 0:
        pos.terms[NO_ROOK] += sign
    if horses == 2:
        pos.terms[HORSE_PAIR] += sign
    if cannons == 2:
        pos.terms[CANNON_PAIR] += sign


@inner(void(POSITION, LOOKUP, int64, int64), forceinline=True)
def count_elephants(pos: Record, lookup: Record, side: int, sign: int) -> None:
    """Count elephants' eyes that are blocked."""
    for slot in range(FIRST_ELEPHANT, FIRST_HORSE):
        square = int64(pos.square[(16 << side) + slot])
        if square < CAPTURED:
            i = square * 9
            while lookup.elephant_steps[i] >= 0:
                if pos.board[lookup.elephant_steps[i + 1]] != 0:
                    pos.terms[BLOCKED_EYES] += sign
                i += 2


@inner(void(POSITION, LOOKUP, int64, int64), forceinline=True)
def count_king(pos: Record, lookup: Record, side: int, sign: int) -> None:
    """Count steps of the king, and enemy cannons before it on its file: bare ones, and those behind two pieces."""
    base = 16 << side
    king = int64(pos.square[base])
    i = king * 5
    target = int64(lookup.king_steps[i])
    while target >= 0:
        if pos.board[target] & base == 0:
            pos.terms[KING_STEPS] += sign
        i += 1
        target = int64(lookup.king_steps[i])
    file = int64(lookup.file_of[king])
    near = int64(lookup.file_blockers[int64(lookup.rank_of[king]) << 10 | pos.file_bits[file]])
    if side == 0:
        near >>= 12
    enemy = 48 - base
    first = int64(pos.board[(near & 15) * 9 + file]) - enemy
    second = int64(pos.board[(near >> 4 & 15) * 9 + file])
    third = int64(pos.board[(near >> 8 & 15) * 9 + file]) - enemy
    if is_cannon(first):
        pos.terms[BARE_CANNON] += sign
    if is_cannon(third) and second & base:
        pos.terms[SCREENED_CANNON] += sign


@inner(int64(POSITION, LOOKUP, int64, int64), forceinline=True)
def count_pawns(pos: Record, lookup: Record, side: int, sign: int) -> int:
    """Count pawns side by side; return the files of all pawns, a bit each."""
    base = 16 << side
    files = int64(0)
    for slot in range(FIRST_PAWN, SLOTS):
        square = int64(pos.square[base + slot])
        if square >= CAPTURED:
            continue
        files |= 1 << lookup.file_of[square]
        beside = int64(pos.board[square + 1]) - base
        if lookup.file_of[square] < 8 and is_pawn(beside):
            pos.terms[LINKED_PAWNS] += sign
    return files


@inner(void(POSITION, int64, int64), forceinline=True)
def count_attackers(pos: Record, side: int, sign: int) -> None:
    """Count attackers beyond the river in pairs, pawns also singly, and by the defenders that are missing.

    Pairs, since attackers together are worth more than one by one.
    """
    attackers, crossed = 0, 0
    for slot in range(FIRST_HORSE, SLOTS):
        square = int64(pos.square[(16 << side) + slot])
        if square < CAPTURED and (square >= 45) == (side == 0):
            attackers += 1
            if slot >= FIRST_PAWN:
                crossed += 1
    pos.terms[ATTACKERS] += sign * (attackers * (attackers - 1) // 2)
    pos.terms[CROSSED_PAWNS] += sign * (crossed * (crossed - 1) // 2)
    defenders = count_kind(pos, side ^ 1, int64(ADVISOR)) + count_kind(pos, side ^ 1, int64(ELEPHANT))
    pos.terms[SIEGE] += sign * attackers * (4 - defenders)


@inner(void(POSITION, LOOKUP))
def count_terms(pos: Record, lookup: Record) -> None:
    """Write pos.terms, Red's counts less Black's, and pos.phase."""
    for term in range(len(TERMS)):
        pos.terms[term] = 0
    pos.phase = 0
    for side in range(2):
        sign = 1 - 2 * side
        pawn_files = count_pawns(pos, lookup, side, sign)
        count_lines(pos, lookup, side, sign, pawn_files)
        count_horses(pos, lookup, side, sign)
        count_king(pos, lookup, side, sign)
        count_elephants(pos, lookup, side, sign)
        count_attackers(pos, side, sign)
        count_material(pos, side, sign)
    pos.terms[TEMPO] = 1 - 2 * pos.turn


@inner(int64(int64, int64), forceinline=True)
def tapered(packed: int, phase: int) -> int:
    """Return the mix of a packed sum's halves: the first at FULL_PHASE, the second at phase 0; rounded down."""
    middle = ((packed + 0x8000) & 0xFFFF) - 0x8000
    end = (packed - middle) >> 16
    phase = min(phase, FULL_PHASE)
    return (middle * phase + end * (FULL_PHASE - phase)) // FULL_PHASE


@outlined(int64(POSITION, WORK, LOOKUP))
def evaluate_by_terms(pos: Record, work: Record, lookup: Record) -> int:
    """Return the static value in centipawns for the side to move.

    It depends on the board and on the turn; checks, repetitions, quiet plies and the tablebase are not looked at. It is
    far within PERPETUAL_WIN. Overwrites pos.terms, pos.phase and pos.scale_factor.
    """
    count_terms(pos, lookup)
    packed = pos.score
    for term in range(len(TERMS)):
        packed += int64(pos.terms[term]) * int64(lookup.terms[term])
    value = tapered(packed, pos.phase)
    pos.scale_factor = scale_factor(pos, lookup, int64(0) if value > 0 else int64(1))
    value = value * pos.scale_factor // WHOLE
    return value if pos.turn == 0 else -value


evaluator = evaluate_by_terms
"""The kernel that choice.py takes from the module of an evaluation."""


@entry(int64(POSITION, WORK, LOOKUP), is_rare=True)
def _fill(pos: Record, work: Record, lookup: Record) -> int:
    return evaluate_by_terms(pos, work, lookup)


@entry(int64(int64, int64), is_rare=True)
def _mix(packed: int, phase: int) -> int:
    return tapered(packed, phase)


_UNUSED_WORK = new_record(WORK_DTYPE)  # its pages are never touched


def fill_terms(pos: Record) -> int:
    """Write pos.terms, pos.phase and pos.scale_factor for Python to read; return the value."""
    return int(_fill(pos, _UNUSED_WORK, LOOKUP_RECORD))


def explain(pos: Record) -> list[str]:
    """Return the evaluation as lines, one per term: centipawns, Red's view, and the count. The total is the mover's."""
    total = fill_terms(pos)
    phase = int(pos.phase)
    lines = [f"material and squares {int(_mix(int(pos.score), phase)):+d}"]
    for term, name in enumerate(TERMS):
        count = int(pos.terms[term])
        lines.append(f"{name} {int(_mix(count * int(LOOKUP_RECORD.terms[term]), phase)):+d} ({count:+d})")
    lines.append(f"winnable {int(pos.scale_factor)}/{WHOLE}")
    return [*lines, f"total {total:+d} for the side to move"]
