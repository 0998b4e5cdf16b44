"""The limits of a search, and the budget of time that follows from them."""

from __future__ import annotations

from typing import NamedTuple

from daemon import clock

MAX_NUMBER = 10**15
MAX_TIME_MS = 10**10
"""Milliseconds, some hundred days: what a deadline in nanoseconds can hold."""


class Limits(NamedTuple):
    """Times are in milliseconds, None where not given; numbers are 0 where not given.

    `wtime` and `winc` are those of the side that moves first from the start position. `mate`: the winner's own moves.
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
        return self.wtime is not None or self.btime is not None

    @property
    def is_bounded(self) -> bool:
        """Whether the search ends by itself, once it does not ponder any more."""
        if self.infinite:
            return False
        return self.has_clock or bool(self.movetime or self.nodes or self.depth or self.mate)

    @property
    def answers_at_once(self) -> bool:
        """Whether a single reply is played without a search: only under a clock."""
        return (self.has_clock or self.movestogo > 0) and not self.infinite and not self.ponder

    def budget(
        self, side: int, turns_played: int, expected_turns: int, overhead: int, early_weight: float = 1.0
    ) -> clock.Budget | None:
        """Time for this move by clock and movetime; None without either."""
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
                )
            )
        if self.movetime is not None:
            budgets.append(clock.fixed(self.movetime, overhead))
        return min(budgets, key=lambda budget: budget.hard) if budgets else None
