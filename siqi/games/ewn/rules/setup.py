"""Set-ups: their words and symmetries, and positions from them or from a FEN's pieces.

Two symmetries make set-ups alike: both sides mirrored at the diagonal a5-e1, and one side's numbers reversed, d as
7 - d. They leave 180 of the first side's 720 set-ups, with 360 answers to each.
"""

from __future__ import annotations

import itertools

from siqi.games.ewn.rules.lookup import CAPTURED, LOOKUP_RECORD
from siqi.games.ewn.rules.notation import TRIANGLES
from siqi.games.ewn.rules.position import NOT_OVER
from siqi.games.kernel.jit import Record

SETUPS = tuple("".join(digits) for digits in itertools.permutations("123456"))
"""The words of all set-ups."""

_MIRRORED = (0, 3, 5, 1, 4, 2)
"""The digit of a word that each digit of its mirror image comes from."""


def mirrored(setup: str) -> str:
    return "".join(setup[i] for i in _MIRRORED)


def reversed_numbers(setup: str) -> str:
    return "".join(str(7 - int(digit)) for digit in setup)


def canonical(setup: str) -> str:
    """Return the set-up that stands for all that are alike."""
    both = (setup, mirrored(setup))
    return min(*both, *map(reversed_numbers, both))


FIRST_SETUPS = tuple(setup for setup in SETUPS if canonical(setup) == setup)
"""The first side's set-ups up to symmetry."""

SECOND_SETUPS = tuple(setup for setup in SETUPS if setup < reversed_numbers(setup))
"""The answers up to symmetry, the first side's set-up being fixed."""


def setup_pieces(side: int, word: str) -> list[tuple[int, int]]:
    """Return (piece code, square) for each digit of a set-up word."""
    return [(6 * side + int(digit), square) for digit, square in zip(word, TRIANGLES[side], strict=True)]


def set_up(pos: Record, pieces: list[tuple[int, int]], turn: int, die: int) -> None:
    """Fill a zeroed record with a position, `pieces` as (code, square), `die` 0 if the throw is not known."""
    lookup = LOOKUP_RECORD
    pos.square[:] = CAPTURED
    for piece, square in pieces:
        pos.board[square] = piece
        pos.square[piece] = square
        pos.alive[int(piece > 6)] |= 1 << (piece - 1) % 6
        pos.key ^= lookup.zobrist[piece * 26 + square]
    pos.turn, pos.die = turn, die
    pos.key ^= lookup.zobrist_die[die]
    if turn:
        pos.key ^= lookup.zobrist_turn
    pos.winner = NOT_OVER
    if not pos.alive[1] or 0 < pos.board[24] <= 6:
        pos.winner = 0
    elif not pos.alive[0] or pos.board[0] > 6:
        pos.winner = 1
