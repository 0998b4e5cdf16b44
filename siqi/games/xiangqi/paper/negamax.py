"""The search of paper 5 (Xiao, Wang 1997, section 2), and the alpha-beta of paper 2: all legal moves to one depth.

Bounds pass down all levels. Each node is first matched against the user's known positions, and its successors are
ordered by the static evaluation. There is neither a table nor a quiescence search, and repetitions are not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.contract import Line, Score, Task
from siqi.games.kernel.intrinsics import call_at, recurse_3
from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.kernel.node import count_node, pick
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.deepening import DeepeningAdapter
from siqi.games.search.iteration import IterationResult
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.evaluation.evaluate import evaluate
from siqi.games.xiangqi.knowledge.knowledge import Knowledge
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, checks_and_pins, generate_legal
from siqi.games.xiangqi.rules.position import POSITION, do_move, undo_move
from siqi.games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, NO_SCORE, WORK, WORK_DTYPE

LOST = -30_000
"""The value of a lost position, less one for each ply on the way to it."""

MATE_BOUND = -LOST - MAX_PLY
"""Values beyond it are mates, which full width proves."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def negamax(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int) -> int:
    """Search to `depth`; return the value in (alpha, beta), fail-soft, the mover's view.

    It means nothing once work.stopped is 1.
    """
    count_node(work)
    if work.stopped == 1:
        return 0
    ply = pos.height - work.root_height
    work.seldepth = max(work.seldepth, ply)
    # Step 1. A known position needs no search
    if work.known_positions != 0:
        known = call_at(work.find_known, pos, work, lookup)
        if known != NO_SCORE:
            return known
    # Step 2. At the horizon the static value stands
    if depth == 0:
        return evaluate(pos, work, lookup)
    # Step 3. List all legal moves, ordered by the static evaluation after them
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    if end == first:
        return LOST + ply
    for i in range(first, end):
        do_move(pos, lookup, int64(work.moves[i]))
        work.move_scores[i] = -evaluate(pos, work, lookup)
        undo_move(pos, lookup)
    # Step 4. Search them, best first, within the bounds of all levels above
    best = int64(LOST - 1)
    for i in range(first, end):
        move = pick(work, i, end)
        do_move(pos, lookup, move)
        best = max(best, -recurse_3(pos, work, lookup, -beta, -max(alpha, best), depth - 1))
        undo_move(pos, lookup)
        if best >= beta or work.stopped == 1:
            break
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def value_after(pos: Record, work: Record, lookup: Record, move: int, alpha: int, depth: int) -> int:
    """Return the value of a root move above `alpha`, searched `depth` plies deep with this one."""
    work.root_height = pos.height
    do_move(pos, lookup, move)
    value = -negamax(pos, work, lookup, int64(LOST - 1), -alpha, depth - 1)
    undo_move(pos, lookup)
    return value


class NegamaxAdapter(DeepeningAdapter["XiangqiPosition"]):
    """Paper 5's search deepened ply by ply, by one thread; a single reply is returned at once."""

    work_dtype = WORK_DTYPE
    max_depth = MAX_PLY - 1

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    @property
    def values(self) -> object:
        return self._knowledge.values

    def begin(self, task: Task[XiangqiPosition], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        self._work, self._scratch = works[0], task.position.record.copy()
        self._moves = list(task.moves) or task.position.legal_moves()
        self._line = Line(Score(), (self._moves[0],))
        self._knowledge.evaluation.prepare([self._work])
        self._work.known_positions, self._work.find_known = self._knowledge.known_positions
        self._work.seldepth = self._work.tbhits = 0

    def search(self, thread: int, depth: int) -> None:
        """Search every root move on thread 0; of a depth that is stopped the finished moves count."""
        if thread:
            return
        best = LOST - 1
        for move in self._moves.copy():
            value = int(value_after(self._scratch, self._work, LOOKUP_RECORD, move, best, depth))
            if self._work.stopped:
                return
            if value > best:  # the first of equals: those at or below `best` are bounds
                best, self._line = value, Line(score_of(value), (move,), depth=depth)
                self._moves.remove(move)
                self._moves.insert(0, move)

    def result(self, depth: int) -> IterationResult:
        is_settled = len(self._moves) == 1 or (self._line.score.mate or 0) > 0
        return IterationResult([self._line], int(self._work.seldepth), 0, is_settled, int(self._work.tbhits))


def score_of(value: int) -> Score:
    """Return a value as a score; a mate counts the winner's moves."""
    plies = -LOST - abs(value)
    if abs(value) < MATE_BOUND:
        return Score(value)
    return Score(mate=(plies + 1) // 2 if value > 0 else -(plies // 2))
