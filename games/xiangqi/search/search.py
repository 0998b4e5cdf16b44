"""Alpha-beta search for Xiangqi: negamax principal-variation search (paper 5: both bounds pass all levels).

`search` searches a position below the root to one depth; adapter.py searches the root with it. Scores are centipawns in
the view of the side to move.

The worth of a step stands beside it: "nodes 1.3" means that without it depth 11 takes 1.3 times the nodes (geometric
mean of 16 positions); a percentage is its score against the search without it (paired games at 20,000 nodes a move, of
steps 6 and 17 and of the root at 10,000).
"""

from __future__ import annotations

from siqi.games.kernel.intrinsics import recurse_4
from siqi.games.kernel.jit import Record, inner, int64, void
from siqi.games.kernel.node import count_node, from_tt, set_pv
from siqi.games.kernel.tt import (
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    expect_probe,
    probe,
    settles,
)
from siqi.games.xiangqi.evaluation.evaluate import evaluate
from siqi.games.xiangqi.evaluation.exchange import wins_exchange
from siqi.games.xiangqi.knowledge.rulebook import mined_confidence
from siqi.games.xiangqi.rules.lookup import LOOKUP
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, IN_CHECK, checks_and_pins, generate_legal, gives_check, is_legal
from siqi.games.xiangqi.rules.position import (
    NO_MOVE,
    POSITION,
    QUIET_LIMIT,
    count_strong,
    do_move,
    do_null,
    note_check,
    target_of,
    undo_move,
    undo_null,
)
from siqi.games.xiangqi.rules.repetition import DRAW, MOVER_LOSES, find_repetition, has_attackers, judge_cycle
from siqi.games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, NO_SCORE, WORK
from siqi.games.xiangqi.search.history import (
    bonus_of,
    reward_last,
    reward_last_by_values,
    reward_quiet,
    update_corrections,
)
from siqi.games.xiangqi.search.margins import MARGINS, REDUCTIONS, margins_at
from siqi.games.xiangqi.search.picker import (
    GOOD_CAPTURE,
    KILLER,
    MINED_RULE_PLIES,
    next_move,
    picked_score,
    start_picker,
)
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

INFINITE = 32_000
"""Beyond every score; the bounds of a full window."""

assert NO_SCORE < -INFINITE

MINED_RULE_BONUS = 2
"""Centipawns that the answer of a sure mined rule gains in the middle game: enough to break ties.

Against no rules, 500 games at 5,000 nodes: 47.0 % +- 3.8 with 6, 50.0 % +- 3.6 with 12, 53.3 % +- 3.9 with 0, when
rules only order.
"""

RAZOR_DEPTH, REVERSE_FUTILITY_DEPTH = 3, 7
"""The last depths of steps 7 and 8."""

NULL_DEPTH, NULL_VERIFIED_DEPTH = 3, 12
"""Depths from which step 9 is tried, and from which a second search verifies it."""

NULL_REDUCTION, NULL_DEPTH_SHARE, NULL_MARGIN_PLIES = 3, 4, 3
"""Plies that step 9 reduces: 3, one for each 4 plies of depth, one for each margin over beta up to 3."""

INTERNAL_REDUCTION_DEPTH = 4
"""The first depth of step 10."""

LATE_MOVE_DEPTH = 6
"""The last depth of step 13."""

FUTILITY_DEPTH, EXCHANGE_DEPTH = 5, 6
"""The last reduced depth of step 14, and the last depth of step 15."""

LATE_DEPTH, LATE_NUMBER = 3, 2
"""The first depth, and the first number of a move, that step 16 reduces."""

SINGULAR_DEPTH, SINGULAR_AGE, SINGULAR_PLIES = 6, 3, MAX_PLY - 8
"""The first depth at which step 11 tests a move, the plies by which the stored search may be shallower, and the first
ply without a test."""

SINGULAR_SCORE = 300
"""Centipawns from which on step 11 tests no move: of 1,539 mates, 200,000 nodes each, 1,531 are found, 1,523 without
this bound, 1,531 without the step."""

MAX_CORRECTION = 256
"""The most that one search moves the corrections of step 18."""


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def do_tree_move(pos: Record, work: Record, lookup: Record, move: int) -> None:
    """Play a move of the tree; the answer of a mined rule near the root gains a bonus.

    The bonus is t(n), the experience in f = g + h + t (Jiang 2004).
    """
    bonus = int64(0)
    if work.mined_rules != 0 and pos.height - work.root_height <= MINED_RULE_PLIES:
        bonus = MINED_RULE_BONUS * mined_confidence(pos, lookup, work.mined_rules, move) // 1000
    do_move(pos, lookup, move)
    expect_probe(work.tt, work.tt_mask, pos.key)
    pos.score += bonus if pos.turn == 1 else -bonus


@inner(int64(int64, int64), forceinline=True)
def last_kept(depth: int, improving: int) -> int:
    """Return the number of the last quiet move that step 13 keeps."""
    return (3 + depth * depth) // (2 - improving) if depth <= LATE_MOVE_DEPTH else int64(MAX_MOVES)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64, int64, int64, int64, int64), forceinline=True)
def is_hopeless(
    pos: Record,
    work: Record,
    lookup: Record,
    move: int,
    order: int,
    quiet: int,
    depth: int,
    number: int,
    last_number: int,
    reduction: int,
    margin: int,
) -> int:
    """1 for a move that would hardly come up to alpha at this depth.

    `order`: its score by the move picker; `quiet`: 1 for a quiet move that is no killer; `number`: moves yielded
    before it; `last_number`: that of the last quiet move that step 13 keeps; `margin`: the static value less alpha, in
    centipawns.
    """
    margins = margins_at(work.margins)
    left = max(depth - reduction, 1)
    if quiet:
        # Step 13. Late move pruning. At low depth the last quiet moves in the order hardly ever help (nodes 5.0)
        if number > last_number:
            return 1
        # Step 14. Futility pruning. A quiet move does not lift a position that is so far below alpha (nodes 1.03)
        if left <= FUTILITY_DEPTH and margin + margins.futility_base + margins.futility * left <= 0:
            return 1
    # Step 15. Exchange pruning. A move that loses material in the exchange seldom gets it back (nodes 1.25)
    if depth <= EXCHANGE_DEPTH and number > 0 and (quiet or order < 0):
        allowed = -margins.quiet_loss * depth * depth if quiet else -margins.capture_loss * depth
        return 1 - wins_exchange(pos, work, lookup, move, int64(allowed))
    return 0


@inner(int64(MARGINS, int64, int64), forceinline=True)
def table_reduction(margins: Record, depth: int, number: int) -> int:
    """Return the plies by which the search of a move is reduced, by depth and number alone; may be below 0."""
    return margins.reduction[min(depth, REDUCTIONS - 1) * REDUCTIONS + min(number, REDUCTIONS - 1)]


@inner(int64(MARGINS, int64, int64, int64, int64, int64), forceinline=True)
def late_move_reduction(margins: Record, plies: int, order: int, quiet: int, is_pv: int, improving: int) -> int:
    """Return the plies by which the search of a late move is reduced, `plies` by the table.

    `order` and `quiet` are those of `is_hopeless`.
    """
    if order >= GOOD_CAPTURE:
        return 0
    if quiet:
        plies -= int64(order / margins.history_a_ply)
        if is_pv:
            plies -= 1
        if improving == 0:
            plies += 1
    else:
        plies -= 1
    return max(plies, 0)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, may_pass: int) -> int:
    """Return the value of a position below the root, searched to `depth` plies, for the side to move.

    Fail-soft in the window (alpha, beta), alpha < beta: a value <= alpha is an upper bound, one >= beta a lower bound.
    One between is exact for this search; then the ply's row of work.pv holds the principal variation. A null window
    (beta - alpha = 1) prunes more and keeps no variation. `may_pass`: 1 if a null move may be tried.

    The value depends on the path: on repetitions (step 2), on quiet plies, on the ply from the root. The score of a
    perpetual is not stored in the tt; a draw by repetition further down is. Once work.stopped is 1 the value means
    nothing and nothing more is stored. `pos` is always left as it was, except that a check by the last move is noted.
    """
    ply = pos.height - work.root_height
    is_pv = beta - alpha > 1
    work.pv_length[ply] = 0

    # Step 1. At the horizon, resolve captures and checks by quiescence search
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
    start = find_repetition(pos, int64(work.root_height))
    if start >= 0:
        verdict = judge_cycle(pos, work, lookup, start)
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

    # Step 3. Known positions and tablebase. A known value needs no search; the user's word goes first
    if work.tablebase | work.known_positions:
        known = known_score(pos, work, lookup, ply)
        if known != NO_SCORE:
            return known

    # Step 4. Mate distance pruning. Nothing here beats a shorter mate that is already found
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    # Step 5. Transposition table. A stored search of this depth that settles the window is not repeated. If step 11 has
    # left out a move, this search is of the other moves only: what is stored is not its result, nor is that stored
    excluded = int64(work.excluded[ply])
    data = probe(work.tt, work.tt_mask, pos.key)
    hash_move = int64(NO_MOVE)
    hash_score = int64(0)
    hash_bound = int64(0)
    hash_depth = int64(0)
    if data != 0:
        hash_move = entry_move(data)
        hash_score = from_tt(entry_score(data), ply, MATE_BOUND)
        hash_bound = entry_bound(data)
        hash_depth = entry_depth(data)
        settled = settles(hash_bound, hash_score, alpha, beta)
        if not is_pv and excluded == NO_MOVE and hash_depth >= depth and settled == 1:
            return hash_score

    # Step 6. Static value, sharpened by the tt's bound. The node is improving if the value is better than it was two
    # plies ago; then less is pruned and reduced (nodes 1.6). What the last move gained goes to its history (with the
    # reward of step 17: 57.5 % +- 5.9)
    static = int64(NO_SCORE)
    estimate = int64(NO_SCORE)
    improving = 0
    if in_check == 0:
        static = static_value(pos, work, lookup)
        estimate = static
        if hash_bound & (LOWER if hash_score > static else UPPER):
            estimate = hash_score
        if ply >= 2 and work.static[ply - 1] != NO_SCORE and static > work.static[ply - 1]:
            improving = 1
        if work.static[ply] != NO_SCORE and excluded == NO_MOVE:
            reward_last_by_values(pos, work, int64(work.static[ply]), static)
    work.static[ply + 1] = static

    margins = margins_at(work.margins)
    if not is_pv and in_check == 0 and excluded == NO_MOVE and abs(beta) < PERPETUAL_BOUND:
        # Step 7. Razoring. So far below alpha only captures could help, so ask quiescence search (nodes 1.13,
        # 52.1 % +- 8.0)
        if depth <= RAZOR_DEPTH and estimate + margins.razor * depth < alpha:
            score = quiesce(pos, work, lookup, alpha, alpha + 1, ply)
            if work.stopped == 1:
                return 0
            if score <= alpha:
                return score

        # Step 8. Reverse futility pruning. So far above beta a shallow search would not fall back below it (nodes 2.9,
        # 79.2 % +- 6.4)
        if depth <= REVERSE_FUTILITY_DEPTH and estimate - margins.reverse_futility * (depth - improving) >= beta:
            return estimate

        # Step 9. Null move pruning. If a reduced search holds beta though we pass, a move would hold it too. Two pieces
        # that can attack must be left (there is no zugzwang among rooks, horses and cannons); at great depth a search
        # without passing verifies the cut (nodes 1.17, 50.4 % +- 7.4)
        if may_pass == 1 and depth >= NULL_DEPTH and estimate >= beta:
            if count_strong(pos, pos.turn) >= 2:
                over_beta = min((estimate - beta) // margins.null, NULL_MARGIN_PLIES)
                reduced = depth - NULL_REDUCTION - depth // NULL_DEPTH_SHARE - over_beta
                do_null(pos, lookup)
                score = -recurse_4(pos, work, lookup, -beta, 1 - beta, reduced, int64(0))
                undo_null(pos, lookup)
                if work.stopped == 1:
                    return 0
                if score >= beta:
                    score = min(score, PERPETUAL_BOUND)  # a win after a pass is not proven
                    if depth < NULL_VERIFIED_DEPTH:
                        return score
                    verified = recurse_4(pos, work, lookup, beta - 1, beta, reduced, int64(0))
                    if work.stopped == 1:
                        return 0
                    if verified >= beta:
                        return score

    # Step 10. Internal reduction. Without a move of the tt the order is poor, so a shallower search first finds one
    # (nodes 1.5, 47.1 % +- 7.7)
    if depth >= INTERNAL_REDUCTION_DEPTH and hash_move == NO_MOVE:
        depth -= 1

    # Step 11. Extensions. Replies to check are few and forced, so they cost no depth (nodes 1.01, 51.7 % +- 7.7). The
    # tt's move is singular if a shallow search of the others stays well below its score: then it is searched a ply
    # deeper. If the others come up to beta as well, the node is cut; if only the stored score does, a ply less will do
    # (at 100,000 nodes 52.7 % +- 3.6)
    extension = 1 if in_check else 0
    hash_extension = extension
    is_candidate = (
        excluded == NO_MOVE
        and hash_move != NO_MOVE
        and hash_bound & LOWER
        and max(abs(hash_score), abs(beta)) < SINGULAR_SCORE
    )
    if is_candidate and depth >= SINGULAR_DEPTH and hash_depth >= depth - SINGULAR_AGE and ply < SINGULAR_PLIES:
        if is_legal(pos, lookup, hash_move, state) == 1:
            bar = hash_score - depth * margins.singular // 100
            work.excluded[ply] = hash_move
            score = recurse_4(pos, work, lookup, bar - 1, bar, (depth - 1) // 2, int64(0))
            work.excluded[ply] = NO_MOVE
            work.pv_length[ply] = 0
            if work.stopped == 1:
                return 0
            if score < bar:
                hash_extension = 1
            elif score >= beta and score < PERPETUAL_BOUND and not is_pv:
                return score
            elif hash_score >= beta:
                hash_extension = extension - 1

    # Step 12. The move picker yields the tt's move before the others are generated, for it mostly cuts
    start_picker(pos, work, lookup, ply, state, hash_move)
    best = int64(-INFINITE)
    best_move = int64(NO_MOVE)
    old_alpha = alpha
    number = -1
    prunes = 1 if not is_pv and in_check == 0 else 0
    last_number = last_kept(depth, improving)
    is_late = int64(0)
    while True:
        move = next_move(pos, work, lookup, ply, state, hash_move, is_late)
        if move == NO_MOVE:
            break
        order = picked_score(work, ply)
        number += 1
        if move == excluded:
            continue
        is_capture = pos.board[target_of(move)] != 0
        quiet = 1 if not is_capture and order < KILLER else 0
        reduction = table_reduction(margins, depth, number)

        if prunes and best > -PERPETUAL_BOUND:
            # Steps 13-15. Leave out a move that is not worth a search, unless it checks
            if quiet and number >= last_number:
                is_late = int64(1)
            margin = static - alpha
            if is_hopeless(pos, work, lookup, move, order, quiet, depth, number, last_number, reduction, margin) == 1:
                if gives_check(pos, lookup, move) == 0:
                    continue

        # Step 16. Principal variation search. The first move is expected to be best, so the others need only be shown
        # not to beat it, late ones at reduced depth; one that does is searched again (nodes 4.2)
        new_depth = depth - 1 + (hash_extension if move == hash_move else extension)
        do_tree_move(pos, work, lookup, move)
        if number == 0:
            score = -recurse_4(pos, work, lookup, -beta, -alpha, new_depth, int64(1))
        else:
            if depth < LATE_DEPTH or number < LATE_NUMBER or in_check:
                reduction = int64(0)
            else:
                reduction = late_move_reduction(margins, reduction, order, quiet, is_pv, improving)
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

    # Step 17. A move to which no answer comes up to alpha was good. Without a legal move the side to move has lost, in
    # check or not
    if best <= old_alpha:
        reward_last(pos, work, lookup, bonus_of(depth))
    if number < 0:
        return ply - MATE

    # Step 18. Corrections. Learn the error of the static value where no capture explains it (56.4 % +- 6.7, history.py)
    is_quiet = best_move == NO_MOVE or pos.board[target_of(best_move)] == 0
    if in_check == 0 and is_quiet and abs(best) < PERPETUAL_BOUND:
        if not (best >= beta and best <= static) and not (best <= old_alpha and best >= static):
            bonus = min(max((best - static) * depth // 8, -MAX_CORRECTION), MAX_CORRECTION)
            update_corrections(pos, work, lookup, bonus)

    # Step 19. Store the result in the tt, unless it is a perpetual
    store(pos, work, best_move, best, old_alpha, beta, depth, ply)
    return best
