"""The limits of a search, and the time budget that follows from them."""

from __future__ import annotations

from typing import NamedTuple

from siqi.daemon.engine import clock

MAX_NUMBER = 10**15
MAX_TIME_MS = 10**10
"""The longest time, some hundred days: deadlines are nanoseconds in 64 bits."""


class Limits(NamedTuple):
    """The limits of a `go`. Times are in milliseconds, None if not given; numbers are 0 if not given.

    `wtime` and `winc` belong to the side that moves first from the start position. `mate` counts the winner's moves.
    """

    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int = 0
    movetime: int | None = None
    nodes: int = 0
    depth: int = 0
    mate: int = 0
    infinite: bool = False
    ponder: bool = False

    @property
    def has_clock(self) -> bool:
        """True if a clock is given for either side."""
        return self.wtime is not None or self.btime is not None

    @property
    def is_of_game(self) -> bool:
        """True for a move in a game, which a clock or a time for the move shows."""
        return self.has_clock or bool(self.movetime)

    @property
    def is_bounded(self) -> bool:
        """True if the search ends by itself, once it no longer ponders."""
        if self.infinite:
            return False
        return self.has_clock or bool(self.movetime or self.nodes or self.depth or self.mate)

    @property
    def answers_at_once(self) -> bool:
        """True if a book move, or a single legal move, may be played without a full search: only under a clock."""
        return (self.has_clock or self.movestogo > 0) and not self.infinite and not self.ponder

    def budget(
        self,
        side: int,
        turns_played: int,
        expected_turns: int,
        overhead: int,
        early_weight: float = 1.0,
        reply_cost: float = 3.0,
    ) -> clock.Budget | None:
        """Return the budget of this move by clock and movetime, the smaller limits of both; None without either.

        `side`: 0 for the side that moves first from the start. `overhead` is in milliseconds.
        """
        budgets = []
        if self.has_clock:
            is_white = self.btime is None or (side == 0 and self.wtime is not None)
            left, increment = (self.wtime, self.winc) if is_white else (self.btime, self.binc)
            budgets.append(
                clock.allot(
                    max(left or 0, 1),
                    increment,
                    self.movestogo,
                    turns_played,
                    expected_turns,
                    overhead,
                    self.ponder,
                    early_weight,
                    reply_cost,
                )
            )
        if self.movetime is not None:
            budgets.append(clock.fixed(self.movetime, overhead))
        return clock.Budget(*map(min, zip(*budgets, strict=True))) if budgets else None
