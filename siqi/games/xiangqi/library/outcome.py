"""The end of a game of Xiangqi, in python-chess's manner."""

from __future__ import annotations

import enum
from typing import NamedTuple

from siqi.games.xiangqi.library.move import RED, Color


class Termination(enum.Enum):
    """The reason why a game is over; the values are the daemon's words."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"  #: the side to move has lost
    PERPETUAL = "perpetual"  #: perpetual check or chase: the offender has lost
    REPETITION = "repetition"
    SIXTY_MOVES = "sixty-moves"
    NO_ATTACKERS = "no-attackers"


class Outcome(NamedTuple):
    """The reason and the winner of a game that is over; `winner` is None for a draw."""

    termination: Termination
    winner: Color | None

    def result(self) -> str:
        """Return `1-0` (Red has won), `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner == RED else "0-1"
