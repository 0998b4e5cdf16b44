"""When a Xiangqi game ends by repetition, by quiet moves or for want of attackers (Asian rules).

A repetition is judged over the plies of its cycle. Perpetual check loses against anything less. So does a
perpetual chase: every move of one side newly threatens to take the same piece for nothing. When both sides
offend alike it is a draw, and so is all else: checks and chases by turns, or different victims by turns.

What the articles of the Asian rules and of the WXF manual come to here, a threat being a legal capture:

- Kings and pawns may threaten for ever; kings and uncrossed pawns may be threatened for ever.
- Protection is a legal recapture, tried on the board: a pinned or blocked protector is none, nor is a king that
  would step into check. A check given with the threat does not take protection away (check and chase by turns
  are allowed); a check that the capture itself gives does.
- A rook is threatened by horse or cannon, and horse, cannon and rook by advisor or elephant, even if protected.
- A threat that the victim can return in kind is an offer to exchange; if it is pinned, it cannot.
- New is what this attacker did not threaten before the move, whichever piece moved: discovered threats, victims
  pinned, and protection undone by moving a screen, a leg, a block or by pinning the protector.
- One exception to the last: where all protectors attack the attacker too (a cannon that hits a rook hits what
  stands behind the rook), undoing their line is how the attacker escapes, not a new threat (diagrams 39-41, 61).
"""

from __future__ import annotations

from games.kernel.jit import Record, entry, inner, int64, outlined
from games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, KING, LOOKUP, PAWN, ROOK
from games.xiangqi.rules.movegen import IN_CHECK, checks_and_pins, generate_legal
from games.xiangqi.rules.position import POSITION, QUIET_LIMIT, do_move, note_check, undo_move
from games.xiangqi.rules.work import MAX_CYCLE, MAX_MOVES, MAX_PLY, WORK

ATTACKERS = 0xFFFF << 16 | 0xFFFF << 44
"""The nibbles of pos.material that count horses, rooks, cannons and pawns."""

ONGOING, DRAW, MOVER_WINS, MOVER_LOSES = 0, 1, 2, 3
"""Verdicts, for the side to move."""

_SCRATCH = MAX_MOVES * (MAX_PLY + 2)
"""Where the judge writes its moves: above every ply's own, two plies' room."""


@inner(int64(LOOKUP, int64), forceinline=True)
def kind(lookup: Record, piece: int) -> int:
    """KING..PAWN of a piece code, -1 of none."""
    code = int64(lookup.kind_of[piece])
    return code - 8 if code >= 8 else code - 1


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def takers(pos: Record, work: Record, lookup: Record, target: int, in_check: int) -> int:
    """The slots of the side to move that can legally capture on `target`, as a bit set.

    `in_check`: as if a check that stands were none; pinned pieces stay pinned.
    """
    first = _SCRATCH + MAX_MOVES
    state = checks_and_pins(pos, lookup)
    if in_check == 1:
        state &= IN_CHECK - 1
    end = generate_legal(pos, work, lookup, first, int64(1), state)
    slots = 0
    for i in range(first, end):
        move = int64(work.moves[i])
        if move >> 7 == target:
            slots |= 1 << (pos.board[move & 127] & 15)
    return slots


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def is_threat(pos: Record, work: Record, lookup: Record, capture: int, in_check: int, earlier: int) -> int:
    """1 if a legal capture of the side to move is one that it may not threaten for ever.

    `in_check`: the victim's side is in check. `earlier`: the board is that before the move being judged, where
    protectors that attack the attacker do not count.
    """
    side = pos.turn
    origin = capture & 127
    target = capture >> 7
    attacker = kind(lookup, int64(pos.board[origin]))
    victim = kind(lookup, int64(pos.board[target]))
    if attacker == KING or attacker == PAWN or victim == KING:
        return 0
    if victim == PAWN and (target >= 45) == (side == 0):
        return 0
    if victim == ROOK and (attacker == HORSE or attacker == CANNON):
        return 1
    if (attacker == ADVISOR or attacker == ELEPHANT) and (victim == ROOK or victim == CANNON or victim == HORSE):
        return 1
    do_move(pos, lookup, capture)
    protectors = takers(pos, work, lookup, target, in_check)
    undo_move(pos, lookup)
    if protectors == 0 and attacker != victim:
        return 1
    pos.turn = side ^ 1
    returning = takers(pos, work, lookup, origin, int64(0))
    pos.turn = side
    if earlier == 1:
        protectors &= ~returning
    if protectors != 0:
        return 0
    return 0 if attacker == victim and returning >> (pos.board[target] & 15) & 1 else 1


@inner(int64(POSITION, WORK, LOOKUP))
def undo_chase(pos: Record, work: Record, lookup: Record) -> int:
    """Take the last move back; returns the slots of the enemy that it newly threatened, as a bit set."""
    last = pos.height - 1
    moved_from = pos.past_move[last] & 127
    moved_to = pos.past_move[last] >> 7
    in_check = int64(pos.past_checked[last])
    pos.turn ^= 1
    end = generate_legal(pos, work, lookup, int64(_SCRATCH), int64(1), checks_and_pins(pos, lookup))
    threats = int64(_SCRATCH)
    for i in range(_SCRATCH, end):
        capture = int64(work.moves[i])
        if is_threat(pos, work, lookup, capture, in_check, int64(0)) == 1:
            work.moves[threats] = capture
            threats += 1
    pos.turn ^= 1
    undo_move(pos, lookup)
    victims = 0
    for i in range(_SCRATCH, threats):
        origin = int64(work.moves[i] & 127)
        target = int64(work.moves[i] >> 7)
        if origin == moved_to:
            origin = int64(moved_from)
        attackers = takers(pos, work, lookup, target, int64(0))
        stood = attackers >> (pos.board[origin] & 15) & 1
        if stood == 0 or is_threat(pos, work, lookup, origin | target << 7, int64(0), int64(1)) == 0:
            victims |= 1 << (pos.board[target] & 15)
    return victims


@outlined(int64(POSITION, WORK, LOOKUP, int64))
def judge_cycle(pos: Record, work: Record, lookup: Record, start: int) -> int:
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
                undo_move(pos, lookup)
                continue
            victims = undo_chase(pos, work, lookup)
            if giver == 0:
                chasing_0 &= victims
            else:
                chasing_1 &= victims
        for ply in range(start, top):
            move = int64(work.cycle[ply - start])
            do_move(pos, lookup, move & 0x7FFF)
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
    return 1 if pos.material & ATTACKERS else 0


@entry(int64(POSITION, WORK, LOOKUP))
def judge(pos: Record, work: Record, lookup: Record) -> int:
    """The verdict by rule at a position of a game: threefold repetition, 60 moves, no attackers."""
    start = find_repetition(pos, int64(2))
    if start >= 0:
        return judge_cycle(pos, work, lookup, start)
    if pos.quiet >= QUIET_LIMIT or has_attackers(pos) == 0:
        return DRAW
    return ONGOING


@entry(int64(POSITION, LOOKUP, int64))
def push(pos: Record, lookup: Record, move: int) -> int:
    """Play a legal move of the game itself; returns the captured piece. Notes a check."""
    captured = do_move(pos, lookup, move)
    if checks_and_pins(pos, lookup) & IN_CHECK:
        note_check(pos)
    return captured


@entry(int64(POSITION, LOOKUP))
def pop(pos: Record, lookup: Record) -> int:
    """Take the last move back and return it."""
    undo_move(pos, lookup)
    return int64(pos.past_move[pos.height])


@entry(int64(POSITION, LOOKUP))
def is_check(pos: Record, lookup: Record) -> int:
    """1 if the side to move is in check."""
    return 1 if checks_and_pins(pos, lookup) & IN_CHECK else 0
