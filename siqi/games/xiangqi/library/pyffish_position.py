"""Xiangqi refereed by pyffish, Fairy-Stockfish's rules library, which shares no code with ours."""

from __future__ import annotations

from typing import Self

import pyffish

from siqi.games.contract import Outcome
from siqi.games.shape import shift_ranks
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.rules.notation import START_FEN

VARIANT = "xiangqi"


class DisagreementError(Exception):
    """The two libraries disagree on the legal moves: one of them is wrong, and the match must stop."""


class PyffishPosition(XiangqiPosition):
    """A position whose end pyffish declares: mate, stalemate, repetition with perpetuals (Asian rules), dead draws.

    DisagreementError if the two libraries list different legal moves at any move.
    """

    def __init__(self, fen: str = START_FEN) -> None:
        super().__init__(fen)
        self._start = fen
        self._words: list[str] = []  # pyffish counts ranks from 1

    def copy(self) -> Self:
        twin = super().copy()
        twin._words = self._words.copy()
        return twin

    def push(self, move: int) -> None:
        self._words.append(shift_ranks(self.move_text(move), 1))
        super().push(move)

    def outcome(self) -> Outcome | None:
        game = (VARIANT, self._start, self._words)
        words = {shift_ranks(word, -1) for word in pyffish.legal_moves(*game)}
        if words != {self.move_text(move) for move in self.legal_moves()}:
            raise DisagreementError(f"legal moves at {self.fen()}")
        if not words:
            return self._ended(pyffish.game_result(*game), "no moves")
        ended, value = pyffish.is_optional_game_end(*game)
        if ended:
            return self._ended(value, "repetition or move count")
        if all(pyffish.has_insufficient_material(*game)):
            return Outcome(None, "material")
        return None

    def _ended(self, value: int, reason: str) -> Outcome:
        """Return the outcome by pyffish's value, which is positive if the side to move has won."""
        if value == 0:
            return Outcome(None, reason)
        return Outcome(self.turn if value > 0 else 1 - self.turn, reason)
