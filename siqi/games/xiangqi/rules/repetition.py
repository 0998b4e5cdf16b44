"""The ends of a Xiangqi game by repetition, by quiet moves and for lack of attackers (Asian rules).

A repetition is judged over the plies of its cycle. A side that checks with every move loses, and so does a side that
chases with every move: each of its moves newly threatens to take the same piece for nothing. Perpetual check loses
against a perpetual chase. If both sides offend alike it is a draw, and so is all else: alternating checks and chases,
or alternating victims.

The articles of the Asian rules and of the WXF manual are read as follows, a threat being a legal capture:

- Kings and pawns may threaten for ever; kings and pawns that have not crossed may be threatened for ever.
- Protection is a legal recapture, tried on the board: a pinned or blocked protector is none, nor is a king that
  would step into check. A check given with the threat does not take protection away (alternating check and
  chase is allowed); a check that the capture itself gives does.
- A rook is threatened by horse or cannon, and horse, cannon and rook by advisor or elephant, even if protected.
- A threat that the victim can return in kind is an offer to exchange; a pinned victim cannot return it.
- A threat is new if this attacker did not make it before the move, whichever piece moved: discovered threats, victims
  pinned, and protection undone by moving a screen, a leg, a block or by pinning the protector. It is not new if before
  the move only a check, or the attacker's own pin, forbade the capture: an evasion renews no threat.
- One exception to the last: where all protectors attack the attacker too (a cannon that hits a rook hits the
  piece behind the rook), undoing their line is the attacker's escape, not a new threat (diagrams 39-41, 61).
"""

from __future__ import annotations

from typing import Any

from siqi.games.kernel.jit import Record, entry, inner, int64, outlined, void
from siqi.games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, KING, LOOKUP, PAWN, ROOK
from siqi.games.xiangqi.rules.movegen import CAPTURES, IN_CHECK, checks_and_pins, generate_legal, is_pseudo_legal
from siqi.games.xiangqi.rules.position import (
    POSITION,
    QUIET_LIMIT,
    do_move,
    make_move,
    note_check,
    origin_of,
    slot_of,
    target_of,
    undo_move,
)
from siqi.games.xiangqi.rules.work import MAX_CYCLE, MAX_MOVES, MAX_PLY, WORK

ATTACKERS_MASK = 0xFFFF << 16 | 0xFFFF << 44
"""The nibbles of pos.material that count horses, rooks, cannons and pawns."""

ONGOING, DRAW, MOVER_WINS, MOVER_LOSES = 0, 1, 2, 3
"""Verdicts, in the view of the side to move."""

_SCRATCH = MAX_MOVES * (MAX_PLY + 2)
"""Place in work.moves of the judge's own moves: two plies above those of the search."""


@inner(int64(LOOKUP, int64), forceinline=True)
def kind_of_piece(lookup: Record, piece: int) -> int:
    """Return the kind KING..PAWN of a piece code, -1 for no piece."""
    code = int64(lookup.kind_of[piece])
    return code - 8 if code >= 8 else code - 1


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def takers(pos: Record, work: Record, lookup: Record, target: int, in_check: int) -> int:
    """Return the slots of the side to move that can legally capture on `target`, as a bit set.

    `in_check`: 1 to ignore a check that stands; pinned pieces stay pinned.
    """
    first = _SCRATCH + MAX_MOVES
    state = checks_and_pins(pos, lookup)
    if in_check == 1:
        state &= IN_CHECK - 1
    end = generate_legal(pos, work, lookup, first, int64(CAPTURES), state)
    slots = 0
    for i in range(first, end):
        move = int64(work.moves[i])
        if target_of(move) == target:
            slots |= 1 << slot_of(pos.board[origin_of(move)])
    return slots


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def is_threat(pos: Record, work: Record, lookup: Record, capture: int, in_check: int, earlier: int) -> int:
    """1 if a legal capture of the side to move is one that it may not threaten for ever.

    `in_check`: 1 if the victim's side is in check. `earlier`: 1 if the board is that before the move being judged,
    where protectors that attack the attacker do not count.
    """
    side = pos.turn
    origin = origin_of(capture)
    target = target_of(capture)
    attacker = kind_of_piece(lookup, int64(pos.board[origin]))
    victim = kind_of_piece(lookup, int64(pos.board[target]))
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
    return 0 if attacker == victim and returning >> slot_of(pos.board[target]) & 1 else 1


@inner(int64(POSITION, WORK, LOOKUP))
def undo_and_find_chased(pos: Record, work: Record, lookup: Record) -> int:
    """Take the last move back; return the enemy slots that it newly threatened, as a bit set.

    Overwrites the history from the position's height on.
    """
    last = pos.height - 1
    moved_from = origin_of(int64(pos.past_move[last]))
    moved_to = target_of(int64(pos.past_move[last]))
    in_check = int64(pos.past_checked[last])
    pos.turn ^= 1
    end = generate_legal(pos, work, lookup, int64(_SCRATCH), int64(CAPTURES), checks_and_pins(pos, lookup))
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
        origin = origin_of(int64(work.moves[i]))
        target = target_of(int64(work.moves[i]))
        if origin == moved_to:
            origin = moved_from
        capture = make_move(origin, target)
        stood = is_pseudo_legal(pos, lookup, capture)
        if stood == 0 or is_threat(pos, work, lookup, capture, int64(0), int64(1)) == 0:
            victims |= 1 << slot_of(pos.board[target])
    return victims


@outlined(int64(POSITION, WORK, LOOKUP, int64))
def judge_cycle(pos: Record, work: Record, lookup: Record, start: int) -> int:
    """Return the verdict on the plies from height `start` to now; the position must be the same at both ends.

    DRAW, MOVER_WINS or MOVER_LOSES; DRAW for a cycle longer than MAX_CYCLE. Perpetual check comes before perpetual
    chase. The verdict belongs to the path: the same position reached by another cycle may have another one. Needs the
    checks of the cycle noted (`note_check`); takes the cycle back and plays it again, and leaves `pos` as it was.
    """
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
            victims = undo_and_find_chased(pos, work, lookup)
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
def find_repetition(pos: Record, root: int) -> int:
    """Return the height from which a repetition of the position is judged, -1 if the game goes on.

    It is that of the second earlier occurrence since the last capture, as the rules count, or that of the first if it
    is above height `root`, which a search gives for its root. Positions are compared by key.
    """
    key = pos.key
    occurrences = 0
    for i in range(pos.height - 4, pos.since - 1, -2):  # a position recurs after 4 plies at the earliest
        if pos.past_key[i] == key:
            occurrences += 1
            if occurrences == 2 or i > root:
                return i
    return -1


@inner(int64(POSITION, LOOKUP, int64, int64))
def meets_game(pos: Record, lookup: Record, root: int, move: int) -> int:
    """Return 1 if the game has had this position, or the one after `move`, since the last capture; else 0.

    `root`: the height of the search's root; positions above it are not the game's. `move`: a pseudo-legal move or 0; a
    capture repeats nothing. One ply above the root any reply may repeat: then it is enough that the game has positions
    to repeat. What the tt has of such a node may be from before those positions occurred.
    """
    height = pos.height
    if height - pos.since < 3 or pos.since > root:
        return 0
    if height == root + 1:
        return 1
    key = pos.key
    target = target_of(move)
    key_after = int64(0)
    if move != 0 and pos.board[target] == 0:
        piece = lookup.kind_of[pos.board[origin_of(move)]] * 91
        key_after = key ^ lookup.zobrist[piece + origin_of(move)] ^ lookup.zobrist[piece + target] ^ lookup.zobrist_turn
    for i in range(pos.since, root + 1):
        if pos.past_key[i] == key or pos.past_key[i] == key_after:
            return 1
    return 0


@inner(int64(POSITION), forceinline=True)
def has_attackers(pos: Record) -> int:
    """1 while either side has a piece that can cross the river."""
    return 1 if pos.material & ATTACKERS_MASK else 0


@entry(int64(POSITION, WORK, LOOKUP))
def judge(pos: Record, work: Record, lookup: Record) -> int:
    """Return the verdict on a position of a game: at the third occurrence, after 60 quiet moves, without attackers.

    ONGOING if no rule ends the game. Mates are not looked at.
    """
    start = find_repetition(pos, int64(pos.height))
    if start >= 0:
        return judge_cycle(pos, work, lookup, start)
    if pos.quiet >= QUIET_LIMIT or has_attackers(pos) == 0:
        return DRAW
    return ONGOING


@entry(int64(POSITION, LOOKUP, int64))
def push(pos: Record, lookup: Record, move: int) -> int:
    """Play a legal move of the game itself and note a check; return the code of the captured piece, or 0."""
    captured = do_move(pos, lookup, move)
    if checks_and_pins(pos, lookup) & IN_CHECK:
        note_check(pos)
    return captured


@entry(void(POSITION, LOOKUP, int64[::1]))
def push_all(pos: Record, lookup: Record, moves: Any) -> None:
    """Play the legal moves of a game one after the other: a call from Python takes longer than all of them."""
    for i in range(len(moves)):
        push(pos, lookup, moves[i])


@entry(int64(POSITION, LOOKUP))
def pop(pos: Record, lookup: Record) -> int:
    """Take the last move back and return it."""
    undo_move(pos, lookup)
    return int64(pos.past_move[pos.height])


@entry(int64(POSITION, LOOKUP))
def is_check(pos: Record, lookup: Record) -> int:
    """1 if the side to move is in check."""
    return 1 if checks_and_pins(pos, lookup) & IN_CHECK else 0
