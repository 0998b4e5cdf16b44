"""The result of an iteration by all threads of a search, and the report that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from siqi.games.contract import Line, Position, Report, Score, Task
from siqi.games.kernel.jit import Record


class IterationResult(NamedTuple):
    """The joint result of a search's threads; fields as in `Report`, where not described."""

    lines: Sequence[Line]  # best first; where the throw is unknown, the best line of each throw
    seldepth: int
    hashfull: int = 0
    is_settled: bool = False  # deeper iterations cannot change the answer
    tbhits: int = 0
    note: str = ""
    value: Score | None = None

    def report(self, task: Task[Position], depth: int, max_depth: int, works: Sequence[Record]) -> Report:
        """Return the report of iteration `depth`, which ran on these working memories; `lines` must not be empty."""
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
