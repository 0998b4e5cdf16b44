"""Live views of a board's moves, with iteration, `len` and `move in ...`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from siqi.games.xiangqi.library.move import Move


class MoveView:
    """Some of the moves of a board, as it is when they are read."""

    def __init__(
        self,
        moves: Callable[[], Iterator[Move]],
        count: Callable[[], int],
        has: Callable[[Move], bool],
        text: Callable[[Move], str],
    ) -> None:
        """Take functions of the board: its moves, their number, if a move is among them, and a move's text."""
        self._moves, self._count, self._has, self._text = moves, count, has, text

    def __iter__(self) -> Iterator[Move]:
        return self._moves()

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._has(move)

    def __len__(self) -> int:
        return self._count()

    def count(self) -> int:
        return self._count()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} ({', '.join(map(self._text, self))})>"


class LegalMoves(MoveView):
    """The legal moves."""


class PseudoLegalMoves(MoveView):
    """The moves of the side to move, whether or not they leave its king in check."""
