"""Replaying Xiangqi games fast: what each move was, and what the position was like."""

from __future__ import annotations

from typing import Any

import numpy as np

from games.kernel.jit import Record, entry, int64, new_record
from games.xiangqi.intent import classify, describe
from games.xiangqi.movegen import is_legal_here
from games.xiangqi.notation import START_FEN, parse_move, square_text
from games.xiangqi.position import POSITION, POSITION_DTYPE
from games.xiangqi.rules import pop, push
from games.xiangqi.setup import set_up
from games.xiangqi.tables import TABLES, TABLES_RECORD
from games.xiangqi.work import WORK, WORK_DTYPE

PIECE, CAPTURED, ORIGIN, TARGET, SITUATIONS, INTENTS = range(6)
"""Columns of `replay`: kinds and squares as in rulebook.Item; classes as in situation.py, bits."""

Plies = np.ndarray[Any, np.dtype[np.int64]]


@entry(int64(POSITION, WORK, TABLES, int64[::1], int64[:, ::1]))
def _replay(pos: Record, work: Record, t: Record, moves: Any, plies: Any) -> int:
    """Fill a row a move up to the first illegal one; returns their number. Leaves the position as it was."""
    count = 0
    for i in range(len(moves)):
        move = moves[i]
        if is_legal_here(pos, t, move) == 0:
            break
        plies[i, PIECE] = t.kind_of[pos.board[move & 127]]
        plies[i, CAPTURED] = t.kind_of[pos.board[move >> 7]]
        plies[i, ORIGIN] = move & 127
        plies[i, TARGET] = move >> 7
        plies[i, SITUATIONS] = describe(pos, work, t)
        plies[i, INTENTS] = classify(pos, work, t, move)
        push(pos, t, move)
        count += 1
    for _ in range(count):
        pop(pos, t)
    return count


class Replayer:
    """Replays games one after the other."""

    def __init__(self) -> None:
        self._work = new_record(WORK_DTYPE)
        self._start = new_record(POSITION_DTYPE)
        set_up(self._start, START_FEN)
        squares = [square_text(square) for square in range(90)]
        self._codes = {a + b: i | j << 7 for i, a in enumerate(squares) for j, b in enumerate(squares)}

    def replay(self, words: list[str], fen: str | None = None) -> Plies:
        """[ply, column]; ValueError names the first move that is not legal."""
        pos = self._start
        if fen is not None:
            pos = new_record(POSITION_DTYPE)
            set_up(pos, fen)
        moves = np.array([self._codes.get(word) or parse_move(word) for word in words], np.int64)
        plies = np.empty((len(moves), 6), np.int64)
        legal = int(_replay(pos, self._work, TABLES_RECORD, moves, plies))
        if legal < len(moves):
            raise ValueError(f"illegal move: {words[legal]}")
        return plies
