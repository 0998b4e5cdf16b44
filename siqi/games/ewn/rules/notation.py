"""The texts of EWN: squares, moves, set-ups and FENs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from siqi.games.ewn import INFO
from siqi.games.ewn.rules.position import make_move, origin_of, target_of

SETUP = 1 << 20
"""A set-up as a move is this number plus its word read as a number."""

TRIANGLES = ((0, 1, 2, 5, 6, 10), (24, 23, 22, 19, 18, 14))
"""The squares of each side's corner, in the order of its set-up word."""

_MOVE = re.compile(r"([a-e][1-5])([a-e][1-5])\Z", re.ASCII | re.IGNORECASE)
_LETTERS = " " + "".join(INFO.pieces)


def square_text(square: int) -> str:
    return f"{'abcde'[square % 5]}{5 - square // 5}"


def parse_square(text: str) -> int:
    return "abcde".index(text[0].lower()) + 5 * (5 - int(text[1]))


def move_text(move: int) -> str:
    if move & SETUP:
        return str(move - SETUP)
    return square_text(origin_of(move)) + square_text(target_of(move))


def parse_setup(text: str) -> int:
    if sorted(text) != list("123456"):
        raise ValueError(f"not a set-up (six digits, each of 1-6 once): {text}")
    return SETUP + int(text)


def parse_move(text: str) -> int:
    """Return the move of a text such as `a5b4`; ValueError if it is not a move. Legality is not checked."""
    match = _MOVE.match(text)
    if not match:
        raise ValueError(f"not a move: {text}")
    return make_move(parse_square(match[1]), parse_square(match[2]))


def letter_of(piece: int) -> str:
    return _LETTERS[piece]


def read_fen(fen: str) -> tuple[list[tuple[int, int]], int, int]:
    """Return (pieces as (code, square), side to move, die or 0) of a FEN, any placement; ValueError if it is none."""
    fields = fen.split()
    if not 2 <= len(fields) <= 3:
        raise ValueError(f"{len(fields)} fields, not 2 or 3")
    pieces = []
    for column, row, char in INFO.shape.read_placement(fields[0]):
        code = _LETTERS.find(char)
        if code < 1:
            raise ValueError(f"unknown piece {char}")
        pieces.append((code, (4 - row) * 5 + column))
    if fields[1] not in ("f", "s"):
        raise ValueError(f"side to move is f or s, not {fields[1]}")
    die = fields[2] if len(fields) > 2 else "-"
    if die not in ("-", "1", "2", "3", "4", "5", "6"):
        raise ValueError(f"die is 1-6 or -, not {die}")
    return pieces, int(fields[1] == "s"), 0 if die == "-" else int(die)


def parse_fen(fen: str) -> tuple[list[tuple[int, int]], int, int]:
    """Return what `read_fen` does; ValueError also for a placement that the rules cannot play."""
    placed, turn, die = read_fen(fen)
    pieces = dict(placed)
    if len(pieces) < len(placed):
        codes = [code for code, _ in placed]
        raise ValueError(f"piece {letter_of(next(code for code in codes if codes.count(code) > 1))} twice")
    if not pieces:
        raise ValueError("no pieces")
    first_won = any(code <= 6 and square == 24 for code, square in pieces.items()) or all(c <= 6 for c in pieces)
    second_won = any(code > 6 and square == 0 for code, square in pieces.items()) or all(c > 6 for c in pieces)
    if first_won and second_won:
        raise ValueError("both sides have won")
    return placed, turn, die


def write_fen(pieces: Mapping[str, str], turn: int, die: int) -> str:
    """Return the FEN of pieces' letters by square; ValueError if a square or a letter does not exist."""
    return f"{INFO.placement(pieces)} {INFO.sides[turn]} {die or '-'}"
