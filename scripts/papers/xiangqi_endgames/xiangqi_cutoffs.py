"""Cut-offs on trees of Xiangqi positions: all legal moves to one depth, cut only by bounds passed down.

No transposition table, no quiescence search: the tree is fixed, the evaluation in force values its leaves, and only
the bounds and the order of moves decide how much of it is visited.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from scripts.papers.xiangqi_endgames.cutoffs import ALL_LEVELS, WHOLE, ideal_leaves

from siqi.games.kernel.intrinsics import recurse_4
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

ORDERS = ("none", "evaluation", "tuned")
"""The orders of moves: as generated; by the evaluation of the leaves (paper 5, section 4); by the engine's own."""

_BY_LEAVES, _BY_TUNED = 1, 2


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def negamax(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, mode: int) -> int:
    """Search to `depth`; return the value in (alpha, beta), fail-soft, the mover's view.

    `mode`: WHOLE, THREE_LEVELS or ALL_LEVELS, plus 4 times the place in ORDERS. Counts nodes in work.nodes and leaves
    in work.tbhits.
    """
    work.nodes += 1
    if depth == 0:
        work.tbhits += 1
        return evaluate(pos, work, lookup)
    ply = pos.height - work.root_height
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    if end == first:
        work.tbhits += 1
        return LOST + ply
    order = mode >> 2
    for i in range(first, end):
        work.move_scores[i] = 0
        if order != 0:
            do_move(pos, lookup, int64(work.moves[i]))
            work.move_scores[i] = -(
                evaluate(pos, work, lookup) if order == _BY_LEAVES else evaluate_by_terms(pos, work, lookup)
            )
            undo_move(pos, lookup)
    best = int64(LOST - 1)
    for i in range(first, end):
        move = pick(work, i, end)
        windows = mode & 3
        lower = max(alpha, best)
        below = -lower if windows != WHOLE else int64(-LOST + 1)
        above = -beta if windows == ALL_LEVELS else int64(LOST - 1)
        do_move(pos, lookup, move)
        # `above`: the child's bound from this node's ancestors; `below`: the bound from the best move here.
        score = -recurse_4(pos, work, lookup, above, below, depth - 1, mode)
        undo_move(pos, lookup)
        best = max(best, score)
        if windows != WHOLE and best >= beta:
            break
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def _search(pos: Record, work: Record, lookup: Record, depth: int, mode: int) -> int:
    work.nodes, work.tbhits = 0, 0
    work.root_height = pos.height
    return negamax(pos, work, lookup, int64(LOST - 1), int64(-LOST + 1), depth, mode)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def count(pos: Record, work: Record, lookup: Record, depth: int, a: int, b: int, c: int) -> int:
    """Count all nodes in work.nodes; return the leaves, positions without a move included."""
    ply = pos.height - work.root_height
    first = ply * MAX_MOVES
    work.nodes += 1
    end = generate_legal(pos, work, lookup, first, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    if end == first:
        return 1
    if depth == 1:
        work.nodes += end - first
        return end - first
    leaves = int64(0)
    for i in range(first, end):
        do_move(pos, lookup, int64(work.moves[i]))
        leaves += recurse_4(pos, work, lookup, depth - 1, a, b, c)
        undo_move(pos, lookup)
    return leaves


@entry(int64(POSITION, WORK, LOOKUP, int64))
def _count(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    work.nodes = 0
    work.root_height = pos.height
    return count(pos, work, lookup, depth, int64(0), int64(0), int64(0))


class Visited(NamedTuple):
    """The nodes that a search of a tree visited."""

    value: int
    """Centipawns, the mover's view."""
    leaves: int
    nodes: int
    ms: float


def search_tree(fen: str, depth: int, windows: int, order: str, evaluation: str) -> Visited:
    """Search the tree below a position; bounds as in cutoffs.py, the order one of ORDERS."""
    record, work = XiangqiPosition(fen).record, new_record(WORK_DTYPE)
    choose(evaluation).prepare([work])
    started = time.perf_counter()
    value = int(_search(record, work, LOOKUP_RECORD, depth, windows + 4 * ORDERS.index(order)))
    spent_ms = 1000 * (time.perf_counter() - started)
    return Visited(value, int(work.tbhits), int(work.nodes), spent_ms)


class Size(NamedTuple):
    """The size of a tree."""

    leaves: int
    nodes: int
    ideal: float
    """Leaves by the paper's formula NED, for a uniform tree of this depth and number of leaves."""


def size_of(fen: str, depth: int) -> Size:
    """Count the whole tree below a position, `depth` >= 1 plies."""
    record, work = XiangqiPosition(fen).record, new_record(WORK_DTYPE)
    leaves = int(_count(record, work, LOOKUP_RECORD, depth))
    return Size(leaves, int(work.nodes), ideal_leaves(leaves ** (1 / depth), depth))
