"""Position records from FENs; a position that the rules cannot play is refused."""

from __future__ import annotations

from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD, POINTS
from siqi.games.connect6.rules.notation import parse_fen
from siqi.games.connect6.rules.position import NOT_OVER, POSITION, put_stone
from siqi.games.kernel.jit import Record, entry, int64, void


@entry(void(POSITION, LOOKUP, int64, int64))
def _clear_board(pos: Record, lookup: Record, turn: int, left: int) -> None:
    """Initialise a zeroed record as the empty board, side `turn` to place `left` stones."""
    pos.turn = turn
    pos.left = left
    pos.winner = NOT_OVER
    pos.empty = POINTS
    pos.key = (lookup.zobrist_turn if turn == 1 else 0) ^ (lookup.zobrist_single if left == 1 else 0)
    for point in range(POINTS):
        pos.interest[2 * point] = lookup.centre[point] + lookup.road_count[point] * lookup.interest[0]
        pos.interest[2 * point + 1] = lookup.centre[point] + lookup.road_count[point] * lookup.interest[64]


@entry(void(POSITION, LOOKUP, int64, int64))
def _put_stone(pos: Record, lookup: Record, point: int, side: int) -> None:
    """Call `put_stone`; such a stone cannot be undone."""
    put_stone(pos, lookup, point, side)


def set_up(pos: Record, fen: str) -> None:
    """Fill a zeroed record from a FEN; ValueError if the rules cannot play the position."""
    stones, turn, left = parse_fen(fen)
    _clear_board(pos, LOOKUP_RECORD, turn, left)
    for point, side in stones:
        _put_stone(pos, LOOKUP_RECORD, point, side)
    if all((pos.roads == six).any() for six in (6, 6 << 3)):
        raise ValueError("both sides have six in a row")
