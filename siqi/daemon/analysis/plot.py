"""The plot of a run: expected results by ply, and the distributions of scores, depths, times and speeds.

A summary takes answers one by one. Its memory is bounded for any number of them: it has histograms, and the course of
the first games only.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from siqi.daemon.analysis.query import GameName
from siqi.daemon.analysis.scores import MATE_CP, is_known_from_next
from siqi.games.contract import Outcome
from siqi.games.pictures.plots import NEEDED, can_plot, drawn, has_mark, name_fault
from siqi.system.files import check_folder, check_owned, replace_file
from siqi.system.messages import is_english, translated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

CREATOR = "siqi analyse, with Matplotlib"
"""Marks each plot as ours."""

MAX_GAMES = 4
"""The most games that are drawn as lines; of more games the plot shows the spread."""

LEAST_RATIO = 10
"""The least ratio of a logarithmic axis's ends, so that it has a few round numbers."""

MAX_TICKS = 6
"""The most labels of a logarithmic axis; if there would be more, those of powers of ten remain."""

MAX_PLIES = 1000
"""The last ply drawn; later positions count for the distributions only."""

FEWEST = 3
"""The fewest positions at a ply, of several games, for which a spread is drawn."""

MAX_CHARACTERS = 24
"""The most characters of an id in the legend."""

CHINESE_FONTS = (
    *("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "LXGW WenKai", "Droid Sans Fallback", "Arial Unicode MS"),
)
"""Fonts with Chinese characters of several systems."""

MAX_LABELS = 4
LEAST_LOSS = 0.1
"""Moves that cost at least this much of the expected result are labelled, the worst ones first."""


class PlottedScore(msgspec.Struct):
    """A score of an answer, the mover's view."""

    cp: int = 0
    mate: int | None = None
    win: float | None = None
    draw: float = 0.0

    @property
    def centipawns(self) -> int:
        """The score within MATE_CP, which is a proven win."""
        if self.mate is not None:
            return MATE_CP if self.mate > 0 else -MATE_CP
        return max(-MATE_CP, min(MATE_CP, self.cp))

    @property
    def expected(self) -> float:
        """The expected result, 0..1."""
        if self.win is not None:
            return self.win + self.draw / 2
        return 1 / (1 + 10 ** (-self.centipawns / 400))


class ScoredLine(msgspec.Struct):
    """A principal variation of an answer."""

    score: PlottedScore


class Final(msgspec.Struct):
    """The fields of a final answer that a plot needs."""

    id: str
    turn: int
    game: GameName
    toMove: Literal["first", "second"]
    outcome: str = ""
    played: str = ""
    lines: tuple[ScoredLine, ...] = ()
    value: PlottedScore | None = None  # in EWN before a throw that is not known
    depth: int = 0
    nodes: int = 0
    time: int = 0

    @property
    def is_first(self) -> bool:
        """True if the first side is to move."""
        return self.toMove == "first"

    @property
    def score(self) -> PlottedScore | None:
        """The mover's score; None if the position was not searched."""
        return self.value or (self.lines[0].score if self.lines else None)

    def expected(self) -> float | None:
        """Return the first side's expected result, 0..1; None if there is neither a score nor a known outcome."""
        if self.outcome and (points := Outcome.parse(self.outcome).points) is not None:
            return points
        if self.score is None:
            return None
        return self.score.expected if self.is_first else 1 - self.score.expected


class Histogram:
    """Counts of values in bins of one width, from `low` to `high`; values outside are in the first and last bin."""

    def __init__(self, low: float, high: float, bins: int) -> None:
        self.low, self.high = low, high
        self.counts = [0] * bins

    def add(self, value: float) -> None:
        """Count a value."""
        place = int((value - self.low) / (self.high - self.low) * len(self.counts))
        self.counts[min(max(place, 0), len(self.counts) - 1)] += 1

    @property
    def total(self) -> int:
        return sum(self.counts)

    def edge(self, place: float) -> float:
        """Return the value at the start of a bin."""
        return self.low + place * (self.high - self.low) / len(self.counts)

    def quantile(self, share: float) -> float:
        """Return the value below which a share of the values lies, evenly spread within a bin; there must be one."""
        left = share * self.total
        for place, count in enumerate(self.counts):
            if count and left <= count:
                return self.edge(place + left / count)
            left -= count
        return self.high

    def used(self) -> tuple[int, int]:
        """Return the first bin with a value, and the one behind the last; there must be one."""
        places = [place for place, count in enumerate(self.counts) if count]
        return places[0], places[-1] + 1


class Point(NamedTuple):
    """A position of a game."""

    expected: float  # the first side's expected result, 0..1
    is_first: bool  # the first side is to move
    played: str  # the game's next move, if its worth follows from the next position


@dataclass
class PlotSummary:
    """The summary of the answers that a plot shows."""

    games: set[str] = field(default_factory=set)
    positions: int = 0
    over: int = 0  # of them, those where the game is over
    errors: int = 0
    nodes: int = 0
    time_ms: int = 0
    courses: dict[str, dict[int, Point]] = field(default_factory=dict)  # by id and turn, of the first MAX_GAMES ids
    has_more: bool = False  # there are other ids
    by_ply: list[Histogram] = field(default_factory=list)  # expected results
    scores: Histogram = field(default_factory=lambda: Histogram(-2000, 2000, 80))  # centipawns, the first side's view
    depths: Histogram = field(default_factory=lambda: Histogram(-0.5, 127.5, 128))
    times: Histogram = field(default_factory=lambda: Histogram(-3.5, 3.5, 56))  # log10 of seconds
    speeds: Histogram = field(default_factory=lambda: Histogram(1.0, 8.0, 56))  # log10 of nodes per second

    def add(self, answer: dict[str, Any]) -> None:
        """Take an answer. Answers during a search, and those of searches that did not begin, count for nothing.

        ValueError if it is not as this version writes it.
        """
        if "action" in answer or "noResults" in answer:
            return
        if "error" in answer:
            self.errors += 1
        elif answer.get("isDuringSearch") is False:
            self._add_final(msgspec.convert(answer, Final))

    def _add_final(self, answer: Final) -> None:
        self.positions += 1
        self.games.add(answer.game)
        self.over += bool(answer.outcome)
        if answer.score is not None:
            self._add_search(answer, answer.score)
        expected = answer.expected()
        if expected is None or not 0 <= answer.turn < MAX_PLIES:
            return
        while len(self.by_ply) <= answer.turn:
            self.by_ply.append(Histogram(0.0, 1.0, 50))
        self.by_ply[answer.turn].add(expected)
        if answer.id not in self.courses and len(self.courses) == MAX_GAMES:
            self.has_more = True
            return
        played = answer.played if is_known_from_next({"game": answer.game}) else ""
        self.courses.setdefault(answer.id, {})[answer.turn] = Point(expected, answer.is_first, played)

    def _add_search(self, answer: Final, score: PlottedScore) -> None:
        self.scores.add(score.centipawns if answer.is_first else -score.centipawns)
        self.depths.add(answer.depth)
        self.times.add(math.log10(max(answer.time, 0.5) / 1000))
        self.nodes += answer.nodes
        self.time_ms += answer.time
        if answer.time > 0 and answer.nodes > 0:
            self.speeds.add(math.log10(answer.nodes * 1000 / answer.time))

    def lines(self) -> dict[str, dict[int, Point]]:
        """Return the courses of the games that are drawn as lines, none if there are too many."""
        return {} if self.has_more else {name: course for name, course in self.courses.items() if len(course) > 1}

    def spread(self) -> list[int]:
        """Return the plies with enough positions for a spread, none unless there are several such plies."""
        plies = [ply for ply, histogram in enumerate(self.by_ply) if histogram.total >= FEWEST]
        return plies if len(plies) > 1 else []

    def title(self) -> str:
        """Return the counts in one line."""
        parts = [", ".join(map(_translated, sorted(self.games)))]
        parts += [f"{self.positions:,} {'position' if self.positions == 1 else 'positions'}"]
        parts += [f"{self.over:,} of them over"] if self.over else []
        parts += [f"{self.errors:,} {'error' if self.errors == 1 else 'errors'}"] if self.errors else []
        parts += [f"{self.nodes * 1000 / self.time_ms:,.0f} nodes/s of search"] if self.time_ms else []
        return "; ".join(map(_translated, parts))


# ---------------------------------------------------------------- files


def is_plot(head: bytes) -> bool:
    """True if a file begins as a plot of `siqi analyse` does."""
    return has_mark(head, CREATOR)


def refusal(path: Path | None) -> str | None:
    """Return why no plot can be written to a file (None: standard output), None if it can."""
    if path is not None and (fault := name_fault(path)) is not None:
        return f"{path}: {fault}"
    if not can_plot():
        return NEEDED
    try:
        if path is not None:
            check_folder(path.parent)
            check_owned(path, is_plot)
    except OSError as error:
        return f"{error.filename or path}: {error.strerror}"
    return None


def picture(summary: PlotSummary, suffix: str) -> bytes:
    """Return the plot in the format of a suffix; the summary must have a position."""
    import matplotlib.style

    fonts = {"font.family": ["DejaVu Sans", font]} if (font := chinese_font()) else {}
    with matplotlib.style.context(["default", fonts]):  # not the user's, which may use LaTeX
        return drawn(figure_of(summary), suffix, CREATOR)


def figure_of(summary: PlotSummary) -> Figure:
    """Return the drawn figure."""
    from matplotlib.figure import Figure

    has_course = bool(summary.lines() or summary.spread())
    figure = Figure(figsize=(9, 7.5 if has_course else 5.5), layout="constrained")
    draw(figure, summary)
    return figure


def save(summary: PlotSummary, path: Path) -> None:
    """Write the plot; OSError if that fails."""
    replace_file(path, [picture(summary, path.suffix)], is_plot)


# ---------------------------------------------------------------- drawing


def chinese_font() -> str:
    """Return an installed font in which the plot's words can be Chinese, '' if there is none, or they are English."""
    return "" if is_english() else _installed_font()


@functools.cache
def _installed_font() -> str:
    """Return the first of CHINESE_FONTS that is installed, '' if none is; each word of a plot asks for it."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in CHINESE_FONTS if name in installed), "")


def _translated(text: str) -> str:
    """Return a text in the user's language, English if no font can draw that."""
    return translated(text) if chinese_font() else text


def draw(figure: Figure, summary: PlotSummary) -> None:
    """Draw a summary."""
    lines, spread = summary.lines(), summary.spread()
    has_course = bool(lines or spread)
    grid = "aa;bc;de" if has_course else "bc;de"
    axes = figure.subplot_mosaic(grid, height_ratios=[1.4, 1, 1] if has_course else None)
    figure.suptitle(summary.title(), fontsize="medium")
    if lines:
        draw_lines(axes["a"], lines)
    elif spread:
        draw_spread(axes["a"], summary, spread)
    if has_course:
        axes["a"].set_ylim(-0.2, 1.2)  # space for labels
        axes["a"].locator_params("x", integer=True)
        axes["a"].axhline(0.5, color="grey", linewidth=0.8)
        axes["a"].set_ylabel("\n".join((_translated("expected result"), _translated("first side"))))
        axes["a"].set_xlabel(_translated("moves played"))
    draw_bars(axes["b"], summary.scores, _translated("score in centipawns, first side; mates at the ends"))
    draw_bars(axes["c"], summary.depths, _translated("depth"), least_width=6)
    draw_bars(axes["d"], summary.times, _translated("time of a search"), unit="s")
    draw_bars(axes["e"], summary.speeds, _translated("nodes per second"), unit="")
    figure.draw_without_rendering()
    figure.set_layout_engine(None)  # it stays: to find it again was a third of the time of a plot
    if has_course:
        separate(axes["a"])


def draw_lines(axes: Axes, lines: dict[str, dict[int, Point]]) -> None:
    """Draw the course of each game, and name the worst moves of a single one."""
    for name, course in lines.items():
        turns = sorted(course)
        axes.plot(turns, [course[turn].expected for turn in turns], marker=".", linewidth=1.2, label=shown(name))
    if len(lines) > 1:
        axes.legend(loc="best", fontsize="small")
        return
    (course,) = lines.values()
    for _, turn in sorted(losses(course), reverse=True)[:MAX_LABELS]:
        point, after = course[turn], course[turn + 1]
        axes.plot([turn + 1], [after.expected], marker="o", color="tab:red")
        above = -14 if point.is_first else 8
        axes.annotate(
            point.played,
            (turn + 1, after.expected),
            (0, above),
            textcoords="offset points",
            fontsize="small",
            ha="center",
        )


def separate(axes: Axes) -> None:
    """Hide each label of a move that would overlap that of a worse move; the figure has its layout."""
    taken: list[Bbox] = []
    for label in axes.texts:
        box = label.get_window_extent()
        if any(box.overlaps(other) for other in taken):
            label.set_visible(False)
        else:
            taken.append(box)


def shown(name: str) -> str:
    """Return an id fit for a legend: the fonts lack many characters, and `$` begins a formula."""
    text = name.encode("ascii", "replace").decode()
    return "id " + "".join(sign if sign.isprintable() else "?" for sign in text[:MAX_CHARACTERS]).replace("$", "\\$")


def losses(course: dict[int, Point]) -> Iterator[tuple[float, int]]:
    """Yield the loss of each move that costs LEAST_LOSS or more of the mover's expected result, and its turn."""
    for turn, point in course.items():
        if point.played and (after := course.get(turn + 1)) is not None:
            loss = point.expected - after.expected if point.is_first else after.expected - point.expected
            if loss >= LEAST_LOSS:
                yield loss, turn


def draw_spread(axes: Axes, summary: PlotSummary, plies: list[int]) -> None:
    """Draw the median and the spread of all games' expected results by ply."""
    histograms = [summary.by_ply[ply] for ply in plies]
    for low, high, alpha in ((0.05, 0.95, 0.15), (0.25, 0.75, 0.3)):
        lower, upper = ([histogram.quantile(share) for histogram in histograms] for share in (low, high))
        label = _translated(f"{high - low:.0%} of the games")
        axes.fill_between(plies, lower, upper, alpha=alpha, color="tab:blue", linewidth=0, label=label)
    axes.plot(
        plies, [histogram.quantile(0.5) for histogram in histograms], color="tab:blue", label=_translated("median")
    )
    axes.legend(loc="best", fontsize="small")


def round_numbers(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten within bounds; only the powers if there are more than MAX_TICKS."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    numbers = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    numbers = [number for number in numbers if low <= number <= high]
    return (
        numbers
        if len(numbers) <= MAX_TICKS
        else [number for number in numbers if round(math.log10(number), 9) % 1 == 0]
    )


def draw_bars(axes: Axes, histogram: Histogram, label: str, unit: str | None = None, least_width: float = 0) -> None:
    """Draw a histogram where it has values, its median in the title.

    `unit`: the values are logarithms to base 10 of numbers in this unit. `least_width`: of the horizontal axis.
    """
    from matplotlib.ticker import EngFormatter, FixedLocator, NullLocator

    axes.set_xlabel(label)
    axes.set_ylabel(_translated("positions"))
    if not histogram.total:
        axes.text(0.5, 0.5, _translated("none"), transform=axes.transAxes, ha="center", color="grey")
        return
    first, end = histogram.used()
    edges = [histogram.edge(place) for place in range(first, end + 1)]
    median = f"{histogram.quantile(0.5):.0f}"
    if unit is not None:
        edges = [10**edge for edge in edges]
        axes.set_xscale("log")
        wider = max(math.sqrt(LEAST_RATIO * edges[0] / edges[-1]), 1.0)
        low, high = edges[0] / wider, edges[-1] * wider
        axes.set_xlim(low, high)
        axes.xaxis.set_major_locator(FixedLocator(round_numbers(low, high)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(EngFormatter(unit))
        median = EngFormatter(unit, places=1)(10 ** histogram.quantile(0.5))
    widths = [right - left for left, right in pairwise(edges)]
    axes.bar(edges[:-1], histogram.counts[first:end], widths, align="edge", edgecolor="white", linewidth=0.3)
    if edges[-1] - edges[0] < least_width:
        middle = (edges[-1] + edges[0]) / 2
        axes.set_xlim(middle - least_width / 2, middle + least_width / 2)
    axes.set_title(_translated(f"median about {median}"), fontsize="small", loc="right")
    axes.locator_params("y", integer=True)
    if unit is None:
        axes.locator_params("x", integer=True)
