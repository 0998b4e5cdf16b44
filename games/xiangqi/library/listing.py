"""Live views of a board's moves, with iteration, `len` and `move in ...`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from siqi.games.xiangqi.rules.move import Move

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.board import Board


class LegalMoves:
    """The legal moves of a board, as it is when they are read."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        return map(self._board._move, list(self._board._legal_codes()))

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._board.is_legal(move)

    def __len__(self) -> int:
        return len(self._board._legal_codes())

    def count(self) -> int:
        return len(self)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(self._board.san, self))})>"


class PseudoLegalMoves:
    """The moves of the side to move, whether or not they leave its king in check."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        return self._board.generate_pseudo_legal_moves()

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._board.is_pseudo_legal(move)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def count(self) -> int:
        return len(self)

    def __repr__(self) -> str:
        return f"<PseudoLegalMoves ({', '.join(map(self._board.uci, self))})>"
