"""Paper 1's figures and claims: UCT for EWN, and the worth of its two factors and its parallel search.

    python -m scripts.papers.ewn_uct --quick
    python -m scripts.papers.ewn_uct --only figure-1 factors --data data

UCT is the paper's, bare: no proofs, no tablebases, no tree kept from move to move. A node gets children at its second
visit, playouts are random to the end, and the move of the best mean is played. `uct` has one thread and (WINK, UCTK) =
(1, 1); `improved` has (0.4, 1) and the paper's three threads. Games come in pairs: the same random set-ups and the same
throws, sides swapped. Under a limit of time one game runs per three cores, so that each thread has a core.

A full run takes about 3 hours on two cores: figure-1 10 minutes, figures 4 and 5 20, factors 50, parallel 10,
threefold 90.

Data: exact_values.csv in --data, for figure-1 and factors: EWN endings with the exact value of each move. Without it 36
positions of four to six pieces are used, valued by the engine's tablebases and searches that end in them.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scripts.common import script
from scripts.common.table import Table
from scripts.match.paired_games import (
    PaperGame,
    draw_scores,
    pairing_scores,
    percents,
    run_games,
    score_table,
    together,
)
from scripts.papers.ewn_uct.conditions import (
    A_TIME,
    BARE,
    HALVES,
    MACHINE,
    PAIRS,
    PLAIN,
    REWARDS,
    THREADS,
    Factors,
    at_once,
    uct_text,
)
from scripts.papers.ewn_uct.players import make_player, play, player
from scripts.papers.ewn_uct.regret import SOURCE, choices, regret_of, search_steps
from scripts.papers.ewn_uct.threads import parallel, threefold
from scripts.papers.paper import Bench, Experiment, Paper, Result, run_paper

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import Estimate, mean, percent
from siqi.games.search.sampling import playouts_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = Paper(
    "Zhang Xiaochuan, Li Qin, Nan Hai, Peng Lirong",
    "Application of Improved UCT Algorithm in EinStein Würfelt Nicht! Computer Game",
    "Computer Science 45(12)",
    2018,
)

OTHERS = ("random", "minimax", "alphabeta", "montecarlo")
THREE = ("minimax", "alphabeta", "montecarlo")
"""The opponents against which the paper's abstract says that the win rate rose."""

# ---------------------------------------------------------------- figures 4 and 5


def figure_limits(bench: Bench) -> dict[PlayerLimits, int]:
    """Return the games of each pairing by limit, of equal playouts or time; minimax and alpha-beta count positions."""
    return {
        PlayerLimits(nodes=bench.size(100, 2_000)): bench.size(2, 1_000),
        PlayerLimits(nodes=bench.size(200, 20_000)): bench.size(2, 200),
        PlayerLimits(movetime_ms=bench.size(2, 20)): bench.size(2, 200),
    }


def games_of(
    bench: Bench, pairings: Sequence[tuple[str, str]], limit: PlayerLimits, log: Path | None = None
) -> list[PaperGame]:
    """Return the games of some pairings; play those that the log (by default the experiment's) lacks."""
    games = figure_limits(bench)[limit]
    return run_games(play, pairings, log or bench.log, games, limit, at_once(bench, limit))


def figure_conditions(bench: Bench) -> str:
    limits = figure_limits(bench)
    games = ", ".join(f"{games:,} with {limit.text} a move" for limit, games in limits.items())
    return (
        f"Games of each pairing, {PAIRS}: {games} (minimax and alpha-beta: positions; random: none). UCT is {BARE}. "
        f"Minimax and alpha-beta (Star1, Star2, a transposition table) value positions by steps to the goal. "
        f"{MACHINE}; games at once under a time: {at_once(bench, A_TIME)}."
    )


FIGURE_4 = [("uct", other) for other in OTHERS]
FIGURE_5 = [*(("improved", other) for other in OTHERS), ("improved", "uct")]
SIQI = [("siqi", other) for other in (*OTHERS, "uct", "improved")]


def figure_4(bench: Bench) -> Result:
    by_limit = {limit: games_of(bench, FIGURE_4, limit) for limit in figure_limits(bench)}
    tables = [score_table(games, f"{limit.text} for a move") for limit, games in by_limit.items()]
    drawn = next(iter(by_limit.values()))
    return Result(figure_conditions(bench), tables, lambda figure: draw_scores(figure, drawn))


def figure_5(bench: Bench) -> Result:
    """Compare with the games of UCT of figure 4, and play those that its log lacks."""
    figure_4_log = bench.of("figure-4").log
    tables, drawn = [], list[PaperGame]()
    for limit in figure_limits(bench):
        improved = games_of(bench, FIGURE_5, limit)
        before = games_of(bench, FIGURE_4, limit, figure_4_log)
        tables += [score_table(improved, f"{limit.text} for a move"), gain_table(before, improved, limit)]
        drawn = drawn or improved
    games, limit = bench.size(2, 100), PlayerLimits(movetime_ms=bench.size(2, 20))
    engine = run_games(play, SIQI, bench.log, games, limit, at_once(bench, limit))
    tables.append(score_table(engine, f"The engine, {limit.text} for a move, {games} games"))
    siqi = "siqi is the engine as it is, with one thread, tablebases and its expectiminimax."
    conditions = f"{figure_conditions(bench)} {siqi}"
    return Result(conditions, tables, lambda figure: draw_scores(figure, drawn))


def gain_table(before: Sequence[PaperGame], after: Sequence[PaperGame], limit: PlayerLimits) -> Table:
    """Return the gain of the improved UCT over UCT, against each opponent and against the abstract's three."""
    everyone = "all three"

    def scores(records: Sequence[PaperGame]) -> dict[str, Estimate]:
        three = together([record for record in records if record["b"] in THREE], everyone)
        return {pairing.b: result.score for pairing, result in pairing_scores([*records, *three]).items()}

    old, new = scores(before), scores(after)
    rows = []
    for other in (*OTHERS, everyone):
        was, now = old[other], new[other]
        points, bar = 100 * (now.score - was.score), 100 * math.hypot(was.bar, now.bar)
        share = f"{now.score / was.score - 1:+.1%}" if was.score else "-"
        paper = "+25%" if other == everyone else "higher"
        rows.append((other, percent(was), percent(now), f"{points:+.1f} +- {bar:.1f} points", share, paper))
    return Table(
        f"The gain, {limit.text} for a move", ("opponent", "UCT", "improved", "gain", "relative gain", "paper"), rows
    )


# ---------------------------------------------------------------- figure 1

PAPER_VERDICTS = {
    (0.5, 0.5): "the worst",
    (0.4, 1.0): "the best",
    **{(1.0, uctk): "good early, then weak" for uctk in (0.1, 0.4, 0.5)},
    (0.1, 1.0): "good on the whole",
    (0.5, 1.0): "good on the whole",
    (1.0, 1.0): "WINK 1: good early; UCTK 1: good on the whole",
}
"""The paper's words on its figure 1, which has neither numbers nor a unit in the text."""

DRAWN: tuple[Factors, ...] = ((1, 1), (0.4, 1), (0.5, 0.5), (1, 0.5), (0.5, 1), (0.1, 1), (1, 0.1), (1, 0.4))


def values_of(bench: Bench) -> Path:
    return bench.data("exact_values.csv", "ewn_values.csv", SOURCE)


def digest(path: Path) -> str:
    """Return a name that identifies the data in keys of `Bench.measure`."""
    return f"{path.name} {zlib.crc32(path.read_bytes()):08x}"


def measure_steps(path: Path, every: int, depths: tuple[int, ...], key: str) -> list[dict[str, Any]]:
    """Return the mean value, and the regret of each decision, of a player at the ends of iterations.

    The key begins with the player's name.
    """
    agent: Any = make_player(key.partition(",")[0])
    searches = [search_steps(agent, case, depths) for case in choices(path, every)]
    return [
        {
            "value": round(statistics.fmean(step.value for step in steps), 6),
            "regrets": [round(step.regret, 6) for step in steps],
        }
        for steps in zip(*searches, strict=True)
    ]


def points_text(values: Sequence[float]) -> str:
    """Return the mean of chances to win in per cent, with its bar."""
    estimate = mean(values)
    return f"{100 * estimate.mean:.2f} +- {100 * estimate.bar:.2f}"


def paired_text(step: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the mean difference of two regrets in the same decisions, with its bar, which is smaller than theirs."""
    estimate = mean([a - b for a, b in zip(step["regrets"], other["regrets"], strict=True)])
    return f"{100 * estimate.mean:+.2f} +- {100 * estimate.bar:.2f}"


def figure_1(bench: Bench) -> Result:
    path, every = values_of(bench), bench.size(40, 1)
    depths = (1, 3) if bench.quick else (1, 5, 9, 13, 17)
    grid = list(DRAWN[:3]) if bench.quick else list(PAPER_VERDICTS)
    keys = {
        (reward, factors): f"{uct_text(factors, reward=reward, hash_mb=64)}, iterations {depths}, every {every} of "
        f"{digest(path)}"
        for factors in sorted(grid, key=DRAWN.index)
        for reward in REWARDS
    }
    measured = bench.measure(keys.values(), functools.partial(measure_steps, path, every, depths))
    results = {cell: measured[key] for cell, key in keys.items()}
    cases = choices(path, every)
    best = statistics.fmean(max(case.values.values()) for case in cases)
    playouts = [playouts_at(depth) for depth in depths]  # to within a few
    columns = ("WINK, UCTK", *map(str, playouts), "paper")
    tables = []
    for reward in REWARDS:
        plain = results[reward, PLAIN]
        for heading, cell in (
            ("Regret by playouts, %", lambda step, same: points_text(step["regrets"])),
            ("The same less that of (1, 1), decision by decision", paired_text),
            (f"Value at the root by playouts, exact {best:.4f}", lambda step, same: f"{step['value']:.4f}"),
        ):
            rows = [
                (
                    f"{factors[0]:g}, {factors[1]:g}",
                    *map(cell, results[reward, factors], plain),
                    PAPER_VERDICTS[factors],
                )
                for factors in grid
            ]
            tables.append(Table(f"{heading}; rewards {reward}", columns, rows))
    limit, games = PlayerLimits(nodes=bench.size(100, 10_000)), bench.size(2, 300)
    pairings = [(uct_text((0.4, 1), reward=reward), uct_text(PLAIN, reward=reward)) for reward in REWARDS]
    log = bench.of("figure-1-games").log
    tables.append(
        score_table(
            run_games(play, pairings, log, games, limit, bench.jobs), f"{games} games each, {limit.text} for a move"
        )
    )
    conditions = (
        f"One thread, {BARE}. Results count 0 to 1, or -1 to 1: the paper does not say which, its pseudocode's "
        f"-value/n hints at the latter. Each decision between several moves is searched anew ({len(cases)} of "
        f"{path.name}, positions of {min(case.pieces for case in cases)} to {max(case.pieces for case in cases)} "
        "pieces). The value is the search's own, of the move that it would choose; the regret is the chance to win "
        "that this move loses by the exact values. The paper names no positions, and no unit of its values."
    )
    return Result(conditions, tables, functools.partial(draw_regret, playouts, results))


def draw_regret(playouts: Sequence[int], results: dict[tuple[str, Factors], Any], figure: Figure) -> None:
    """Draw the regret by playouts, a panel for each range of rewards."""
    figure.set_size_inches(9, 4)
    for axes, reward in zip(figure.subplots(1, 2, sharey=True), REWARDS, strict=True):
        for factors in (factors for factors in DRAWN if (reward, factors) in results):
            means = [mean(step["regrets"]) for step in results[reward, factors]]
            lost, bars = [100 * at.mean for at in means], [100 * at.bar for at in means]
            below = [min(bar, at) for bar, at in zip(bars, lost, strict=True)]
            style = "--" if factors == HALVES else "-"  # else it would hide another line
            label = f"{factors[0]:g}, {factors[1]:g}"
            axes.errorbar(playouts, lost, (below, bars), linestyle=style, marker=".", capsize=2, label=label)
        axes.set(title=f"rewards {reward}", xlabel="playouts", xscale="log")
    figure.axes[0].set_ylabel("regret, %")
    figure.axes[0].legend(title="WINK, UCTK", fontsize="small")


# ---------------------------------------------------------------- the factorial experiment

FACTORS: tuple[Factors, ...] = ((1, 1), (0.4, 1), (0.5, 0.5), (1, 0.4))


class Level(NamedTuple):
    """A limit of the factorial experiment, and the games and measurements under it."""

    limit: PlayerLimits
    games: int
    factors: Sequence[Factors]
    rewards: Sequence[str]
    every: int = 0  # regret is measured in each n-th decision; 0: in none
    hash_mb: int = 0
    has_halves: bool = True  # one thread with (0.5, 0.5) is measured too

    def cells(self) -> list[tuple[int, str, Factors]]:
        """Return threads, reward and factors of each cell that is measured."""
        return [
            (threads, reward, factors)
            for threads, reward, factors in itertools.product((1, THREADS), self.rewards, self.factors)
            if self.has_halves or (threads, factors) != (1, HALVES)
        ]

    def name(self, cell: tuple[int, str, Factors]) -> str:
        threads, reward, factors = cell
        return uct_text(factors, threads, reward, self.hash_mb)

    @property
    def opponent(self) -> str:
        return self.name((1, REWARDS[0], PLAIN))


LEVELS = (
    Level(PlayerLimits(nodes=20_000), 200, FACTORS, REWARDS, 1),
    Level(PlayerLimits(nodes=200_000), 60, FACTORS[:3], REWARDS, 5, has_halves=False),
    Level(PlayerLimits(nodes=2_000_000), 12, FACTORS[:3], REWARDS[:1], 11, 512, has_halves=False),
    Level(PlayerLimits(movetime_ms=20), 100, FACTORS[:3], REWARDS[:1]),
)
QUICK_LEVELS = (
    Level(PlayerLimits(nodes=100), 2, FACTORS[:3], REWARDS, 40),
    Level(PlayerLimits(movetime_ms=2), 2, FACTORS[:2], REWARDS[:1], has_halves=False),
)


def measure_regret(path: Path, level: Level, key: str) -> list[float]:
    """Return the mean regret and its bar of the player with whose name the key begins."""
    agent = player(key.partition(",")[0])
    lost = mean([regret_of(agent, case, level.limit) for case in choices(path, level.every)])
    return [lost.mean, lost.bar]


def factorial(bench: Bench) -> Result:
    path, levels = values_of(bench), QUICK_LEVELS if bench.quick else LEVELS
    tables, results = [], list[dict[str, Estimate]]()
    for level in levels:
        pairings = [(name, level.opponent) for name in map(level.name, level.cells()) if name != level.opponent]
        records = run_games(play, pairings, bench.log, level.games, level.limit, at_once(bench, level.limit))
        results.append({pairing.a: result.score for pairing, result in pairing_scores(records).items()})
        texts = {name: percent(score) for name, score in results[-1].items()} | {level.opponent: "the opponent"}
        tables.append(cell_table(level, f"Score, {level.limit.text} for a move, {level.games} games", texts))
        if level.every:
            data = f"{level.limit.text}, every {level.every} of {digest(path)}"
            keys = {name: f"{name}, {data}" for name in map(level.name, level.cells())}
            lost = bench.of("factors-regret").measure(keys.values(), functools.partial(measure_regret, path, level))
            regrets = {name: "{:.5f} +- {:.5f}".format(*lost[key]) for name, key in keys.items()}
            heading = f"Regret, {level.limit.text}, {len(choices(path, level.every))} decisions"
            tables.append(cell_table(level, heading, regrets))
    conditions = (
        f"Threads x reward x (WINK, UCTK), {BARE}; three threads search the paper's way, on different children of the "
        f"root, backed up under a lock. Each cell plays bare UCT of one thread, (1, 1), rewards 0..1, under the same "
        f"limit; playouts are those of all threads together. {PAIRS.capitalize()}; {MACHINE}; games at once under a "
        f"time: {at_once(bench, A_TIME)}. Regret: decisions of {path.name}. One thread with (0.5, 0.5) plays "
        f"exactly as with (1, 1) (tests/games/ewn/test_ewn_uct.py), so it is not measured everywhere."
    )
    return Result(conditions, tables, functools.partial(draw_levels, levels, results))


def cell_table(level: Level, heading: str, texts: dict[str, str]) -> Table:
    """Return a table with a row for threads and reward, and a column for each pair of factors."""
    rows = []
    for threads, reward in itertools.product((1, THREADS), level.rewards):
        names = [level.name((threads, reward, factors)) for factors in level.factors]
        rows.append((str(threads), reward, *(texts.get(name, "as (1, 1)") for name in names)))
    return Table(heading, ("threads", "reward", *(f"({wink:g}, {uctk:g})" for wink, uctk in level.factors)), rows)


def draw_levels(levels: Sequence[Level], results: Sequence[dict[str, Estimate]], figure: Figure) -> None:
    """Draw the scores of each level by factors, a series for threads and reward."""
    figure.set_size_inches(3.5 * len(levels), 4)
    series = list(itertools.product((1, THREADS), REWARDS))
    for axes, level, scores in zip(figure.subplots(1, len(levels), sharey=True), levels, results, strict=True):
        for i, (threads, reward) in enumerate(series):
            names = [level.name((threads, reward, factors)) for factors in level.factors]
            at = [k + 0.15 * (i - (len(series) - 1) / 2) for k, name in enumerate(names) if name in scores]
            heights, bars = percents([scores[name] for name in names if name in scores])
            axes.errorbar(at, heights, bars, fmt="o", capsize=2, label=f"threads {threads}, reward {reward}")
        axes.axhline(50, color="grey", linewidth=0.8)
        axes.set_xticks(range(len(level.factors)), [f"{wink:g}, {uctk:g}" for wink, uctk in level.factors])
        axes.set_xlabel("WINK, UCTK")
        axes.set_title(f"{level.limit.text} for a move")
    figure.axes[0].set_ylabel("score, %")
    figure.axes[0].legend(fontsize="small")


# ---------------------------------------------------------------- the command


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "figure-1",
        "of WINK and UCTK in [0.1, 1], (0.5, 0.5) has the worst value; WINK 1 is good early in a search and weak "
        "later; UCTK 1 is good on the whole, and (0.4, 1) best and steadiest (searches of 20 s; no numbers in the "
        "text).",
        figure_1,
    ),
    Experiment(
        "figure-4",
        "UCT beats random, minimax, alpha-beta and Monte Carlo players in 1,000 games each (numbers in a plot only).",
        figure_4,
    ),
    Experiment(
        "figure-5",
        "the improved UCT wins clearly more than UCT against the same players in 1,000 games each (numbers in a plot "
        "only); against minimax, alpha-beta and Monte Carlo the win rate rose by 25 %. In national tournaments the "
        "team won about 50 % without UCT (2012, 2013), 80.9 % with it (2014, 2015), over 90 % with the improved UCT "
        "(2016, 2017).",
        figure_5,
    ),
    Experiment(
        "factors",
        "parallel search and the two factors together make the improved UCT; what each adds is not measured.",
        factorial,
    ),
    Experiment(
        "parallel",
        "searching up to three children of the root in three threads speeds playouts up (no numbers).",
        parallel,
    ),
    Experiment(
        "threefold",
        "three threads gain strength (no numbers of their own).",
        threefold,
    ),
)


@script.command
def main() -> int:
    return run_paper(__doc__, PAPER, EXPERIMENTS)
