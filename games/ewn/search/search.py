"""Expectiminimax for EWN: Star1 and Star2 cuts (Ballard 1983), iterative deepening, a transposition table.

A node is a position before the throw, its value the mover's chance to win. A throw moves one piece or the better of
two, so the six throws are a weighted sum over *pieces*, each worth its best move, which is searched once, whatever
throws it answers. Bounds on what the pieces are worth bound the sum, and cut as soon as that leaves the window. Where a
branch ends on the board or in a table of endings its value is exact, and stays so above.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.contract import Move, Task
from games.ewn.evaluation.playout import FINER_BITS, WIN, static_value
from games.ewn.knowledge.knowledge import Knowledge
from games.ewn.knowledge.probe import UNKNOWN, probe_ending
from games.ewn.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.ewn.rules.movegen import step
from games.ewn.rules.position import POSITION, do_move, undo_move
from games.ewn.rules.work import MAX_UNION, WORK, WORK_DTYPE
from games.ewn.search.bounds import star1_alpha, star1_beta, sum_over_throws
from games.ewn.search.root import RootMoves, Value
from games.kernel.intrinsics import recurse_4
from games.kernel.jit import Record, entry, inner, int64
from games.kernel.node import count_node, pick_from
from games.kernel.tt import (
    EXACT,
    LOWER,
    UPPER,
    TranspositionTable,
    entry_bound,
    entry_depth,
    entry_score,
    probe,
    save,
    settles,
)
from games.search.deepening import DeepeningAdapter
from games.search.findings import Findings

if TYPE_CHECKING:
    from games.ewn.game import EwnPosition

MAX_DEPTH = 60
SOLVED = 255
"""Depth of table entries that no deeper search would change."""

_NEVER = 1 << 62


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The mover's chance before the throw, 0 to WIN, `depth` moves deep.

    Fail-soft: a result within (alpha, beta) is the value, one outside a bound on it. work.is_exact: whether deeper
    searches can change it. Void once work.stopped.
    """
    # Step 1. Count the node
    count_node(work)
    if work.stopped == 1:
        return int64(0)
    work.seldepth = max(work.seldepth, ply)

    # Step 2. What needs no search
    if depth <= 0:
        return static_value(pos, work)
    exact = probe_ending(pos, work.tablebase)
    if exact != UNKNOWN:
        work.tbhits += 1
        work.is_exact = 1
        return exact << FINER_BITS

    # Step 3. The transposition table
    data = probe(work.tt, work.tt_mask, pos.key)
    if data != 0 and entry_depth(data) >= depth:
        score = entry_score(data)
        if settles(entry_bound(data), score, alpha, beta) == 1:
            work.is_exact = int64(entry_depth(data) == SOLVED)
            return score

    # Step 4. Value each move as it stands: pieces that win at once are done, other moves are put in order
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

    # Step 5. Search the best-looking move of each piece (Star2), then the others (Star1)
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

    # Step 6. The value or a bound on it, rounded to its safe side, into the table
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
    """What a move is worth to the mover, as `search` tells it, `depth` moves deep with this one."""
    do_move(pos, lookup, move)
    work.is_exact = 1
    value = int64(WIN)
    if pos.winner < 0:
        value = WIN - search(pos, work, lookup, WIN - beta, WIN - alpha, depth - 1, int64(1))
    undo_move(pos)
    return value


class ExpectimaxAdapter(DeepeningAdapter["EwnPosition"]):
    """EWN's half of the searcher: a depth is every root move a ply deeper, the best so far first."""

    work_dtype = WORK_DTYPE
    max_depth = MAX_DEPTH

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def begin(self, task: Task[EwnPosition], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        self._works, self._multipv = works, task.multipv
        self._root = RootMoves(task)
        self._boards = [self._root.record.copy() for _ in works]
        for work in works:
            work.seldepth = work.tbhits = 0
            work.tablebase, work.evaluation = self._knowledge.tablebase, self._knowledge.evaluation
            work.tt, work.tt_mask, work.generation = tt.address, tt.mask, tt.generation
        # The answer of a search that is stopped at once.
        works[0].poll_at = _NEVER
        self._values = {move: self._try(0, move, 0, 1) for move in self._root.moves}
        works[0].poll_at = 0
        self._exact = dict.fromkeys(self._root.moves, False)
        self._depths = dict.fromkeys(self._root.moves, 1)

    def _try(self, thread: int, move: Move, alpha: int, depth: int) -> int:
        return int(try_move(self._boards[thread], self._works[thread], LOOKUP_RECORD, move, alpha, WIN, depth))

    def search(self, thread: int, depth: int) -> None:
        """Search every root move: a helper with a full window, thread 0 above the floor of its lines."""
        work = self._works[thread]
        found: list[Move] = []
        for move in sorted(self._root.moves, key=self._rank, reverse=True):
            floor = 0 if thread else self._floor(move, found)
            value = self._try(thread, move, floor, depth)
            if work.stopped:
                return
            if thread == 0:
                # At the floor or below it is only a bound from above.
                self._values[move] = max(min(value, floor - 1), 0) if value <= floor else value
                self._exact[move], self._depths[move] = bool(work.is_exact), depth
                found.append(move)

    def _floor(self, move: Move, found: Sequence[Move]) -> int:
        """Return the value that a move must exceed to enter the lines of one of its throws, by those found so far."""
        floor = WIN - 1  # of certain wins the shortest is wanted
        for die in self._root.throws_of(move):
            values = sorted((self._values[other] for other in found if other in self._root.throws[die]), reverse=True)
            wanted = 1 if die else self._multipv
            floor = min(floor, values[wanted - 1] if len(values) >= wanted else 0)
        return floor

    def _rank(self, move: Move) -> tuple[int, int]:
        """Return the order of a move: a deeper search counts more, for an iteration begins with the best moves."""
        return self._depths[move], self._values[move]

    def _value(self, move: Move) -> Value:
        return Value(self._values[move] / WIN, self._exact[move])

    def findings(self, depth: int) -> Findings:
        return Findings(
            self._root.lines(self._value, self._rank, self._depths.__getitem__),
            max(int(work.seldepth) for work in self._works),
            is_settled=self._root.is_settled(self._value),
            tbhits=sum(int(work.tbhits) for work in self._works),
            value=self._root.before_throw(self._value),
        )
