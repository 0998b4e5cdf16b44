"""The static value of a Xiangqi position by the evaluation in use, and the scale of drawish endings.

work.evaluator is the address of the evaluation's kernel: that of a network (accumulator.py), of the terms or of the
paper (choice.py). Only the one in use is compiled: without the terms' the first load takes 0.6 s less.
"""

from __future__ import annotations

from siqi.games.kernel.intrinsics import call_at
from siqi.games.kernel.jit import Record, inner, int64
from siqi.games.xiangqi.data.endings import RESISTANCES
from siqi.games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, LOOKUP, PAWN, ROOK
from siqi.games.xiangqi.rules.position import POSITION, count_kind
from siqi.games.xiangqi.rules.work import WORK


@inner(int64(POSITION, WORK, LOOKUP), forceinline=True)
def evaluate(pos: Record, work: Record, lookup: Record) -> int:
    """Return the static value in centipawns for the side to move; it is far within PERPETUAL_WIN.

    Checks, repetitions, quiet plies and the tablebase are not looked at. Overwrites pos.terms, pos.phase and
    pos.scale_factor.
    """
    return call_at(work.evaluator, pos, work, lookup)


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def scale_factor(pos: Record, lookup: Record, better: int) -> int:
    """Return the sixteenths of its advantage that side `better` can hope to turn into a win (endings.py)."""
    worse = better ^ 1
    attack = count_kind(pos, better, int64(HORSE))
    attack = 3 * attack + count_kind(pos, better, int64(ROOK))
    attack = 3 * attack + count_kind(pos, better, int64(CANNON))
    attack = 6 * attack + count_kind(pos, better, int64(PAWN))
    resistance = int64(0)
    for kind in range(HORSE, PAWN + 1):
        resistance += count_kind(pos, worse, int64(kind))
    resistance = 3 * min(resistance, 2) + count_kind(pos, worse, int64(ADVISOR))
    resistance = 3 * resistance + count_kind(pos, worse, int64(ELEPHANT))
    return int64(lookup.scale_factors[attack * RESISTANCES + resistance])
