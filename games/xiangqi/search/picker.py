"""The move picker: yields the moves of a node in the order in which they are searched, the best guesses first.

The order is: the move of the tt, captures that lose nothing in the exchange, killers, the counter move, quiet moves by
their histories, captures that lose material. `start_picker` and `next_move` keep a node's state in the working memory
at its ply, so a search below the node does not disturb it. search.py explains the figures.
"""

from __future__ import annotations

from games.kernel.jit import Record, inner, int64, outlined, void
from games.kernel.node import pick
from games.xiangqi.evaluation.exchange import exchange_value, wins_exchange
from games.xiangqi.knowledge.rulebook import mined_confidence
from games.xiangqi.rules.lookup import LOOKUP
from games.xiangqi.rules.movegen import IN_CHECK, generate_legal, is_legal
from games.xiangqi.rules.position import NO_MOVE, POSITION, origin_of, target_of
from games.xiangqi.rules.work import MAX_MOVES, WORK
from games.xiangqi.search.history import continuation_row, quiet_score

HASH_MOVE, GOOD_CAPTURE, KILLER, BAD_CAPTURE = 1 << 28, 1 << 24, 1 << 23, -(1 << 24)
"""Classes of move scores; quiet moves score between a bad capture and a killer."""

MINED_RULE_ORDER, MINED_RULE_PLIES = 16, 1
"""Points of order per mille of a mined rule's confidence, and the last ply from the root at which rules are asked.

They save 1.050 +- 0.022 of the nodes to depth 9 in 400 openings; asked everywhere, which takes time, 1.036 +- 0.019.
"""


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def capture_order(pos: Record, lookup: Record, move: int) -> int:
    """Return a capture's order: the most valuable victim first, then the least valuable attacker."""
    victim, attacker = pos.board[target_of(move)], pos.board[origin_of(move)]
    return exchange_value(lookup, int64(victim)) * 16 - exchange_value(lookup, int64(attacker)) // 16


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def list_moves(pos: Record, work: Record, lookup: Record, ply: int, state: int, hash_move: int) -> int:
    """Write the legal moves and their scores to the ply's place in work.moves and work.move_scores; return their end.

    All captures count as good here; `next_move` tests them when their turn comes. Worth: killers nodes 1.03, the
    counter move 1.07, history 1.02, continuations of the last two moves 1.08. `state`: from checks_and_pins.
    """
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(0), state)
    counter = int64(NO_MOVE)
    if pos.height > 0:
        last = int64(pos.past_move[pos.height - 1])
        counter = int64(work.counter[int64(pos.board[target_of(last)]) * 90 + target_of(last)])
    killer = int64(work.killers[2 * ply])
    second_killer = int64(work.killers[2 * ply + 1])
    row_1, row_2 = continuation_row(pos, lookup, int64(1)), continuation_row(pos, lookup, int64(2))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            score = int64(HASH_MOVE)
        elif pos.board[target_of(move)] != 0:
            score = GOOD_CAPTURE + capture_order(pos, lookup, move)
        elif move == killer:
            score = KILLER + 2
        elif move == second_killer:
            score = KILLER + 1
        elif move == counter:
            score = int64(KILLER)
        else:
            score = quiet_score(pos, work, lookup, move, row_1, row_2)
            if work.mined_rules != 0 and ply <= MINED_RULE_PLIES:
                score += MINED_RULE_ORDER * mined_confidence(pos, lookup, work.mined_rules, move)
        work.move_scores[i] = score
    return end


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def list_forcing_moves(pos: Record, work: Record, lookup: Record, ply: int, state: int, hash_move: int) -> int:
    """Write the moves of quiescence search and their scores to the ply's place; return their end.

    They are the captures; in check, all legal moves. `state`: from checks_and_pins.
    """
    in_check = state & IN_CHECK
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(0) if in_check else int64(1), state)
    row_1, row_2 = int64(0), int64(0)
    if in_check:  # else there are no quiet moves to order
        row_1, row_2 = continuation_row(pos, lookup, int64(1)), continuation_row(pos, lookup, int64(2))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            work.move_scores[i] = HASH_MOVE
        elif pos.board[target_of(move)] != 0:
            work.move_scores[i] = GOOD_CAPTURE + capture_order(pos, lookup, move)
        else:
            work.move_scores[i] = quiet_score(pos, work, lookup, move, row_1, row_2)
    return end


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def start_picker(pos: Record, work: Record, lookup: Record, ply: int, state: int, hash_move: int) -> None:
    """Make ready to yield the moves of the node at `ply`; NO_MOVE or an illegal `hash_move` counts as none.

    The tt's move stands alone at first: it mostly cuts, and then the other moves need not be generated.
    """
    first = ply * MAX_MOVES
    work.picker_next[ply] = first
    if hash_move != NO_MOVE and is_legal(pos, lookup, hash_move, state) == 1:
        work.picker_staged[ply] = 1
        work.moves[first] = hash_move
        work.move_scores[first] = HASH_MOVE
        work.picker_end[ply] = first + 1
    else:
        work.picker_staged[ply] = 0
        work.picker_end[ply] = list_moves(pos, work, lookup, ply, state, int64(NO_MOVE))


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def next_move(pos: Record, work: Record, lookup: Record, ply: int, state: int, hash_move: int) -> int:
    """Return the next move of the node at `ply`, NO_MOVE after the last; `picked_score` has its score.

    `pos` must be the node's position, the other arguments those of `start_picker`. The moves yielded so far stand in
    their order at the ply's place in work.moves.
    """
    i = int64(work.picker_next[ply])
    end = int64(work.picker_end[ply])
    while True:
        if i == end:
            if work.picker_staged[ply] == 0:
                return NO_MOVE
            work.picker_staged[ply] = 0
            end = list_moves(pos, work, lookup, ply, state, hash_move)
            work.picker_end[ply] = end
            pick(work, ply * MAX_MOVES, end)  # the tt's move, yielded before
            if i == end:
                return NO_MOVE
        move = pick(work, i, end)
        score = int64(work.move_scores[i])
        if score < GOOD_CAPTURE or score >= HASH_MOVE or wins_exchange(pos, work, lookup, move, int64(0)) == 1:
            work.picker_next[ply] = i + 1
            return move
        work.move_scores[i] += BAD_CAPTURE - GOOD_CAPTURE


@inner(int64(WORK, int64), forceinline=True)
def picked_score(work: Record, ply: int) -> int:
    """Return the score of the move that `next_move` yielded last at `ply`."""
    return work.move_scores[work.picker_next[ply] - 1]
