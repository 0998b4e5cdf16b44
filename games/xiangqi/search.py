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
)
from games.xiangqi.evaluate import evaluate
from games.xiangqi.movegen import IN_CHECK, checks_and_pins, generate_legal
from games.xiangqi.position import NO_MOVE, POSITION, QUIET_LIMIT, do_move, do_null, note_check, undo_move, undo_null
from games.xiangqi.rules import DRAW, MOVER_LOSES, find_repetition, has_attackers, judge_cycle, kind
from games.xiangqi.tables import CAPTURED, KING, TABLES, TABLES_RECORD
from games.xiangqi.weights import VALUE
from games.xiangqi.work import MAX_MOVES, MAX_PLY, WORK, WORK_DTYPE

MATE = 30_000
"""Mated now; a mate in n plies scores MATE - n."""

MATE_BOUND = MATE - 2 * MATE_LIMIT
RULE_WIN = 20_000
"""Won because the opponent must give up a perpetual: beyond any evaluation, short of a mate."""

RULE_BOUND = RULE_WIN - MAX_PLY

INFINITE = 32_000

HASH_MOVE, CAPTURE, KILLER = 1 << 28, 1 << 24, 1 << 23
"""Classes of the move ordering; history stays below KILLER."""

HISTORY_MAX = 1 << 20
_EXCHANGE = (2000, *VALUE[1:])


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def exchange_order(pos: Record, t: Record, move: int) -> int:
    """Most valuable victim first, least valuable attacker among equals."""
    victim = kind(t, int64(pos.board[move >> 7]))
    attacker = kind(t, int64(pos.board[move & 127]))
    return _EXCHANGE[victim] * 16 - (_EXCHANGE[attacker] if attacker != KING else 0)


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def quiesce(pos: Record, work: Record, t: Record, alpha: int, beta: int, ply: int) -> int:
    """Captures only, until the position is quiet; every reply while in check. Fail-soft."""
    count_node(work)
    if work.stopped == 1:
        return 0
    if ply > work.seldepth:
        work.seldepth = ply
    state = checks_and_pins(pos, t)
    if ply >= MAX_PLY:
        return evaluate(pos, t)
    best = ply - MATE
    in_check = state & IN_CHECK
    if in_check == 0:
        best = evaluate(pos, t)
        if best >= beta:
            return best
        alpha = max(alpha, best)
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, t, first, int64(0) if in_check else int64(1), state)
    for i in range(first, end):
        move = int64(work.moves[i])
        if pos.board[move >> 7] != 0:
            work.move_scores[i] = CAPTURE + exchange_order(pos, t, move)
        else:
            work.move_scores[i] = work.history[int64(pos.board[move & 127]) * 90 + (move >> 7)]
    for i in range(first, end):
        move = pick(work, i, end)
        do_move(pos, t, move)
        score = -recurse_3(pos, work, t, -beta, -alpha, ply + 1)
        undo_move(pos, t)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                if score >= beta:
                    break
    return best


@inner(void(POSITION, WORK, int64, int64, int64, int64), forceinline=True)
def reward(pos: Record, work: Record, move: int, ply: int, depth: int, first: int) -> None:
    """A quiet move cut off: remember it as killer, as the answer to the last move, and in the history."""
    if work.killers[2 * ply] != move:
        work.killers[2 * ply + 1] = work.killers[2 * ply]
        work.killers[2 * ply] = move
    last = int64(pos.past_move[pos.height - 1]) if pos.height > 0 else 0
    if last != NO_MOVE:
        work.counter[int64(pos.board[last >> 7]) * 90 + (last >> 7)] = move
    bonus = min(depth * depth * 16, 4096)
    index = int64(pos.board[move & 127]) * 90 + (move >> 7)
    work.history[index] += bonus - work.history[index] * bonus // HISTORY_MAX
    i = first
    while work.moves[i] != move:
        other = int64(work.moves[i])
        if pos.board[other >> 7] == 0:
            index = int64(pos.board[other & 127]) * 90 + (other >> 7)
            work.history[index] -= bonus + work.history[index] * bonus // HISTORY_MAX
        i += 1


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64, int64))
def search(pos: Record, work: Record, t: Record, alpha: int, beta: int, depth: int, may_pass: int) -> int:
    """The value of a non-root position for the side to move, fail-soft; meaningless once work.stopped."""
    ply = pos.height - work.root_height
    is_pv = beta - alpha > 1
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
    data = probe(work.table, work.table_mask, pos.key)
    hash_move = 0
    if data != 0:
        hash_move = entry_move(data)
        score = from_table(entry_score(data), ply, MATE_BOUND)
        bound = entry_bound(data)
        if not is_pv and entry_depth(data) >= depth:
            if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
                return score

    static = evaluate(pos, t)
    if not is_pv and in_check == 0 and abs(beta) < MATE_BOUND:
        # Step 5. Reverse futility: far enough above beta that a shallow search would not come back
        if depth <= 5 and static - 60 * depth >= beta:
            return static

        # Step 6. Null move, with a piece left that can attack (no zugzwang among rooks, horses, cannons)
        own = 16 << pos.turn
        if may_pass == 1 and depth >= 2 and static >= beta:
            mobile = 0
            for slot in range(5, 11):
                if pos.square[own + slot] < CAPTURED:
                    mobile += 1
            if mobile >= 2:
                do_null(pos, t)
                score = -recurse_4(pos, work, t, -beta, 1 - beta, depth - 3 - depth // 4, int64(0))
                undo_null(pos, t)
                if work.stopped == 1:
                    return 0
                if score >= beta:
                    return score if score < MATE_BOUND else beta

    # Step 7. Check extension
    if in_check:
        depth += 1

    # Step 8. Moves and their order: table move, captures by victim, killers, counter move, history
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, t, first, int64(0), state)
    if end == first:
        return ply - MATE
    last = int64(pos.past_move[pos.height - 1])
    counter = int64(work.counter[int64(pos.board[last >> 7]) * 90 + (last >> 7)])
    killer = int64(work.killers[2 * ply])
    second_killer = int64(work.killers[2 * ply + 1])
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            score = int64(HASH_MOVE)
        elif pos.board[move >> 7] != 0:
            score = CAPTURE + exchange_order(pos, t, move)
        elif move == killer:
            score = KILLER + 2
        elif move == second_killer:
            score = KILLER + 1
        elif move == counter:
            score = int64(KILLER)
        else:
            score = int64(work.history[int64(pos.board[move & 127]) * 90 + (move >> 7)])
        work.move_scores[i] = score

    best = int64(-INFINITE)
    best_move = 0
    old_alpha = alpha
    for i in range(first, end):
        move = pick(work, i, end)
        number = i - first
        quiet = work.move_scores[i] < KILLER

        # Step 9. Late-move pruning: at low depth the tail of the quiet moves never helps
        if quiet and not is_pv and in_check == 0 and depth <= 3 and number > 6 + 6 * depth and best > -MATE_BOUND:
            continue

        # Step 10. Principal variation search: full window for the first move, late moves reduced
        do_move(pos, t, move)
        if number == 0:
            score = -recurse_4(pos, work, t, -beta, -alpha, depth - 1, int64(1))
        else:
            reduction = 0
            if quiet and depth >= 3 and number >= 3 and in_check == 0:
                reduction = int64(t.reduction[min(depth, 63) * 64 + min(number, 63)])
                if is_pv and reduction > 0:
                    reduction -= 1
            score = -recurse_4(pos, work, t, -alpha - 1, -alpha, depth - 1 - reduction, int64(1))
            if score > alpha and reduction > 0:
                score = -recurse_4(pos, work, t, -alpha - 1, -alpha, depth - 1, int64(1))
            if score > alpha and score < beta:
                score = -recurse_4(pos, work, t, -beta, -alpha, depth - 1, int64(1))
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
                    if pos.board[move >> 7] == 0:
                        reward(pos, work, move, ply, depth, first)
                    break

    # Step 11. Remember, but no verdict on a perpetual: it belongs to the path, not to the position
    if abs(best) > RULE_BOUND and abs(best) < MATE_BOUND:
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
        work.root_count = len(chosen)
        work.root_moves[: len(chosen)] = chosen
        return chosen

    def search(self, board: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        return int(search_root(board, work, TABLES_RECORD, alpha, beta, depth, skip))
