"""Paper 3's figures: Connect6 with roads read from the whole board, or only where stones are placed.

    python -m scripts.papers.connect6_roads --quick
    python -m scripts.papers.connect6_roads --only figure-3 figure-4

The program of the paper (siqi/games/connect6/paper) plays with three scans: `global` and `local` are the paper's,
`incremental` is a third that keeps its sums. All play alike; only their times differ.

The clock of the timed games is the paper's 15 minutes in the proportion of the times of turn 9, which figure-3 measures
first. It runs in wall time. So that parallel games slow each other no more than figure-3's measurements did, both are
run with the same `--jobs`, never more than there are cores; nothing else should run on the machine. A side's search is
stopped when its clock runs out, and the game is lost. `clocks` needs no clock of this machine: it counts the pairs that
each turn values, takes the paper's own seconds for them, and judges each game by clocks of any length.

A full run takes 50 minutes on two cores: figure-3 eight, figures 4 and 5 35, the others some two each.

Data: the openings of tests/support/fixtures/connect6_openings.txt.
"""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scripts.common import script
from scripts.common.table import Table
from scripts.match.paired_games import PaperGame, draw_scores, pairing_scores, percents, run_games, score_table
from scripts.papers.connect6_roads.clocks import CountedGame, count_game, game_key, local_score, pairs_at
from scripts.papers.connect6_roads.players import Entrant, entrant_of, play
from scripts.papers.connect6_roads.times import (
    PAPER_SECONDS,
    PAPER_TURN,
    PAPER_WIDTH,
    TURNS,
    at_a_time,
    clock_scale,
    draw_times,
    turn_times,
)
from scripts.papers.paper import Bench, Experiment, Paper, Result, run_paper

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import PairedScore, percent
from siqi.games.connect6.paper.roads import MAX_DEPTH, SCANS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = Paper(
    "Li Xuejun, Wang Xiaolong, Wu Lei, Liu Huiting",
    "Game tree generation algorithm based on local-road scanning method for Connect 6",
    "CAAI Transactions on Intelligent Systems 10(2)",
    2015,
)

PAPER_CLOCK_S = 900

PAPER_SCORES = {(3, 20): 96, (5, 10): 95}
"""Games won by the local scan of 100, by depth and width. The paper's other games are in its plots alone."""

OTHER_GAMES = "in a plot only"


# ---------------------------------------------------------------- figure 3


def clocks_ms(bench: Bench) -> dict[int, int]:
    """Return the clock of a side's whole game by depth; a quick run has a tenth of it."""
    factors = clock_scale(turn_times(bench))
    return {depth: round(1000 * bench.size(PAPER_CLOCK_S // 10, PAPER_CLOCK_S) * by) for depth, by in factors.items()}


def figure_3(bench: Bench) -> Result:
    times = turn_times(bench)
    factors = clock_scale(times)
    by_turn = [
        (
            str(at.depth),
            str(at.turn),
            str(at.positions),
            *(f"{at.mean(scan):.4f}" for scan in SCANS),
            *(f"{at.mean(a) / at.mean(b):.1f}" for a, b in RATIOS),
        )
        for at in times
    ]
    beside = [
        (
            str(at.depth),
            *(f"{at.mean(scan):.3f} ({theirs[scan]:.3f})" for scan in theirs),
            f"{at.mean('global') / at.mean('local'):.1f} ({theirs['global'] / theirs['local']:.1f})",
            f"{at.mean('incremental'):.4f}",
            f"1/{1 / factors[at.depth]:.0f}",
            f"{PAPER_CLOCK_S * factors[at.depth]:.1f}",
        )
        for at in times
        if at.turn == PAPER_TURN
        for theirs in [PAPER_SECONDS[at.depth]]
    ]
    return Result(
        f"mean seconds a turn, width {PAPER_WIDTH}, {at_a_time(bench)} searches at a time, in positions of "
        f"games of the program against itself at depth {min(PAPER_SECONDS)} from {bench.size(1, 15)} openings of three "
        "and five stones; positions won within that depth are left out. A turn is one side's, counted from the empty "
        "board; the paper does not say how it counts. All scans chose the same turns with the same values.",
        [
            Table(
                "Turn 9 (the paper's figures in brackets)",
                (
                    "depth",
                    "global s",
                    "local s",
                    "global / local",
                    "incremental s",
                    "our s / paper's",
                    "15 min here, s",
                ),
                beside,
            ),
            Table(
                "By turn",
                (
                    *("depth", "turn", "positions"),
                    *(f"{scan} s" for scan in SCANS),
                    *(f"{a} / {b}" for a, b in RATIOS),
                ),
                by_turn,
            ),
        ],
        functools.partial(draw_times, times),
    )


RATIOS = (("global", "local"), ("local", "incremental"), ("global", "incremental"))


# ---------------------------------------------------------------- games


def paper_text(depth: int, width: int) -> str:
    """Return the paper's score of a bar of figures 4 and 5."""
    won = PAPER_SCORES.get((depth, width))
    return OTHER_GAMES if won is None else f"{won}:{100 - won}"


class Cell(NamedTuple):
    """A bar of figure 4 or 5 and its games; the local scan is A."""

    depth: int
    width: int
    limit: PlayerLimits
    games: list[PaperGame]

    @property
    def score(self) -> PairedScore:
        (score,) = pairing_scores(self.games).values()
        return score

    def overruns(self, player: int) -> list[PaperGame]:
        """Return the games that a player lost on time; 0: local, 1: global."""
        return [game for game in self.games if game["end"] == "time" and game["winner"] != player]

    def on_board(self, winner: int | None) -> int:
        """Return the number of games that the rules decided for a player; None: draws."""
        return sum(game["end"] != "time" and game["winner"] == winner for game in self.games)

    def minutes(self, player: int) -> float:
        """Return the mean time that a player used, in minutes of the paper's clock."""
        spent_ms = statistics.mean(float(game["spent"][player]) for game in self.games)
        return PAPER_CLOCK_S / 60 * spent_ms / self.limit.clock_ms


def timed_cells(bench: Bench, depths_widths: Sequence[tuple[int, int]]) -> list[Cell]:
    """Play local against global at fixed depths under the game clock; figures 4 and 5 share a cell and a log."""
    clocks = clocks_ms(bench)
    cells = []
    for depth, width in depths_widths:
        pairing = Entrant("local", width, depth).name, Entrant("global", width, depth).name
        limit = PlayerLimits(clock_ms=clocks[depth])
        games = run_games(play, [pairing], bench.of("games").log, bench.size(2, 100), limit, at_a_time(bench))
        cells.append(Cell(depth, width, limit, games))
    return cells


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers as `1-3, 7`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "none"


def score_row(cell: Cell) -> list[str]:
    return [
        f"{cell.limit.clock_ms / 1000:.1f} s",
        cell.score.text,
        *(str(len(cell.overruns(player))) for player in (1, 0)),
        "-".join(str(cell.on_board(winner)) for winner in (0, None, 1)),
        *(f"{cell.minutes(player):.1f}" for player in (1, 0)),
        paper_text(cell.depth, cell.width),
    ]


SCORE_COLUMNS = (
    "clock of a side",
    "local's games",
    "global overran",
    "local overran",
    "local's games on the board",
    "global's minutes",
    "local's minutes",
    "paper",
)


def overrun_rows(cell: Cell) -> list[list[str]]:
    """Return a row for each player that overran its clock: the openings by its colour, and the turn at the end."""
    rows = []
    for player, name in ((1, "global"), (0, "local")):
        games = cell.overruns(player)
        if games:
            by_colour = [
                ranges(game["pair"] + 1 for game in games if (game["first"] == player) == black)
                for black in (True, False)
            ]
            turns = [game["plies"] + 1 for game in games]
            rows.append([name, *by_colour, f"{min(turns)}, {statistics.median(turns):g}, {max(turns)}"])
    return rows


def timed_result(bench: Bench, cells: Sequence[Cell], what: str, rest: str) -> Result:
    """Return figure 4 or 5, whose cells differ in `what`; `rest` describes their common settings."""
    rows = [[str(getattr(cell, what)), *score_row(cell)] for cell in cells]
    overruns = [[str(getattr(cell, what)), *row] for cell in cells for row in overrun_rows(cell)]
    tables = [Table("Games", (what, *SCORE_COLUMNS), rows)]
    if overruns:
        columns = (what, "overran", "as Black, openings", "as White, openings", "at turn: first, median, last")
        tables.append(Table("Overruns", columns, overruns))
    return Result(
        f"local against global, {rest}; {bench.size(2, 100)} games, each of {bench.size(1, 50)} openings of three and "
        f"five stones from both sides, {at_a_time(bench)} games at a time. A side's clock for the whole game is the "
        f"paper's {bench.size(PAPER_CLOCK_S // 10, PAPER_CLOCK_S)} s scaled by figure-3's turn 9 at the same depth; a "
        "side that overruns it loses. Minutes are of a clock of 15. Both choose the same turns, so the two games of a "
        "pair are the same until a clock runs out: without overruns every pair is 1-1, and all that is above 50 % "
        "comes from the clock.",
        tables,
        functools.partial(draw_cells, cells, what),
    )


def draw_cells(cells: Sequence[Cell], what: str, figure: Figure) -> None:
    """Draw the local scan's score and the global scan's overruns, in percent, next to the paper's."""
    axes = figure.subplots()
    places = range(len(cells))
    heights, bars = percents([cell.score.score for cell in cells])
    axes.bar([place - 0.2 for place in places], heights, 0.38, yerr=bars, capsize=3, label="local's score")
    overran = [100 * len(cell.overruns(1)) / len(cell.games) for cell in cells]
    axes.bar([place + 0.2 for place in places], overran, 0.38, label="games in which global overran")
    known = [(place, PAPER_SCORES.get((cell.depth, cell.width))) for place, cell in enumerate(cells)]
    points = [(place - 0.2, won) for place, won in known if won is not None]
    if points:
        axes.plot(*zip(*points, strict=True), "k*", label="local's score, paper")
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_xticks(list(places), [str(getattr(cell, what)) for cell in cells])
    axes.set(xlabel=what, ylabel="%", ylim=(0, 100))
    figure.legend(loc="outside upper center", ncols=3)


def figure_4(bench: Bench) -> Result:
    widths = (1, 2) if bench.quick else (10, 15, 20)
    cells = timed_cells(bench, [(3, width) for width in widths])
    return timed_result(bench, cells, "width", "depth 3")


def figure_5(bench: Bench) -> Result:
    width, depths = (1, (3, 4)) if bench.quick else (10, (3, 4, 5))
    cells = timed_cells(bench, [(depth, width) for depth in depths])
    return timed_result(bench, cells, "depth", f"width {width}")


# ---------------------------------------------------------------- the same games by any clock

MINUTES = (15, 12, 9, 7.5, 6, 3)
"""Clocks of a side: 7.5 minutes, if the paper's 15 are those of both sides."""

PLAYED = {(3, 10): 50, (3, 15): 50, (3, 20): 50, (4, 10): 12, (5, 10): 12}
"""Openings by the depths and widths of figures 4 and 5."""


def clocks(bench: Bench) -> Result:
    played = {(3, 1): 1, (3, 2): 1} if bench.quick else PLAYED
    keys = {cell: [game_key(*cell, opening) for opening in range(count)] for cell, count in played.items()}
    measured = bench.measure(itertools.chain.from_iterable(keys.values()), count_game)
    games = {cell: [CountedGame(**measured[key]) for key in keys[cell]] for cell in played}
    scored, used, grown = [], [], []
    for (depth, width), own in games.items():
        at_9 = statistics.mean(pairs_at(games[depth, min(width for _, width in played)], PAPER_TURN))
        seconds = [PAPER_SECONDS[depth][scan] / at_9 for scan in ("local", "global")]
        scores = [local_score(own, seconds, 60 * minutes).score for minutes in MINUTES]
        cell = (str(depth), str(width), str(2 * len(own)))
        scored.append((*cell, *map(percent, scores), paper_text(depth, width)))
        needed = [[game.used(side, each) / 60 for game in own for side in (0, 1)] for each in seconds]
        used.append((*cell, *(f"{statistics.mean(times):.2f}, {max(times):.2f}" for times in needed)))
        by_turn = [pairs_at(own, turn) for turn in TURNS]
        grown.append((*cell, *(f"{statistics.mean(pairs):,.0f}" if pairs else "-" for pairs in by_turn)))
    names = [f"{minutes:g} min" for minutes in MINUTES]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for depth, width, _, *cells in scored:
            heights = [float(cell.partition("%")[0]) for cell in cells[: len(MINUTES)]]
            axes.plot(MINUTES, heights, marker="o", label=f"depth {depth}, width {width}")
        axes.axhline(50, color="grey", linewidth=0.8)
        axes.set(xlabel="minutes of a side for the game", ylabel="local's score, %", ylim=(0, 102))
        axes.legend(fontsize="small")

    return Result(
        f"local against global, both sides of each opening, in the paper's seconds: those of turn {PAPER_TURN} at the "
        "same depth, by the number of pairs that a turn values. "
        "The paper does not say whether its 15 minutes are those of a side or of a game.",
        [
            Table("Local's score by the clock of a side", ("depth", "width", "games", *names, "paper"), scored),
            Table(
                "Minutes that a side needs for a game, mean and most",
                ("depth", "width", "games", "local", "global"),
                used,
            ),
            Table("Pairs valued, by turn", ("depth", "width", "games", *map(str, TURNS)), grown),
        ],
        draw,
    )


# ---------------------------------------------------------------- the same time for each turn


def equal_time(bench: Bench) -> Result:
    limit, widths = PlayerLimits(movetime_ms=bench.size(2, 100)), (2,) if bench.quick else (10, 20)
    pairings = [
        (Entrant(a, width, 0).name, Entrant(b, width, 0).name)
        for width in widths
        for a, b in (("local", "global"), ("incremental", "local"))
    ]
    games = run_games(play, pairings, bench.log, bench.size(2, 50), limit, at_a_time(bench))
    games.sort(key=lambda game: pairings.index((game["a"], game["b"])))
    rows = []
    for pairing, score in pairing_scores(games).items():
        a, b = map(entrant_of, pairing)
        played = [game for game in games if (game["a"], game["b"]) == pairing]
        depths = [statistics.mean(game["depths"][player] for game in played) for player in range(2)]
        scores = ["-".join(score.counts), percent(score.score)]
        rows.append([str(a.width), a.scan, b.scan, *scores, *(f"{depth:.2f}" for depth in depths)])
    return Result(
        f"{limit.text} a turn, iterative deepening to depth {MAX_DEPTH} at most, {bench.size(2, 50)} games each from "
        f"both sides of {bench.size(1, 25)} openings, {at_a_time(bench)} games at a time. Depth 1 is finished in any "
        "case.",
        [Table("", ("width", "A", "B", "A's won-drawn-lost", "A's score", "A's mean depth", "B's mean depth"), rows)],
        functools.partial(draw_equal_time, games),
    )


def draw_equal_time(games: Sequence[PaperGame], figure: Figure) -> None:
    scores = pairing_scores(games)
    axes = figure.subplots()
    heights, bars = percents([score.score for score in scores.values()])
    axes.bar(range(len(scores)), heights, 0.6, yerr=bars, capsize=3)
    axes.axhline(50, color="grey", linewidth=0.8)
    entrants = [(entrant_of(pairing.a), entrant_of(pairing.b)) for pairing in scores]
    axes.set_xticks(range(len(scores)), [f"{a.scan} -\n{b.scan},\nwidth {a.width}" for a, b in entrants])
    axes.set(ylabel="score, %", ylim=(0, 100))


# ---------------------------------------------------------------- learned road values


def learned_values(bench: Bench) -> Result:
    width, depth = (2, 1) if bench.quick else (10, 3)
    pairing = tuple(Entrant("incremental", width, depth, values).name for values in ("learned", "paper"))
    limit = PlayerLimits(clock_ms=600_000)
    games = run_games(play, [(pairing[0], pairing[1])], bench.log, bench.size(2, 100), limit, bench.jobs)
    return Result(
        f"the paper's search at width {width}, depth {depth}, with road values that scripts/tune/fit_connect6.py "
        f"learned from experts' games (siqi/games/connect6/data/weights.py), against itself with those of table 1; "
        f"{bench.size(2, 100)} games, both sides of {bench.size(1, 50)} openings. No clock ran out.",
        [score_table(games)],
        functools.partial(draw_scores, records=games),
    )


EXPERIMENTS = (
    Experiment(
        "figure-3",
        "width 10, seconds of turn 9 at depths 3, 4, 5: global 23.030, 269.902, 640.780; local 2.010, 31.855, 36.301 "
        "(11.5, 8.5 and 17.7 times less); global's time grows with the turns, local's does not.",
        figure_3,
    ),
    Experiment(
        "figure-4",
        "depth 3, widths 10, 15, 20, 100 games each, at most 15 minutes: the local scan plays far better; 96:4 at "
        "width 20.",
        figure_4,
    ),
    Experiment(
        "figure-5",
        "width 10, depths 3, 4, 5, 100 games each, at most 15 minutes: the deeper, the better plays the local scan; "
        "95:5 at depth 5.",
        figure_5,
    ),
    Experiment(
        "clocks",
        "each game takes at most 15 minutes; the score at depth 3, width 20 is 96:4.",
        clocks,
    ),
    Experiment(
        "equal-time",
        "has no such games. With the same time for each turn a faster scan searches deeper, which separates the scans "
        "without a game clock.",
        equal_time,
    ),
    Experiment(
        "learned-values",
        "an outlook: the road values are still set by hand.",
        learned_values,
    ),
)


@script.command
def main() -> int:
    return run_paper(__doc__, PAPER, EXPERIMENTS)
