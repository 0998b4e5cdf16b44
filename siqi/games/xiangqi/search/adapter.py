"""Xiangqi's half of the aspiration searcher, and its kernel: the root moves searched to one depth.

siqi/games/search owns iterative deepening, aspiration windows, MultiPV and helper threads, which share the
transposition table and nothing else (lazy SMP).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from siqi.games.contract import Move, Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import Record, entry, int64
from siqi.games.kernel.node import promote, root_place, set_pv
from siqi.games.kernel.tt import prefetch
from siqi.games.search.aspiration import AspirationAdapter, RootInfo
from siqi.games.search.win_model import WinModel
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.data.margins import Margins
from siqi.games.xiangqi.knowledge.knowledge import Knowledge, tablebase_text
from siqi.games.xiangqi.knowledge.probe import UNKNOWN
from siqi.games.xiangqi.knowledge.tablebase import Tablebase
from siqi.games.xiangqi.paper.rules import do_move_with_rules
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import IN_CHECK, checks_and_pins
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION, QUIET_LIMIT, target_of, undo_move
from siqi.games.xiangqi.rules.work import MAX_PLY, NO_SCORE, WORK, WORK_DTYPE
from siqi.games.xiangqi.search.margins import (
    LMR_MIN_DEPTH,
    LMR_MIN_MOVE,
    MarginsRecord,
    margins_at,
)
from siqi.games.xiangqi.search.picker import KILLER, next_move, picked_score, start_picker
from siqi.games.xiangqi.search.quiescence import MATE, PERPETUAL_WIN, static_value
from siqi.games.xiangqi.search.reductions import base_reduction, late_move_reduction
from siqi.games.xiangqi.search.search import INFINITE, search

WIN_MODEL = WinModel((0.008268, 0.00222, -0.003474), (5.644, -10.3, 5.397), 3000)
"""From 300 games at 1,000, 4,000 and 16,000 nodes (scripts/tune/fit_win_model.py); log loss 0.687 of games held out,
1.064 of constant chances."""


COMPLETION_SHARE = 0.2
"""The share of the time left in which a line that ends in the tablebase is continued."""


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search_root(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
    """Search the root moves from place `skip` on to `depth` plies; return the best value for the side to move.

    Fail-soft in the window (alpha, beta). A move that beats alpha comes to place `skip`, and row 0 of work.pv holds its
    variation. If none does, the value is an upper bound, and the row is that of the first move. When stopped, value,
    order and variation are those of the moves finished; the value is -INFINITE if there are none. The root itself is
    not looked up in the tt or the tablebase. Behind place `skip` the move picker orders the moves, and late ones are
    reduced as in `search` (saves 38 % of nodes; not significant in games, 53.2 % +- 5.6 at 10,000 nodes; edfd5d2).
    """
    work.stopped = 0
    work.root_height = pos.height
    state = checks_and_pins(pos, lookup)
    in_check = state & IN_CHECK
    work.static[1] = NO_SCORE if in_check else static_value(pos, work, lookup)
    margins = margins_at(work.margins)
    expected = int64(work.root_moves[skip])
    start_picker(pos, work, lookup, int64(0), state, expected)
    best = int64(-INFINITE)
    move_count = 0
    while True:
        move = next_move(pos, work, lookup, int64(0), state, expected, int64(0))
        if move == NO_MOVE:
            break
        place = root_place(work, move, skip)
        if place == work.root_count:
            continue
        move_score = picked_score(work, int64(0))
        move_count += 1
        is_quiet = 1 if pos.board[target_of(move)] == 0 and move_score < KILLER else 0
        reduction = int64(0)
        if depth >= LMR_MIN_DEPTH and move_count >= LMR_MIN_MOVE and in_check == 0:
            reduction = base_reduction(margins, depth, move_count)
            reduction = late_move_reduction(margins, reduction, move_score, is_quiet, is_pv=1, improving=1)
            reduction = min(reduction, depth - 2)
        do_move_with_rules(pos, work, lookup, move)
        prefetch(work.tt, work.tt_mask, pos.key)
        if move_count == 1:
            score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        else:
            score = -search(pos, work, lookup, -alpha - 1, -alpha, depth - 1 - reduction, int64(1))
            if work.stopped == 0 and score > alpha and reduction > 0:
                score = -search(pos, work, lookup, -alpha - 1, -alpha, depth - 1, int64(1))
            if work.stopped == 0 and score > alpha and score < beta:
                score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        undo_move(pos, lookup)
        if work.stopped == 1:
            break
        if score == 1 - PERPETUAL_WIN:
            score = 1 - MATE  # the game is lost with this move: any mate takes longer
        if score > best:
            best = score
            if score > alpha or move_count == 1:
                alpha = max(alpha, score)
                set_pv(work, int64(0), move)
                promote(work, place, skip, move)
            if score >= beta:
                break
    return best


class XiangqiAdapter(AspirationAdapter["XiangqiPosition"]):
    """Xiangqi's half of the aspiration searcher."""

    work_dtype = WORK_DTYPE
    mate = MATE
    infinite = INFINITE
    margin = Margins().window
    quiet_bound = PERPETUAL_WIN // 2
    max_depth = MAX_PLY - 1

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._tablebase: Tablebase | None = None
        self.set_margins(Margins())

    def set_margins(self, margins: Margins) -> None:
        """Search with other margins from now on."""
        self.margins, self.margin = margins, margins.window
        self._margins = MarginsRecord(margins)

    @property
    def values(self) -> object:
        return self._knowledge.values

    def forget(self) -> None:
        self._tablebase = None
        if self._knowledge.tablebase is not None:
            self._knowledge.tablebase.clear()

    def begin(self, task: Task[XiangqiPosition], works: Sequence[Record]) -> RootInfo:
        """Write the root moves and the addresses of knowledge to the working memories.

        If the tablebase has the root as a draw, only the moves that draw are searched, without tablebase and patterns.
        """
        position = task.position
        pos = position.record
        self._position, self._control, self._phase = position, task.control, position.phase
        self._completed: dict[tuple[Move, ...], tuple[Move, ...]] = {}  # lines of this search, by what they continue
        moves = list(task.moves) or position.legal_moves()
        rules, patterns = self._knowledge.prepare_rules(position), self._knowledge.patterns_near(pos)
        self._tablebase = self._knowledge.tablebase
        codes = None if self._tablebase is None else self._tablebase.prepare(pos, moves, task.control)
        if codes is None:
            self._tablebase, codes = None, []
        is_known = bool(codes) and pos.quiet + max(codes) < QUIET_LIMIT
        is_drawn = is_known and task.multipv == 1 and 0 in codes and not any(code & 1 for code in codes)
        if is_drawn:
            moves = [move for move, code in zip(moves, codes, strict=True) if code == 0]
            self._tablebase, patterns = None, 0
        self._knowledge.evaluation.prepare(works)
        for work in works:
            work.margins = self._margins.address
            work.tablebase = 0 if self._tablebase is None else self._tablebase.address
            work.pattern_book, work.mined_rules, work.tbhits = patterns, rules, 0
            work.known_positions, work.find_known = self._knowledge.known_positions
            work.killers[:] = NO_MOVE
            work.root_count = len(moves)
            work.root_moves[: len(moves)] = moves
        works[0].tbhits = len(codes) if is_known else 0
        verdict = self._knowledge.tablebase_result(pos) if is_known else None
        note = "" if verdict is None else tablebase_text(verdict)
        return RootInfo(moves, note, is_settled=is_known and not is_drawn, is_drawn=is_drawn)

    def chances(self, cp: int) -> tuple[float, float]:
        return WIN_MODEL.chances(cp, self._phase)

    def between(self, control: Control) -> None:
        if self._tablebase is not None:
            self._tablebase.unpack_wanted(control)

    def complete(self, pv: tuple[Move, ...]) -> tuple[Move, ...]:
        """Return a line that ends in the tablebase continued to the mate, as far as COMPLETION_SHARE of the time goes.

        The winner takes the shortest way, the loser the longest; each move shortens it by a ply. A line is walked once
        in a search: further iterations report it again, and go on where the time had ended.
        """
        if self._tablebase is None:
            return pv
        known = self._completed.get(pv, pv)
        now_ns = time.monotonic_ns()
        last_ns = now_ns + COMPLETION_SHARE * self._control.time_from(now_ns)
        position, line = self._position.copy(), list(known)
        for move in known[:-1]:
            position.push(move)
        codes = self._tablebase.codes_after(position.record, [known[-1]], self._control, last_ns)
        code = codes[0] if codes else UNKNOWN
        position.push(known[-1])
        while code > 1:
            code -= 1
            moves = position.legal_moves()
            codes = self._tablebase.codes_after(position.record, moves, self._control, last_ns)
            if code not in codes:
                break
            line.append(moves[codes.index(code)])
            position.push(line[-1])
        self._completed[pv] = tuple(line)
        return self._completed[pv]

    def search(self, scratch: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        return int(search_root(scratch, work, LOOKUP_RECORD, alpha, beta, depth, skip))

    def tbhits(self, work: Record) -> int:
        return int(work.tbhits)
