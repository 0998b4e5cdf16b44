"""Static evaluation of a Xiangqi position in centipawns.

Material and piece-square values are kept up to date by do_move (`pos.score`); this adds what depends on more
than one piece: mobility, the defenders of the palace against the attackers left, cannons facing the king,
pawns side by side.
"""

from __future__ import annotations

from games.kernel.intrinsics import popcount
from games.kernel.jit import Record, entry, inner, int64
from games.xiangqi.position import POSITION
from games.xiangqi.tables import CAPTURED, TABLES, TABLES_RECORD

ROOK_MOBILITY, CANNON_MOBILITY, HORSE_MOBILITY = 5, 2, 6
"""Per square reached."""

HOBBLED_HORSE = 20
"""Off for a horse with at most one move."""

ADVISOR_MISSING, ELEPHANT_MISSING = 15, 12
"""Off per missing advisor and enemy rook, per missing elephant and enemy cannon."""

BARE_CANNON, SCREENED_CANNON = 60, 25
"""Off when an enemy cannon faces the king on its file bare, or behind two pieces of which one is ours."""

LINKED_PAWNS = 8
TEMPO = 3


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def mobility(pos: Record, t: Record, side: int) -> int:
    """Mobility of rooks, cannons and horses."""
    base = 16 << side
    value = 0
    for slot in range(7, 11):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            rank = int64(t.rank_of[square])
            file = int64(t.file_of[square])
            across = int64(t.rank_targets[file << 9 | pos.rank_bits[rank]]) & 511
            along = int64(t.file_targets[rank << 10 | pos.file_bits[file]]) & 1023
            reached = popcount(across | along << 9)
            value += reached * (ROOK_MOBILITY if slot < 9 else CANNON_MOBILITY)
    for slot in range(5, 7):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            reached = 0
            i = square * 17
            target = int64(t.horse_steps[i])
            while target >= 0:
                if pos.board[t.horse_steps[i + 1]] == 0 and pos.board[target] & base == 0:
                    reached += 1
                i += 2
                target = int64(t.horse_steps[i])
            value += reached * HORSE_MOBILITY
            if reached <= 1:
                value -= HOBBLED_HORSE
    return value


@inner(int64(POSITION, int64, int64, int64), forceinline=True)
def present(pos: Record, side: int, first: int, last: int) -> int:
    """How many of the slots first..last of a side are on the board."""
    count = 0
    for slot in range(first, last + 1):
        if pos.square[(16 << side) + slot] < CAPTURED:
            count += 1
    return count


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def king_danger(pos: Record, t: Record, side: int) -> int:
    """Missing defenders against the attackers they would hold off, and cannons on the king's file."""
    other = side ^ 1
    danger = (2 - present(pos, side, int64(1), int64(2))) * present(pos, other, int64(7), int64(8)) * ADVISOR_MISSING
    danger += (2 - present(pos, side, int64(3), int64(4))) * present(pos, other, int64(9), int64(10)) * ELEPHANT_MISSING
    king = int64(pos.square[16 << side])
    file = int64(t.file_of[king])
    near = int64(t.file_blockers[int64(t.rank_of[king]) << 10 | pos.file_bits[file]])
    if side == 0:
        near >>= 12
    enemy = 16 << other
    first = int64(pos.board[(near & 15) * 9 + file]) - enemy
    second = int64(pos.board[(near >> 4 & 15) * 9 + file])
    third = int64(pos.board[(near >> 8 & 15) * 9 + file]) - enemy
    if first == 9 or first == 10:
        danger += BARE_CANNON
    if (third == 9 or third == 10) and second & (16 << side):
        danger += SCREENED_CANNON
    return danger


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def pawn_links(pos: Record, t: Record, side: int) -> int:
    """Pawns standing side by side."""
    base = 16 << side
    value = 0
    for slot in range(11, 16):
        square = int64(pos.square[base + slot])
        if square < CAPTURED and t.file_of[square] < 8:
            beside = int64(pos.board[square + 1]) - base
            if beside >= 11 and beside < 16:
                value += LINKED_PAWNS
    return value


@inner(int64(POSITION, TABLES))
def evaluate(pos: Record, t: Record) -> int:
    """The value for the side to move."""
    value = pos.score
    for side in range(2):
        terms = mobility(pos, t, side) - king_danger(pos, t, side) + pawn_links(pos, t, side)
        value += terms if side == 0 else -terms
    return (value if pos.turn == 0 else -value) + TEMPO


@entry(int64(POSITION, TABLES, int64, int64))
def _term(pos: Record, t: Record, side: int, which: int) -> int:
    if which == 0:
        return mobility(pos, t, side)
    if which == 1:
        return -king_danger(pos, t, side)
    return pawn_links(pos, t, side)


@entry(int64(POSITION, TABLES))
def _total(pos: Record, t: Record) -> int:
    return evaluate(pos, t)


def explain(pos: Record) -> list[str]:
    """One line a term, Red's sign; the total from the mover's side."""
    lines = [f"material and squares {int(pos.score):+d}"]
    for which, name in enumerate(("mobility", "king danger", "pawn links")):
        red, black = (int(_term(pos, TABLES_RECORD, side, which)) for side in (0, 1))
        lines.append(f"{name} {red - black:+d} (red {red:+d}, black {black:+d})")
    return [*lines, f"total {_total(pos, TABLES_RECORD):+d} for the side to move"]
