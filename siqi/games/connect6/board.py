"""A position of Connect6 with its history, in python-chess's verbs, over the kernels."""

from __future__ import annotations

from typing import Self

from siqi.games.connect6 import INFO
from siqi.games.connect6.rules import movegen, notation, symmetry
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS, SIZE
from siqi.games.connect6.rules.position import (
    DRAW,
    NO_POINT,
    NOT_OVER,
    POSITION_DTYPE,
    do_move,
    first_stone,
    make_move,
    second_stone,
    undo_move,
)
from siqi.games.connect6.rules.setup import set_up
from siqi.games.contract import Outcome
from siqi.games.kernel.jit import Record, new_record


class Connect6Position:
    """A position with its history."""

    def __init__(self, fen: str = notation.START_FEN) -> None:
        self.record: Record = new_record(POSITION_DTYPE)
        self._turns: list[int] = []
        set_up(self.record, fen)

    @property
    def turn(self) -> int:
        return int(self.record.turn)

    @property
    def ply(self) -> int:
        return len(self._turns)

    @property
    def key(self) -> int:
        return int(self.record.key)

    @property
    def phase(self) -> float:
        """The share of the board that is filled, 0 to 1."""
        return 1 - int(self.record.empty) / POINTS

    @property
    def game_ply(self) -> int:
        """Turns played since the empty board, by the number of stones."""
        return (POINTS - int(self.record.empty) + 1) // 2

    def symmetric_keys(self) -> list[int]:
        return symmetry.symmetric_keys(self.record)

    def turned(self, move: int, way: int) -> int:
        return symmetry.turned(move, way)

    def turned_back(self, move: int, way: int) -> int:
        return symmetry.turned_back(move, way)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.record = self.record.copy()
        twin._turns = self._turns.copy()
        return twin

    def fen(self) -> str:
        return notation.write_fen(self.pieces(), self.turn, int(self.record.left))

    def pieces(self) -> dict[str, str]:
        stones = self.record.stones.tolist()
        return {notation.point_text(at): INFO.pieces[stones[at] - 1] for at in range(POINTS) if stones[at]}

    def board(self) -> str:
        lines = []
        for row in range(SIZE - 1, -1, -1):
            lines.append(f"{row + 1:>2} " + " ".join(".xo"[s] for s in self.record.stones[row::SIZE].tolist()))
        return "\n".join([*lines, "   " + " ".join(notation.COLUMNS), "x black, o white"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.fen()}>"

    def _empty_points(self) -> list[int]:
        return [point for point in range(POINTS) if not self.record.stones[point]]

    def _may_be_single(self, point: int) -> bool:
        """True if a turn may consist of this one stone."""
        if self.record.left == 1:
            return True
        return bool(movegen.is_winning_point(self.record, LOOKUP_RECORD, point))

    def legal_moves(self) -> list[int]:
        if self.record.winner != NOT_OVER:
            return []
        points = self._empty_points()
        moves = [make_move(point, NO_POINT) for point in points if self._may_be_single(point)]
        if self.record.left == 2:
            moves += [make_move(first, second) for i, first in enumerate(points) for second in points[i + 1 :]]
        return moves

    def is_legal(self, move: int) -> bool:
        """True if a number is a legal turn."""
        first, second = first_stone(move), second_stone(move)
        points = (first,) if second == NO_POINT else (first, second)
        if self.record.winner != NOT_OVER or any(point >= POINTS or self.record.stones[point] for point in points):
            return False
        return self._may_be_single(first) if second == NO_POINT else self.record.left == 2 and first < second

    def count_legal(self) -> int:
        return int(movegen.count_legal(self.record, LOOKUP_RECORD))

    def push(self, move: int) -> None:
        do_move(self.record, LOOKUP_RECORD, move)
        self._turns.append(move)

    def pop(self) -> int:
        if not self._turns:
            raise IndexError("pop from the first position")
        move = self._turns.pop()
        undo_move(self.record, LOOKUP_RECORD, move)
        return move

    def parse_move(self, text: str) -> int:
        first, second = notation.parse_move(text)
        if self.record.winner != NOT_OVER:
            raise ValueError(f"illegal move, the game is over: {text}")
        for point in (first, second):
            if point != NO_POINT and self.record.stones[point]:
                raise ValueError(f"illegal move, {notation.point_text(point)} is taken: {text}")
        if second == NO_POINT:
            if not self._may_be_single(first):
                raise ValueError(f"illegal move, two stones are to be placed: {text}")
        elif self.record.left == 1:
            raise ValueError(f"illegal move, one stone is to be placed: {text}")
        return make_move(first, second)

    def move_text(self, move: int) -> str:
        return notation.move_text(move)

    def outcome(self) -> Outcome | None:
        winner = int(self.record.winner)
        if winner == NOT_OVER:
            return None
        return Outcome(None, "full-board") if winner == DRAW else Outcome(winner, "six")
