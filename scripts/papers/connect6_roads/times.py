"""Paper 3's figure 3: the time that each scan takes for a turn, and the length of the paper's minute here."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scripts.papers.connect6_roads.players import referee_at
from scripts.papers.paper import Bench

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.paper.roads import SCANS, WON, Program

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_WIDTH, PAPER_TURN = 10, 9
TURNS = [5, 7, PAPER_TURN, 11, 13, 15]
PAPER_SECONDS = {
    3: {"global": 23.030, "local": 2.010},
    4: {"global": 269.902, "local": 31.855},
    5: {"global": 640.780, "local": 36.301},
}
"""Seconds of turn 9 by depth, width 10."""


def at_a_time(bench: Bench) -> int:
    """Return the number of processes that measure time: at most one per core. A cluster is not used for times."""
    return min(bench.jobs, os.cpu_count() or 1) if isinstance(bench.jobs, int) else 1


class Spot(NamedTuple):
    """A position and the search to measure. `jobs`: processes that measure at a time."""

    depth: int
    opening: int
    turn: int
    width: int
    jobs: int

    @property
    def key(self) -> str:
        return " ".join(f"{name} {value}" for name, value in self._asdict().items())


def spot_of(key: str) -> Spot:
    return Spot(*map(int, key.split()[1::2]))


def measure_spot(key: str) -> dict[str, float] | None:
    """Return each scan's seconds for one turn; None if the game was over or won before it.

    The incremental program continues the opening at depth 3. AssertionError if the scans do not search alike.
    """
    spot = spot_of(key)
    programs = {name: Program(scan, spot.width) for name, scan in SCANS.items()}
    position = referee_at(spot.opening).position
    assert isinstance(position, Connect6Position)
    while True:
        if position.outcome() is not None:
            return None
        played = programs["incremental"].search(position, min(PAPER_SECONDS))
        assert played is not None
        if position.ply + 1 >= spot.turn:
            break
        position.push(played.move)
    if abs(played.value) >= WON:
        return None
    seconds, answers = {}, set()
    for name, program in programs.items():
        start = time.perf_counter()
        answers.add(program.search(position, spot.depth))
        seconds[name] = time.perf_counter() - start
    if len(answers) > 1:
        raise AssertionError(f"{position.fen()}: the scans differ at depth {spot.depth}: {answers}")
    return seconds


class TurnTimes(NamedTuple):
    """The times of a depth at a turn."""

    depth: int
    turn: int
    seconds: dict[str, list[float]]  # by scan, in the order of the positions

    @property
    def positions(self) -> int:
        return len(self.seconds["global"])

    def mean(self, scan: str) -> float:
        return statistics.mean(self.seconds[scan])


def turn_times(bench: Bench) -> list[TurnTimes]:
    """Measure the times of figure 3, or read them from its log; turns without a position are left out."""
    depths = list(PAPER_SECONDS)[: bench.size(2, len(PAPER_SECONDS))]
    turns = [PAPER_TURN] if bench.quick else TURNS
    jobs = at_a_time(bench)
    spots = [
        Spot(depth, opening, turn, PAPER_WIDTH, jobs)
        for depth in reversed(depths)  # the long ones first: else one process would work alone at the end
        for opening in range(bench.size(1, 15))
        for turn in turns
    ]
    measured = bench.of("figure-3").measure([spot.key for spot in spots], measure_spot, jobs)
    times = []
    for depth in depths:
        for turn in turns:
            chosen = [measured[spot.key] for spot in spots if (spot.depth, spot.turn) == (depth, turn)]
            known = [seconds for seconds in chosen if seconds is not None]
            if known:
                times.append(TurnTimes(depth, turn, {scan: [seconds[scan] for seconds in known] for scan in SCANS}))
    return times


def clock_scale(times: Iterable[TurnTimes]) -> dict[int, float]:
    """Return the ratio of our seconds to the paper's, by depth: the geometric mean of both scans' ratios at turn 9.

    One factor per depth keeps the paper's ratio of clock and turn.
    """
    return {
        at.depth: statistics.geometric_mean(at.mean(scan) / theirs for scan, theirs in PAPER_SECONDS[at.depth].items())
        for at in times
        if at.turn == PAPER_TURN
    }


COLOURS = ("C0", "C1", "C2")


def draw_times(times: Sequence[TurnTimes], figure: Figure) -> None:
    """Draw the mean seconds by turn, a panel for each depth; bars from the shortest to the longest."""
    depths = sorted({at.depth for at in times})
    figure.set_size_inches(4 * len(depths), 3.4)
    for axes, depth in zip(figure.subplots(1, len(depths), squeeze=False)[0], depths, strict=True):
        rows = [at for at in times if at.depth == depth]
        for colour, scan in zip(COLOURS, SCANS, strict=True):
            means = [at.mean(scan) for at in rows]
            below = [mean - min(at.seconds[scan]) for mean, at in zip(means, rows, strict=True)]
            above = [max(at.seconds[scan]) - mean for mean, at in zip(means, rows, strict=True)]
            axes.errorbar(
                [at.turn for at in rows], means, [below, above], fmt="o-", color=colour, capsize=3, label=scan
            )
            if seconds := PAPER_SECONDS[depth].get(scan):
                axes.plot(PAPER_TURN, seconds, "*", color=colour, label=f"{scan}, paper")
        axes.set(title=f"depth {depth}", xlabel="turn", ylabel="seconds a turn", yscale="log")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
