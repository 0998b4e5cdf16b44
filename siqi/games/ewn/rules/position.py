"""The EWN position record and the kernels that change it.

      a  b  c  d  e
   5  0  1  2  3  4    the first side starts here and heads for e1 (24)
   4  5  6  7  8  9
   3 10 11 12 13 14
   2 15 16 17 18 19
   1 20 21 22 23 24    the second side heads for a5 (0)

Piece codes: 1-6 the first side's pieces, 7-12 the second's, 0 empty. A move is `origin | target << 5`.
"""

from __future__ import annotations

from siqi.games.ewn.rules.lookup import CAPTURED, LOOKUP
from siqi.games.kernel.jit import Record, accessor, entry, inner, int64, record, record_type, void

NOT_OVER = -1
MAX_HISTORY = 128
"""The most plies of a game, rounded up: each brings a piece nearer its goal, at most 12 pieces by 8 steps."""

MAX_MOVES = 6
"""The most moves after a throw: two pieces, three steps each."""

POSITION_DTYPE = record(
    [
        ("board", "u1", 26),  # piece code by square
        ("square", "u1", 13),  # square by piece code, CAPTURED if gone
        ("alive", "i8", 2),  # bit k: piece k + 1 of the side is on the board
        ("turn", "i8"),
        ("die", "i8"),  # the throw for the side to move, 0 if not known
        ("winner", "i8"),  # side or NOT_OVER
        ("key", "i8"),
        ("height", "i8"),
        # For undo, [ply]; void from `height` on:
        ("past_move", "u2", MAX_HISTORY),
        ("past_captured", "u1", MAX_HISTORY),
        ("past_die", "u1", MAX_HISTORY),
        ("past_key", "i8", MAX_HISTORY),
    ]
)
POSITION = record_type(POSITION_DTYPE)


@accessor
def make_move(origin: int, target: int) -> int:
    """Return the move from one square to another."""
    return origin | target << 5


@accessor
def origin_of(move: int) -> int:
    """Return the square that a move leaves."""
    return move & 31


@accessor
def target_of(move: int) -> int:
    """Return the square that a move goes to."""
    return move >> 5


@inner(int64(POSITION), forceinline=True)
def winner_of(pos: Record) -> int:
    """Return the side with a piece on its goal or an opponent without pieces, NOT_OVER if there is none."""
    if pos.alive[1] == 0 or (pos.board[24] > 0 and pos.board[24] <= 6):
        return 0
    if pos.alive[0] == 0 or pos.board[0] > 6:
        return 1
    return NOT_OVER


@inner(void(POSITION, LOOKUP, int64), forceinline=True)
def advance(pos: Record, lookup: Record, move: int) -> None:
    """Play a move for a playout, without key and history; it cannot be undone. The next throw is not known."""
    start, end = origin_of(move), target_of(move)
    piece = int64(pos.board[start])
    captured = int64(pos.board[end])
    if captured != 0:
        pos.square[captured] = CAPTURED
        if captured > 6:
            pos.alive[1] &= ~(int64(1) << (captured - 7))
        else:
            pos.alive[0] &= ~(int64(1) << (captured - 1))
    pos.board[start] = 0
    pos.board[end] = piece
    pos.square[piece] = end
    pos.turn ^= 1
    pos.die = 0
    pos.winner = winner_of(pos)


@entry(void(POSITION, LOOKUP, int64))
def do_move(pos: Record, lookup: Record, move: int) -> None:
    """Play a move, with key and history. The next throw is not known."""
    start, end = origin_of(move), target_of(move)
    piece = int64(pos.board[start])
    captured = int64(pos.board[end])
    pos.past_move[pos.height] = move
    pos.past_captured[pos.height] = captured
    pos.past_die[pos.height] = pos.die
    pos.past_key[pos.height] = pos.key
    pos.height += 1
    pos.key ^= (
        lookup.zobrist[piece * 26 + start] ^ lookup.zobrist[piece * 26 + end] ^ lookup.zobrist[captured * 26 + end]
    )
    pos.key ^= lookup.zobrist_turn ^ lookup.zobrist_die[pos.die]
    advance(pos, lookup, move)


@entry(int64(POSITION))
def undo_move(pos: Record) -> int:
    """Take back the last move, restoring its throw, and return it."""
    pos.height -= 1
    move = int64(pos.past_move[pos.height])
    start, end = origin_of(move), target_of(move)
    piece = int64(pos.board[end])
    captured = int64(pos.past_captured[pos.height])
    pos.board[start] = piece
    pos.board[end] = captured
    pos.square[piece] = start
    if captured != 0:
        pos.square[captured] = end
        if captured > 6:
            pos.alive[1] |= int64(1) << (captured - 7)
        else:
            pos.alive[0] |= int64(1) << (captured - 1)
    pos.turn ^= 1
    pos.die = int64(pos.past_die[pos.height])
    pos.key = pos.past_key[pos.height]
    pos.winner = NOT_OVER
    return move


@inner(void(POSITION, POSITION), forceinline=True)
def copy_board(pos: Record, source: Record) -> None:
    """Copy the position of `source` to `pos`, without key and history."""
    for square in range(26):
        pos.board[square] = source.board[square]
    for piece in range(13):
        pos.square[piece] = source.square[piece]
    pos.alive[0] = source.alive[0]
    pos.alive[1] = source.alive[1]
    pos.turn = source.turn
    pos.die = source.die
    pos.winner = source.winner
