"""How a game of Xiangqi ends, in python-chess's manner."""

from __future__ import annotations

import enum
from typing import NamedTuple

from games.xiangqi.rules.move import RED, Color


class Termination(enum.Enum):
    """Why a game is over; the values are the daemon's words for it."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"  # the side to move has lost
    PERPETUAL = "perpetual"  # perpetual check or chase: the offender has lost
    REPETITION = "repetition"
    SIXTY_MOVES = "sixty-moves"
    NO_ATTACKERS = "no-attackers"


class Outcome(NamedTuple):
    """How a game ended; `winner` is None for a draw."""

    termination: Termination
    winner: Color | None

    def result(self) -> str:
        """Return `1-0` (Red has won), `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner == RED else "0-1"
