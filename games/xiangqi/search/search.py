"""Alpha-beta search for Xiangqi: negamax principal-variation search (paper 5: both bounds pass all levels).

`search_root` runs one depth over the root moves; games/search owns iterative deepening, aspiration windows, MultiPV and
helper threads, which share the transposition table and nothing else (lazy SMP).

What a step is worth stands beside it: "nodes 1.3" means that without it depth 11 takes 1.3 times the nodes (geometric
mean of 16 positions), a percentage is its score against the search without it (paired games at 20,000 nodes a move).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.contract import MATE_LIMIT, Task
from games.kernel.control import Control
from games.kernel.intrinsics import recurse_3, recurse_4
from games.kernel.jit import Record, entry, inner, int64, outlined, void
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
from games.xiangqi.evaluation.evaluate import evaluate
from games.xiangqi.evaluation.exchange import wins_exchange, worth
from games.xiangqi.knowledge.knowledge import Knowledge
from games.xiangqi.knowledge.patterns import DRAWN, match
from games.xiangqi.knowledge.probe import UNKNOWN, probe_bare, probe_ending
from games.xiangqi.knowledge.rulebook import sureness
from games.xiangqi.knowledge.tablebase import Tablebase
from games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.xiangqi.rules.movegen import IN_CHECK, checks_and_pins, generate_legal, gives_check, is_legal
from games.xiangqi.rules.position import (
    NO_MOVE,
    POSITION,
    QUIET_LIMIT,
    count_strong,
    do_move,
    do_null,
    note_check,
    undo_move,
    undo_null,
)
from games.xiangqi.rules.repetition import DRAW, MOVER_LOSES, find_repetition, has_attackers, judge_cycle
from games.xiangqi.rules.work import MAX_MOVES, MAX_PLY, WORK, WORK_DTYPE
from games.xiangqi.search.history import (
    BAD_CAPTURE,
    GOOD_CAPTURE,
    HASH_MOVE,
    KILLER,
    RULE_REACH,
    capture_order,
    context,
    correct,
    corrected,
    list_moves,
    quiet_score,
    reward,
)

if TYPE_CHECKING:
    from games.xiangqi.game import XiangqiPosition

MATE = 30_000
"""Mated now; a mate in n plies scores MATE - n."""

MATE_BOUND = MATE - 2 * MATE_LIMIT
RULE_WIN = 20_000
"""Won because the opponent must give up a perpetual: beyond any evaluation, short of a mate."""

RULE_BOUND = RULE_WIN - MAX_PLY

INFINITE = 32_000

WIN_MODEL = WinModel((0.005873, -0.002198, 0.001165), (4.016, -7.618, 4.194), 3000)
"""From 200 games at 1,000, 4,000 and 16,000 nodes (scripts/tune/fit_win_model.py); log loss 0.684 of games held out,
1.119 of constant chances."""

RULE_WORTH = 2
"""Centipawns that a rule's answer gains in the middle game if the rule is sure: enough to break ties. Against no rules,
500 games at 5,000 nodes: 47.0 % +- 3.8 with 6, 50.0 % +- 3.6 with 12, 53.3 % +- 3.9 with 0, when rules but order."""

KNOWN_WIN = 600
"""What an evaluation gains where the tables would win without the attacker's own defenders, less a point a ply."""

KNOWN_DRAW, SAID_DRAW = 8, 2
"""What it is divided by where they would call that drawn, and where the pattern book calls the position drawn."""

NO_SCORE = -INFINITE - 1
"""In the place of a score: of a static evaluation in check, of an ending that no table tells."""


@inner(int64(POSITION, WORK, int64))
def look_up(pos: Record, work: Record, ply: int) -> int:
    """The score that tables of endings give a position, NO_SCORE if none does or the 60-move rule may come first."""
    code = probe_ending(pos, work.tables)
    if code == UNKNOWN or pos.quiet + code > QUIET_LIMIT:
        return NO_SCORE
    work.tbhits += 1
    if code == 0:
        return 0
    score = MATE - ply - (code - 1)
    return score if code & 1 == 0 else -score


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def play(pos: Record, work: Record, lookup: Record, move: int) -> None:
    """Play a move of the tree. Experience speaks for the answers of rules: t(n) in f = g + h + t (Jiang 2004)."""
    bonus = int64(0)
    if work.rules != 0 and pos.height - work.root_height <= RULE_REACH:
        bonus = RULE_WORTH * sureness(pos, lookup, work.rules, move) // 1000
    do_move(pos, lookup, move)
    pos.score += bonus if pos.turn == 1 else -bonus


@outlined(int64(POSITION, WORK, LOOKUP, int64))
def informed(pos: Record, work: Record, lookup: Record, value: int) -> int:
    """An evaluation in the light of endgame knowledge.

    What tables tell of the position without the attacker's own defenders, else what the pattern book says of the side
    that is ahead. The book's draws have brought nothing yet (400 games from endings with tables: 53.9 % +- 2.2 with,
    54.2 % +- 2.1 without them, 52.4 % +- 2.3 divided by 8); its wins, as a bonus of 300, lost (48.0 % +- 3.3).
    """
    for side in range(2):
        code = probe_bare(pos, work.tables, int64(side))
        if code == 0:
            return value // KNOWN_DRAW
        if code > 0:
            return max(value, 0) + KNOWN_WIN - code if code & 1 == 0 else min(value, 0) - KNOWN_WIN + code
    if work.patterns != 0:
        if match(pos, lookup, work.patterns, pos.turn if value > 0 else pos.turn ^ 1) & 3 == DRAWN:
            return value // SAID_DRAW
    return value


@inner(int64(POSITION, WORK, LOOKUP), forceinline=True)
def assess(pos: Record, work: Record, lookup: Record) -> int:
    """The static evaluation for the side to move."""
    value = corrected(pos, work, lookup)
    return informed(pos, work, lookup, value) if work.tables | work.patterns else value


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def quiesce(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, ply: int) -> int:
    """Captures that do not lose material, until the position is quiet; every reply while in check. Fail-soft."""
    count_node(work)
    if work.stopped == 1:
        return 0
    if ply > work.seldepth:
        work.seldepth = ply
    if work.tables != 0:
        known = look_up(pos, work, ply)
        if known != NO_SCORE:
            return known
    state = checks_and_pins(pos, lookup)
    if ply >= MAX_PLY:
        return evaluate(pos, lookup)

    data = probe(work.tt, work.tt_mask, pos.key)
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
        best = assess(pos, work, lookup)
        if best >= beta:
            return best
        alpha = max(alpha, best)
    static = best
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(0) if in_check else int64(1), state)
    row_1, row_2 = int64(0), int64(0)
    if in_check:  # else there are no quiet moves to order
        row_1, row_2 = context(pos, lookup, int64(1)), context(pos, lookup, int64(2))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            work.move_scores[i] = HASH_MOVE
        elif pos.board[move >> 7] != 0:
            work.move_scores[i] = GOOD_CAPTURE + capture_order(pos, lookup, move)
        else:
            work.move_scores[i] = quiet_score(pos, work, lookup, move, row_1, row_2)
    best_move = int64(NO_MOVE)
    old_alpha = alpha
    for i in range(first, end):
        move = pick(work, i, end)
        if in_check == 0:
            # A capture that cannot bring the score near alpha (nodes 1.03), or loses in the exchange (nodes 1.26).
            # Quiet checks at the first ply were tried here: 50.4 % +- 6.9 at equal nodes, and slower.
            gain = static + worth(lookup, int64(pos.board[move >> 7])) + 150
            if gain <= alpha:
                best = max(best, gain)
                continue
            if wins_exchange(pos, work, lookup, move, int64(0)) == 0:
                continue
        do_move(pos, lookup, move)
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
    if abs(best) < RULE_BOUND or abs(best) > MATE_BOUND:
        bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
        stored = to_table(best, ply, MATE_BOUND)
        save(work.tt, work.tt_mask, pos.key, best_move, stored, int64(0), bound, work.generation)
    return best


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
    reduction: int,
    improving: int,
    margin: int,
) -> int:
    """1 for a move that would hardly come up to alpha at this depth. `margin`: static evaluation over alpha."""
    left = max(depth - reduction, 1)
    if quiet:
        # Step 13. Late-move pruning: at low depth the tail of the quiet moves never helps (nodes 5.0)
        if depth <= 6 and number > (3 + depth * depth) // (2 - improving):
            return 1
        # Step 14. Futility: a quiet move will not lift a position so far below alpha (nodes 1.03)
        if left <= 5 and margin + 90 + 80 * left <= 0:
            return 1
    # Step 15. Losing material in the exchange (nodes 1.25)
    if depth <= 6 and number > 0 and (quiet or order < 0):
        allowed = -25 * depth * depth if quiet else -90 * depth
        return 1 - wins_exchange(pos, work, lookup, move, int64(allowed))
    return 0


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, may_pass: int) -> int:
    """The value of a non-root position for the side to move, fail-soft; meaningless once work.stopped."""
    ply = pos.height - work.root_height
    is_pv = beta - alpha > 1
    work.pv_length[ply] = 0

    # Step 1. Look ahead is used up
    if depth <= 0:
        return quiesce(pos, work, lookup, alpha, beta, ply)
    count_node(work)
    if work.stopped == 1:
        return 0

    # Step 2. Check, and the ends by rule: the first repetition counts as the third would
    state = checks_and_pins(pos, lookup)
    in_check = state & IN_CHECK
    if in_check:
        note_check(pos)
    start = find_repetition(pos, int64(1))
    if start >= 0:
        verdict = judge_cycle(pos, work, lookup, start)
        if verdict == DRAW:
            return 0
        return ply - RULE_WIN if verdict == MOVER_LOSES else RULE_WIN - ply
    if pos.quiet >= QUIET_LIMIT or has_attackers(pos) == 0:
        # A mate given by the last quiet move counts.
        if in_check and generate_legal(pos, work, lookup, ply * MAX_MOVES, int64(0), state) == ply * MAX_MOVES:
            return ply - MATE
        return 0
    if ply >= MAX_PLY:
        return evaluate(pos, lookup)

    # Step 3. Tables of endings
    if work.tables != 0:
        known = look_up(pos, work, ply)
        if known != NO_SCORE:
            return known

    # Step 4. Mate distance: nothing here beats a mate already found
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    # Step 5. Transposition table
    data = probe(work.tt, work.tt_mask, pos.key)
    hash_move = int64(NO_MOVE)
    hash_score = int64(0)
    hash_bound = int64(0)
    if data != 0:
        hash_move = entry_move(data)
        hash_score = from_table(entry_score(data), ply, MATE_BOUND)
        hash_bound = entry_bound(data)
        if not is_pv and entry_depth(data) >= depth and settles(hash_bound, hash_score, alpha, beta) == 1:
            return hash_score

    # Step 6. Static evaluation, sharpened by the table; is it better than two plies ago? (nodes 1.6)
    static = int64(NO_SCORE)
    estimate = int64(NO_SCORE)
    improving = 0
    if in_check == 0:
        static = assess(pos, work, lookup)
        estimate = static
        if hash_bound & (LOWER if hash_score > static else UPPER):
            estimate = hash_score
        if ply >= 2 and work.static[ply - 1] != NO_SCORE and static > work.static[ply - 1]:
            improving = 1
    work.static[ply + 1] = static

    if not is_pv and in_check == 0 and abs(beta) < RULE_BOUND:
        # Step 7. Razoring: so far below alpha that only captures could help (nodes 1.13, 52.1 % +- 8.0)
        if depth <= 3 and estimate + 180 * depth < alpha:
            score = quiesce(pos, work, lookup, alpha, alpha + 1, ply)
            if work.stopped == 1:
                return 0
            if score <= alpha:
                return score

        # Step 8. Reverse futility: far enough above beta that a shallow search would not come back
        # (nodes 2.9, 79.2 % +- 6.4)
        if depth <= 7 and estimate - 70 * (depth - improving) >= beta:
            return estimate

        # Step 9. Null move, with pieces left that can attack (no zugzwang among rooks, horses, cannons);
        # deep ones are verified by a search without passing (nodes 1.17, 50.4 % +- 7.4)
        if may_pass == 1 and depth >= 3 and estimate >= beta:
            if count_strong(pos, pos.turn) >= 2:
                reduced = depth - 3 - depth // 4 - min((estimate - beta) // 180, 3)
                do_null(pos, lookup)
                score = -recurse_4(pos, work, lookup, -beta, 1 - beta, reduced, int64(0))
                undo_null(pos, lookup)
                if work.stopped == 1:
                    return 0
                if score >= beta:
                    score = min(score, RULE_BOUND)
                    if depth < 12:
                        return score
                    verified = recurse_4(pos, work, lookup, beta - 1, beta, reduced, int64(0))
                    if work.stopped == 1:
                        return 0
                    if verified >= beta:
                        return score

    # Step 10. Internal reduction: without a table move the order is poor (nodes 1.5, 47.1 % +- 7.7)
    if depth >= 4 and hash_move == NO_MOVE:
        depth -= 1

    # Step 11. Check extension (nodes 1.01, 51.7 % +- 7.7). A singular extension of the table move was tried: it took
    # 1.16 times the nodes and scored 42.5 % +- 7.9; 49.4 % +- 8.0 at 100,000 nodes
    extension = 1 if in_check else 0

    # Step 12. The table's move comes before the others are made: mostly it cuts
    first = ply * MAX_MOVES
    is_staged = hash_move != NO_MOVE and is_legal(pos, lookup, hash_move, state) == 1
    if is_staged:
        work.moves[first] = hash_move
        work.move_scores[first] = HASH_MOVE
        end = first + 1
    else:
        end = list_moves(pos, work, lookup, ply, state, int64(NO_MOVE))
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
            end = list_moves(pos, work, lookup, ply, state, hash_move)
            pick(work, first, end)
            if i == end:
                break
        move = pick(work, i, end)
        order = int64(work.move_scores[i])
        if order >= GOOD_CAPTURE and order < HASH_MOVE and wins_exchange(pos, work, lookup, move, int64(0)) == 0:
            work.move_scores[i] += BAD_CAPTURE - GOOD_CAPTURE
            i -= 1
            continue
        number += 1
        is_capture = pos.board[move >> 7] != 0
        quiet = 1 if not is_capture and order < KILLER else 0
        reduction = int64(lookup.reduction[min(depth, 63) * 64 + min(number, 63)])

        if not is_pv and in_check == 0 and best > -RULE_BOUND:
            # Steps 13-15. Not worth a search, unless it checks
            if (
                is_hopeless(pos, work, lookup, move, order, quiet, depth, number, reduction, improving, static - alpha)
                == 1
            ):
                if gives_check(pos, lookup, move) == 0:
                    continue

        # Step 16. Principal variation search: full window for the first move, late moves reduced (nodes 4.2)
        new_depth = depth - 1 + extension
        play(pos, work, lookup, move)
        if number == 0:
            score = -recurse_4(pos, work, lookup, -beta, -alpha, new_depth, int64(1))
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
                        reward(pos, work, lookup, move, ply, depth, first)
                    break

    # Step 17. Learn how far the evaluation was off, where no capture explains it
    is_quiet = best_move == NO_MOVE or pos.board[best_move >> 7] == 0
    if in_check == 0 and is_quiet and abs(best) < RULE_BOUND:
        if not (best >= beta and best <= static) and not (best <= old_alpha and best >= static):
            correct(pos, work, lookup, min(max((best - static) * depth // 8, -256), 256))

    # Step 18. Remember, but no verdict on a perpetual: it belongs to the path, not to the position
    if abs(best) > RULE_BOUND and abs(best) < MATE_BOUND:
        return best
    bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
    stored = to_table(best, ply, MATE_BOUND)
    save(work.tt, work.tt_mask, pos.key, best_move, stored, depth, bound, work.generation)
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def search_root(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
    """Search root moves skip.. to `depth`; the best moves to place `skip`, its variation to row 0.

    Fail-soft. When stopped, what was found so far stands if at least one move was finished (-INFINITE if none).
    """
    work.stopped = 0
    work.poll_at = min(work.poll_at, work.nodes + 1)
    work.root_height = pos.height
    best = int64(-INFINITE)
    for i in range(skip, work.root_count):
        move = int64(work.root_moves[i])
        play(pos, work, lookup, move)
        if i == skip:
            score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        else:
            score = -search(pos, work, lookup, -alpha - 1, -alpha, depth - 1, int64(1))
            if work.stopped == 0 and score > alpha and score < beta:
                score = -search(pos, work, lookup, -beta, -alpha, depth - 1, int64(1))
        undo_move(pos, lookup)
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


class XiangqiAdapter(AspirationAdapter["XiangqiPosition"]):
    """Xiangqi's half of the searcher."""

    work_dtype = WORK_DTYPE
    mate = MATE
    infinite = INFINITE
    margin = 25
    quiet_bound = RULE_WIN // 2
    max_depth = MAX_PLY - 1

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._tables: Tablebase | None = None

    def forget(self) -> None:
        self._tables = None
        if self._knowledge.tables is not None:
            self._knowledge.tables.clear()

    def begin(self, task: Task[XiangqiPosition], works: Sequence[Record]) -> Outlook:
        """Leave only the moves that draw if the tablebases have the root as a draw; search without tablebases then."""
        position = task.position
        pos = position.record
        self._phase = position.phase
        moves = list(task.moves) or position.legal_moves()
        rules, patterns = self._knowledge.prepare_rules(position), self._knowledge.patterns_near(pos)
        self._tables = self._knowledge.tables
        codes = None if self._tables is None else self._tables.prepare(pos, moves, task.control)
        if codes is None:
            self._tables, codes = None, []
        is_known = bool(codes) and pos.quiet + max(codes) < QUIET_LIMIT
        is_drawn = is_known and task.multipv == 1 and 0 in codes and not any(code & 1 for code in codes)
        if is_drawn:
            moves = [move for move, code in zip(moves, codes, strict=True) if code == 0]
            self._tables, patterns = None, 0
        for work in works:
            work.tables = 0 if self._tables is None else self._tables.address
            work.patterns, work.rules, work.tbhits = patterns, rules, 0
            work.killers[:] = NO_MOVE
            work.root_count = len(moves)
            work.root_moves[: len(moves)] = moves
        works[0].tbhits = len(codes) if is_known else 0
        note = self._knowledge.ending_text(pos) if is_known else ""
        return Outlook(moves, note, is_settled=is_known and not is_drawn, is_drawn=is_drawn)

    def chances(self, cp: int) -> tuple[float, float]:
        return WIN_MODEL.chances(cp, self._phase)

    def between(self, control: Control) -> None:
        if self._tables is not None:
            self._tables.unpack_wanted(control)

    def search(self, board: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        return int(search_root(board, work, LOOKUP_RECORD, alpha, beta, depth, skip))

    def tbhits(self, work: Record) -> int:
        return int(work.tbhits)
