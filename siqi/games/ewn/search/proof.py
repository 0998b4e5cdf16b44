"""Proofs of certain wins, against every throw and every reply, and their length in turns of the winner."""

from __future__ import annotations

from siqi.games.ewn.rules.lookup import LOOKUP, NOBODY
from siqi.games.ewn.rules.movegen import step
from siqi.games.ewn.rules.position import POSITION, do_move, undo_move
from siqi.games.ewn.rules.work import WORK
from siqi.games.kernel.intrinsics import popcount, recurse_2
from siqi.games.kernel.jit import Record, entry, inner, int64

BUDGET = 10_000
"""The most positions that a proof may visit: 1.5 ms."""


@inner(int64(POSITION, int64), forceinline=True)
def nearest(pos: Record, side: int) -> int:
    """Return the fewest turns in which a side could win, by bringing a piece home or capturing an enemy each turn."""
    least = popcount(pos.alive[1 - side])
    for piece in range(6):
        if pos.alive[side] >> piece & 1:
            square = int64(pos.square[6 * side + piece + 1])
            row, column = square // 5, square % 5
            steps = max(row, column) if side else max(4 - row, 4 - column)
            least = min(least, steps)
    return least


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def wins(pos: Record, work: Record, lookup: Record, winner: int, turns: int) -> int:
    """Return 1 if `winner` wins for certain within `turns` turns of its own, before the throw of the side to move.

    0 if it does not, or if work.proof_left positions did not suffice. The control block is not polled.
    """
    work.proof_left -= 1
    if work.proof_left < 0 or nearest(pos, winner) > turns:
        return int64(0)
    side = pos.turn
    alive = pos.alive[side]
    good = int64(0)  # mask of the winner's pieces with a winning move
    for piece in range(6):
        if alive >> piece & 1:
            square = int64(pos.square[6 * side + piece + 1])
            for way in range(lookup.step_count[side * 25 + square]):
                do_move(pos, lookup, step(lookup, side, square, int64(way)))
                if pos.winner >= 0:
                    succeeds = int64(pos.winner == winner)
                elif side == winner and turns == 1:
                    succeeds = int64(0)
                else:
                    succeeds = recurse_2(pos, work, lookup, winner, turns - int64(side == winner))
                undo_move(pos)
                if side != winner and succeeds == 0:
                    return int64(0)
                if side == winner and succeeds == 1:
                    good |= int64(1) << piece
                    break
    if side != winner:
        return int64(1)
    for die in range(1, 7):
        pair = int64(lookup.movable[alive * 7 + die])
        if good >> (pair & 15) & 1 == 0 and (pair >> 4 == NOBODY or good >> (pair >> 4) & 1 == 0):
            return int64(0)
    return int64(1)


@entry(int64(POSITION, WORK, LOOKUP, int64))
def turns_to_win(pos: Record, work: Record, lookup: Record, winner: int) -> int:
    """Return the fewest turns of its own in which `winner` wins for certain, before the throw.

    0 if the game is over or BUDGET positions did not suffice.
    """
    if pos.winner >= 0:
        return int64(0)
    work.proof_left = BUDGET
    turns = nearest(pos, winner)
    while work.proof_left > 0:
        if wins(pos, work, lookup, winner, turns) == 1:
            return turns
        turns += 1
    return int64(0)
