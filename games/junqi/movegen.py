"""Junqi moves. A piece of unknown type moves as any type it may be; perft over full positions."""

from __future__ import annotations

from numba import types

from games.junqi.position import POSITION, POSITION_DTYPE, copy_position, do_move, result_code
from games.junqi.tables import ENGINEER, MAX_ROADS, MOBILE, NOWHERE, PIECES, STRAIGHT, TABLES
from games.junqi.work import WORK
from games.kernel.control import poll
from games.kernel.jit import Record, entry, inner, int64, record_type

BOARDS = types.Array(record_type(POSITION_DTYPE), 1, "C")
"""One board a ply, for copy and make."""


@inner(int64(POSITION, TABLES, int64, int64), forceinline=True)
def may_enter(pos: Record, t: Record, target: int, side: int) -> int:
    """0: own piece or an enemy safe in a camp; 1: empty; 2: an enemy to attack."""
    piece = int64(pos.board[target])
    if piece == 0:
        return 1
    if (piece > PIECES) == (side == 1) or t.is_camp[target] == 1:
        return 0
    return 2


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def list_piece(pos: Record, work: Record, t: Record, piece: int, may: int, end: int) -> int:
    """Append the moves of a piece, taken to be any of the types `may`, to work.moves[end:]; returns their end."""
    origin = int64(pos.where[piece])
    if origin == NOWHERE or may & MOBILE == 0 or t.is_headquarters[origin] == 1:
        return end
    side = 1 if piece >= PIECES else 0
    work.tick += 1
    work.seen[origin] = work.tick
    if may >> ENGINEER & 1:
        # An engineer may turn: every station that a path of empty ones leads to.
        work.queue[0] = origin
        head, tail = 0, 1
        while head < tail:
            station = int64(work.queue[head])
            head += 1
            for way in range(STRAIGHT):
                target = int64(t.rails[station * STRAIGHT + way])
                if target == NOWHERE or work.seen[target] == work.tick:
                    continue
                work.seen[target] = work.tick
                entered = may_enter(pos, t, target, side)
                if entered > 0:
                    work.moves[end] = origin | target << 6
                    end += 1
                if entered == 1:
                    work.queue[tail] = target
                    tail += 1
    else:
        for way in range(STRAIGHT):
            target = int64(t.rails[origin * STRAIGHT + way])
            while target != NOWHERE:
                work.seen[target] = work.tick
                entered = may_enter(pos, t, target, side)
                if entered > 0:
                    work.moves[end] = origin | target << 6
                    end += 1
                if entered != 1:
                    break
                target = int64(t.rails[target * STRAIGHT + way])
    i = origin * (MAX_ROADS + 1)
    target = int64(t.roads[i])
    while target != NOWHERE:
        if work.seen[target] != work.tick and may_enter(pos, t, target, side) > 0:
            work.moves[end] = origin | target << 6
            end += 1
        i += 1
        target = int64(t.roads[i])
    return end


@entry(int64(POSITION, WORK, TABLES, int64))
def list_side(pos: Record, work: Record, t: Record, side: int) -> int:
    """The moves of a side to work.moves, whoever is to move; returns their number."""
    end = int64(0)
    for piece in range(side * PIECES, side * PIECES + PIECES):
        end = list_piece(pos, work, t, piece, int64(pos.may[piece]), end)
    return end


@entry(int64(POSITION, WORK, TABLES, int64, int64))
def reaches(pos: Record, work: Record, t: Record, move: int, may: int) -> int:
    """1 if the piece on a move's origin can make it as one of the types `may`."""
    end = list_piece(pos, work, t, int64(pos.board[move & 63]) - 1, may, int64(0))
    for i in range(end):
        if work.moves[i] == move & 0xFFF:
            return 1
    return 0


@inner(int64(BOARDS, WORK, TABLES, int64, int64))
def perft_below(boards: Record, work: Record, t: Record, ply: int, depth: int) -> int:
    """Leaves `depth` plies below boards[ply] of a full position; a lost game has no moves."""
    if depth == 0:
        return 1
    pos = boards[ply]
    if pos.loser >= 0:
        return 0
    count = list_side(pos, work, t, pos.turn)
    if depth == 1:
        return count
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, int64(0), work.nodes)
        if work.poll_at < 0:
            work.stopped = 1
    total = 0
    for i in range(count):
        if work.stopped == 1:
            return total
        if i > 0:
            list_side(pos, work, t, pos.turn)
        move = int64(work.moves[i])
        copy_position(boards[ply + 1], pos)
        do_move(boards[ply + 1], move, result_code(pos, t, move))
        total += perft_below(boards, work, t, ply + 1, depth - 1)
    return total


@entry(int64(BOARDS, WORK, TABLES, int64, int64))
def perft(boards: Record, work: Record, t: Record, move: int, depth: int) -> int:
    """Leaves below one legal move of boards[0], `depth` plies in all (depth >= 1)."""
    copy_position(boards[1], boards[0])
    do_move(boards[1], move, result_code(boards[0], t, move))
    return perft_below(boards, work, t, int64(1), depth - 1)
