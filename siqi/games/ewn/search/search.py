"""Expectiminimax for EWN with Star1 and Star2 cuts (Ballard 1983), iterative deepening and a transposition table.

A node is a position before the throw; its value is the mover's chance to win. A throw moves one piece or the better of
two, so the node's value is a weighted sum over *pieces*. Each counts by its best move, which is searched once for all
the throws that it answers. Bounds on the pieces' values bound the sum and cut as soon as it leaves the window. A branch
that ends on the board or in the tablebase has an exact value, and exactness is propagated upwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.contract import Move, Task
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.knowledge.knowledge import Knowledge
from siqi.games.ewn.knowledge.probe import UNKNOWN, probe_tablebase
from siqi.games.ewn.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.ewn.rules.movegen import step
from siqi.games.ewn.rules.position import POSITION, do_move, undo_move
from siqi.games.ewn.rules.work import MAX_UNION, WORK, WORK_DTYPE
from siqi.games.ewn.search.bounds import star1_alpha, star1_beta, sum_over_throws
from siqi.games.ewn.search.playout import FINER_BITS, WIN, static_value
from siqi.games.ewn.search.root import RootMoves, Value
from siqi.games.kernel.intrinsics import recurse_4
from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.kernel.node import count_node, pick_from
from siqi.games.kernel.tt import (
    EXACT,
    LOWER,
    UPPER,
    TranspositionTable,
    entry_bound,
    entry_depth,
    entry_score,
    is_cutoff,
    probe,
    save,
)
from siqi.games.search.deepening import DeepeningAdapter
from siqi.games.search.iteration import IterationResult

SOLVED = 255
"""The stored depth of exact values, which no deeper search would change."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, ply: int) -> int:
    """Return the mover's chance before the throw, 0 to WIN, searched `depth` plies deep; nobody may have won yet.

    Fail-soft in the window (alpha, beta): a result inside it is the value, one at or outside its ends a bound on it,
    rounded to the safe side. work.is_exact becomes 1 if no deeper search can change the result, otherwise 0. The value
    does not depend on the path; `ply` only selects the thread's memory. The result is void once work.stopped.
    """
    # Step 1. Count the node and poll the control block
    count_node(work)
    if work.stopped == 1:
        return int64(0)
    work.seldepth = max(work.seldepth, ply)

    # Step 2. At the horizon and in the tablebase the static value stands
    if depth <= 0:
        return static_value(pos, work)
    exact = probe_tablebase(pos, work.tablebase)
    if exact != UNKNOWN:
        work.tbhits += 1
        work.is_exact = 1
        return exact << FINER_BITS

    # Step 3. Transposition table. A deep enough entry that cuts off the window ends the node
    data = probe(work.tt, work.tt_mask, pos.key)
    if data != 0 and entry_depth(data) >= depth:
        score = entry_score(data)
        if is_cutoff(entry_bound(data), score, alpha, beta) == 1:
            work.is_exact = int64(entry_depth(data) == SOLVED)
            return score

    # Step 4. Value each move statically. A win at once or exact values settle a piece, others order its moves
    side = pos.turn
    alive = pos.alive[side]
    lower = 12 * ply
    upper = lower + 6
    segment = 7 * ply
    end = MAX_UNION * ply
    solved = int64(1)
    low_sum = int64(0)
    high_sum = int64(6 * WIN)
    for piece in range(6):
        work.bounds[lower + piece] = 0
        work.bounds[upper + piece] = WIN if alive >> piece & 1 else 0
    for piece in range(6):
        work.segment[segment + piece] = end
        if alive >> piece & 1 == 0 or low_sum >= 6 * beta or high_sum <= 6 * alpha:
            continue
        square = int64(pos.square[6 * side + piece + 1])
        for way in range(lookup.step_count[side * 25 + square]):
            move = step(lookup, side, square, int64(way))
            do_move(pos, lookup, move)
            value = int64(WIN) if pos.winner >= 0 else WIN - static_value(pos, work)
            is_win = pos.winner >= 0
            undo_move(pos)
            if is_win:
                work.bounds[lower + piece] = WIN
                end = int64(work.segment[segment + piece])
                break
            if work.is_exact == 1 or depth == 1:
                solved &= work.is_exact
                work.bounds[lower + piece] = max(int64(work.bounds[lower + piece]), value)
            else:
                work.moves[end] = move
                work.values[end] = value
                end += 1
        low_sum = sum_over_throws(work, lookup, alive, lower)
        if end == int64(work.segment[segment + piece]):
            work.bounds[upper + piece] = work.bounds[lower + piece]
            high_sum = sum_over_throws(work, lookup, alive, upper)
    work.segment[segment + 6] = end

    # Step 5. Probing phase (Star2): search the best-looking move of each piece, which raises the lower bounds. Then
    # search the other moves (Star1). Each child's window follows from the bounds on the other pieces
    for pass_ in range(2):
        for piece in range(6):
            at = int64(work.segment[segment + piece])
            last = int64(work.segment[segment + piece + 1])
            if at == last:
                continue
            if low_sum >= 6 * beta or high_sum <= 6 * alpha:
                break
            most = int64(work.bounds[lower + piece])
            if pass_ == 1:
                most = max(most, int64(work.values[at]))
                at += 1
            while at < last and low_sum < 6 * beta:
                move = pick_from(work.moves, work.values, at, last)
                low = int64(work.bounds[lower + piece])
                if pass_ == 1:
                    low = max(low, star1_alpha(work, lookup, alive, upper, piece, alpha))
                high = star1_beta(work, lookup, alive, lower, piece, beta)
                do_move(pos, lookup, move)
                value = WIN - recurse_4(pos, work, lookup, WIN - high, WIN - low, depth - 1, ply + 1)
                undo_move(pos)
                if work.stopped == 1:
                    return int64(0)
                solved &= work.is_exact
                work.values[at] = value
                most = max(most, value)
                if value > int64(work.bounds[lower + piece]):
                    work.bounds[lower + piece] = value
                    low_sum = sum_over_throws(work, lookup, alive, lower)
                at += 1
                if pass_ == 0:
                    break
            if at == last:
                work.bounds[upper + piece] = most
                high_sum = sum_over_throws(work, lookup, alive, upper)

    # Step 6. Store the value or a bound on it, rounded to its safe side, in the transposition table
    if low_sum >= 6 * beta:
        bound, value = LOWER, low_sum // 6
    elif high_sum <= 6 * alpha:
        bound, value = UPPER, (high_sum + 5) // 6
    else:
        bound, value = EXACT, (low_sum + 3) // 6
    work.is_exact = solved
    stored = SOLVED if solved == 1 else depth
    save(work.tt, work.tt_mask, pos.key, int64(0), value, stored, bound, work.generation)
    return value


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def try_move(pos: Record, work: Record, lookup: Record, move: int, alpha: int, beta: int, depth: int) -> int:
    """Return the value of a root move for the mover, 0 to WIN, `depth` plies deep with this one.

    Window, work.is_exact and stop are those of `search`.
    """
    do_move(pos, lookup, move)
    work.is_exact = 1
    value = int64(WIN)
    if pos.winner < 0:
        value = WIN - search(pos, work, lookup, WIN - beta, WIN - alpha, depth - 1, int64(1))
    undo_move(pos)
    return value


class ExpectimaxAdapter(DeepeningAdapter["EwnPosition"]):
    """EWN's half of the searcher. An iteration searches every root move a ply deeper, the best so far first."""

    work_dtype = WORK_DTYPE
    max_depth = 60  # beyond reach

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def begin(self, task: Task[EwnPosition], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        self._works, self._multipv = works, task.multipv
        self._root = RootMoves(task)
        self._scratch = [self._root.record.copy() for _ in works]
        for work in works:
            work.seldepth = work.tbhits = 0
            work.tablebase, work.evaluation = self._knowledge.tablebase, self._knowledge.evaluation
            work.tt, work.tt_mask, work.generation = tt.address, tt.mask, tt.generation
        self._values = dict.fromkeys(self._root.moves, 0)
        self._exact = dict.fromkeys(self._root.moves, False)
        self._depths = dict.fromkeys(self._root.moves, 0)

    def _try(self, thread: int, move: Move, alpha: int, depth: int) -> int:
        return int(try_move(self._scratch[thread], self._works[thread], LOOKUP_RECORD, move, alpha, WIN, depth))

    def search(self, thread: int, depth: int) -> None:
        """Search every root move to `depth`: thread 0 above the floor of its lines, helpers with a full window.

        Results of thread 0 are kept move by move, so that a stop loses only the move under way.
        """
        work = self._works[thread]
        searched: list[Move] = []
        for move in sorted(self._root.moves, key=self._rank, reverse=True):
            floor = 0 if thread else self._floor(move, searched)
            value = self._try(thread, move, floor, depth)
            if work.stopped:
                return
            if thread == 0:
                # At or below the floor the value is an upper bound.
                self._values[move] = max(min(value, floor - 1), 0) if value <= floor else value
                self._exact[move], self._depths[move] = bool(work.is_exact), depth
                searched.append(move)

    def _floor(self, move: Move, searched: Sequence[Move]) -> int:
        """Return the value that a move must exceed to enter the lines of one of its throws, given the moves found."""
        floor = WIN - 1  # never above: among certain wins the shortest is wanted
        for die in self._root.throws_of(move):
            values = sorted(
                (self._values[other] for other in searched if other in self._root.throws[die]), reverse=True
            )
            wanted = 1 if die else self._multipv
            floor = min(floor, values[wanted - 1] if len(values) >= wanted else 0)
        return floor

    def _rank(self, move: Move) -> tuple[int, int]:
        """Return the order of a move; a deeper search ranks higher, as an iteration begins with the best moves."""
        return self._depths[move], self._values[move]

    def _value(self, move: Move) -> Value:
        return Value(self._values[move] / WIN, self._exact[move])

    def result(self, depth: int) -> IterationResult:
        return IterationResult(
            self._root.lines(self._value, self._rank, self._depths.__getitem__),
            max(int(work.seldepth) for work in self._works),
            is_settled=self._root.is_settled(self._value),
            tbhits=sum(int(work.tbhits) for work in self._works),
            value=self._root.before_throw(self._value),
        )
