"""The learning of a Xiangqi search thread: histories that order quiet moves, and corrections of the evaluation.

A history drifts towards moves that cut and away from those tried before them.
"""

from __future__ import annotations

from siqi.games.kernel.hashing import hash16
from siqi.games.kernel.jit import Record, inner, int64, void
from siqi.games.kernel.memory import expect
from siqi.games.xiangqi.evaluation.evaluate import evaluate
from siqi.games.xiangqi.rules.lookup import LOOKUP
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION, origin_of, target_of
from siqi.games.xiangqi.rules.work import CORRECTIONS, KIND_TARGETS, MAX_MOVES, WORK

HISTORY_MAX = 1 << 14
"""Bound of a history's absolute value."""

CORRECTION_MAX = 1 << 10
"""Bound of a correction's absolute value, in sixteenths of a centipawn."""

MAX_BONUS = 1600
"""The most that one cutoff adds to a history."""

STATIC_BONUS = 6
"""Points of history that the last move gains for each centipawn that the static value gained for its mover."""


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def continuation_row(pos: Record, lookup: Record, back: int) -> int:
    """Return the start of the row in work.continuation of the move made `back` plies ago, 0 (an empty row) for none."""
    height = pos.height - back
    if height < 0 or pos.past_move[height] == NO_MOVE:
        return 0
    target = target_of(int64(pos.past_move[height]))
    # The piece may have been taken since: the square then holds its taker.
    return (int64(lookup.kind_of[pos.board[target]]) * 90 + target) * KIND_TARGETS


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def quiet_score(pos: Record, work: Record, lookup: Record, move: int, row_1: int, row_2: int) -> int:
    """Return the sum of a quiet move's histories: its own, and those as a continuation of the last two moves."""
    piece = int64(pos.board[origin_of(move)])
    target = target_of(move)
    column = int64(lookup.kind_of[piece]) * 90 + target
    score = int64(work.history[piece * 90 + target])
    return score + int64(work.continuation[row_1 + column]) + int64(work.continuation[row_2 + column])


@inner(int64(int64, int64, int64), forceinline=True)
def gravity(value: int, bonus: int, most: int) -> int:
    """Return the change of a statistic by a bonus; it shrinks as the statistic nears `most`.

    With |bonus| <= most the statistic stays within -most..most.
    """
    return bonus - value * abs(bonus) // most


@inner(int64(int64), forceinline=True)
def bonus_of(depth: int) -> int:
    """Return what a search of `depth` plies adds to a history."""
    return min(16 * depth * depth + 32 * depth, MAX_BONUS)


@inner(void(WORK, int64, int64), forceinline=True)
def add_history(work: Record, index: int, bonus: int) -> None:
    """Move an entry of work.history by a bonus."""
    work.history[index] += gravity(int64(work.history[index]), bonus, int64(HISTORY_MAX))


@inner(void(WORK, int64, int64), forceinline=True)
def add_continuation(work: Record, index: int, bonus: int) -> None:
    """Move an entry of work.continuation by a bonus."""
    work.continuation[index] += gravity(int64(work.continuation[index]), bonus, int64(HISTORY_MAX))


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64, int64), forceinline=True)
def update_histories(pos: Record, work: Record, lookup: Record, move: int, row_1: int, row_2: int, bonus: int) -> None:
    """Move the histories of a quiet move towards playing it (bonus > 0) or away from it."""
    piece = int64(pos.board[origin_of(move)])
    target = target_of(move)
    column = int64(lookup.kind_of[piece]) * 90 + target
    add_history(work, piece * 90 + target, bonus)
    for row in (row_1, row_2):
        add_continuation(work, row + column, bonus)


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def reward_quiet(pos: Record, work: Record, lookup: Record, move: int, ply: int, depth: int) -> None:
    """Remember a quiet move that cut off as killer, as counter move and in the histories.

    The quiet moves that the picker yielded before it lose as much in the histories, but not the excluded one, which was
    not tried. `move` must be the last that the picker of `ply` has yielded.
    """
    last_at = work.picker_next[ply] - 1
    expect(work.moves[last_at] == move)
    excluded = work.excluded[ply]
    if work.killers[2 * ply] != move:
        work.killers[2 * ply + 1] = work.killers[2 * ply]
        work.killers[2 * ply] = move
    last = int64(pos.past_move[pos.height - 1])
    if last != NO_MOVE:
        work.counter[int64(pos.board[target_of(last)]) * 90 + target_of(last)] = move
    row_1, row_2 = continuation_row(pos, lookup, int64(1)), continuation_row(pos, lookup, int64(2))
    bonus = bonus_of(depth)
    update_histories(pos, work, lookup, move, row_1, row_2, bonus)
    for i in range(ply * MAX_MOVES, last_at):
        other = int64(work.moves[i])
        if other != excluded and pos.board[target_of(other)] == 0:
            update_histories(pos, work, lookup, other, row_1, row_2, -bonus)


@inner(int64(POSITION), forceinline=True)
def last_quiet(pos: Record) -> int:
    """Return the index in work.history of the last move, -1 if there is none or it took something."""
    height = pos.height - 1
    if height < 0 or pos.past_move[height] == NO_MOVE or pos.past_captured[height] != 0:
        return -1
    target = target_of(int64(pos.past_move[height]))
    return int64(pos.board[target]) * 90 + target


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def reward_last(pos: Record, work: Record, lookup: Record, bonus: int) -> None:
    """Move the histories of the last move towards it, if it was quiet: no reply reached alpha."""
    index = last_quiet(pos)
    if index < 0:
        return
    add_history(work, index, bonus)
    target = target_of(int64(pos.past_move[pos.height - 1]))
    column = int64(lookup.kind_of[pos.board[target]]) * 90 + target
    add_continuation(work, continuation_row(pos, lookup, int64(2)) + column, bonus)


@inner(void(POSITION, WORK, int64, int64), forceinline=True)
def reward_last_by_values(pos: Record, work: Record, before: int, after: int) -> None:
    """Move the history of the last move, if it was quiet, by what its mover's static value gained.

    `before` and `after`: static values, each in the view of the side to move then.
    """
    index = last_quiet(pos)
    if index >= 0:
        add_history(work, index, min(max(-STATIC_BONUS * (before + after), -MAX_BONUS), MAX_BONUS))


@inner(int64(POSITION), forceinline=True)
def material_index(pos: Record) -> int:
    """Return the index of the side to move and the material in work.correction."""
    return pos.turn * CORRECTIONS + (hash16(pos.material) & CORRECTIONS - 1)


@inner(int64(POSITION, WORK, LOOKUP), forceinline=True)
def corrected_evaluation(pos: Record, work: Record, lookup: Record) -> int:
    """Return the evaluation plus the error that searches of similar positions found in it, in the mover's view.

    Positions are similar if they have the same material, or follow the same kind of move to the same square.
    """
    off = int64(work.correction[material_index(pos)])
    off += int64(work.sequel_correction[continuation_row(pos, lookup, int64(1)) // KIND_TARGETS])
    return evaluate(pos, work, lookup) + off // 16


@inner(void(POSITION, WORK, LOOKUP, int64), forceinline=True)
def update_corrections(pos: Record, work: Record, lookup: Record, bonus: int) -> None:
    """Move the corrections of a position by its search's difference from the evaluation; |bonus| <= 256."""
    i = material_index(pos)
    work.correction[i] += gravity(int64(work.correction[i]), bonus, int64(CORRECTION_MAX))
    i = continuation_row(pos, lookup, int64(1)) // KIND_TARGETS
    work.sequel_correction[i] += gravity(int64(work.sequel_correction[i]), bonus, int64(CORRECTION_MAX))
