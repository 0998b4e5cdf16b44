"""Alpha-beta search for Xiangqi: negamax principal-variation search (paper 5: both bounds pass all levels).

`search_root` runs one depth over the root moves; games/alphabeta.py owns iterative deepening, aspiration windows,
MultiPV and helper threads, which share the transposition table and nothing else (lazy SMP).
"""

from __future__ import annotations

from typing import Any

from games.contract import MATE_LIMIT
from games.kernel.intrinsics import recurse_3, recurse_4
from games.kernel.jit import Record, entry, inner, int64, new_record, void
from games.kernel.node import count_node, from_table, pick, set_pv, to_table
from games.kernel.table import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    probe,
    save,
    settles,
)
from games.xiangqi.evaluate import evaluate
from games.xiangqi.exchange import wins_exchange, worth
from games.xiangqi.movegen import IN_CHECK, checks_and_pins, generate_legal, gives_check, is_legal
from games.xiangqi.position import (
    NO_MOVE,
    POSITION,
    QUIET_LIMIT,
    count_kind,
    do_move,
    do_null,
    note_check,
    undo_move,
    undo_null,
)
from games.xiangqi.rules import DRAW, MOVER_LOSES, find_repetition, has_attackers, judge_cycle
from games.xiangqi.tables import CANNON, HORSE, ROOK, TABLES, TABLES_RECORD
from games.xiangqi.work import CORRECTIONS, MAX_MOVES, MAX_PLY, WORK, WORK_DTYPE

MATE = 30_000
"""Mated now; a mate in n plies scores MATE - n."""

MATE_BOUND = MATE - 2 * MATE_LIMIT
RULE_WIN = 20_000
"""Won because the opponent must give up a perpetual: beyond any evaluation, short of a mate."""

RULE_BOUND = RULE_WIN - MAX_PLY

INFINITE = 32_000

HASH_MOVE, GOOD_CAPTURE, KILLER, BAD_CAPTURE = 1 << 28, 1 << 24, 1 << 23, -(1 << 24)
"""Classes of the move ordering; quiet moves score between a bad capture and a killer."""

HISTORY_MAX = 1 << 14
CORRECTION_MAX = 1 << 10
UNKNOWN_STATIC = -INFINITE - 1
"""In the place of a static evaluation: in check there is none."""


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def capture_order(pos: Record, t: Record, move: int) -> int:
    """Most valuable victim first, least valuable attacker among equals."""
    return worth(t, int64(pos.board[move >> 7])) * 16 - worth(t, int64(pos.board[move & 127])) // 16


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def context(pos: Record, t: Record, back: int) -> int:
    """Row of work.continuation for the move made `back` plies ago; the empty row if there is none."""
    height = pos.height - back
    if height < 0 or pos.past_move[height] == NO_MOVE:
        return 0
    target = int64(pos.past_move[height]) >> 7
    # The piece may have been taken since: the square then holds its taker.
    return (int64(t.kind_of[pos.board[target]]) * 90 + target) * 1350


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64), forceinline=True)
def quiet_score(pos: Record, work: Record, t: Record, move: int, row_1: int, row_2: int) -> int:
    """What history says of a quiet move: by itself, and as a sequel to the last two moves."""
    piece = int64(pos.board[move & 127])
    target = move >> 7
    column = int64(t.kind_of[piece]) * 90 + target
    score = int64(work.history[piece * 90 + target])
    return score + int64(work.continuation[row_1 + column]) + int64(work.continuation[row_2 + column])


@inner(int64(POSITION), forceinline=True)
def material_index(pos: Record) -> int:
    """Place of the material in work.correction."""
    return pos.turn * CORRECTIONS + (pos.material * 0x2545F4914F6CDD1D >> 50 & CORRECTIONS - 1)


@inner(int64(POSITION, WORK, TABLES), forceinline=True)
def corrected(pos: Record, work: Record, t: Record) -> int:
    """The evaluation, moved by how far searches of like positions came out from it.

    Like are positions of the same material, and those after the same kind of move. Without: 43.6 % +- 6.7
    (140 games, 20,000 nodes a move).
    """
    off = int64(work.correction[material_index(pos)])
    off += int64(work.sequel_correction[context(pos, t, int64(1)) // 1350])
    return evaluate(pos, t) + off // 16


@inner(void(POSITION, WORK, TABLES, int64), forceinline=True)
def correct(pos: Record, work: Record, t: Record, bonus: int) -> None:
    """Move the corrections of a position towards what its search says; `bonus` is within 256."""
    size = abs(bonus)
    i = material_index(pos)
    work.correction[i] += bonus - work.correction[i] * size // CORRECTION_MAX
    i = context(pos, t, int64(1)) // 1350
    work.sequel_correction[i] += bonus - work.sequel_correction[i] * size // CORRECTION_MAX


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def quiesce(pos: Record, work: Record, t: Record, alpha: int, beta: int, ply: int) -> int:
    """Captures that do not lose material, until the position is quiet; every reply while in check. Fail-soft."""
    count_node(work)
    if work.stopped == 1:
        return 0
    if ply > work.seldepth:
        work.seldepth = ply
    state = checks_and_pins(pos, t)
    if ply >= MAX_PLY:
        return evaluate(pos, t)

    data = probe(work.table, work.table_mask, pos.key)
    hash_move = 0
    if data != 0:
        hash_move = entry_move(data)
        score = from_table(entry_score(data), ply, MATE_BOUND)
        bound = entry_bound(data)
        if beta - alpha == 1 and settles(bound, score, alpha, beta) == 1:
            return score

    best = ply - MATE
    in_check = state & IN_CHECK
    if in_check == 0:
        best = corrected(pos, work, t)
        if best >= beta:
            return best
        alpha = max(alpha, best)
    static = best
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, t, first, int64(0) if in_check else int64(1), state)
    row_1, row_2 = int64(0), int64(0)
    if in_check:  # else there are no quiet moves to order
        row_1, row_2 = context(pos, t, int64(1)), context(pos, t, int64(2))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            work.move_scores[i] = HASH_MOVE
        elif pos.board[move >> 7] != 0:
            work.move_scores[i] = GOOD_CAPTURE + capture_order(pos, t, move)
        else:
            work.move_scores[i] = quiet_score(pos, work, t, move, row_1, row_2)
    best_move = int64(NO_MOVE)
    old_alpha = alpha
    for i in range(first, end):
        move = pick(work, i, end)
        if in_check == 0:
            # A capture that cannot bring the score near alpha, or loses in the exchange, is no quiet end.
            gain = static + worth(t, int64(pos.board[move >> 7])) + 150
            if gain <= alpha:
                best = max(best, gain)
                continue
            if wins_exchange(pos, work, t, move, int64(0)) == 0:
                continue
        do_move(pos, t, move)
        score = -recurse_3(pos, work, t, -beta, -alpha, ply + 1)
        undo_move(pos, t)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                if score >= beta:
                    break
    if abs(best) < RULE_BOUND or abs(best) > MATE_BOUND:
        bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
        stored = to_table(best, ply, MATE_BOUND)
        save(work.table, work.table_mask, pos.key, best_move, stored, int64(0), bound, work.generation)
    return best


@inner(void(WORK, POSITION, TABLES, int64, int64, int64, int64), forceinline=True)
def learn(work: Record, pos: Record, t: Record, move: int, row_1: int, row_2: int, bonus: int) -> None:
    """Move the histories of a quiet move towards (bonus > 0) or away from playing it."""
    piece = int64(pos.board[move & 127])
    target = move >> 7
    column = int64(t.kind_of[piece]) * 90 + target
    size = abs(bonus)
    index = piece * 90 + target
    work.history[index] += bonus - work.history[index] * size // HISTORY_MAX
    work.continuation[row_1 + column] += bonus - work.continuation[row_1 + column] * size // HISTORY_MAX
    work.continuation[row_2 + column] += bonus - work.continuation[row_2 + column] * size // HISTORY_MAX


@inner(void(POSITION, WORK, TABLES, int64, int64, int64, int64), forceinline=True)
def reward(pos: Record, work: Record, t: Record, move: int, ply: int, depth: int, first: int) -> None:
    """A quiet move cut off: remember it as killer, as the answer to the last move, and in the histories; blame the
    quiet moves tried before it."""
    if work.killers[2 * ply] != move:
        work.killers[2 * ply + 1] = work.killers[2 * ply]
        work.killers[2 * ply] = move
    last = int64(pos.past_move[pos.height - 1]) if pos.height > 0 else 0
    if last != NO_MOVE:
        work.counter[int64(pos.board[last >> 7]) * 90 + (last >> 7)] = move
    row_1, row_2 = context(pos, t, int64(1)), context(pos, t, int64(2))
    bonus = min(16 * depth * depth + 32 * depth, 1600)
    learn(work, pos, t, move, row_1, row_2, bonus)
    i = first
    while work.moves[i] != move:
        other = int64(work.moves[i])
        if pos.board[other >> 7] == 0:
            learn(work, pos, t, other, row_1, row_2, -bonus)
        i += 1


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def list_moves(pos: Record, work: Record, t: Record, ply: int, state: int, hash_move: int) -> int:
    """The legal moves and their order to the ply's place in work.moves; returns their end.

    Table move, captures (good until an exchange says otherwise), killers, counter move, the rest by histories.
    """
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, t, first, int64(0), state)
    last = int64(pos.past_move[pos.height - 1])
    counter = int64(work.counter[int64(pos.board[last >> 7]) * 90 + (last >> 7)])
    killer = int64(work.killers[2 * ply])
    second_killer = int64(work.killers[2 * ply + 1])
    row_1, row_2 = context(pos, t, int64(1)), context(pos, t, int64(2))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            score = int64(HASH_MOVE)
        elif pos.board[move >> 7] != 0:
            score = GOOD_CAPTURE + capture_order(pos, t, move)
        elif move == killer:
            score = KILLER + 2
        elif move == second_killer:
            score = KILLER + 1
        elif move == counter:
            score = int64(KILLER)
        else:
            score = quiet_score(pos, work, t, move, row_1, row_2)
        work.move_scores[i] = score
    return end


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64, int64, int64, int64, int64, int64), forceinline=True)
def is_hopeless(
    pos: Record,
    work: Record,
    t: Record,
    move: int,
    order: int,
    quiet: int,
    depth: int,
    number: int,
    reduction: int,
    improving: int,
    margin: int,
) -> int:
    """1 for a move that would hardly come up to alpha at this depth. `margin`: static evaluation over alpha."""
    left = max(depth - reduction, 1)
    if quiet:
        # Step 12. Late-move pruning: at low depth the tail of the quiet moves never helps
        if depth <= 6 and number > (3 + depth * depth) // (2 - improving):
            return 1
        # Step 13. Futility: a quiet move will not lift a position so far below alpha
        if left <= 5 and margin + 90 + 80 * left <= 0:
            return 1
        # Step 14. History
        if left <= 3 and order < -2500 * depth:
            return 1
    # Step 15. Losing material in the exchange
    if depth <= 6 and number > 0 and (quiet or order < 0):
        allowed = -25 * depth * depth if quiet else -90 * depth
        return 1 - wins_exchange(pos, work, t, move, int64(allowed))
    return 0


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64, int64))
def search(pos: Record, work: Record, t: Record, alpha: int, beta: int, depth: int, may_pass: int) -> int:
    """The value of a non-root position for the side to move, fail-soft; meaningless once work.stopped."""
    ply = pos.height - work.root_height
    is_pv = beta - alpha > 1
    excluded = int64(work.excluded[ply])
    work.pv_length[ply] = 0

    # Step 1. Look ahead is used up
    if depth <= 0:
        return quiesce(pos, work, t, alpha, beta, ply)
    count_node(work)
    if work.stopped == 1:
        return 0

    # Step 2. Check, and the ends by rule: the first repetition counts as the third would
    state = checks_and_pins(pos, t)
    in_check = state & IN_CHECK
    if excluded == NO_MOVE:
        if in_check:
            note_check(pos)
        start = find_repetition(pos, int64(1))
        if start >= 0:
            verdict = judge_cycle(pos, work, t, start)
            if verdict == DRAW:
                return 0
            return ply - RULE_WIN if verdict == MOVER_LOSES else RULE_WIN - ply
        if pos.quiet >= QUIET_LIMIT or has_attackers(pos) == 0:
            # A mate given by the last quiet move counts.
            if in_check and generate_legal(pos, work, t, ply * MAX_MOVES, int64(0), state) == ply * MAX_MOVES:
                return ply - MATE
            return 0
    if ply >= MAX_PLY:
        return evaluate(pos, t)

    # Step 3. Mate distance: nothing here beats a mate already found
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    # Step 4. Transposition table
    data = int64(0)
    if excluded == NO_MOVE:
        data = probe(work.table, work.table_mask, pos.key)
    hash_move = int64(NO_MOVE)
    hash_score = int64(0)
    hash_bound = int64(0)
    if data != 0:
        hash_move = entry_move(data)
        hash_score = from_table(entry_score(data), ply, MATE_BOUND)
        hash_bound = entry_bound(data)
        if not is_pv and entry_depth(data) >= depth and settles(hash_bound, hash_score, alpha, beta) == 1:
            return hash_score

    # Step 5. Static evaluation, sharpened by the table; is it better than two plies ago?
    static = int64(UNKNOWN_STATIC)
    estimate = int64(UNKNOWN_STATIC)
    improving = 0
    if in_check == 0:
        static = work.static[ply + 1] if excluded != NO_MOVE else corrected(pos, work, t)
        estimate = static
        if hash_bound & (LOWER if hash_score > static else UPPER):
            estimate = hash_score
        if ply >= 2 and work.static[ply - 1] != UNKNOWN_STATIC and static > work.static[ply - 1]:
            improving = 1
    work.static[ply + 1] = static

    if not is_pv and in_check == 0 and excluded == NO_MOVE and abs(beta) < RULE_BOUND:
        # Step 6. Razoring: so far below alpha that only captures could help
        if depth <= 3 and estimate + 180 * depth < alpha:
            score = quiesce(pos, work, t, alpha, alpha + 1, ply)
            if work.stopped == 1:
                return 0
            if score <= alpha:
                return score

        # Step 7. Reverse futility: far enough above beta that a shallow search would not come back
        if depth <= 7 and estimate - 70 * (depth - improving) >= beta:
            return estimate

        # Step 8. Null move, with pieces left that can attack (no zugzwang among rooks, horses, cannons);
        # deep ones are verified by a search without passing
        if may_pass == 1 and depth >= 3 and estimate >= beta and static >= beta - 20 * depth + 100:
            own = pos.turn
            if (
                count_kind(pos, own, int64(ROOK))
                + count_kind(pos, own, int64(HORSE))
                + count_kind(pos, own, int64(CANNON))
                >= 2
            ):
                reduced = depth - 3 - depth // 4 - min((estimate - beta) // 180, 3)
                do_null(pos, t)
                score = -recurse_4(pos, work, t, -beta, 1 - beta, reduced, int64(0))
                undo_null(pos, t)
                if work.stopped == 1:
                    return 0
                if score >= beta:
                    score = min(score, RULE_BOUND)
                    if depth < 12:
                        return score
                    verified = recurse_4(pos, work, t, beta - 1, beta, reduced, int64(0))
                    if work.stopped == 1:
                        return 0
                    if verified >= beta:
                        return score

    # Step 9. Internal reduction: without a table move the order is poor
    if depth >= 4 and hash_move == NO_MOVE and excluded == NO_MOVE:
        depth -= 1

    # Step 10. Check extension, and the singular extension of a table move that alone holds its value
    extension = 0
    if in_check:
        extension = 1
    hash_extension = extension
    if (
        depth >= 7
        and excluded == NO_MOVE
        and hash_move != NO_MOVE
        and hash_bound & LOWER
        and entry_depth(data) >= depth - 3
        and abs(hash_score) < RULE_BOUND
    ):
        singular_beta = hash_score - 2 * depth
        work.excluded[ply] = hash_move
        score = recurse_4(pos, work, t, singular_beta - 1, singular_beta, (depth - 1) // 2, int64(0))
        work.excluded[ply] = NO_MOVE
        if work.stopped == 1:
            return 0
        work.pv_length[ply] = 0
        if score < singular_beta:
            hash_extension = 1
        elif singular_beta >= beta:
            return singular_beta

    # Step 11. The table's move comes before the others are made: mostly it cuts
    first = ply * MAX_MOVES
    is_staged = hash_move != NO_MOVE and is_legal(pos, t, hash_move, state) == 1
    if is_staged:
        work.moves[first] = hash_move
        work.move_scores[first] = HASH_MOVE
        end = first + 1
    else:
        end = list_moves(pos, work, t, ply, state, int64(NO_MOVE))
        if end == first:
            return ply - MATE

    best = int64(-INFINITE)
    best_move = int64(NO_MOVE)
    old_alpha = alpha
    number = -1
    i = first - 1
    while True:
        i += 1
        if i == end:
            if not is_staged:
                break
            is_staged = False
            end = list_moves(pos, work, t, ply, state, hash_move)
            pick(work, first, end)
            if i == end:
                break
        move = pick(work, i, end)
        if move == excluded:
            continue
        order = int64(work.move_scores[i])
        if order >= GOOD_CAPTURE and order < HASH_MOVE and wins_exchange(pos, work, t, move, int64(0)) == 0:
            work.move_scores[i] += BAD_CAPTURE - GOOD_CAPTURE
            i -= 1
            continue
        number += 1
        is_capture = pos.board[move >> 7] != 0
        quiet = 1 if not is_capture and order < KILLER else 0
        reduction = int64(t.reduction[min(depth, 63) * 64 + min(number, 63)])

        if not is_pv and in_check == 0 and best > -RULE_BOUND:
            # Steps 12-15. Not worth a search, unless it checks
            if is_hopeless(pos, work, t, move, order, quiet, depth, number, reduction, improving, static - alpha) == 1:
                if gives_check(pos, t, move) == 0:
                    continue

        # Step 16. Principal variation search: full window for the first move, late moves reduced
        new_depth = depth - 1 + (hash_extension if move == hash_move else extension)
        do_move(pos, t, move)
        if number == 0:
            score = -recurse_4(pos, work, t, -beta, -alpha, new_depth, int64(1))
        else:
            if depth < 3 or number < 2 or in_check or order >= GOOD_CAPTURE:
                reduction = 0
            elif quiet:
                reduction -= int64(order / 16000)
                if is_pv:
                    reduction -= 1
                if improving == 0:
                    reduction += 1
            else:
                reduction -= 1
            reduction = min(max(reduction, 0), new_depth - 1)
            score = -recurse_4(pos, work, t, -alpha - 1, -alpha, new_depth - reduction, int64(1))
            if score > alpha and reduction > 0:
                score = -recurse_4(pos, work, t, -alpha - 1, -alpha, new_depth, int64(1))
            if score > alpha and score < beta:
                score = -recurse_4(pos, work, t, -beta, -alpha, new_depth, int64(1))
        undo_move(pos, t)
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
                    if not is_capture and excluded == NO_MOVE:
                        reward(pos, work, t, move, ply, depth, first)
                    break
    if number < 0:
        return alpha

    # Step 17. Learn how far the evaluation was off, where no capture explains it
    is_quiet = best_move == NO_MOVE or pos.board[best_move >> 7] == 0
    if in_check == 0 and excluded == NO_MOVE and is_quiet and abs(best) < RULE_BOUND:
        if not (best >= beta and best <= static) and not (best <= old_alpha and best >= static):
            correct(pos, work, t, min(max((best - static) * depth // 8, -256), 256))

    # Step 18. Remember, but no verdict on a perpetual: it belongs to the path, not to the position
    if excluded != NO_MOVE or (abs(best) > RULE_BOUND and abs(best) < MATE_BOUND):
        return best
    bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
    stored = to_table(best, ply, MATE_BOUND)
    save(work.table, work.table_mask, pos.key, best_move, stored, depth, bound, work.generation)
    return best


@entry(int64(POSITION, WORK, TABLES, int64, int64, int64, int64))
def search_root(pos: Record, work: Record, t: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
    """Search root moves skip.. to `depth`; the best moves to place `skip`, its variation to row 0.

    Fail-soft. When stopped, what was found so far stands if at least one move was finished (-INFINITE if none).
    """
    work.stopped = 0
    work.poll_at = min(work.poll_at, work.nodes + 1)
    work.root_height = pos.height
    best = int64(-INFINITE)
    for i in range(skip, work.root_count):
        move = int64(work.root_moves[i])
        do_move(pos, t, move)
        if i == skip:
            score = -search(pos, work, t, -beta, -alpha, depth - 1, int64(1))
        else:
            score = -search(pos, work, t, -alpha - 1, -alpha, depth - 1, int64(1))
            if work.stopped == 0 and score > alpha and score < beta:
                score = -search(pos, work, t, -beta, -alpha, depth - 1, int64(1))
        undo_move(pos, t)
        if work.stopped == 1:
            break
        if score > best:
            best = score
            if score > alpha or i == skip:
                alpha = max(alpha, score)
                set_pv(work, int64(0), move)
                for j in range(i, skip, -1):
                    work.root_moves[j] = work.root_moves[j - 1]
                work.root_moves[skip] = move
            if score >= beta:
                break
    return best


class XiangqiRoot:
    """Xiangqi's half of the searcher."""

    mate = MATE
    infinite = INFINITE
    margin = 25
    quiet_bound = RULE_WIN // 2
    max_depth = MAX_PLY - 1

    def new_work(self) -> Record:
        return new_record(WORK_DTYPE)

    def prepare(self, work: Record, position: Any, moves: tuple[int, ...]) -> list[int]:
        chosen: list[int] = list(moves) or position.legal_moves()
        work.killers[:] = NO_MOVE
        work.excluded[:] = NO_MOVE
        work.root_count = len(chosen)
        work.root_moves[: len(chosen)] = chosen
        return chosen

    def search(self, board: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        return int(search_root(board, work, TABLES_RECORD, alpha, beta, depth, skip))
