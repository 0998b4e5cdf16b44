"""What a Xiangqi search thread remembers: histories that order the moves, and corrections of the evaluation.

Scores of quiet moves drift towards moves that cut and away from those tried before them. Figures as in search.py.
"""

from __future__ import annotations

from games.kernel.hashing import hash16
from games.kernel.jit import Record, inner, int64, outlined, void
from games.xiangqi.evaluation.evaluate import evaluate
from games.xiangqi.evaluation.exchange import worth
from games.xiangqi.knowledge.rulebook import sureness
from games.xiangqi.rules.lookup import LOOKUP
from games.xiangqi.rules.movegen import generate_legal
from games.xiangqi.rules.position import NO_MOVE, POSITION
from games.xiangqi.rules.work import CORRECTIONS, MAX_MOVES, WORK

HASH_MOVE, GOOD_CAPTURE, KILLER, BAD_CAPTURE = 1 << 28, 1 << 24, 1 << 23, -(1 << 24)
"""Classes of the move ordering; quiet moves score between a bad capture and a killer."""

RULE, RULE_REACH = 16, 1
"""What a rule's answer gains per mille of its confidence, and the plies from the root to which rules are asked: so they
save 1.050 +- 0.022 of the nodes to depth 9 in 400 openings; asked everywhere, which takes time, 1.036 +- 0.019."""

HISTORY_MAX = 1 << 14
CORRECTION_MAX = 1 << 10


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def capture_order(pos: Record, lookup: Record, move: int) -> int:
    """Most valuable victim first, least valuable attacker among equals."""
    return worth(lookup, int64(pos.board[move >> 7])) * 16 - worth(lookup, int64(pos.board[move & 127])) // 16


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def context(pos: Record, lookup: Record, back: int) -> int:
    """Row of work.continuation for the move made `back` plies ago; the empty row if there is none."""
    height = pos.height - back
    if height < 0 or pos.past_move[height] == NO_MOVE:
        return 0
    target = int64(pos.past_move[height]) >> 7
    # The piece may have been taken since: the square then holds its taker.
    return (int64(lookup.kind_of[pos.board[target]]) * 90 + target) * 1350


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def quiet_score(pos: Record, work: Record, lookup: Record, move: int, row_1: int, row_2: int) -> int:
    """What history says of a quiet move: by itself, and as a sequel to the last two moves."""
    piece = int64(pos.board[move & 127])
    target = move >> 7
    column = int64(lookup.kind_of[piece]) * 90 + target
    score = int64(work.history[piece * 90 + target])
    return score + int64(work.continuation[row_1 + column]) + int64(work.continuation[row_2 + column])


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def list_moves(pos: Record, work: Record, lookup: Record, ply: int, state: int, hash_move: int) -> int:
    """The legal moves and their order to the ply's place in work.moves; returns their end.

    Table move, captures (good until an exchange says otherwise), killers (nodes 1.03), counter move (1.07), the rest by
    history (1.02) and by its sequels to the last two moves (1.08).
    """
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(0), state)
    last = int64(pos.past_move[pos.height - 1])
    counter = int64(work.counter[int64(pos.board[last >> 7]) * 90 + (last >> 7)])
    killer = int64(work.killers[2 * ply])
    second_killer = int64(work.killers[2 * ply + 1])
    row_1, row_2 = context(pos, lookup, int64(1)), context(pos, lookup, int64(2))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move == hash_move:
            score = int64(HASH_MOVE)
        elif pos.board[move >> 7] != 0:
            score = GOOD_CAPTURE + capture_order(pos, lookup, move)
        elif move == killer:
            score = KILLER + 2
        elif move == second_killer:
            score = KILLER + 1
        elif move == counter:
            score = int64(KILLER)
        else:
            score = quiet_score(pos, work, lookup, move, row_1, row_2)
            if work.rules != 0 and ply <= RULE_REACH:
                score += RULE * sureness(pos, lookup, work.rules, move)
        work.move_scores[i] = score
    return end


@inner(int64(int64, int64, int64), forceinline=True)
def drift(value: int, bonus: int, most: int) -> int:
    """What a bonus adds to a statistic: the less, the nearer it is to `most` already."""
    return bonus - value * abs(bonus) // most


@inner(void(WORK, POSITION, LOOKUP, int64, int64, int64, int64), forceinline=True)
def learn(work: Record, pos: Record, lookup: Record, move: int, row_1: int, row_2: int, bonus: int) -> None:
    """Move the histories of a quiet move towards (bonus > 0) or away from playing it."""
    piece = int64(pos.board[move & 127])
    target = move >> 7
    column = int64(lookup.kind_of[piece]) * 90 + target
    index = piece * 90 + target
    work.history[index] += drift(int64(work.history[index]), bonus, int64(HISTORY_MAX))
    for row in (row_1, row_2):
        index = row + column
        work.continuation[index] += drift(int64(work.continuation[index]), bonus, int64(HISTORY_MAX))


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64, int64), forceinline=True)
def reward(pos: Record, work: Record, lookup: Record, move: int, ply: int, depth: int, first: int) -> None:
    """A quiet move cut off: remember it as killer, as the answer to the last move, and in the histories; blame the
    quiet moves tried before it."""
    if work.killers[2 * ply] != move:
        work.killers[2 * ply + 1] = work.killers[2 * ply]
        work.killers[2 * ply] = move
    last = int64(pos.past_move[pos.height - 1])
    if last != NO_MOVE:
        work.counter[int64(pos.board[last >> 7]) * 90 + (last >> 7)] = move
    row_1, row_2 = context(pos, lookup, int64(1)), context(pos, lookup, int64(2))
    bonus = min(16 * depth * depth + 32 * depth, 1600)
    learn(work, pos, lookup, move, row_1, row_2, bonus)
    i = first
    while work.moves[i] != move:
        other = int64(work.moves[i])
        if pos.board[other >> 7] == 0:
            learn(work, pos, lookup, other, row_1, row_2, -bonus)
        i += 1


@inner(int64(POSITION), forceinline=True)
def material_index(pos: Record) -> int:
    """Place of the material in work.correction."""
    return pos.turn * CORRECTIONS + (hash16(pos.material) & CORRECTIONS - 1)


@inner(int64(POSITION, WORK, LOOKUP), forceinline=True)
def corrected(pos: Record, work: Record, lookup: Record) -> int:
    """The evaluation, moved by how far searches of like positions came out from it.

    Like are positions of the same material, and those after the same kind of move: 56.4 % +- 6.7.
    """
    off = int64(work.correction[material_index(pos)])
    off += int64(work.sequel_correction[context(pos, lookup, int64(1)) // 1350])
    return evaluate(pos, lookup) + off // 16


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def correct(pos: Record, work: Record, lookup: Record, bonus: int) -> None:
    """Move the corrections of a position towards what its search says; `bonus` is within 256."""
    i = material_index(pos)
    work.correction[i] += drift(int64(work.correction[i]), bonus, int64(CORRECTION_MAX))
    i = context(pos, lookup, int64(1)) // 1350
    work.sequel_correction[i] += drift(int64(work.sequel_correction[i]), bonus, int64(CORRECTION_MAX))
