"""The root moves before or after the throw: the moves of each throw, and the lines that a search reports for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from siqi.games.contract import MATE_LIMIT, Line, Move, Score, Task
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.rules.lookup import LOOKUP_RECORD
from siqi.games.ewn.rules.movegen import list_legal
from siqi.games.ewn.rules.position import NOT_OVER, do_move, undo_move
from siqi.games.ewn.rules.work import WORK_DTYPE
from siqi.games.ewn.search.proof import turns_to_win
from siqi.games.kernel.jit import Record, new_record


class Value(NamedTuple):
    """The value of a root move."""

    chance: float  # of the mover to win, 0 to 1
    is_exact: bool = False


class RootMoves:
    """The moves at the root, by throw. If the throw is known, `throws` has one entry, with the key 0."""

    def __init__(self, task: Task[EwnPosition]) -> None:
        self.record: Record = task.position.record.copy()
        self._work = new_record(WORK_DTYPE)
        self._mates: dict[Move, int | None] = {}
        thrown = int(self.record.die)
        self.throws: dict[int, list[Move]] = {}
        for die in [thrown] if thrown else range(1, 7):
            count = int(list_legal(self.record, self._work, LOOKUP_RECORD, die, 0))
            moves = [move for move in self._work.moves[:count].tolist() if not task.moves or move in task.moves]
            if moves:
                self.throws[0 if thrown else die] = moves
        self._wins_now: set[Move] = set()
        self.moves = list(dict.fromkeys(move for moves in self.throws.values() for move in moves))
        for move in self.moves:
            do_move(self.record, LOOKUP_RECORD, move)
            if self.record.winner != NOT_OVER:
                self._wins_now.add(move)
            undo_move(self.record)

    def throws_of(self, move: Move) -> list[int]:
        return [die for die, moves in self.throws.items() if move in moves]

    def lines(
        self, value_of: Callable[[Move], Value], rank: Callable[[Move], Any], depth_of: Callable[[Move], int]
    ) -> list[Line]:
        """Return a line for each move, best first, or the best line of each throw if the throw is not known.

        `rank` is higher for better moves. Of certain wins the shortest comes first, of certain losses the longest.
        """
        lines = []
        for die, moves in self.throws.items():
            ordered = sorted(moves, key=lambda move: (rank(move), self._quickness(move, value_of(move))), reverse=True)
            for move in ordered[: 1 if die else None]:
                lines.append(Line(self.score(move, value_of(move)), (move,), die, depth_of(move)))
        return lines

    def before_throw(self, value_of: Callable[[Move], Value]) -> Score | None:
        """Return the mover's expected score before the throw; None if the throw is known or a throw has no move."""
        if 0 in self.throws or len(self.throws) < 6:
            return None
        return Score.from_expected(
            sum(max(value_of(move).chance for move in moves) for moves in self.throws.values()) / 6
        )

    def is_settled(self, value_of: Callable[[Move], Value]) -> bool:
        """True if the best move of every throw is proven."""
        for moves in self.throws.values():
            values = [value_of(move) for move in moves]
            if not all(value.is_exact for value in values) and Value(1.0, True) not in values:
                return False
        return True

    def score(self, move: Move, value: Value) -> Score:
        """Return the score of a move, with the length of a proven win or loss."""
        mate = self._mate(move, value.chance > 0) if value.is_exact and value.chance in (0, 1) else None
        return Score.from_expected(value.chance, mate)

    def _quickness(self, move: Move, value: Value) -> int:
        """Return a rank among equally certain results, higher for a shorter win or a longer loss."""
        if not value.is_exact or 0 < value.chance < 1:
            return 0
        if value.chance == 1 and self._wins_now and move not in self._wins_now:
            return -MATE_LIMIT  # its length is not searched
        mate = self._mate(move, value.chance > 0)
        return -MATE_LIMIT if mate is None else -mate

    def _mate(self, move: Move, is_win: bool) -> int | None:
        """Return the winner's turns to the end, negative for a loss; None if no proof was found.

        The rounded values of the tablebase may promise a win that is not certain.
        """
        if move not in self._mates:
            mover = int(self.record.turn)
            do_move(self.record, LOOKUP_RECORD, move)
            turns = int(turns_to_win(self.record, self._work, LOOKUP_RECORD, mover if is_win else 1 - mover))
            undo_move(self.record)
            self._mates[move] = None if turns == 0 else 1 + turns if is_win else -turns
            if move in self._wins_now:
                self._mates[move] = 1
        return self._mates[move]
