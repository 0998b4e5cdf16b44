"""The texts of Connect6: points, turns and FENs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from siqi.games.connect6 import INFO
from siqi.games.connect6.rules.lookup import POINTS, SIZE
from siqi.games.connect6.rules.position import NO_POINT, first_stone, second_stone

COLUMNS = "".join(INFO.shape.columns)
CENTRE = "j10"
START_FEN = "/".join(["19"] * SIZE) + " b 1"
_TURN = re.compile(r"([a-s])([1-9][0-9]?)(?:([a-s])([1-9][0-9]?))?\Z", re.ASCII | re.IGNORECASE)


def point_text(point: int) -> str:
    return f"{COLUMNS[point // SIZE]}{point % SIZE + 1}"


def move_text(move: int) -> str:
    """Return the text of a turn, `j10` or `i9k11`."""
    second = second_stone(move)
    return point_text(first_stone(move)) + (point_text(second) if second != NO_POINT else "")


def parse_move(text: str) -> tuple[int, int]:
    """Return the turn's points (first, second), first < second, with second NO_POINT for a single stone.

    ValueError if the text is not a turn. Whether the turn is legal is not checked.
    """
    match = _TURN.match(text)
    if not match:
        raise ValueError(f"not a move: {text}")
    points = []
    for column, row in ((match[1], match[2]), (match[3], match[4])):
        if column is not None:
            if int(row) > SIZE:
                raise ValueError(f"row off the board: {text}")
            points.append(COLUMNS.index(column.lower()) * SIZE + int(row) - 1)
    if len(points) == 1:
        return points[0], NO_POINT
    if points[0] == points[1]:
        raise ValueError(f"the same point twice: {text}")
    return min(points), max(points)


def parse_fen(fen: str) -> tuple[list[tuple[int, int]], int, int]:
    """Return (stones as (point, side), side to move, stones left); ValueError names the fault.

    Two stones left on the last empty point are read as one.
    """
    fields = fen.split()
    if len(fields) != 3:
        raise ValueError(f"{len(fields)} fields, not 3")
    stones = []
    for column, row, letter in INFO.shape.read_placement(fields[0]):
        if letter not in INFO.pieces:
            raise ValueError(f"unknown stone {letter}")
        stones.append((column * SIZE + row, INFO.pieces.index(letter)))
    if fields[1] not in ("b", "w"):
        raise ValueError(f"side to move is b or w, not {fields[1]}")
    if fields[2] not in ("1", "2"):
        raise ValueError(f"stones left are 1 or 2, not {fields[2]}")
    left = int(fields[2])
    if left == 2 and len(stones) == POINTS - 1:
        left = 1
    return stones, int(fields[1] == "w"), left


def write_fen(stones: Mapping[str, str], turn: int, left: int) -> str:
    """Return the FEN of stones by point; ValueError if a point or a stone does not exist."""
    return f"{INFO.placement(stones)} {INFO.sides[turn]} {left}"
