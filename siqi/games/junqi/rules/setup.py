"""Deployments: which there are, and positions from deployment words and from a FEN's pieces."""

from __future__ import annotations

import math

from siqi.games.contract import UNKNOWN_SETUP
from siqi.games.junqi.rules.lookup import (
    ANY,
    BOMB,
    CAMPS,
    COUNTS,
    FLAG,
    HEADQUARTERS,
    MINE,
    NOWHERE,
    PIECES,
    SLOTS,
    SQUARES,
    TYPES,
)
from siqi.games.junqi.rules.position import NOBODY
from siqi.games.kernel.jit import Record

DEPLOYMENT_COUNT = (
    2 * math.comb(9, COUNTS[MINE]) * math.comb(16, 2) * math.factorial(19)
    // math.prod(math.factorial(count) for count in COUNTS[:9])
)  # fmt: skip
"""The number of legal deployments: flag, mines on the last two rows, bombs behind the first row, the rest anywhere."""


def slot_types(slot: int) -> int:
    """Return the set of types that a deployment can have in a slot of the deployment word."""
    square = SLOTS[slot]
    row = square // 5
    types = ANY
    if row == 6:
        types &= ~(1 << BOMB)
    if row < 10:
        types &= ~(1 << MINE)
    if square not in HEADQUARTERS:
        types &= ~(1 << FLAG)
    return types


def square_types(square: int, side: int) -> int:
    """Return the set of types that a side's unknown piece can have on a square: mines and flags have not moved."""
    own = square if side == 0 else SQUARES - 1 - square
    types = ANY
    if own // 5 < 10:
        types &= ~(1 << MINE)
    if own < 30 or own not in HEADQUARTERS:
        types &= ~(1 << FLAG)
    return types


def frame(square: int, side: int) -> int:
    """Return a square of a side's own frame in the first side's; the reverse is the same."""
    return square if side == 0 else SQUARES - 1 - square


def deploy(pos: Record, words: list[str]) -> None:
    """Fill a zeroed record from both deployment words; a side's pieces are numbered by slot."""
    for side, word in enumerate(words):
        for slot, square in enumerate(SLOTS):
            piece = side * PIECES + slot
            pos.where[piece] = frame(square, side)
            pos.board[pos.where[piece]] = piece + 1
            pos.occupied[side] |= 1 << int(pos.where[piece])
            pos.may[piece] = slot_types(slot) if word == UNKNOWN_SETUP else 1 << TYPES.index(word[slot])
    pos.loser = NOBODY


def set_up(pos: Record, pieces: list[tuple[str, int]], turn: int, viewer: int | None, quiet: int) -> None:
    """Fill a zeroed record from a FEN's fields; ValueError, with the reason, if the rules cannot lead to it."""
    pos.where[:] = NOWHERE
    pos.turn, pos.quiet, pos.loser = turn, quiet, NOBODY
    for side, name in ((0, "first"), (1, "second")):
        mine = [(letter.lower(), square) for letter, square in pieces if letter.isupper() == (side == 0)]
        if len(mine) > PIECES:
            raise ValueError(f"{name} side has {len(mine)} pieces")
        known = [letter for letter, _ in mine if letter != "x"]
        for kind, letter in enumerate(TYPES):
            if known.count(letter) > COUNTS[kind]:
                raise ValueError(f"{name} side has {known.count(letter)} of piece {letter}")
        if viewer in (None, side):
            if len(known) < len(mine):
                raise ValueError(f"{name} side has unknown pieces that its viewer must know")
        has_flag = "l" in known
        for letter, square in mine:
            has_flag |= letter == "x" and square_types(square, side) >> FLAG & 1 == 1
        if not has_flag:
            if pos.loser != NOBODY:
                raise ValueError("neither side has a flag")
            pos.loser = side
        left = [kind for kind in range(12) for _ in range(COUNTS[kind] - known.count(TYPES[kind]))]
        hidden = len(mine) - len(known)
        for number, (letter, square) in enumerate(mine):
            piece = side * PIECES + number
            own = frame(square, side)
            if letter == "l" and (own < 30 or own not in HEADQUARTERS):
                raise ValueError(f"{name} side's flag is outside its headquarters")
            if letter == "j" and own // 5 < 10:
                raise ValueError(f"{name} side has a mine in front of its last two rows")
            if letter == "j" and own in CAMPS:
                raise ValueError(f"{name} side has a mine in a camp")
            pos.where[piece] = square
            pos.board[square] = piece + 1
            pos.occupied[side] |= 1 << square
            pos.may[piece] = square_types(square, side) if letter == "x" else 1 << TYPES.index(letter)
            if letter != "x" and viewer not in (None, side):
                pos.fought |= 1 << piece  # its enemy knows it by a battle only
        # The dead: exactly the missing pieces if all others are known, else of any missing type. The flag is dead only
        # if no piece can be it; then it is the first of the dead, as all are alike.
        for number in range(len(mine), PIECES):
            piece = side * PIECES + number
            if not hidden:
                pos.may[piece] = 1 << left[number - len(mine)]
            elif not has_flag and number == len(mine):
                pos.may[piece] = 1 << FLAG
            else:
                pos.may[piece] = sum({1 << kind for kind in left if kind != FLAG})
