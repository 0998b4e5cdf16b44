"""A plain search of Xiangqi, as programs of the papers' time had it: alpha-beta to a fixed depth, and nothing else."""

from __future__ import annotations

from siqi.games.kernel.intrinsics import recurse_3
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record
from siqi.games.kernel.node import pick
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.evaluation.choice import choose
from siqi.games.xiangqi.evaluation.evaluate import evaluate
from siqi.games.xiangqi.evaluation.terms import evaluate_by_terms
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, checks_and_pins, generate_legal
from siqi.games.xiangqi.rules.position import POSITION, do_move, undo_move
from siqi.games.xiangqi.rules.work import MAX_MOVES, WORK, WORK_DTYPE

LOST = -30_000
"""The value of a lost position, less one for each ply on the way to it."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def alpha_beta(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int) -> int:
    """Search to `depth`; return the value in (alpha, beta), fail-soft, the mover's view.

    Moves are ordered by the engine's terms after them, which is fast; the evaluation in force values the leaves.
    """
    if depth == 0:
        return evaluate(pos, work, lookup)
    ply = pos.height - work.root_height
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    if end == first:
        return LOST + ply
    for i in range(first, end):
        do_move(pos, lookup, int64(work.moves[i]))
        work.move_scores[i] = -evaluate_by_terms(pos, work, lookup)
        undo_move(pos, lookup)
    best = int64(LOST - 1)
    for i in range(first, end):
        move = pick(work, i, end)
        do_move(pos, lookup, move)
        best = max(best, -recurse_3(pos, work, lookup, -beta, -max(alpha, best), depth - 1))
        undo_move(pos, lookup)
        if best >= beta:
            break
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def _value(pos: Record, work: Record, lookup: Record, beta: int, depth: int) -> int:
    work.root_height = pos.height
    return alpha_beta(pos, work, lookup, int64(LOST - 1), beta, depth)


class PlainSearch:
    """Alpha-beta with an evaluation, by its name in the option `Evaluation`: no table, no quiescence search."""

    def __init__(self, evaluation: str) -> None:
        self._work = new_record(WORK_DTYPE)
        self._evaluation = choose(evaluation)
        self._evaluation.prepare([self._work])

    def best_move(self, position: XiangqiPosition, depth: int) -> int:
        """Return the best legal move to `depth` >= 1; of equals the first generated."""
        return self._best(position, depth)[0]

    def best_value(self, position: XiangqiPosition, depth: int) -> int:
        """Return the value of the best legal move; a mate counts its plies from after the move."""
        return self._best(position, depth)[1]

    def _best(self, position: XiangqiPosition, depth: int) -> tuple[int, int]:
        best, found = LOST - 1, -1
        for move in position.legal_moves():
            position.push(move)
            value = -int(_value(position.record, self._work, LOOKUP_RECORD, -best, depth - 1))
            position.pop()
            if value > best:
                best, found = value, move
        return found, best
