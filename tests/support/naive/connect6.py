"""Connect6 by the simplest means: a dict of stones, and a scan of the whole board for every question.

Source: rules/connect6.md (connect(19, 19, 6, 2, 1); the roads of Li et al. 2015) and the protocol's notation: column
letters a-s from the left, rows 1-19 from the bottom, a turn is `j10` or `i9k11`.
Points are (column 0-18, row 1-19); black is 0, white 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

Point = tuple[int, int]

COLUMNS = "abcdefghijklmnopqrs"
POINTS: list[Point] = [(column, row) for column in range(19) for row in range(1, 20)]
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def all_roads() -> list[list[Point]]:
    """Return every six consecutive points in a line: 924 roads."""
    roads = []
    for column, row in POINTS:
        for dc, dr in DIRECTIONS:
            road = [(column + k * dc, row + k * dr) for k in range(6)]
            if all(point in POINTS for point in road):
                roads.append(road)
    return roads


ROADS = all_roads()


def points_of(text: str) -> list[Point]:
    """Return the one or two points of a turn's text, in the order written."""
    if not re.fullmatch(r"([a-s][1-9][0-9]?){1,2}", text):
        raise ValueError(f"not a turn: {text}")
    points = [(COLUMNS.index(c), int(r)) for c, r in re.findall(r"([a-s])([0-9]+)", text)]
    if any(point not in POINTS for point in points):
        raise ValueError(f"off the board: {text}")
    return points


def text_of(points: list[Point]) -> str:
    """Return a turn's canonical text: points sorted by column, then row."""
    return "".join(f"{COLUMNS[column]}{row}" for column, row in sorted(points))


class Naive:
    """One game between turns. `stones_left` is the number of stones that the side to move places (a FEN may give 1)."""

    def __init__(self, fen: str | None = None) -> None:
        self.board: dict[Point, int] = {}
        self.turn = 0
        self.stones_left = 1
        if fen is not None:
            lines, side, left = fen.split()[:3]
            for row, line in zip(range(19, 0, -1), lines.split("/"), strict=True):
                column = 0
                for run, stone in re.findall(r"([0-9]+)|([bw])", line):
                    if stone:
                        self.board[(column, row)] = 0 if stone == "b" else 1
                    column += 1 if stone else int(run)
            self.turn = 0 if side == "b" else 1
            self.stones_left = int(left)

    def fen(self) -> str:
        lines = []
        for row in range(19, 0, -1):
            line = "".join({0: "b", 1: "w", None: "."}[self.board.get((c, row))] for c in range(19))
            lines.append(re.sub(r"\.+", lambda run: str(len(run.group())), line))
        return f"{'/'.join(lines)} {'bw'[self.turn]} {self.stones_left}"

    def points_free(self) -> list[Point]:
        """Return the empty points, sorted by column, then row."""
        return [point for point in POINTS if point not in self.board]

    def winner(self) -> int | None:
        """Return the side with six or more in a row: walk from every stone in every direction."""
        for (column, row), colour in self.board.items():
            for dc, dr in DIRECTIONS:
                if all(self.board.get((column + k * dc, row + k * dr)) == colour for k in range(6)):
                    return colour
        return None

    def drawn(self) -> bool:
        return self.winner() is None and not self.points_free()

    def wins_at(self, point: Point) -> bool:
        """True if one stone of the side to move on this empty point makes six."""
        self.board[point] = self.turn
        won = self.winner() is not None
        del self.board[point]
        return won

    def is_legal(self, points: list[Point]) -> bool:
        free = self.points_free()
        if self.winner() is not None or len(set(points)) < len(points) or not set(points) <= set(free):
            return False
        if len(points) == 1:
            return self.stones_left == 1 or len(free) == 1 or self.wins_at(points[0])
        return len(points) == 2 and self.stones_left == 2

    def push(self, text: str) -> None:
        """Play a turn; its points may be in either order."""
        points = points_of(text)
        if not self.is_legal(points):
            raise ValueError(f"illegal turn {text}")
        for point in points:
            self.board[point] = self.turn
        self.turn = 1 - self.turn
        self.stones_left = 2

    def legal_turns(self) -> list[str]:
        """Return the canonical texts of all legal turns, sorted; up to some 65,000."""
        free = self.points_free()
        if self.winner() is not None:
            return []
        if self.stones_left == 1 or len(free) == 1:
            return sorted(text_of([point]) for point in free)
        singles = [text_of([point]) for point in free if self.wins_at(point)]
        return sorted(singles + [text_of(list(pair)) for pair in combinations(free, 2)])

    def count_legal(self) -> int:
        """Return the number of distinct turns: unordered pairs, and single stones that make a whole turn."""
        return len(self.legal_turns())

    def global_evaluation(self, side: int, own_value: Sequence[int], other_value: Sequence[int]) -> int:
        """Return the value of all living roads by their stones, `side`'s less its opponent's."""
        total = 0
        for road in ROADS:
            stones = [self.board[point] for point in road if point in self.board]
            own, other = stones.count(side), stones.count(1 - side)
            if own and not other:
                total += own_value[own]
            elif other and not own:
                total -= other_value[other]
        return total
