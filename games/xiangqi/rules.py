"""When a Xiangqi game ends by repetition, by quiet moves or for want of attackers (Asian rules).

A repetition is judged over the plies of its cycle. Perpetual check loses against anything less. So does a
perpetual chase: every move of one side newly attacks the same unprotected piece. Kings and pawns may
chase, a king or an uncrossed pawn may be chased, an attack that the victim can return in kind is no chase,
and a rook is chased by horse or cannon even if protected. When both sides offend alike it is a draw.
"""

from __future__ import annotations

from games.kernel.jit import Record, entry, inner, int64
from games.xiangqi.movegen import IN_CHECK, checks_and_pins, generate_legal
from games.xiangqi.position import POSITION, QUIET_LIMIT, do_move, note_check, undo_move
from games.xiangqi.tables import ADVISOR, CANNON, CAPTURED, ELEPHANT, HORSE, KING, PAWN, ROOK, TABLES
from games.xiangqi.work import MAX_CYCLE, MAX_MOVES, MAX_PLY, WORK

ONGOING, DRAW, MOVER_WINS, MOVER_LOSES = 0, 1, 2, 3
"""Verdicts, for the side to move."""

_SCRATCH = MAX_MOVES * (MAX_PLY + 2)
"""Where the judge writes its moves: above every ply's own, two plies' room."""


@inner(int64(TABLES, int64), forceinline=True)
def kind(t: Record, piece: int) -> int:
    """KING..PAWN of a piece code, -1 of none."""
    code = int64(t.kind_of[piece])
    return code - 8 if code >= 8 else code - 1


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def can_capture(pos: Record, work: Record, t: Record, origin: int, target: int) -> int:
    """1 if the side to move can legally capture on `target` (from `origin`; from anywhere if -1)."""
    first = _SCRATCH + MAX_MOVES
    end = generate_legal(pos, work, t, first, int64(1), checks_and_pins(pos, t))
    for i in range(first, end):
        move = int64(work.moves[i])
        if move >> 7 == target and (origin < 0 or move & 127 == origin):
            return 1
    return 0


@inner(int64(POSITION, WORK, TABLES, int64))
def chased(pos: Record, work: Record, t: Record, side: int) -> int:
    """The enemy slots that `side` chases on this board, whoever is to move, as a bit set."""
    turn = pos.turn
    pos.turn = side
    victims = 0
    end = generate_legal(pos, work, t, int64(_SCRATCH), int64(1), checks_and_pins(pos, t))
    for i in range(_SCRATCH, end):
        move = int64(work.moves[i])
        origin = move & 127
        target = move >> 7
        attacker = kind(t, int64(pos.board[origin]))
        victim_piece = int64(pos.board[target])
        victim = kind(t, victim_piece)
        if attacker == KING or attacker == PAWN or victim == KING:
            continue
        if victim == PAWN and (target >= 45) == (side == 0):
            continue
        stronger = victim == ROOK and (attacker == HORSE or attacker == CANNON)
        if attacker == ADVISOR or attacker == ELEPHANT:
            stronger = victim == ROOK or victim == CANNON or victim == HORSE
        if not stronger:
            do_move(pos, t, move)
            protected = can_capture(pos, work, t, int64(-1), target)
            undo_move(pos, t)
            if protected == 1:
                continue
            if attacker == victim:
                pos.turn = side ^ 1
                returned = can_capture(pos, work, t, target, origin)
                pos.turn = side
                if returned == 1:
                    continue
        victims |= 1 << (victim_piece & 15)
    pos.turn = turn
    return victims


@inner(int64(POSITION, WORK, TABLES, int64))
def judge_cycle(pos: Record, work: Record, t: Record, start: int) -> int:
    """The verdict on the plies from height `start` to now, the position being the same at both ends."""
    top = pos.height
    mover = pos.turn
    if top - start > MAX_CYCLE:
        return DRAW
    checking_0, checking_1 = 1, 1
    for ply in range(start, top):
        # Judging a chase tries captures, which overwrites the history above the position.
        work.cycle[ply - start] = pos.past_move[ply] | int64(pos.past_checked[ply]) << 15
        if pos.past_checked[ply] == 0:
            if (top - ply) & 1 == mover:
                checking_0 = 0
            else:
                checking_1 = 0
    if checking_0 == 0 and checking_1 == 0:
        chasing_0, chasing_1 = int64(0xFFFF), int64(0xFFFF)
        for _ in range(top - start):
            giver = pos.turn ^ 1
            chasing = chasing_0 if giver == 0 else chasing_1
            if chasing == 0:
                undo_move(pos, t)
                continue
            after = chased(pos, work, t, giver)
            undo_move(pos, t)
            if after != 0:
                after &= ~chased(pos, work, t, giver)
            if giver == 0:
                chasing_0 &= after
            else:
                chasing_1 &= after
        for ply in range(start, top):
            move = int64(work.cycle[ply - start])
            do_move(pos, t, move & 0x7FFF)
            if move >> 15:
                note_check(pos)
        checking_0, checking_1 = chasing_0, chasing_1
    guilty_0, guilty_1 = checking_0 != 0, checking_1 != 0
    if guilty_0 == guilty_1:
        return DRAW
    return MOVER_LOSES if guilty_0 == (mover == 0) else MOVER_WINS


@inner(int64(POSITION, int64), forceinline=True)
def find_repetition(pos: Record, times: int) -> int:
    """Height of the `times`-th earlier occurrence of the position since the last capture, -1 if none."""
    key = pos.key
    i = pos.height - 4
    while i >= pos.since:
        if pos.past_key[i] == key:
            times -= 1
            if times == 0:
                return i
        i -= 2
    return -1


@inner(int64(POSITION), forceinline=True)
def has_attackers(pos: Record) -> int:
    """1 while either side has a piece that can cross the river."""
    for slot in range(5, 16):
        if pos.square[16 + slot] < CAPTURED or pos.square[32 + slot] < CAPTURED:
            return 1
    return 0


@entry(int64(POSITION, WORK, TABLES))
def judge(pos: Record, work: Record, t: Record) -> int:
    """The verdict by rule at a position of a game: threefold repetition, 60 moves, no attackers."""
    start = find_repetition(pos, int64(2))
    if start >= 0:
        return judge_cycle(pos, work, t, start)
    if pos.quiet >= QUIET_LIMIT or has_attackers(pos) == 0:
        return DRAW
    return ONGOING


@entry(int64(POSITION, TABLES, int64))
def push(pos: Record, t: Record, move: int) -> int:
    """Play a legal move of the game itself; returns the captured piece. Notes a check."""
    captured = do_move(pos, t, move)
    if checks_and_pins(pos, t) & IN_CHECK:
        note_check(pos)
    return captured


@entry(int64(POSITION, TABLES))
def pop(pos: Record, t: Record) -> int:
    """Take the last move back and return it."""
    undo_move(pos, t)
    return int64(pos.past_move[pos.height])


@entry(int64(POSITION, TABLES))
def is_check(pos: Record, t: Record) -> int:
    """1 if the side to move is in check."""
    return 1 if checks_and_pins(pos, t) & IN_CHECK else 0
