"""The alpha-beta search for Connect6. A ply is a turn of up to two stones; a node searches `Width` turns (paper 3).

At the horizon a side that must defend replies before the position is evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.evaluation.choice import WIN_MODELS
from siqi.games.connect6.evaluation.evaluate import EVAL_BOUND, evaluate
from siqi.games.connect6.evaluation.patterns import value_by_network
from siqi.games.connect6.knowledge.knowledge import Knowledge
from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.connect6.rules.movegen import winning_move
from siqi.games.connect6.rules.position import DRAW, NOT_OVER, POSITION, do_move, undo_move
from siqi.games.connect6.rules.work import COMPLETE, LOST, MAX_LEVELS, MAX_MOVES, MAX_PLY, PARTIAL, WORK, WORK_DTYPE
from siqi.games.connect6.search.candidates import generate_moves
from siqi.games.connect6.search.claims import CLAIM_BONUS, UNCLAIMED, find_counter, list_refutations
from siqi.games.connect6.search.threats import find_danger, find_win, win_after
from siqi.games.contract import MATE_LIMIT, Task
from siqi.games.kernel.intrinsics import recurse_4
from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.kernel.node import count_node, from_tt, pick, promote, root_place, set_pv, to_tt
from siqi.games.kernel.tt import (
    bound_of,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    is_cutoff,
    probe,
    save,
)
from siqi.games.search.aspiration import AspirationAdapter, RootInfo

MATE = 2_000_000
"""The score, negated, of a loss on the board; a win n plies ahead scores MATE - n."""

MATE_BOUND = MATE - 2 * MATE_LIMIT
"""Scores beyond it are proven wins or losses."""

INFINITE = MATE + 1

DEFENCES = 6
"""Turns searched at a node beyond the horizon."""

MAX_EXTENSION = 2
"""The most plies of a line beyond the horizon while threats must be answered. Without a bound, threats answered by
threats ran to ply 48 and held middle games to depth 2."""

KILLER_BONUS = 150
"""Interest added to a killer, a turn that cut off a sibling (not significant, 57.1 % +- 7.9 of 120 games, f10f5bc)."""

LMR_MIN_DEPTH, LMR_MIN_MOVE = 2, 3
"""The first depth, and the first turn of a node (from 0), that late move reductions shorten (not significant against no
reductions, 52.4 % +- 6.6 of 84 games, 100 ms, 04c09a0)."""

FUTILITY_DEPTH, FUTILITY_MARGIN = 1, 300
"""The greatest depth of reverse futility pruning, and its margin per ply. At the horizon, which before began with the
threat search, 56.5 % +- 6.4 of 200 games at 10,000 nodes; at depth 1 another 54.0 % +- 5.3 and 53.0 % +- 5.3."""

THREAT_DEPTH, THREAT_NODES, HORIZON_NODES = 20, 64, 128
"""The depth of the threat search at each node, in turns; its nodes at depth 0, of which each ply of depth makes four
times as many; and those at the horizon, where half as many lose (44.5 % +- 5.1 of 200 games at 10,000 nodes) and twice
as many are no better (52.5 % +- 5.8)."""

ROOT_THREAT_NODES = 4000
"""Nodes of the threat search at the root in each iteration, times its depth."""

ROOT_REPLY_DEPTH, ROOT_REPLY_NODES = 4, 30
"""The depth from which `win_after` tries the root's turns that make a threat, and its nodes for each reply, times the
depth. It serves the proof: in games it is not significant (47.5 % +- 7.5 of 80, f10f5bc)."""


@inner(int64(int64), forceinline=True)
def threat_nodes(depth: int) -> int:
    """Return the node limit of the threat search at a node: four times as many per ply of depth, as its subtree has."""
    return THREAT_NODES << 2 * min(depth, 8) if depth > 0 else HORIZON_NODES


@inner(int64(POSITION, WORK), forceinline=True)
def static_value(pos: Record, work: Record) -> int:
    """Return the evaluation in the view of the side to move; that of roads where a threat stands."""
    return evaluate(pos) if work.network == 0 or pos.threats[pos.turn ^ 1] > 0 else value_by_network(pos, work)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, ply: int) -> int:
    """Return the score of a position below the root in the view of the side to move.

    Window: the window (alpha, beta), alpha < beta. `depth`: plies left, 0 or less beyond the horizon; `ply`: plies
    from the root.

    Returns: fail-soft. A score <= alpha is an upper bound of this search's score, one >= beta a lower bound, one
    between is exact. Scores beyond MATE_BOUND are proven wins and losses, nearer ones first; others rest on the turns
    listed, on reductions and on the tt. A score depends on the path through `ply` alone, as no position repeats. It
    means nothing once work.stopped is 1.

    Side effects: `pos` is as it was. An open window, beta - alpha > 1, leaves the variation in row `ply` of work.pv.
    work.claims[ply] has the claim on which the score rests, unless the tt hid it. The tt gets the result unless
    `depth` < 0, killers those that cut. The ply's part of work.moves and the scratch of threat search and zone are
    overwritten.
    """
    is_pv = beta - alpha > 1
    work.pv_length[ply] = 0
    work.claims[ply] = UNCLAIMED
    count_node(work)
    if work.stopped == 1:
        return 0
    if ply > work.seldepth:
        work.seldepth = ply

    # Step 1. The game is over, or a turn ends it at once
    if pos.winner != NOT_OVER:
        return 0 if pos.winner == DRAW else ply - MATE
    if pos.threats[pos.turn] > 0:
        move = winning_move(pos, work, lookup)
        if move != 0:
            work.pv_length[ply + 1] = 0
            set_pv(work, ply, move)
            return MATE - ply - 1

    # Step 2. Reverse futility pruning. A value far above beta needs no search, and at the horizon one above beta
    must_defend = pos.threats[pos.turn ^ 1] > 0
    value: int = int64(0)
    if depth <= FUTILITY_DEPTH and not must_defend:
        value = static_value(pos, work)
        if value >= beta + FUTILITY_MARGIN * max(depth, 0) and (depth <= 0 or not is_pv):
            return value

    # Step 3. Threat search. A win by double threats is proven, so it needs no search of the full game
    if pos.left == 2:
        length, move = find_win(pos, work, lookup, int64(THREAT_DEPTH), threat_nodes(depth))
        if work.stopped == 1:
            return 0
        if length > 0:
            work.pv_length[ply + 1] = 0
            set_pv(work, ply, move)
            return MATE - ply - (2 * length - 1)

    # Step 4. At the horizon the value stands, unless threats must be answered
    if depth <= 0 and not must_defend:
        return value
    if ply >= MAX_PLY or depth <= -MAX_EXTENSION:
        return static_value(pos, work)

    # Step 5. Mate distance pruning. If a win nearer the root is known, no win from here is better
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    # Step 6. Transposition table. A deep enough entry outside the principal variation ends the node
    data = probe(work.tt, work.tt_mask, pos.key)
    tt_move = int64(-1)
    if data != 0:
        tt_move = entry_move(data)
        score = from_tt(entry_score(data), ply, MATE_BOUND)
        bound = entry_bound(data)
        if not is_pv and entry_depth(data) >= depth and is_cutoff(bound, score, alpha, beta) == 1:
            return score

    # Step 7. Danger. If the opponent would win by double threats after a pass, only turns against that are searched
    zone_count = int64(0)
    if depth > 1 and pos.left == 2 and not must_defend:
        zone_count = find_danger(pos, work, lookup, int64(THREAT_DEPTH), threat_nodes(depth))
        if work.stopped == 1:
            return 0
    in_danger = zone_count > 0

    # Step 8. List the turns and score them: the table's first, then by interest, killers with a bonus
    first = ply * MAX_MOVES
    width = work.width if depth > 0 else int64(DEFENCES)
    end, coverage = generate_moves(pos, work, lookup, ply, width, zone_count)
    for i in range(first, end):
        if work.moves[i] == tt_move:
            work.move_scores[i] = INFINITE
        elif work.moves[i] == work.killers[2 * ply] or work.moves[i] == work.killers[2 * ply + 1]:
            work.move_scores[i] += KILLER_BONUS
    end_searched = min(end, first + width)

    # Step 9. Principal variation search. Late turns are searched a ply less deeply, and again if they beat alpha
    best = int64(-INFINITE)
    best_move = int64(0)
    old_alpha = alpha
    for i in range(first, end):
        # Past the width go on only while all turns lose (59.6 % +- 6.7 of 120 games, f10f5bc)
        if i >= end_searched and best > -MATE_BOUND:
            break
        move = pick(work, i, end)
        do_move(pos, lookup, move)
        if i == first:
            score = -recurse_4(pos, work, lookup, -beta, -alpha, depth - 1, ply + 1)
        else:
            reduction = (
                int64(1)
                if depth >= LMR_MIN_DEPTH and i - first >= LMR_MIN_MOVE and not must_defend and not in_danger
                else int64(0)
            )
            score = -recurse_4(pos, work, lookup, -alpha - 1, -alpha, depth - 1 - reduction, ply + 1)
            if reduction > 0 and score > alpha:
                score = -recurse_4(pos, work, lookup, -alpha - 1, -alpha, depth - 1, ply + 1)
            if score > alpha and score < beta:
                score = -recurse_4(pos, work, lookup, -beta, -alpha, depth - 1, ply + 1)
        undo_move(pos, lookup, move)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            best_move = move
            work.claims[ply] = work.claims[ply + 1]
            if score > alpha:
                alpha = score
                if is_pv:
                    set_pv(work, ply, move)
                if score >= beta:
                    if work.killers[2 * ply] != move:
                        work.killers[2 * ply + 1] = work.killers[2 * ply]
                        work.killers[2 * ply] = move
                    break

    # Step 10. A loss is proven only if no turn was left out. If some were, it is a claim (claims.py)
    if best < -MATE_BOUND and coverage == PARTIAL:
        best = static_value(pos, work) - CLAIM_BONUS
        work.claims[ply] = ply + 1

    # Step 11. Store the result in the transposition table
    bound = bound_of(best, old_alpha, beta)
    stored = to_tt(best, ply, MATE_BOUND)
    if depth >= 0:
        save(work.tt, work.tt_mask, pos.key, best_move, stored, depth, bound, work.generation)
    return best


@inner(int64(WORK, int64))
def move_to_front(work: Record, move: int) -> int:
    """Move a root turn to the front; return 1 if it is there then.

    A turn that is not in the list replaces the last one, if work.root_is_free.
    """
    at = root_place(work, move, int64(0))
    if at == work.root_count:
        if work.root_is_free == 0:
            return 0
        at -= 1
    promote(work, at, int64(0), move)
    return 1


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def verify_claim(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, claimed: int) -> int:
    """Search what may refute a claim against the side to move, one ply from the root; return its score.

    `claimed` if nothing does. Else the score and the variation are those of the best refutation. Window, depth and stop
    as in `search`.
    """
    length, move = find_counter(pos, work, lookup)
    if length > 0:
        work.pv_length[2] = 0
        set_pv(work, int64(1), move)
        work.claims[1] = UNCLAIMED
        return MATE - 2 * length
    if work.claims[1] != 2:
        return claimed  # the claim is further down: its turns are those of a search
    best = int64(-INFINITE)
    for i in range(list_refutations(pos, work, lookup)):
        move = int64(work.refutations[i])
        do_move(pos, lookup, move)
        score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(2))
        undo_move(pos, lookup, move)
        if work.stopped == 1:
            return 0
        if score > best:
            best = score
            if score > -MATE_BOUND:
                set_pv(work, int64(1), move)
                work.claims[1] = work.claims[2]
            alpha = max(alpha, score)
            if score >= beta:
                break
    return best if best > -MATE_BOUND else claimed


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search_root(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
    """Search work.root_moves[skip:] to `depth` and return the best score, fail-soft in the window (alpha, beta).

    The best turn moves to place `skip`, and its variation to row 0 of work.pv; work.claims[0] has the claim on which it
    rests. The first iteration over all turns (skip 0) tries the threat search first, whose win is proven. A win that is
    only claimed is verified before it raises alpha. If stopped, the result stands for the turns that were finished; it
    is -INFINITE if none was. work.stopped reports the stop and is cleared at the start.
    """
    work.stopped = 0
    is_full = alpha < -MATE_BOUND
    best = int64(-INFINITE)
    work.claims[0] = UNCLAIMED
    if skip == 0 and pos.left == 2 and pos.threats[pos.turn] == 0:
        length, move = find_win(pos, work, lookup, int64(MAX_LEVELS), ROOT_THREAT_NODES * depth)
        if length > 0 and move_to_front(work, move) == 1:
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
        do_move(pos, lookup, move)
        if i == skip:
            score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        else:
            score = -search(pos, work, lookup, -alpha - 1, -alpha, depth - 1, int64(1))
            if work.stopped == 0 and score > alpha and score < beta:
                score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        if work.stopped == 0 and score > alpha and work.claims[1] != UNCLAIMED and work.claims[1] & 1 == 0:
            score = -verify_claim(pos, work, lookup, -beta, -alpha, depth - 1, -score)
        undo_move(pos, lookup, move)
        if work.stopped == 1:
            break
        if score > best:
            best = score
            if score > alpha or i == skip:
                alpha = max(alpha, score)
                set_pv(work, int64(0), move)
                work.claims[0] = work.claims[1]
                promote(work, i, skip, move)
            if score >= beta:
                break
    if skip == 0 and is_full and best < -MATE_BOUND and best != -INFINITE and work.root_proves == 0:
        best = static_value(pos, work) - CLAIM_BONUS
        work.claims[0] = 1
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64))
def list_root(pos: Record, work: Record, lookup: Record, limit: int) -> int:
    """List at most `limit` turns worth searching at the root in work.root_moves, best first; return their number."""
    end, coverage = generate_moves(pos, work, lookup, ply=0, width=limit, zone_count=0)
    count = min(end, limit)
    work.root_proves = 1 if coverage == LOST or (coverage == COMPLETE and count == end) else 0
    for i in range(count):
        work.root_moves[i] = pick(work, i, end)
    return count


class PvsAdapter(AspirationAdapter["Connect6Position"]):
    """Connect6's half of the aspiration searcher."""

    work_dtype = WORK_DTYPE
    mate = MATE
    infinite = INFINITE
    margin = 100
    quiet_bound = EVAL_BOUND
    win_is_enough = True

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    @property
    def values(self) -> object:
        return self._knowledge.evaluation

    def begin(self, task: Task[Connect6Position], works: Sequence[Record]) -> RootInfo:
        """Prepare each thread's memory; list three times as many turns at the root as at the nodes below."""
        settings = self._knowledge.settings
        self._phase, self.max_depth = task.position.phase, settings.depth or MAX_PLY - 1
        turns = list(task.moves[:MAX_MOVES])
        self._knowledge.evaluation.prepare(works)
        for work in works:
            work.width = settings.width
            work.killers[:] = 0
            work.root_is_free = not task.moves
            if task.moves:
                work.root_proves = int(len(task.moves) <= MAX_MOVES)
                work.root_moves[: len(turns)] = turns
            else:
                count = int(list_root(task.position.record, work, LOOKUP_RECORD, 3 * settings.width))
                turns = work.root_moves[:count].tolist()
            work.root_count = len(turns)
        return RootInfo(turns)

    def chances(self, cp: int) -> tuple[float, float]:
        return WIN_MODELS[self._knowledge.evaluation.name].chances(cp, self._phase)

    def unproven(self, work: Record) -> int:
        claim = int(work.claims[0])
        return 0 if claim == UNCLAIMED else -1 if claim & 1 else 1

    def search(self, scratch: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        return int(search_root(scratch, work, LOOKUP_RECORD, alpha, beta, depth, skip))
