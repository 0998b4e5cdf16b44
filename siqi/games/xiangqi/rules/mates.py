"""Mates in one, and the kings that they threaten."""

from __future__ import annotations

from siqi.games.kernel.jit import Record, inner, int64
from siqi.games.xiangqi.rules.lookup import LOOKUP
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, checks_and_pins, generate_legal, gives_check, is_safe
from siqi.games.xiangqi.rules.position import POSITION, do_move, make_move, undo_move
from siqi.games.xiangqi.rules.work import WORK


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def mates_at_once(pos: Record, work: Record, lookup: Record, first: int, answers: int) -> int:
    """Return 1 if a move of the side to move mates, else 0. `first`, `answers`: places in work.moves to use."""
    end = generate_legal(pos, work, lookup, first, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    for i in range(first, end):
        move = int64(work.moves[i])
        if gives_check(pos, lookup, move) == 1:
            do_move(pos, lookup, move)
            state = checks_and_pins(pos, lookup)
            is_mate = generate_legal(pos, work, lookup, answers, int64(ALL_MOVES), state) == answers
            undo_move(pos, lookup)
            if is_mate:
                return 1
    return 0


@inner(int64(POSITION, LOOKUP))
def is_hemmed_in(pos: Record, lookup: Record) -> int:
    """Return 1 if the king of the side to move has no safe step, or only one while another is controlled, else 0."""
    king = int64(pos.square[16 << pos.turn])
    controlled, safe = int64(0), int64(0)
    i = king * 5
    while lookup.king_steps[i] >= 0:
        target = int64(lookup.king_steps[i])
        if pos.board[target] & (16 << pos.turn) == 0:
            if is_safe(pos, lookup, make_move(king, target)) == 0:
                controlled += 1
            elif safe == 1:
                return 0
            else:
                safe = int64(1)
        i += 1
    return 1 if safe == 0 or controlled > 0 else 0
