"""The findings of a search after an iteration, and the report that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.contract import Line, Position, Report, Score, Task
from games.kernel.jit import Record


class Findings(NamedTuple):
    """What all threads of a search have found together."""

    lines: Sequence[Line]  # best first; where the throw is not known, the best of each throw
    seldepth: int
    hashfull: int = 0  # per mille
    is_settled: bool = False  # a longer search changes nothing
    tbhits: int = 0
    note: str = ""  # as of a Report
    value: Score | None = None  # as of a Report

    def report(self, task: Task[Position], depth: int, max_depth: int, works: Sequence[Record]) -> Report:
        """Return the report of an iteration that ran on these working memories."""
        return Report(
            depth,
            self.seldepth,
            task.control.nodes,
            tuple(self.lines if self.lines[0].throw else self.lines[: task.multipv]),
            not any(work.stopped for work in works),
            depth >= max_depth or self.is_settled,
            self.hashfull,
            self.tbhits,
            self.note,
            self.value,
        )
