"""A position of Xiangqi with its history, in python-chess's verbs, over the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from siqi.games.contract import Outcome
from siqi.games.kernel.jit import Record, new_record
from siqi.games.xiangqi.data.weights import FULL_WORTH, WORTH
from siqi.games.xiangqi.rules import movegen, notation, repetition, symmetry
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import MAX_HISTORY, POSITION_DTYPE, QUIET_LIMIT
from siqi.games.xiangqi.rules.setup import set_up
from siqi.games.xiangqi.rules.work import MAX_PLY, THREAD_WORK

MAX_PLIES = MAX_HISTORY - 2 * MAX_PLY
"""The most plies of a game."""


class XiangqiPosition:
    """A position with its history. `ranks` is the number of the first rank in move texts, 0 or 1."""

    def __init__(self, fen: str = notation.START_FEN, ranks: int = 0) -> None:
        self.record: Record = new_record(POSITION_DTYPE)
        self.ranks = ranks
        self._move_number = set_up(self.record, fen)
        self._first_turn = int(self.record.turn)

    @property
    def turn(self) -> int:
        return int(self.record.turn)

    @property
    def ply(self) -> int:
        return int(self.record.height)

    @property
    def key(self) -> int:
        return int(self.record.key)

    @property
    def move_number(self) -> int:
        """The FEN's last field: from 1, growing after Black's move, to `MAX_COUNTER` at most."""
        return min(self._move_number + (self._first_turn + self.ply) // 2, notation.MAX_COUNTER)

    @property
    def phase(self) -> float:
        """The share of both sides' pieces that is left, by worth: 1 at the start, 0 with bare kings."""
        material = int(self.record.material)  # four bits per kind, from bit 4 on
        left = sum(worth * (material >> 4 * kind & 15) for kind, worth in enumerate(2 * WORTH, 1))
        return left / FULL_WORTH

    def symmetric_keys(self) -> list[int]:
        return symmetry.symmetric_keys(self.record)

    def turned(self, move: int, way: int) -> int:
        return symmetry.mirror_move(move) if way else move

    turned_back = turned

    @property
    def game_ply(self) -> int:
        """Plies since the start of the game, by the FEN's move number."""
        return 2 * (self.move_number - 1) + self.turn

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin.record = self.record.copy()
        return twin

    def fen(self) -> str:
        # Capped at the count that draws, as `set_up` caps it: the FEN reads back the same.
        return notation.write_fen(self.pieces(), self.turn, min(int(self.record.quiet), QUIET_LIMIT), self.move_number)

    def pieces(self) -> dict[str, str]:
        board = self.record.board.tolist()
        return {notation.square_text(at): notation.letter_of(board[at]) for at in range(90) if board[at]}

    def board(self) -> str:
        lines = []
        for rank in range(9, -1, -1):
            row = self.record.board[rank * 9 : rank * 9 + 9].tolist()
            lines.append(f"{rank + self.ranks:>2}  " + " ".join(notation.letter_of(p) if p else "." for p in row))
        return "\n".join([*lines, "    " + " ".join(notation.FILES)])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.fen()}>"

    def is_check(self) -> bool:
        """True if the side to move is in check."""
        return bool(repetition.is_check(self.record, LOOKUP_RECORD))

    def legal_moves(self) -> list[int]:
        count = movegen.list_legal(self.record, THREAD_WORK.record, LOOKUP_RECORD)
        moves: list[int] = THREAD_WORK.moves[:count].tolist()
        return moves

    def is_legal(self, move: int) -> bool:
        """True if a number is a legal move; any number is accepted, and no list is made."""
        origin, target = notation.squares_of(move)
        return origin < 90 and 0 <= target < 90 and bool(movegen.is_legal_here(self.record, LOOKUP_RECORD, move))

    def count_legal(self) -> int:
        return int(movegen.list_legal(self.record, THREAD_WORK.record, LOOKUP_RECORD))

    def push(self, move: int) -> None:
        """Play a legal move; ValueError in a game of thousands of plies, whose history is full."""
        self._check_length(1)
        repetition.push(self.record, LOOKUP_RECORD, move)

    def push_all(self, moves: Sequence[int]) -> None:
        """Play legal moves one after the other; ValueError as for `push`, and none is played."""
        self._check_length(len(moves))
        repetition.push_all(self.record, LOOKUP_RECORD, np.array(moves, np.int64))

    def _check_length(self, plies: int) -> None:
        if self.ply + plies > MAX_PLIES:
            raise ValueError(f"game longer than {MAX_PLIES} plies")

    def pop(self) -> int:
        """Take the last move back and return it; IndexError if there is none."""
        if self.ply == 0:
            raise IndexError("pop from the first position")
        return int(repetition.pop(self.record, LOOKUP_RECORD))

    def parse_move(self, text: str) -> int:
        """Return the legal move of a text, ranks counted from `ranks`; ValueError if there is none."""
        move = notation.parse_move(text, self.ranks)
        if not self.is_legal(move):
            raise ValueError(f"illegal move: {text}")
        return move

    def move_text(self, move: int) -> str:
        return notation.move_text(move, self.ranks)

    def outcome(self) -> Outcome | None:
        if not self.count_legal():
            return Outcome(1 - self.turn, "checkmate" if self.is_check() else "stalemate")
        verdict = repetition.judge(self.record, THREAD_WORK.record, LOOKUP_RECORD)
        if verdict == repetition.ONGOING:
            return None
        if verdict == repetition.DRAW:
            return Outcome(None, self._draw_reason())
        winner = self.turn if verdict == repetition.MOVER_WINS else 1 - self.turn
        return Outcome(winner, "perpetual")

    def occurrences(self) -> int:
        """Return how often the position has occurred since the last capture, this time included."""
        past = self.record.past_key[int(self.record.since) : self.ply]
        return int(np.count_nonzero(past == self.record.key)) + 1

    def _draw_reason(self) -> str:
        if self.occurrences() >= 3:
            return "repetition"
        return "sixty-moves" if self.record.quiet >= QUIET_LIMIT else "no-attackers"
