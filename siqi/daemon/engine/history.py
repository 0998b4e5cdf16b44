"""The current game as its client has set it up: position, FEN, moves, and the throws that the engine knows."""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.contract import GameInfo, Position, is_dice_position


class PositionHistory:
    """The current position, with the FEN and the moves that led to it, and the throws that these moves answered."""

    def __init__(self, position: Position, fen: str | None, info: GameInfo) -> None:
        self.position = position
        self.fen = fen  # None: the start position
        self.moves: list[str] = []
        self.can_be_continued = True  # False: the next list of moves is played from its beginning
        self._throws: dict[int, int] = {}  # by the number of moves before the throw
        self._setups = info.setups(fen)
        self._has_dice = info.has_dice
        if is_dice_position(position, info) and position.dice:
            self.note_throw(position.dice)

    def is_continued_by(self, fen: str | None, moves: Sequence[str]) -> bool:
        """True if `fen` and `moves` are this line with at least one move added."""
        count = len(self.moves)
        return self.can_be_continued and fen == self.fen and len(moves) > count and list(moves[:count]) == self.moves

    def note_throw(self, die: int) -> None:
        """Note the throw for the side to move, 0 if it is not known any more."""
        self._throws[len(self.moves)] = die

    def take_throws(self, before: PositionHistory | None, moves: Sequence[str]) -> None:
        """Take over each throw of the previous history if its answer and all moves before it begin `moves`.

        A throw that no move has answered is taken over if the first new move answers it.
        """
        if before is None or before.fen != self.fen:
            return
        for played, die in before._throws.items():
            answered = before.moves[: played + 1]  # without a move if none has answered it
            if played < len(moves) and list(moves[: len(answered)]) == answered:
                self._throws[played] = die

    def throws(self, count: int) -> tuple[int, ...]:
        """Return the throws answered by the first `count` moves, set-ups left out; 0 for one that is not known.

        Without a die: ().
        """
        if not self._has_dice:
            return ()
        return tuple(self._throws.get(played, 0) for played in range(self._setups, count))
