"""Plot the progress of a match: Elo with its 95 % bars after each pair of games, and the path of the SPRT.

    python scripts/match/plot_match.py match.jsonl --out match.svg

The log is one of `siqi match`; the match may still run. The pairings of a tournament are plotted together. A
match of series has no pairs, and so no plot. The file's suffix makes the picture SVG or PNG.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scripts.common import script
from scripts.common.plots import check_plot, marker, save_plot

from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, Reader
from siqi.daemon.match.sequential import Sprt
from siqi.daemon.match.tally import Tally
from siqi.system.log import read_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_POINTS = 500
"""Most points of a line; of more pairs, evenly spaced ones and the last are shown."""

MAX_ELO = 800.0
"""Elo that a plot shows for a score of 100 %."""

FIRST_SHOWN = 10
"""First pair whose bar widens the plot: those before it are far wider than all later ones."""


class Point(NamedTuple):
    """The standing after a number of pairs."""

    pairs: int
    elo: float
    low: float
    high: float
    llr: float


class PairingHistory(NamedTuple):
    """The standings of one pairing, in the order in which its pairs ended."""

    name: str
    points: list[Point]

    def standing(self) -> str:
        """Return the last standing in one line."""
        last = self.points[-1]
        return f"{self.name}: {last.elo:+.0f} [{last.low:+.0f}, {last.high:+.0f}] after {last.pairs} pairs"


def histories_of(settings: MatchSettings, records: Iterable[MatchRecord]) -> list[PairingHistory]:
    """Return the history of each pairing with a complete pair."""
    pairings = settings.pairings
    tallies = [Tally(settings, pairing) for pairing in pairings]
    standings: list[list[tuple[int, ...]]] = [[] for _ in pairings]
    for record in records:
        index = record.pair % len(pairings)
        before = sum(tallies[index].pairs)
        tallies[index].add(record)
        if sum(tallies[index].pairs) > before:
            standings[index].append(tuple(tallies[index].pairs))
    names = [" against ".join(settings.engines[engine].name for engine in pairing) for pairing in pairings]
    return [
        PairingHistory(name, [_point(counts, settings.test) for counts in _thinned(standing)])
        for name, standing in zip(names, standings, strict=True)
        if standing
    ]


def _thinned(rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    step = -(-len(rows) // MAX_POINTS)
    return rows[(len(rows) - 1) % step :: step]


def _point(counts: tuple[int, ...], test: Sprt | None) -> Point:
    result = statistics.estimate(counts)
    llr = test.llr(counts) if test else 0.0
    return Point(sum(counts), _elo(result.score), _elo(result.low), _elo(result.high), llr)


def _elo(score: float) -> float:
    return min(max(statistics.elo(score), -MAX_ELO), MAX_ELO)


def draw(figure: Figure, settings: MatchSettings, histories: list[PairingHistory]) -> None:
    """Draw Elo by pairs, and below it the log-likelihood ratio if the match has an SPRT."""
    axes = figure.subplots(2 if settings.sprt else 1, sharex=True, squeeze=False)[:, 0]
    edges = [0.0]
    for history in histories:
        points = history.points
        pairs = [point.pairs for point in points]
        (line,) = axes[0].plot(
            pairs, [point.elo for point in points], marker=marker(len(points)), label=history.standing()
        )
        low, high = [point.low for point in points], [point.high for point in points]
        axes[0].fill_between(pairs, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
        if len(points) == 1:  # which has no area
            axes[0].vlines(pairs, low, high, color=line.get_color(), alpha=0.4)
        settled = [point for point in points if point.pairs >= FIRST_SHOWN] or points
        edges += [edge for point in settled for edge in (point.low, point.high)]
    margin = 0.05 * (max(edges) - min(edges))
    axes[0].set_ylim(min(edges) - margin, max(edges) + margin)
    axes[0].axhline(0, color="grey", linewidth=0.8)
    axes[0].set_ylabel("Elo, 95 %")
    axes[0].legend(loc="best", fontsize="small")
    axes[0].set_title(f"{settings.game}, games in pairs")
    if test := settings.test:
        bounds = test.bounds
        for _, points in histories:
            axes[1].plot([point.pairs for point in points], [point.llr for point in points], marker=marker(len(points)))
        for bound, name in zip(bounds, ("H0", "H1"), strict=True):
            axes[1].axhline(bound, color="grey", linestyle="--", linewidth=0.8)
            text = f"{name}: {test.model} Elo {test[name == 'H1']:g}"
            at = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "annotation_clip": False}
            axes[1].annotate(text, (0.01, bound), (0, 3 if name == "H0" else -11), fontsize="small", **at)
        axes[1].set_ylabel("LLR of the SPRT")
    axes[-1].set_xlim(0, 1.05 * max(history.points[-1].pairs for history in histories))
    axes[-1].locator_params("x", integer=True)
    axes[-1].set_xlabel("pairs of games")


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("log", type=Path, help="a log of siqi match")
    parser.add_argument("--out", type=Path, required=True, help="an SVG or PNG")
    options = parser.parse_args()
    check_plot(options.out)
    reader = Reader()
    read_log(options.log, reader.read)
    settings = reader.settings
    histories = histories_of(settings, reader.records) if settings is not None and not settings.best_of else []
    if settings is None or not histories:
        raise OSError(errno.EINVAL, "has no complete pair of games", str(options.log))
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6 if settings.sprt else 4), layout="constrained")
    draw(figure, settings, histories)
    save_plot(figure, options.out)
    print("\n".join(history.standing() for history in histories))
    return 0


if __name__ == "__main__":
    sys.exit(main())
