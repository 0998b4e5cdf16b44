"""Static evaluation of a full position or a world: the terms (terms.py), and a network's value added to their sum.

Both are in hundredths of log odds; the logistic function turns the sum into the first side's chance. In a search sums
and accumulators follow the moves of its line; `choice.Evaluation` gives a thread the memory for them.
"""

from __future__ import annotations

import math

from siqi.games.contract import Score
from siqi.games.junqi.data.weights import TERMS
from siqi.games.junqi.evaluation.accumulator import begin_accumulators, follow_accumulators, network_value
from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.evaluation.sums import begin_sums, follow_sums, mobile_pieces, sum_in_line
from siqi.games.junqi.evaluation.terms import CONTACT_WEIGHT, count_terms_here, steps_overdue_here, sum_terms
from siqi.games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.junqi.rules.position import POSITION
from siqi.games.junqi.rules.work import WORK, WORK_DTYPE
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, new_record, void

FLAT_SHARE = 0.1
"""Share of a ten times flatter logistic in the chance: far ahead, better still scores higher than worse."""


@inner(float64(float64), forceinline=True)
def chance_of(total: float) -> float:
    """Return the first side's chance from a sum in hundredths of log odds."""
    return (1 - FLAT_SHARE) / (1.0 + math.exp(-total / 100)) + FLAT_SHARE / (1.0 + math.exp(-total / 1000))


@inner(float64(POSITION, WORK, LOOKUP))
def evaluate(pos: Record, work: Record, lookup: Record) -> float:
    """Return the first side's chance in a full position, 0..1: exact if a flag has fallen, else by the terms.

    For playouts and the papers' players, which do without CONTACT_WEIGHT and a network.
    """
    if pos.loser >= 0:
        return float64(pos.loser)
    return chance_of(sum_terms(pos, work, lookup))


# ---------------------------------------------------------------- along a line


@inner(void(POSITION, WORK, LOOKUP, int64))
def begin_line(pos: Record, work: Record, lookup: Record, ply: int) -> None:
    """Begin a line with a position in which all pieces are known, as its `ply`."""
    begin_sums(pos, work, lookup, ply)
    if work.network != 0:
        begin_accumulators(pos, work, ply)


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64, int64), forceinline=True)
def follow_move(pos: Record, work: Record, lookup: Record, ply: int, next_ply: int, move: int, code: int) -> None:
    """Go on from `pos`, the position of `ply`, to `next_ply`, which a move leads to."""
    follow_sums(pos, work, lookup, ply, next_ply, move, code)
    if work.network != 0:
        follow_accumulators(pos, work, ply, next_ply, move, code)


@inner(float64(POSITION, WORK, LOOKUP, int64))
def evaluate_in_line(pos: Record, work: Record, lookup: Record, ply: int) -> float:
    """Return the first side's chance in the position of a line's ply, in which both flags stand: 0..1."""
    total = sum_in_line(pos, work, lookup, ply) / 10
    if work.network != 0:
        total += (1 - 2 * pos.turn) * network_value(pos, work, ply, mobile_pieces(work, ply))
    return chance_of(total)


# ---------------------------------------------------------------- of one position


@entry(float64(POSITION, WORK, LOOKUP))
def evaluate_here(pos: Record, work: Record, lookup: Record) -> float:
    """Return to Python what a search makes of a position; `Evaluation.prepare` must have had this working memory."""
    if pos.loser >= 0:
        return float64(pos.loser)
    begin_line(pos, work, lookup, int64(0))
    return evaluate_in_line(pos, work, lookup, int64(0))


@entry(int64(POSITION, WORK))
def _network_here(pos: Record, work: Record) -> int:
    """Return the network's value for the side to move, after `evaluate_here`."""
    return network_value(pos, work, int64(0), mobile_pieces(work, int64(0)))


def explain(pos: Record, evaluation: Evaluation) -> list[str]:
    """Return the lines of `eval` for a full position: its terms and the network's value, the score last."""
    work = new_record(WORK_DTYPE)
    evaluation.prepare([work])
    chance = evaluate_here(pos, work, LOOKUP_RECORD)
    if pos.loser >= 0:
        return [total_line(pos.turn, chance)]
    count_terms_here(pos, work, LOOKUP_RECORD)
    counts = [*work.terms, steps_overdue_here(pos, work, LOOKUP_RECORD)]
    weights = {**TERMS, "steps to contact": CONTACT_WEIGHT}
    counted = zip(weights.items(), counts, strict=True)
    lines = [f"{name} {int(count):+d} x {weight}" for (name, weight), count in counted if count]
    if work.network:
        lines.append(f"network {(1 - 2 * int(pos.turn)) * _network_here(pos, work):+d}")
    return [*lines, total_line(pos.turn, chance)]


def total_line(turn: int, chance: float) -> str:
    """Return the last line of `eval`: centipawns, the mover's view, from the first side's chance."""
    return f"total {Score.from_expected(1 - chance if turn else chance).cp:+d} for the side to move"
