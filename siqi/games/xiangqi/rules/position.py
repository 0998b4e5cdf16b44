"""The Xiangqi position record and the kernels that change it.

        a  b  c  d  e  f  g  h  i
    9  81 82 83 84 85 86 87 88 89   Black's side
    ...
    0   0  1  2  3  4  5  6  7  8   Red's side

Piece codes: 16 + slot for Red, 32 + slot for Black, 0 empty; slots: 0 king, 1-2 advisors, 3-4 elephants,
5-6 horses, 7-8 rooks, 9-10 cannons, 11-15 pawns. A side's piece codes have its bit `16 << side`, and `16 << side` is
its king. A move is `origin | target << 7`; 0 is no move.
"""

from __future__ import annotations

from siqi.games.kernel.jit import Record, accessor, inner, int64, record, record_type, void
from siqi.games.xiangqi.data.weights import TERMS
from siqi.games.xiangqi.rules.lookup import (
    CANNON,
    CAPTURED,
    FIRST_ADVISOR,
    FIRST_CANNON,
    FIRST_ELEPHANT,
    FIRST_PAWN,
    FIRST_ROOK,
    HORSE,
    LOOKUP,
    ROOK,
    SLOTS,
)

NO_MOVE = 0
MAX_HISTORY = 8192
"""Plies that a game and its search line may have together; the 60-move rule ends any game long before."""

FREE_CHECKS = 10
"""Checks by a side since the last capture that count as quiet plies; later ones do not."""

QUIET_LIMIT = 120
"""Plies without a capture that make a draw."""

POSITION_DTYPE = record(
    [
        ("board", "u1", 92),  # piece code by square; [BLOCKED] is always occupied
        ("square", "u1", 48),  # square by piece code, CAPTURED if off the board
        ("rank_bits", "u2", 10),
        ("file_bits", "u2", 9),
        ("turn", "i8"),  # 0 Red, 1 Black
        ("key", "i8"),
        ("material", "i8"),  # pieces left, a nibble per kind (lookup.kind_of)
        ("score", "i8"),  # sum of material and piece-square values, Red's view, packed (weights.py)
        ("terms", "i2", len(TERMS)),  # written by the evaluation: counts, Red's less Black's
        ("phase", "i8"),  # written by the evaluation: FULL_PHASE at the start
        ("scale_factor", "i8"),  # written by the evaluation: sixteenths left of the advantage (endings.py)
        ("quiet", "i8"),  # plies since the last capture that count for the 60-move rule
        ("checks", "i8", 2),  # checks given by each side since the last capture
        ("height", "i8"),  # moves in the history; arrays mean nothing from there on
        ("since", "i8"),  # height at which the last capture (or the FEN) left the position
        # By height of the move, the fields that undo restores and that repetition reads:
        ("past_move", "u2", MAX_HISTORY),
        ("past_captured", "u1", MAX_HISTORY),
        ("past_checked", "u1", MAX_HISTORY),  # 1 if the move gave check (set by note_check)
        ("past_key", "i8", MAX_HISTORY),  # key before the move
        ("past_score", "i4", MAX_HISTORY),
        ("past_quiet", "u2", MAX_HISTORY),
        ("past_checks", "u1", 2 * MAX_HISTORY),
        ("past_since", "u2", MAX_HISTORY),
    ]
)
POSITION = record_type(POSITION_DTYPE)


@accessor
def origin_of(move: int) -> int:
    """Return the square that a move leaves."""
    return move & 127


@accessor
def target_of(move: int) -> int:
    """Return the square that a move goes to."""
    return move >> 7


@accessor
def make_move(origin: int, target: int) -> int:
    """Return the move between two squares."""
    return origin | target << 7


@inner(int64(int64), forceinline=True)
def slot_of(piece: int) -> int:
    """Return the slot of a piece code."""
    return piece & SLOTS - 1


@inner(int64(int64), forceinline=True)
def is_advisor(slot: int) -> int:
    """1 for an advisor's slot; 0 for any other number."""
    return 1 if slot == FIRST_ADVISOR or slot == FIRST_ADVISOR + 1 else 0


@inner(int64(int64), forceinline=True)
def is_elephant(slot: int) -> int:
    """1 for an elephant's slot; 0 for any other number."""
    return 1 if slot == FIRST_ELEPHANT or slot == FIRST_ELEPHANT + 1 else 0


@inner(int64(int64), forceinline=True)
def is_rook(slot: int) -> int:
    """1 for a rook's slot; 0 for any other number."""
    return 1 if slot == FIRST_ROOK or slot == FIRST_ROOK + 1 else 0


@inner(int64(int64), forceinline=True)
def is_cannon(slot: int) -> int:
    """1 for a cannon's slot; 0 for any other number."""
    return 1 if slot == FIRST_CANNON or slot == FIRST_CANNON + 1 else 0


@inner(int64(int64), forceinline=True)
def is_pawn(slot: int) -> int:
    """1 for a pawn's slot; 0 for any other number."""
    return 1 if slot >= FIRST_PAWN and slot < SLOTS else 0


@inner(void(POSITION, LOOKUP, int64, int64), forceinline=True)
def put_piece(pos: Record, lookup: Record, piece: int, square: int) -> None:
    """Put a piece on an empty square while a position is set up; not recorded in the history."""
    rank, file = lookup.rank_of[square], lookup.file_of[square]
    pos.board[square] = piece
    pos.square[piece] = square
    pos.rank_bits[rank] |= 1 << file
    pos.file_bits[file] |= 1 << rank
    index = lookup.kind_of[piece] * 91 + square
    pos.key ^= lookup.zobrist[index]
    pos.score += lookup.piece_square[index]
    pos.material += lookup.unit[lookup.kind_of[piece]]


@inner(int64(POSITION, int64, int64), forceinline=True)
def count_kind(pos: Record, side: int, kind: int) -> int:
    """Return the number of pieces of a kind that a side has."""
    return pos.material >> 4 * (7 * side + kind + 1) & 15


@inner(int64(POSITION, int64), forceinline=True)
def count_strong(pos: Record, side: int) -> int:
    """Return the number of rooks, horses and cannons that a side has."""
    return (
        count_kind(pos, side, int64(HORSE)) + count_kind(pos, side, int64(ROOK)) + count_kind(pos, side, int64(CANNON))
    )


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def do_move(pos: Record, lookup: Record, move: int) -> int:
    """Play a pseudo-legal move; return the code of the captured piece, or 0.

    A check that it gives is recorded by `note_check` alone.
    """
    origin = origin_of(move)
    target = target_of(move)
    piece = int64(pos.board[origin])
    captured = int64(pos.board[target])
    height = pos.height
    pos.past_move[height] = move
    pos.past_captured[height] = captured
    pos.past_key[height] = pos.key
    pos.past_score[height] = pos.score
    pos.past_quiet[height] = pos.quiet
    pos.past_checks[2 * height] = pos.checks[0]
    pos.past_checks[2 * height + 1] = pos.checks[1]
    pos.past_since[height] = pos.since
    pos.past_checked[height] = 0
    height += 1
    pos.height = height

    pos.board[target] = piece
    pos.board[origin] = 0
    pos.square[piece] = target
    rank, file = lookup.rank_of[origin], lookup.file_of[origin]
    pos.rank_bits[rank] ^= 1 << file
    pos.file_bits[file] ^= 1 << rank
    if captured != 0:
        pos.square[captured] = CAPTURED
        pos.material -= lookup.unit[lookup.kind_of[captured]]
        pos.quiet = 0
        pos.checks[0] = 0
        pos.checks[1] = 0
        pos.since = height
    else:
        rank, file = lookup.rank_of[target], lookup.file_of[target]
        pos.rank_bits[rank] ^= 1 << file
        pos.file_bits[file] ^= 1 << rank
        pos.quiet += 1
    mine = lookup.kind_of[piece] * 91
    theirs = lookup.kind_of[captured] * 91
    pos.key ^= (
        lookup.zobrist[mine + origin]
        ^ lookup.zobrist[mine + target]
        ^ lookup.zobrist[theirs + target]
        ^ lookup.zobrist_turn
    )
    pos.score += (
        lookup.piece_square[mine + target] - lookup.piece_square[mine + origin] - lookup.piece_square[theirs + target]
    )
    pos.turn ^= 1
    return captured


@inner(void(POSITION, LOOKUP), forceinline=True)
def undo_move(pos: Record, lookup: Record) -> None:
    """Take the last move back; every field is as it was, except the history from its height on."""
    height = pos.height - 1
    pos.height = height
    move = int64(pos.past_move[height])
    origin = origin_of(move)
    target = target_of(move)
    piece = int64(pos.board[target])
    captured = int64(pos.past_captured[height])
    pos.board[origin] = piece
    pos.board[target] = captured
    pos.square[piece] = origin
    rank, file = lookup.rank_of[origin], lookup.file_of[origin]
    pos.rank_bits[rank] ^= 1 << file
    pos.file_bits[file] ^= 1 << rank
    if captured != 0:
        pos.square[captured] = target
        pos.material += lookup.unit[lookup.kind_of[captured]]
    else:
        rank, file = lookup.rank_of[target], lookup.file_of[target]
        pos.rank_bits[rank] ^= 1 << file
        pos.file_bits[file] ^= 1 << rank
    pos.key = pos.past_key[height]
    pos.score = pos.past_score[height]
    pos.quiet = pos.past_quiet[height]
    pos.checks[0] = pos.past_checks[2 * height]
    pos.checks[1] = pos.past_checks[2 * height + 1]
    pos.since = pos.past_since[height]
    pos.turn ^= 1


@inner(void(POSITION), forceinline=True)
def note_check(pos: Record) -> None:
    """Record that the last move gave check, once; a check beyond FREE_CHECKS does not count as a quiet ply."""
    last = pos.height - 1
    if last < 0 or pos.past_checked[last] == 1:
        return
    pos.past_checked[last] = 1
    if pos.past_captured[last] == 0:
        giver = pos.turn ^ 1
        pos.checks[giver] += 1
        if pos.checks[giver] > FREE_CHECKS:
            pos.checks[giver] = FREE_CHECKS + 1
            pos.quiet -= 1


@inner(void(POSITION, LOOKUP), forceinline=True)
def do_null(pos: Record, lookup: Record) -> None:
    """Pass the turn. No repetition is found across it."""
    height = pos.height
    pos.past_move[height] = NO_MOVE
    pos.past_captured[height] = 0
    pos.past_checked[height] = 0
    pos.past_key[height] = pos.key
    pos.past_since[height] = pos.since
    pos.height = height + 1
    pos.since = height + 1
    pos.key ^= lookup.zobrist_turn
    pos.turn ^= 1


@inner(void(POSITION, LOOKUP), forceinline=True)
def undo_null(pos: Record, lookup: Record) -> None:
    """Take a passed turn back."""
    height = pos.height - 1
    pos.height = height
    pos.since = pos.past_since[height]
    pos.key = pos.past_key[height]
    pos.turn ^= 1
