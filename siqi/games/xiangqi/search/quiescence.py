"""Quiescence search of Xiangqi, and the values that need no search: evaluation, known positions, tablebase.

Scores are centipawns in the view of the side to move. search.py says what the figures mean.
"""

from __future__ import annotations

from siqi.games.contract import MATE_LIMIT
from siqi.games.kernel.intrinsics import call_at, recurse_3
from siqi.games.kernel.jit import Record, inner, int64, outlined, void
from siqi.games.kernel.node import count_node, from_tt, pick, to_tt
from siqi.games.kernel.tt import (
    bound_of,
    entry_bound,
    entry_move,
    entry_score,
    is_cutoff,
    prefetch,
    probe,
    save,
)
from siqi.games.xiangqi.evaluation.evaluate import evaluate
from siqi.games.xiangqi.evaluation.exchange import exchange_value, see_ge
from siqi.games.xiangqi.knowledge.patterns import DRAWN, match
from siqi.games.xiangqi.knowledge.probe import UNKNOWN, probe_bare, probe_tablebase
from siqi.games.xiangqi.paper.rules import experience
from siqi.games.xiangqi.rules.lookup import LOOKUP
from siqi.games.xiangqi.rules.mates import is_hemmed_in, mates_at_once
from siqi.games.xiangqi.rules.movegen import IN_CHECK, checks_and_pins
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION, QUIET_LIMIT, do_move, target_of, undo_move
from siqi.games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, NO_SCORE, WORK
from siqi.games.xiangqi.search.history import corrected_evaluation
from siqi.games.xiangqi.search.margins import margins_at
from siqi.games.xiangqi.search.picker import list_forcing_moves

MATE = 30_000
"""A mate now; a mate in n plies scores MATE - n, as does a win in n plies by the tablebase."""

MATE_BOUND = MATE - 2 * MATE_LIMIT
"""Scores beyond it are mates and tablebase wins."""

PERPETUAL_WIN = 20_000
"""A win because the opponent must give up a perpetual: beyond any evaluation and known position, short of a mate."""

PERPETUAL_BOUND = PERPETUAL_WIN - MAX_PLY
"""Scores from here to MATE_BOUND are perpetuals; they depend on the path to the position."""

BARE_WIN_BONUS = 600
"""Centipawns added where the tablebase has a win without the attacker's own defenders, less one per ply to the win."""

BARE_DRAW_DIVISOR, PATTERN_DRAW_DIVISOR = 8, 2
"""Divisors of the value where the tablebase has a draw without the attacker's own defenders, and where the pattern
book has a draw."""


@inner(int64(POSITION, WORK, int64))
def tablebase_score(pos: Record, work: Record, ply: int) -> int:
    """Return the score of a position by the tablebase; NO_SCORE if it has none, or if the 60-move rule may come first.

    A win in n plies scores as a mate in n. Counts a tablebase hit.
    """
    code = probe_tablebase(pos, work.tablebase)
    if code == UNKNOWN or pos.quiet + code > QUIET_LIMIT:
        return NO_SCORE
    work.tbhits += 1
    if code == 0:
        return 0
    score = MATE - ply - (code - 1)
    return score if code & 1 == 0 else -score


@inner(int64(POSITION, WORK, LOOKUP, int64))
def known_score(pos: Record, work: Record, lookup: Record, ply: int) -> int:
    """Return the score of a position by known positions, else by the tablebase; NO_SCORE if neither has it."""
    if work.known_positions != 0:
        known = call_at(work.find_known, pos, work, lookup)
        if known != NO_SCORE:
            return known
    return tablebase_score(pos, work, ply) if work.tablebase != 0 else int64(NO_SCORE)


@outlined(int64(POSITION, WORK, LOOKUP, int64))
def adjusted_by_books(pos: Record, work: Record, lookup: Record, value: int) -> int:
    """Return a static value adjusted by the tablebase and the pattern book, in the mover's view.

    The tablebase is probed for the position without the attacker's own defenders; if it has none, the pattern book is
    consulted for the side ahead. The book's draws are not significant (400 games from endings with the tablebase:
    53.9 % +- 2.2 with, 54.2 % +- 2.1 without them, 52.4 % +- 2.3 divided by 8; 82677fd), nor were its wins, as a bonus
    of 300 (48.0 % +- 3.3, 0b03dde).
    """
    for side in range(2):
        code = probe_bare(pos, work.tablebase, int64(side))
        if code == 0:
            return value // BARE_DRAW_DIVISOR
        if code > 0:
            return max(value, 0) + BARE_WIN_BONUS - code if code & 1 == 0 else min(value, 0) - BARE_WIN_BONUS + code
    if work.pattern_book != 0:
        if match(pos, lookup, work.pattern_book, pos.turn if value > 0 else pos.turn ^ 1) & 3 == DRAWN:
            return value // PATTERN_DRAW_DIVISOR
    return value


@outlined(int64(POSITION, WORK, LOOKUP, int64))
def has_mate(pos: Record, work: Record, lookup: Record, ply: int) -> int:
    """Return 1 if the side to move mates at once a king that is hemmed in, else 0.

    The parts of work.moves of this ply and the next are overwritten.
    """
    pos.turn ^= 1
    is_target = is_hemmed_in(pos, lookup)
    pos.turn ^= 1
    first = ply * MAX_MOVES
    return mates_at_once(pos, work, lookup, first, first + MAX_MOVES) if is_target == 1 else int64(0)


@inner(int64(POSITION, WORK, LOOKUP), forceinline=True)
def static_value(pos: Record, work: Record, lookup: Record) -> int:
    """Return the evaluation with this thread's corrections, mined rules, the tablebase and the pattern book.

    It is in the mover's view.
    """
    value = corrected_evaluation(pos, work, lookup)
    if work.mined_rules != 0:
        value += experience(pos, work)
    return adjusted_by_books(pos, work, lookup, value) if work.tablebase | work.pattern_book else value


@inner(void(POSITION, WORK, int64, int64, int64, int64, int64, int64), forceinline=True)
def store(pos: Record, work: Record, move: int, score: int, alpha: int, beta: int, depth: int, ply: int) -> None:
    """Store the fail-soft result of a search in the window (alpha, beta), unless it belongs to the path.

    So does a perpetual, and what was searched as deep as the draw by quiet plies. `move`: the best, NO_MOVE if none
    reached alpha.
    """
    if (abs(score) < PERPETUAL_BOUND or abs(score) > MATE_BOUND) and pos.quiet + depth < QUIET_LIMIT:
        bound = bound_of(score, alpha, beta)
        save(work.tt, work.tt_mask, pos.key, move, to_tt(score, ply, MATE_BOUND), depth, bound, work.generation)


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def quiesce(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, ply: int) -> int:
    """Search captures that do not lose material until the position is quiet, and every reply while in check.

    Fail-soft in the window (alpha, beta): a value <= alpha is an upper bound of this search's value, one >= beta a
    lower bound, one between is exact. The side to move may stand pat on the static value unless it is in check.
    Repetitions, the 60-move rule and stalemate are not looked at; only small terms of the static value depend on the
    path (mined rules, corrections). Once work.stopped is 1 the value means nothing. `pos` is left as it was, no
    variation is kept, and the tt gets the result unless it is a perpetual's.
    """
    count_node(work)
    if work.stopped == 1:
        return 0
    if ply > work.seldepth:
        work.seldepth = ply
    if work.tablebase | work.known_positions:
        known = known_score(pos, work, lookup, ply)
        if known != NO_SCORE:
            return known
    state = checks_and_pins(pos, lookup)
    if ply >= MAX_PLY:
        return evaluate(pos, work, lookup)

    # Transposition table. Each entry is deep enough
    data = probe(work.tt, work.tt_mask, pos.key)
    tt_move = 0
    if data != 0:
        tt_move = entry_move(data)
        tt_score = from_tt(entry_score(data), ply, MATE_BOUND)
        if beta - alpha == 1 and is_cutoff(entry_bound(data), tt_score, alpha, beta) == 1:
            return tt_score

    # Stand pat. The side to move need not capture
    best = ply - MATE
    in_check = state & IN_CHECK
    margins = margins_at(work.margins)
    if in_check == 0:
        best = static_value(pos, work, lookup)
        if best >= beta:
            return best
        # Mate at hand, by its margin alone (52.5 % +- 7.6 of 100 games at 20,000 nodes; at equal time not measured)
        if margins.mate_at_hand == 1 and has_mate(pos, work, lookup, ply) == 1:
            return MATE - ply - 1
        alpha = max(alpha, best)
    static = best
    first = ply * MAX_MOVES
    end = list_forcing_moves(pos, work, lookup, ply, state, tt_move)
    best_move = int64(NO_MOVE)
    old_alpha = alpha
    for i in range(first, end):
        move = pick(work, i, end)
        if in_check == 0:
            # Delta pruning. Leave out captures that cannot bring the score near alpha (saves 3 % of nodes, fa0d961).
            # Quiet checks at the first ply were tried: not significant (50.4 % +- 6.9 at equal nodes), and slower
            gain = static + exchange_value(lookup, int64(pos.board[target_of(move)])) + margins.capture
            if gain <= alpha:
                best = max(best, gain)
                continue
            # Exchange pruning. Leave out captures that lose in the exchange (saves 21 % of nodes, fa0d961)
            if see_ge(pos, work, lookup, move, int64(0)) == 0:
                continue
        do_move(pos, lookup, move)
        prefetch(work.tt, work.tt_mask, pos.key)
        score = -recurse_3(pos, work, lookup, -beta, -alpha, ply + 1)
        undo_move(pos, lookup)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if score >= beta:
                    break
    store(pos, work, best_move, best, old_alpha, beta, int64(0), ply)
    return best
