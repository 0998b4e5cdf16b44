"""The evaluation of paper 5 (Xiao, Wang, section 3), for endgames: values of pieces and scores of the situation.

The paper gives rook 100, horse 45 to 50, cannon 50 to 45, pawn 10 to 30, and 1 to 500 for a situation: attacks on the
palace, control of the king, check, mate threat, its relief, disturbed attacks, captures, chases, double attacks. Both
sides' sums are subtracted. What the paper leaves open is chosen here:

- A horse gains and a cannon loses a point for each six pieces that have left the board, since a cannon needs others; a
  pawn gains as rooks, horses and cannons leave, since its power shows when most of them are gone.
- Advisors and elephants, which the paper does not mention, count 20, a fifth of a rook as in our exchanges. A king is
  never lost.
- A piece hangs if taking it wins material in an exchange by our values, or if a king can take it.
- The scores of situations (SCORES). The mate at hand has the paper's highest.

Kernels add a side's counts to pos.terms. `sign`: 1 for Red, -1 for Black. The search sees mates and repetitions itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.kernel.intrinsics import popcount
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, outlined, void
from siqi.games.xiangqi.data.weights import EXCHANGE, KINDS, TERMS
from siqi.games.xiangqi.evaluation.exchange import hanging
from siqi.games.xiangqi.rules.lookup import (
    ADVISOR,
    CAPTURED,
    FIRST_CANNON,
    FIRST_HORSE,
    FIRST_PAWN,
    FIRST_ROOK,
    LOOKUP,
    LOOKUP_RECORD,
    PAWN,
    SLOTS,
)
from siqi.games.xiangqi.rules.mates import mates_at_once
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, IN_CHECK, checks_and_pins, generate_legal, is_safe
from siqi.games.xiangqi.rules.position import (
    POSITION,
    count_kind,
    count_strong,
    do_move,
    make_move,
    slot_of,
    undo_move,
)
from siqi.games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, WORK, WORK_DTYPE

PIECES = ("advisors", "elephants", "horses", "rooks", "cannons", "pawns")
"""The first terms, in the order of the kinds from ADVISOR on."""

SCORES = {
    "check": 60,
    "mate at hand": 500,
    "mate threat": 300,
    "relief from mate": 200,
    "palace attack": 4,
    "king control": 12,
    "disturbed attack": 10,
    "capture": 15,
    "chase": 8,
    "double attack": 40,
}
"""Points of each situation.

- check: the enemy is in check. mate at hand: the mover mates with its move. mate threat: the other side would mate if
  it had the move. relief from mate: the mover has an answer after which the threat is gone.
- palace attack: squares of the enemy's palace that a piece attacks. king control: points to which the enemy's king
  cannot step, because they are attacked.
- disturbed attack: enemy pieces that attack the own palace and hang. capture: enemy pieces that hang and the mover can
  take. chase: those that the other side attacks. double attack: a check with a piece that hangs, or two that hang.
"""

PAPER_TERMS = (*PIECES, *SCORES)
"""Names of the terms, in the order of their counts in pos.terms."""

assert len(PAPER_TERMS) <= len(TERMS)

(
    ADVISORS, ELEPHANTS, HORSES, ROOKS, CANNONS, PAWNS, CHECK, MATE_AT_HAND, MATE_THREAT, RELIEF, PALACE_ATTACK,
    KING_CONTROL, DISTURBED, CAPTURE, CHASE, DOUBLE_ATTACK,
) = range(len(PAPER_TERMS))  # fmt: skip

POINTS = (20, 20, 45, 100, 50, 10, *SCORES.values())
"""Points of each term; those of horses, cannons and pawns with all pieces on the board."""

PIECES_AT_START, GONE_PER_POINT = 30, 6
"""Pieces of both sides without kings; how many leave for a point of change: a horse ends at 50, a cannon at 45."""

STRONG_AT_START, PAWN_GROWTH = 12, 20
"""Rooks, horses and cannons of both sides, and what a pawn gains until all are gone: it ends at 30."""

CENTIPAWNS = EXCHANGE[KINDS.index("r")] // POINTS[ROOKS]
"""Centipawns of a point, so that a rook is worth as much as in exchanges: the search's margins are in centipawns."""

MAX_POINTS = 1500
"""Bound of the value: it stays below that of a known win (known.py)."""

_MOVES, _ANSWERS, _REPLIES = (MAX_MOVES * (MAX_PLY + ply) for ply in (2, 3, 4))
"""Places in work.moves above those of the search."""

PALACE_FILES = 0b000111000
"""Bits of the files of the palaces."""


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def palace_attacks(pos: Record, lookup: Record, side: int) -> int:
    """Return a side's attacks on points of the enemy palace and the slots that attack, as `count << 16 | bits`.

    A cannon attacks only what it could take.
    """
    base = 16 << side
    palace_ranks = 0b1110000000 if side == 0 else 0b0000000111
    total = int64(0)
    for slot in range(FIRST_HORSE, SLOTS):
        square = int64(pos.square[base + slot])
        if square >= CAPTURED:
            continue
        attacks = int64(0)
        if slot < FIRST_ROOK:
            i = square * 17
            while lookup.horse_steps[i] >= 0:
                target = int64(lookup.horse_steps[i])
                if PALACE_FILES >> lookup.file_of[target] & 1 and palace_ranks >> lookup.rank_of[target] & 1:
                    if pos.board[lookup.horse_steps[i + 1]] == 0:
                        attacks += 1
                i += 2
        elif slot < FIRST_PAWN:
            rank = int64(lookup.rank_of[square])
            file = int64(lookup.file_of[square])
            across = int64(lookup.rank_targets[file << 9 | pos.rank_bits[rank]])
            along = int64(lookup.file_targets[rank << 10 | pos.file_bits[file]])
            if slot < FIRST_CANNON:
                across |= across >> 10
                along |= along >> 10
            else:
                across >>= 20
                along >>= 20
            if palace_ranks >> rank & 1:
                attacks += popcount(across & PALACE_FILES)
            if PALACE_FILES >> file & 1:
                attacks += popcount(along & palace_ranks)
        else:
            i = (side * 90 + square) * 4
            while lookup.pawn_steps[i] >= 0:
                target = int64(lookup.pawn_steps[i])
                if PALACE_FILES >> lookup.file_of[target] & 1 and palace_ranks >> lookup.rank_of[target] & 1:
                    attacks += 1
                i += 1
        if attacks > 0:
            total = total + (attacks << 16) | 1 << slot
    return total


@inner(int64(POSITION, LOOKUP), forceinline=True)
def controlled_steps(pos: Record, lookup: Record) -> int:
    """Return the number of steps of the king of the side to move after which it could be captured.

    Steps onto own pieces do not count.
    """
    king = int64(pos.square[16 << pos.turn])
    controlled = int64(0)
    i = king * 5
    while lookup.king_steps[i] >= 0:
        target = int64(lookup.king_steps[i])
        if pos.board[target] & (16 << pos.turn) == 0:
            controlled += 1 - is_safe(pos, lookup, make_move(king, target))
        i += 1
    return controlled


@inner(int64(POSITION, LOOKUP), forceinline=True)
def taken_by_king(pos: Record, lookup: Record) -> int:
    """Return the slots of the enemy pieces, as bits, that the king of the side to move can take."""
    king = int64(pos.square[16 << pos.turn])
    slots = int64(0)
    i = king * 5
    while lookup.king_steps[i] >= 0:
        target = int64(lookup.king_steps[i])
        piece = int64(pos.board[target])
        if piece & (32 >> pos.turn) != 0 and is_safe(pos, lookup, make_move(king, target)) == 1:
            slots |= 1 << slot_of(piece)
        i += 1
    return slots


@inner(int64(POSITION, WORK, LOOKUP))
def has_relief(pos: Record, work: Record, lookup: Record) -> int:
    """Return 1 if a move of the side to move leaves the enemy without a mate at once, else 0."""
    end = generate_legal(pos, work, lookup, _MOVES, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    for i in range(_MOVES, end):
        do_move(pos, lookup, int64(work.moves[i]))
        is_relieved = mates_at_once(pos, work, lookup, int64(_ANSWERS), int64(_REPLIES)) == 0
        undo_move(pos, lookup)
        if is_relieved:
            return 1
    return 0


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def count_mates(pos: Record, work: Record, lookup: Record, in_check: int) -> None:
    """Count the mate at hand, or the mate threatened and its relief; a check leaves no time to threaten."""
    sign = 1 - 2 * pos.turn
    if mates_at_once(pos, work, lookup, int64(_MOVES), int64(_ANSWERS)) == 1:
        pos.terms[MATE_AT_HAND] += sign
    elif in_check == 0:
        pos.turn ^= 1
        is_threatened = mates_at_once(pos, work, lookup, int64(_MOVES), int64(_ANSWERS))
        pos.turn ^= 1
        if is_threatened == 1:
            pos.terms[MATE_THREAT] -= sign
            pos.terms[RELIEF] += sign * has_relief(pos, work, lookup)


@inner(void(POSITION, WORK, LOOKUP))
def count_paper_terms(pos: Record, work: Record, lookup: Record) -> None:
    """Write pos.terms: Red's counts less Black's, in the order of PAPER_TERMS."""
    for term in range(len(PAPER_TERMS)):
        pos.terms[term] = 0
    mover = pos.turn
    in_check = 1 if checks_and_pins(pos, lookup) & IN_CHECK else 0
    for side in range(2):
        sign = 1 - 2 * side
        for kind in range(ADVISOR, PAWN + 1):
            pos.terms[ADVISORS + kind - ADVISOR] += sign * count_kind(pos, side, int64(kind))
        attacks = palace_attacks(pos, lookup, int64(side))
        pos.terms[PALACE_ATTACK] += sign * (attacks >> 16)
        # The rest is seen from the enemy, as if it were to move.
        pos.turn = side ^ 1
        pos.terms[KING_CONTROL] += sign * controlled_steps(pos, lookup)
        loose = hanging(pos, work, lookup)
        pos.turn = side
        loose |= taken_by_king(pos, lookup)
        pos.turn = mover
        pos.terms[CAPTURE if side == mover else CHASE] += sign * popcount(loose)
        checks = in_check if side != mover else 0
        pos.terms[CHECK] += sign * checks
        if loose != 0 and checks + popcount(loose) >= 2:
            pos.terms[DOUBLE_ATTACK] += sign
        enemies = palace_attacks(pos, lookup, int64(side ^ 1)) & 0xFFFF
        pos.terms[DISTURBED] += sign * popcount(loose & enemies)
    count_mates(pos, work, lookup, in_check)


@inner(int64(POSITION), forceinline=True)
def pieces_gone(pos: Record) -> int:
    """Return the number of pieces that have left the board."""
    gone = int64(PIECES_AT_START)
    for side in range(2):
        for kind in range(ADVISOR, PAWN + 1):
            gone -= count_kind(pos, int64(side), int64(kind))
    return gone


@inner(int64(POSITION, int64), forceinline=True)
def points_of(pos: Record, term: int) -> int:
    """Return the points of one piece or situation, by its place in PAPER_TERMS and by the pieces left."""
    if term == HORSES:
        return POINTS[term] + pieces_gone(pos) // GONE_PER_POINT
    if term == CANNONS:
        return POINTS[term] - pieces_gone(pos) // GONE_PER_POINT
    if term == PAWNS:
        gone = STRONG_AT_START - count_strong(pos, int64(0)) - count_strong(pos, int64(1))
        return POINTS[term] + PAWN_GROWTH * gone // STRONG_AT_START
    return POINTS[term]


@outlined(int64(POSITION, WORK, LOOKUP))
def evaluate_by_paper(pos: Record, work: Record, lookup: Record) -> int:
    """Return the paper's e(x) in centipawns for the side to move.

    It depends on the board and the turn alone, and is far within PERPETUAL_WIN. Overwrites pos.terms and the last three
    plies' places in work.moves.
    """
    count_paper_terms(pos, work, lookup)
    points = int64(0)
    for term in range(len(PAPER_TERMS)):
        points += int64(pos.terms[term]) * points_of(pos, int64(term))
    value = CENTIPAWNS * min(max(points, -MAX_POINTS), MAX_POINTS)
    return value if pos.turn == 0 else -value


evaluator = evaluate_by_paper
"""The kernel that choice.py takes from the module of an evaluation."""


@entry(int64(POSITION, WORK, LOOKUP, int64[::1]), is_rare=True)
def _fill(pos: Record, work: Record, lookup: Record, points: Any) -> int:
    value = evaluate_by_paper(pos, work, lookup)
    for term in range(len(points)):
        points[term] = points_of(pos, int64(term))
    return value


def explain(pos: Record) -> list[str]:
    """Return the evaluation as lines, one per term: points in Red's view, the count, and the points of one.

    The total is the mover's, in centipawns.
    """
    points = np.zeros(len(PAPER_TERMS), np.int64)
    total = int(_fill(pos, new_record(WORK_DTYPE), LOOKUP_RECORD, points))
    lines = []
    for term, name in enumerate(PAPER_TERMS):
        count, worth = int(pos.terms[term]), int(points[term])
        lines.append(f"{name} {count * worth:+d} ({count:+d} of {worth})")
    return [*lines, f"total {total:+d} for the side to move"]
