"""Alpha-beta search for Connect6: a ply is a turn of up to two stones, `Width` turns are searched at a node (paper 3).

A side that must defend at the horizon gets its reply before the evaluation is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.connect6.evaluation.evaluate import EVAL_BOUND, evaluate
from games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.connect6.rules.movegen import winning_turn
from games.connect6.rules.position import DRAW, NOT_OVER, POSITION, do_turn, undo_turn
from games.connect6.rules.work import COMPLETE, LOST, MAX_LEVELS, MAX_PLY, MAX_TURNS, PARTIAL, WORK, WORK_DTYPE
from games.connect6.search.candidates import generate_turns
from games.connect6.search.threats import find_danger, find_win, win_after
from games.contract import MATE_LIMIT, Task
from games.kernel.intrinsics import recurse_4
from games.kernel.jit import Record, entry, inner, int64
from games.kernel.node import count_node, from_table, pick, set_pv, to_table
from games.kernel.tt import (
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
from games.search.aspiration import AspirationAdapter, Outlook
from games.search.win_model import WinModel

if TYPE_CHECKING:
    from games.connect6.game import Connect6Position

MATE = 2_000_000
"""Lost now; a win in n turns scores MATE - n."""

MATE_BOUND = MATE - 2 * MATE_LIMIT
INFINITE = MATE + 1

WIN_MODEL = WinModel((0.00374,), (0.0,), 800)
"""From 490 games at 1,000, 4,000 and 16,000 nodes (scripts/tune/fit_win_model.py); log loss 0.607 of games held out,
0.692 of constant chances."""
UNPROVEN = (EVAL_BOUND + MATE_BOUND) // 2
"""A loss against the turns that were looked at, where others were left out: beyond any evaluation, no mate."""

DEFENCES = 6
"""Defences tried beyond the horizon."""

MAX_EXTENSION = 2
"""Turns that answering threats may carry a line beyond the horizon (without a bound, threats answered by
threats ran to ply 48 and held middle games to depth 2)."""

KILLER_BONUS = 150
"""A turn that cut off a sibling counts for so much more interest (57.1 % +- 7.9 of 120 games)."""

FULL_DEPTH_TURNS = 3
"""Turns of a node that are searched to the full depth at once (52.4 % +- 6.6 of 84 games against all, 100 ms)."""

THREAT_DEPTH, THREAT_NODES = 20, 64
"""Turns of a win by double threats that is looked for at each node, and nodes for it, at the horizon (see
`threat_nodes`). 16 there and as many again a turn score 31 %, 256 score 37 % +- 9 (100 games, 100 ms)."""

ROOT_THREAT_NODES = 4000
"""And at the root in each iteration, times its depth."""

ROOT_REPLY_DEPTH, ROOT_REPLY_NODES = 4, 30
"""From that depth on the root's turns that make a threat are tried for a sound win, with so many nodes, times the
depth, for each reply: for the proof, as it wins no more games (47.5 % +- 7.5 of 80)."""


@inner(int64(int64), forceinline=True)
def threat_nodes(depth: int) -> int:
    """Nodes for a win by double threats: four times as many with each turn of depth, as the search below has."""
    return THREAT_NODES << 2 * min(max(depth, 0), 8)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The value of a position below the root for the side to move, fail-soft; meaningless once work.stopped."""
    is_pv = beta - alpha > 1
    work.pv_length[ply] = 0
    count_node(work)
    if work.stopped == 1:
        return 0
    if ply > work.seldepth:
        work.seldepth = ply

    # Step 1. The game is over, or this turn ends it
    if pos.winner != NOT_OVER:
        return 0 if pos.winner == DRAW else ply - MATE
    if pos.threats[pos.turn] > 0:
        turn = winning_turn(pos, work, lookup)
        if turn != 0:
            work.pv_length[ply + 1] = 0
            set_pv(work, ply, turn)
            return MATE - ply - 1

    # Step 2. A win by double threats
    if pos.left == 2:
        length = find_win(pos, work, lookup, int64(THREAT_DEPTH), threat_nodes(depth))
        if work.stopped == 1:
            return 0
        if length > 0:
            work.pv_length[ply + 1] = 0
            set_pv(work, ply, int64(work.attack_turn))
            return MATE - ply - (2 * length - 1)

    # Step 3. The horizon, unless threats must be answered
    must_defend = pos.threats[pos.turn ^ 1] > 0
    if ply >= MAX_PLY or (depth <= 0 and not must_defend) or depth <= -MAX_EXTENSION:
        return evaluate(pos)

    # Step 4. A win found earlier is nearer than any from here
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    # Step 5. Transposition table
    data = probe(work.tt, work.tt_mask, pos.key)
    tt_move = int64(-1)
    if data != 0:
        tt_move = entry_move(data)
        score = from_table(entry_score(data), ply, MATE_BOUND)
        bound = entry_bound(data)
        if not is_pv and entry_depth(data) >= depth and settles(bound, score, alpha, beta) == 1:
            return score

    # Step 6. What the opponent would win by if this turn were passed
    work.zone_count = 0
    if depth > 1 and pos.left == 2 and not must_defend:
        find_danger(pos, work, lookup, int64(THREAT_DEPTH), threat_nodes(depth))
        if work.stopped == 1:
            return 0
    in_danger = work.zone_count > 0

    # Step 7. Turns by interest, the table's first, then those that cut off siblings
    first = ply * MAX_TURNS
    end = generate_turns(pos, work, lookup, ply, work.width if depth > 0 else int64(DEFENCES))
    coverage = work.coverage
    for i in range(first, end):
        if work.moves[i] == tt_move:
            work.move_scores[i] = INFINITE
        elif work.moves[i] == work.killers[2 * ply] or work.moves[i] == work.killers[2 * ply + 1]:
            work.move_scores[i] += KILLER_BONUS
    end_searched = min(end, first + (work.width if depth > 0 else DEFENCES))

    # Step 8. Principal variation search; turns further down the list are looked at less deeply first
    best = int64(-INFINITE)
    best_move = int64(0)
    old_alpha = alpha
    for i in range(first, end):
        # Further ones only while all lose: as many again (59.6 % +- 6.7 of 120 games), any number past proven wins
        if i >= end_searched and (best > -EVAL_BOUND or (best > -MATE_BOUND and i >= 2 * end_searched - first)):
            break
        move = pick(work, i, end)
        do_turn(pos, lookup, move)
        if i == first:
            score = -recurse_4(pos, work, lookup, -beta, -alpha, depth - 1, ply + 1)
        else:
            reduction = (
                int64(1)
                if depth > 1 and i - first >= FULL_DEPTH_TURNS and not must_defend and not in_danger
                else int64(0)
            )
            score = -recurse_4(pos, work, lookup, -alpha - 1, -alpha, depth - 1 - reduction, ply + 1)
            if reduction > 0 and score > alpha:
                score = -recurse_4(pos, work, lookup, -alpha - 1, -alpha, depth - 1, ply + 1)
            if score > alpha and score < beta:
                score = -recurse_4(pos, work, lookup, -beta, -alpha, depth - 1, ply + 1)
        undo_turn(pos, lookup, move)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            best_move = move
            if score > alpha:
                alpha = score
                if is_pv:
                    set_pv(work, ply, move)
                if score >= beta:
                    if work.killers[2 * ply] != move:
                        work.killers[2 * ply + 1] = work.killers[2 * ply]
                        work.killers[2 * ply] = move
                    break

    # Step 9. No loss is proven by a choice of turns
    if best < -MATE_BOUND and coverage == PARTIAL:
        best = ply - UNPROVEN

    # Step 10. Remember
    bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
    stored = to_table(best, ply, MATE_BOUND)
    if depth >= 0:
        save(work.tt, work.tt_mask, pos.key, best_move, stored, depth, bound, work.generation)
    return best


@inner(int64(WORK, int64))
def move_to_front(work: Record, move: int) -> int:
    """Bring a turn to the front of the root's, over the last if it is not among them and may be; 1 if it is there."""
    at = int64(0)
    while at < work.root_count and work.root_moves[at] != move:
        at += 1
    if at == work.root_count:
        if work.root_is_free == 0:
            return 0
        at -= 1
    for i in range(at, 0, -1):
        work.root_moves[i] = work.root_moves[i - 1]
    work.root_moves[0] = move
    return 1


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search_root(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
    """Search root turns skip.. to `depth`; the best moves to place `skip`, its variation to row 0.

    Fail-soft. When stopped, what was found so far stands if at least one turn was finished (-INFINITE if none).
    """
    work.stopped = 0
    work.poll_at = min(work.poll_at, work.nodes + 1)
    best = int64(-INFINITE)
    if skip == 0 and pos.left == 2 and pos.threats[pos.turn] == 0:
        length = find_win(pos, work, lookup, int64(MAX_LEVELS), ROOT_THREAT_NODES * depth)
        if length > 0 and move_to_front(work, int64(work.attack_turn)) == 1:
            work.pv_length[1] = 0
            set_pv(work, int64(0), int64(work.root_moves[0]))
            return MATE - (2 * length - 1)
        for i in range(work.root_count if depth >= ROOT_REPLY_DEPTH else 0):
            length = win_after(pos, work, lookup, int64(work.root_moves[i]), ROOT_REPLY_NODES * depth)
            if length > 0:
                move_to_front(work, int64(work.root_moves[i]))
                work.pv_length[1] = 0
                set_pv(work, int64(0), int64(work.root_moves[0]))
                return MATE - (2 * length - 1)
    for i in range(skip, work.root_count):
        move = int64(work.root_moves[i])
        do_turn(pos, lookup, move)
        if i == skip:
            score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        else:
            score = -search(pos, work, lookup, -alpha - 1, -alpha, depth - 1, int64(1))
            if work.stopped == 0 and score > alpha and score < beta:
                score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        undo_turn(pos, lookup, move)
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
    if skip == 0 and best < -MATE_BOUND and best != -INFINITE and work.root_proves == 0:
        best = -UNPROVEN
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64))
def list_root(pos: Record, work: Record, lookup: Record, limit: int) -> int:
    """The turns worth searching at the root, at most `limit`, best first, to work.root_moves; returns their number."""
    work.zone_count = 0
    end = generate_turns(pos, work, lookup, int64(0), limit)
    count = min(end, limit)
    work.root_proves = 1 if work.coverage == LOST or (work.coverage == COMPLETE and count == end) else 0
    for i in range(count):
        work.root_moves[i] = pick(work, i, end)
    return count


class Connect6Adapter(AspirationAdapter["Connect6Position"]):
    """Connect6's half of the searcher; `width` (turns searched at a node) and `max_depth` are the user's."""

    work_dtype = WORK_DTYPE
    mate = MATE
    infinite = INFINITE
    margin = 100
    quiet_bound = EVAL_BOUND
    win_is_enough = True
    max_depth: int
    width: int

    def begin(self, task: Task[Connect6Position], works: Sequence[Record]) -> Outlook:
        """Search the root three times as wide as the nodes below."""
        self._phase = task.position.phase
        turns = list(task.moves[:MAX_TURNS])
        for work in works:
            work.width = self.width
            work.killers[:] = 0
            work.root_is_free = not task.moves
            if task.moves:
                work.root_proves = int(len(task.moves) <= MAX_TURNS)
                work.root_moves[: len(turns)] = turns
            else:
                count = int(list_root(task.position.record, work, LOOKUP_RECORD, 3 * self.width))
                turns = work.root_moves[:count].tolist()
            work.root_count = len(turns)
        return Outlook(turns)

    def chances(self, cp: int) -> tuple[float, float]:
        return WIN_MODEL.chances(cp, self._phase)

    def search(self, board: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        return int(search_root(board, work, LOOKUP_RECORD, alpha, beta, depth, skip))
