"""Alpha-beta search for Xiangqi: negamax principal-variation search (paper 5: both bounds pass all levels).

`search` searches a position below the root to one depth, `search_root` the root. Scores are centipawns in the view of
the side to move. siqi/games/search owns iterative deepening, aspiration windows, MultiPV and helper threads, which
share the transposition table and nothing else (lazy SMP).

The worth of a step is in its comment, with the commit of the search that it was measured with: "saves 20 % of nodes"
compares nodes to depth 11 with and without it (geometric mean of 16 positions). A score, as 79.2 % +- 6.4, is that of
paired games against the search without it; it is called not significant where it does not exclude 50 %. Up to d91d3d5
the evaluation was by terms, since then by a network. Games had 20,000 nodes per move (edfd5d2 10,000, fc4b3df 100,000).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from siqi.games.contract import Move, Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.intrinsics import recurse_4
from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.kernel.node import count_node, from_tt, promote, root_place, set_pv
from siqi.games.kernel.tt import (
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    is_cutoff,
    prefetch,
    probe,
)
from siqi.games.search.aspiration import AspirationAdapter, RootInfo
from siqi.games.search.win_model import WinModel
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.data.margins import Margins
from siqi.games.xiangqi.evaluation.evaluate import evaluate
from siqi.games.xiangqi.evaluation.exchange import see_ge
from siqi.games.xiangqi.knowledge.knowledge import Knowledge, tablebase_text
from siqi.games.xiangqi.knowledge.probe import UNKNOWN
from siqi.games.xiangqi.knowledge.tablebase import Tablebase
from siqi.games.xiangqi.paper.rules import do_move_with_rules
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, IN_CHECK, checks_and_pins, generate_legal, gives_check, is_legal
from siqi.games.xiangqi.rules.position import (
    NO_MOVE,
    POSITION,
    QUIET_LIMIT,
    count_strong,
    do_null,
    note_check,
    target_of,
    undo_move,
    undo_null,
)
from siqi.games.xiangqi.rules.repetition import (
    DRAW,
    MOVER_LOSES,
    find_repetition,
    has_attackers,
    judge_cycle,
    meets_game,
)
from siqi.games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, NO_SCORE, WORK, WORK_DTYPE
from siqi.games.xiangqi.search.history import (
    bonus_of,
    reward_last,
    reward_last_by_values,
    reward_quiet,
    update_corrections,
)
from siqi.games.xiangqi.search.margins import (
    EXCHANGE_MAX_DEPTH,
    FUTILITY_MAX_DEPTH,
    INTERNAL_REDUCTION_MIN_DEPTH,
    LATE_MOVE_MAX_DEPTH,
    LMR_MIN_DEPTH,
    LMR_MIN_MOVE,
    MAX_CORRECTION,
    NULL_DEPTH_DIVISOR,
    NULL_MAX_SURPLUS,
    NULL_MIN_DEPTH,
    NULL_REDUCTION,
    NULL_VERIFY_MIN_DEPTH,
    RAZOR_MAX_DEPTH,
    REVERSE_FUTILITY_MAX_DEPTH,
    SINGULAR_MAX_AGE,
    SINGULAR_MAX_PLY,
    SINGULAR_MAX_SCORE,
    SINGULAR_MIN_DEPTH,
    MarginsRecord,
    margins_at,
)
from siqi.games.xiangqi.search.picker import KILLER, next_move, picked_score, start_picker
from siqi.games.xiangqi.search.quiescence import (
    MATE,
    MATE_BOUND,
    PERPETUAL_BOUND,
    PERPETUAL_WIN,
    known_score,
    quiesce,
    static_value,
    store,
)
from siqi.games.xiangqi.search.reductions import base_reduction, late_move_reduction

INFINITE = 32_000
"""Beyond every score; the bounds of a full window."""

assert NO_SCORE < -INFINITE

WIN_MODEL = WinModel((0.007297, 0.005751, -0.006387), (5.523, -10.19, 5.552), 800)
"""From 1,200 games at 1,000, 4,000 and 16,000 nodes (scripts/tune/fit_win_model.py); log loss 0.669 of games held out,
1.027 of constant chances."""

COMPLETION_SHARE = 0.2
"""The share of the time left in which a line that ends in the tablebase is continued."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, can_null: int) -> int:
    """Return the value of a position below the root, searched to `depth` plies, for the side to move.

    Window: the window (alpha, beta), alpha < beta. `can_null`: 1 if a null move may be tried.

    Returns: fail-soft. A value <= alpha is an upper bound of this search's value, one >= beta a lower bound, one
    between is exact. The bounds are not proofs: a null window (beta - alpha = 1) prunes more, and the value depends on
    the path, by repetitions, quiet plies, and the ply from the root. Once work.stopped is 1 the value means nothing.

    Side effects: `pos` is as it was, except that a check by the last move is noted. An open window leaves the principal
    variation of an exact value in the ply's row of work.pv, a null window an empty row. The tt gets the result of a
    search of all moves, unless it is a perpetual's (a draw by repetition further down may get in). Histories, killers
    and corrections learn from it. The ply's places in work.moves, work.static and work.picker_* are overwritten. After
    a stop nothing is stored.
    """
    ply = pos.height - work.root_height
    is_pv = beta - alpha > 1
    work.pv_length[ply] = 0

    # Step 1. Quiescence. At the horizon, resolve captures and checks by quiescence search
    if depth <= 0:
        return quiesce(pos, work, lookup, alpha, beta, ply)
    count_node(work)
    if work.stopped == 1:
        return 0

    # Step 2. Ends by rule. A first repetition of a position after the root counts as the third would, since the line
    # between can be repeated; the game's own positions count as the rules count
    state = checks_and_pins(pos, lookup)
    in_check = state & IN_CHECK
    if in_check:
        note_check(pos)
    cycle_start = find_repetition(pos, int64(work.root_height))
    if cycle_start >= 0:
        verdict = judge_cycle(pos, work, lookup, cycle_start)
        if verdict == DRAW:
            return 0
        return ply - PERPETUAL_WIN if verdict == MOVER_LOSES else PERPETUAL_WIN - ply
    if pos.quiet >= QUIET_LIMIT or has_attackers(pos) == 0:
        # A mate given by the last quiet move counts.
        if in_check and generate_legal(pos, work, lookup, ply * MAX_MOVES, int64(ALL_MOVES), state) == ply * MAX_MOVES:
            return ply - MATE
        return 0
    if ply >= MAX_PLY:
        return evaluate(pos, work, lookup)

    # Step 3. Known positions and tablebase. A known value needs no search; the user's values come first
    if work.tablebase | work.known_positions:
        known = known_score(pos, work, lookup, ply)
        if known != NO_SCORE:
            return known

    # Step 4. Mate distance pruning. Nothing here beats a shorter mate that is already found
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    # Step 5. Transposition table. A stored search of this depth that cuts off the window is not repeated, unless the
    # game repeats here or a draw by quiet moves is near, which the stored search need not have seen. If the test for a
    # singular move has left out a move, this search is of the others only: what is stored is not its result
    excluded = int64(work.excluded[ply])
    data = probe(work.tt, work.tt_mask, pos.key)
    tt_move = int64(NO_MOVE)
    tt_score = int64(0)
    tt_bound = int64(0)
    tt_depth = int64(0)
    if data != 0:
        tt_move = entry_move(data)
        tt_score = from_tt(entry_score(data), ply, MATE_BOUND)
        tt_bound = entry_bound(data)
        tt_depth = entry_depth(data)
        can_cut = not is_pv and excluded == NO_MOVE and tt_depth >= depth
        if can_cut and is_cutoff(tt_bound, tt_score, alpha, beta) == 1:
            if pos.quiet + tt_depth < QUIET_LIMIT and meets_game(pos, lookup, int64(work.root_height), tt_move) == 0:
                return tt_score

    # Step 6. Static value, sharpened by the tt's bound. The node is improving if the value is better than it was two
    # plies ago; then less is pruned and reduced (saves 38 % of nodes, fa0d961). What the last move gained goes to its
    # history (57.5 % +- 5.9 with the reward of the last move below, edfd5d2)
    static = int64(NO_SCORE)
    estimate = int64(NO_SCORE)
    improving = 0
    if in_check == 0:
        static = static_value(pos, work, lookup)
        estimate = static
        if tt_bound & (LOWER if tt_score > static else UPPER):
            estimate = tt_score
        if ply >= 2 and work.static[ply - 1] != NO_SCORE and static > work.static[ply - 1]:
            improving = 1
        if work.static[ply] != NO_SCORE and excluded == NO_MOVE:
            reward_last_by_values(pos, work, int64(work.static[ply]), static)
    work.static[ply + 1] = static

    margins = margins_at(work.margins)
    if not is_pv and in_check == 0 and excluded == NO_MOVE and abs(beta) < PERPETUAL_BOUND:
        # Step 7. Razoring. So far below alpha only captures could help, so try quiescence search (saves 12 % of nodes;
        # not significant in games, 52.1 % +- 8.0; fa0d961)
        if depth <= RAZOR_MAX_DEPTH and estimate + margins.razor * depth < alpha:
            score = quiesce(pos, work, lookup, alpha, alpha + 1, ply)
            if work.stopped == 1:
                return 0
            if score <= alpha:
                return score

        # Step 8. Reverse futility pruning. So far above beta a shallow search would not fall back below it (saves 66 %
        # of nodes, 79.2 % +- 6.4; fa0d961)
        if depth <= REVERSE_FUTILITY_MAX_DEPTH and estimate - margins.reverse_futility * (depth - improving) >= beta:
            return estimate

        # Step 9. Null move pruning. If a reduced search holds beta though we pass, a move would hold it too. Two pieces
        # that can attack must be left (there is no zugzwang among rooks, horses and cannons); at great depth a search
        # without passing verifies the cut (saves 15 % of nodes; not significant in games, 50.4 % +- 7.4; fa0d961)
        if can_null == 1 and depth >= NULL_MIN_DEPTH and estimate >= beta and count_strong(pos, pos.turn) >= 2:
            surplus = min((estimate - beta) // margins.null, NULL_MAX_SURPLUS)
            null_depth = depth - NULL_REDUCTION - depth // NULL_DEPTH_DIVISOR - surplus
            do_null(pos, lookup)
            score = -recurse_4(pos, work, lookup, -beta, 1 - beta, null_depth, int64(0))
            undo_null(pos, lookup)
            if work.stopped == 1:
                return 0
            if score >= beta:
                score = min(score, PERPETUAL_BOUND)  # a win after a pass is not proven
                if depth < NULL_VERIFY_MIN_DEPTH:
                    return score
                verified = recurse_4(pos, work, lookup, beta - 1, beta, null_depth, int64(0))
                if work.stopped == 1:
                    return 0
                if verified >= beta:
                    return score

    # Step 10. Internal reduction. Without a move of the tt the order is poor, so a shallower search first finds one
    # (saves 33 % of nodes; not significant in games, 47.1 % +- 7.7; fa0d961)
    if depth >= INTERNAL_REDUCTION_MIN_DEPTH and tt_move == NO_MOVE:
        depth -= 1

    # Step 11. Extensions. Replies to check are few and forced, so they cost no depth (57.2 % +- 5.6 with a network at
    # 10,000 nodes, docs/history/xiangqi.md). The tt's move is singular if a shallow search of the others stays well
    # below its score: then it is searched a ply deeper. If the others reach beta as well, the node is cut; if only the
    # stored score does, a ply less will do (not significant, 52.7 % +- 3.6; fc4b3df)
    extension = 1 if in_check else 0
    tt_extension = extension
    can_test = excluded == NO_MOVE and depth >= SINGULAR_MIN_DEPTH and ply <= SINGULAR_MAX_PLY
    is_candidate = tt_move != NO_MOVE and tt_bound & LOWER and tt_depth >= depth - SINGULAR_MAX_AGE
    is_even = max(abs(tt_score), abs(beta)) <= SINGULAR_MAX_SCORE
    if can_test and is_candidate and is_even and is_legal(pos, lookup, tt_move, state) == 1:
        singular_beta = tt_score - depth * margins.singular // 100
        work.excluded[ply] = tt_move
        score = recurse_4(pos, work, lookup, singular_beta - 1, singular_beta, (depth - 1) // 2, int64(0))
        work.excluded[ply] = NO_MOVE
        work.pv_length[ply] = 0
        if work.stopped == 1:
            return 0
        if score < singular_beta:
            tt_extension = 1
        elif score >= beta and score < PERPETUAL_BOUND and not is_pv:
            return score
        elif tt_score >= beta:
            tt_extension = extension - 1

    # Step 12. Moves. The move picker yields the tt's move before the others are generated, as it usually cuts. Once
    # late move pruning drops the rest of the quiet moves, their order does not matter
    start_picker(pos, work, lookup, ply, state, tt_move)
    best = int64(-INFINITE)
    best_move = int64(NO_MOVE)
    old_alpha = alpha
    move_count = 0  # moves yielded, this one and the excluded one included
    can_prune = 1 if not is_pv and in_check == 0 else 0
    late_count = 1 + (3 + depth * depth) // (2 - improving) if depth <= LATE_MOVE_MAX_DEPTH else int64(MAX_MOVES)
    is_late = int64(0)
    while True:
        move = next_move(pos, work, lookup, ply, state, tt_move, is_late)
        if move == NO_MOVE:
            break
        move_score = picked_score(work, ply)
        move_count += 1
        if move == excluded:
            continue
        is_capture = pos.board[target_of(move)] != 0
        is_quiet = 1 if not is_capture and move_score < KILLER else 0  # not the tt's move, a killer, the counter move
        reduction = base_reduction(margins, depth, move_count)

        if can_prune and best > -PERPETUAL_BOUND:
            is_pruned = int64(0)
            if is_quiet:
                # Step 13. Late move pruning. At low depth the last quiet moves in the order rarely help (saves
                # 80 % of nodes, fa0d961)
                if move_count >= late_count:
                    is_late = int64(1)
                if move_count > late_count:
                    is_pruned = int64(1)

                # Step 14. Futility pruning. A quiet move does not lift a position that is so far below alpha (saves 3 %
                # of nodes, fa0d961)
                reduced_depth = max(depth - reduction, 1)
                futility_value = static + margins.futility_base + margins.futility * reduced_depth
                if reduced_depth <= FUTILITY_MAX_DEPTH and futility_value <= alpha:
                    is_pruned = int64(1)

            # Step 15. Exchange pruning. A move that loses material in the exchange seldom gets it back (saves 20 % of
            # nodes, fa0d961)
            if is_pruned == 0 and depth <= EXCHANGE_MAX_DEPTH and move_count > 1 and (is_quiet or move_score < 0):
                allowed = margins.quiet_loss * depth * depth if is_quiet else margins.capture_loss * depth
                is_pruned = 1 - see_ge(pos, work, lookup, move, int64(-allowed))

            # A move that gives check is searched all the same
            if is_pruned == 1 and gives_check(pos, lookup, move) == 0:
                continue

        # Step 16. Principal variation search. The first move is expected to be best, so the others need only be shown
        # not to beat it, late ones at reduced depth; one that does is searched again (saves 76 % of nodes, fa0d961)
        new_depth = depth - 1 + (tt_extension if move == tt_move else extension)
        do_move_with_rules(pos, work, lookup, move, margins.experience)
        prefetch(work.tt, work.tt_mask, pos.key)
        if move_count == 1:
            score = -recurse_4(pos, work, lookup, -beta, -alpha, new_depth, int64(1))
        else:
            if depth < LMR_MIN_DEPTH or move_count < LMR_MIN_MOVE or in_check:
                reduction = int64(0)
            else:
                reduction = late_move_reduction(margins, reduction, move_score, is_quiet, is_pv, improving)
                reduction = min(reduction, new_depth - 1)
            score = -recurse_4(pos, work, lookup, -alpha - 1, -alpha, new_depth - reduction, int64(1))
            if score > alpha and reduction > 0:
                score = -recurse_4(pos, work, lookup, -alpha - 1, -alpha, new_depth, int64(1))
            if score > alpha and score < beta:
                score = -recurse_4(pos, work, lookup, -beta, -alpha, new_depth, int64(1))
        undo_move(pos, lookup)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if is_pv:
                    set_pv(work, ply, move)
                if score >= beta:
                    if not is_capture:
                        reward_quiet(pos, work, lookup, move, ply, depth)
                    break

    if excluded != NO_MOVE:
        return best

    # Step 17. Reward of the last move: to a good one no answer reaches alpha. Without a legal move the side to move
    # has lost, in check or not
    if best <= old_alpha:
        reward_last(pos, work, lookup, bonus_of(depth))
    if move_count == 0:
        return ply - MATE

    # Step 18. Corrections. Learn the error of the static value where no capture explains it (56.4 % +- 6.7, 1a5c469;
    # with a network not significant, 52.0 % +- 4.7 from balanced openings, 48.8 % +- 2.1 from endings,
    # docs/history/xiangqi.md)
    is_best_quiet = best_move == NO_MOVE or pos.board[target_of(best_move)] == 0
    if in_check == 0 and is_best_quiet and abs(best) < PERPETUAL_BOUND:
        if not (best >= beta and best <= static) and not (best <= old_alpha and best >= static):
            bonus = min(max((best - static) * depth // 8, -MAX_CORRECTION), MAX_CORRECTION)
            update_corrections(pos, work, lookup, bonus)

    # Step 19. Store the result in the tt, unless it is a perpetual or may rest on the 60-move rule
    store(pos, work, best_move, best, old_alpha, beta, depth, ply)
    return best


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
        do_move_with_rules(pos, work, lookup, move, margins.experience)
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


class PvsAdapter(AspirationAdapter["XiangqiPosition"]):
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
