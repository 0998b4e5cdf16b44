"""The worth of an EWN position by playouts: the paper has no static evaluation, and neither have we yet."""

from __future__ import annotations

from games.contract import Score
from games.ewn.position import POSITION, POSITION_DTYPE, advance, copy_board
from games.ewn.tables import NOBODY, TABLES, TABLES_RECORD
from games.ewn.work import WORK, WORK_DTYPE
from games.kernel.jit import Record, entry, inner, int64, new_record
from games.kernel.random import below, next_state, seed_state

EVAL_PLAYOUTS = 20_000


@inner(int64(POSITION, WORK, TABLES), forceinline=True)
def playout(pos: Record, work: Record, t: Record) -> int:
    """Play at random, every movable piece's ways equally likely, to the end; returns the winner."""
    while pos.winner < 0:
        work.random = next_state(work.random)
        side = pos.turn
        pair = int64(t.movable[pos.alive[side] * 7 + 1 + below(work.random, int64(6))])
        square = int64(pos.square[6 * side + 1 + (pair & 15)])
        ways = int64(t.step_count[side * 25 + square])
        other_ways = 0
        other = int64(0)
        if pair >> 4 != NOBODY:
            other = int64(pos.square[6 * side + 1 + (pair >> 4)])
            other_ways = int64(t.step_count[side * 25 + other])
        choice = ((work.random & 0xFFFF) * (ways + other_ways)) >> 16
        if choice >= ways:
            choice -= ways
            square = other
        advance(pos, t, square | int64(t.steps[(side * 25 + square) * 3 + choice]) << 5)
    return pos.winner


@entry(int64(POSITION, POSITION, WORK, TABLES, int64))
def count_wins(root: Record, pos: Record, work: Record, t: Record, playouts: int) -> int:
    """How many random playouts from `root`, throws unknown, its mover wins."""
    won = 0
    for _ in range(playouts):
        copy_board(pos, root)
        if playout(pos, work, t) == root.turn:
            won += 1
    return won


def explain(root: Record) -> list[str]:
    """Winning share of random playouts before the throw (fixed seed)."""
    work = new_record(WORK_DTYPE)
    work.random = seed_state(1)
    share = count_wins(root, new_record(POSITION_DTYPE), work, TABLES_RECORD, EVAL_PLAYOUTS) / EVAL_PLAYOUTS
    return [f"random playouts won {share:.3f}", f"total {Score.expected(share).cp:+d} for the side to move"]
