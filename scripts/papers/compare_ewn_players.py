"""Paper 1's experiments with EWN, and similar ones: games between players of lib/ewn_players.py, and regret.

    python scripts/papers/compare_ewn_players.py games games.jsonl --games 1000 --jobs 2 --pairing uct random
    python scripts/papers/compare_ewn_players.py figures figures.jsonl --games 1000 --ms 50 --jobs 2 --plot figures.svg
    python scripts/papers/compare_ewn_players.py grid grid.jsonl --games 400 --ms 20 --jobs 2 --plot grid.svg
    python scripts/papers/compare_ewn_players.py regret exact_values.csv --ms 1 5 50 --player siqi --player uct
    python scripts/papers/compare_ewn_players.py speed --playouts 100000

`games`: `--games` of each pairing, in pairs: the same random set-ups and the same throws, sides swapped. Every game is
a line of the log; the same command continues a run that was broken off. `figures`: the paper's figures 4 and 5, UCT and
improved UCT against the others and each other, and the engine against all of them. `grid`: figure 1, WINK by UCTK
against plain UCT. `regret`: the mean chance lost a decision on endings with known values. `speed`: playouts a second,
by kind and threads, beside OpenSpiel's MCTS.

Data: the table of exact values for `regret` is not shipped; its columns are `fen`, `n_red`, `n_blue`, `all1` .. `all6`.
"""

from __future__ import annotations

import csv
import functools
import itertools
import math
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.lib import script
from scripts.lib.ewn_players import OpenSpiel, make_player
from scripts.lib.paper_games import (
    EngineMind,
    Job,
    Mind,
    PaperGame,
    add_games,
    play_game,
    print_grid,
    report_games,
    results,
)
from scripts.lib.plots import save_plot

from games.contract import Task, exhaust
from games.ewn.game import Ewn, EwnPosition
from games.kernel.control import Control

PAPERS = ("random", "minimax", "alphabeta", "montecarlo")
FIGURES = (
    *(("uct", other) for other in PAPERS),
    *(("improved", other) for other in PAPERS),
    ("improved", "uct"),
    *(("siqi", other) for other in (*PAPERS, "uct", "improved")),
)
STEPS = (0.1, 0.4, 0.7, 1.0)
"""The grid's values of WINK and UCTK."""

START = "ABC2/DE3/F3f/3ed/2cba f 3"


@functools.cache
def player(text: str, seat: int = 0) -> Mind:
    """Return a player, kept by the process for each seat: both seats may have the same kind."""
    return make_player(text)


def play(job: Job, first: int) -> PaperGame:
    """Play a game of random set-ups, the same in both games of a pair."""
    rng = random.Random(f"{job.pair}")
    setups = ["".join(rng.sample("123456", 6)) for _ in range(2)]
    minds = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    return play_game(script.load_once("ewn"), job, first, minds, setups, iter(lambda: rng.randint(1, 6), 0)).record


def grid_name(wink: float, uctk: float) -> str:
    return f"uct WINK={wink} UCTK={uctk}"


def report_grid(records: list[PaperGame], path: Path | None) -> None:
    found = {pairing.a: score for pairing, score in results(records).items()}
    print_grid("WINK, UCTK", STEPS, lambda wink, uctk: found[grid_name(wink, uctk)])
    if path is not None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots(figsize=(6, 4))
        points = sorted((uctk / wink, found[grid_name(wink, uctk)]) for wink, uctk in itertools.product(STEPS, STEPS))
        axes.errorbar(
            [ratio for ratio, _ in points],
            [100 * score.score for _, score in points],
            [100 * score.bar for _, score in points],
            fmt="o",
            capsize=3,
        )
        axes.axhline(50, color="grey", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_xlabel("UCTK / WINK")
        axes.set_ylabel("score against plain UCT, %")
        pyplot.tight_layout()
        save_plot(pyplot.gcf(), path)


class Decision(NamedTuple):
    """A position with its throw, and the value of each move."""

    fen: str
    pieces: int
    values: dict[str, float]


def decisions(path: Path) -> Iterator[Decision]:
    """Yield the decisions of exact_values.csv, where cells are numbered row by row from the top left."""

    def square(cell: str) -> str:
        return f"{'abcde'[int(cell) % 5]}{5 - int(cell) // 5}"

    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            board, side = row["fen"].split()
            for digit in "123456":
                board = board.replace(digit, chr(ord("A") + int(digit) - 1))
            board = board.replace(".", "1")
            for die in "123456":
                values = {}
                for part in row[f"all{die}"].split():
                    origin, target = part.partition("=")[0].partition(":")[2].split("-")
                    values[square(origin) + square(target)] = float(part.partition("=")[2])
                pieces = int(row["n_red"]) + int(row["n_blue"])
                yield Decision(f"{board} {'fs'[side == 'b']} {die}", pieces, values)


def report_regret(path: Path, players: list[str], times: list[float]) -> None:
    """Print the mean regret by player and time: of all decisions, and of those beyond the tablebases' range."""
    cases = list(decisions(path))
    print("| player | ms | regret | of 5 pieces | of 6 |\n|---|---|---|---|---|")
    for text, ms in itertools.product(players, times):
        who = player(text)
        lost: dict[int, list[float]] = defaultdict(list)
        for case in script.progress(cases, desc=f"{text} {ms} ms"):
            position = EwnPosition(case.fen)
            regret = 0.0
            if len(case.values) > 1:
                who.new_game(1)
                move = position.move_text(who.choose(position, ms))
                regret = max(case.values.values()) - case.values[move]
            lost[case.pieces].append(regret)
        mean = statistics.fmean(itertools.chain.from_iterable(lost.values()))
        print(f"| {text} | {ms:g} | {mean:.6f} | {statistics.fmean(lost[5]):.6f} | {statistics.fmean(lost[6]):.6f} |")


def report_speed(playouts: int, runs: int) -> None:
    """Print the playouts a second, the best of `runs`."""

    def rate(threads: int, **options: str) -> float:
        engine = EngineMind(Ewn(print), {"Algorithm": "uct", **options})
        engine.searcher.configure(256, threads, 1)
        best = math.inf
        for _ in range(runs):
            engine.searcher.clear()
            started = time.perf_counter()
            report = exhaust(engine.searcher, Task(EwnPosition(START), Control(playouts * threads)))
            best = min(best, (time.perf_counter() - started) / report.nodes)
        return 1 / best

    print("| | playouts/s |\n|---|---|")
    for kind in ("random", "informed", "short", "greedy", "evaluation"):
        print(f"| {kind} | {rate(1, Playout=kind):,.0f} |")
    for parallel in ("root", "tree", "children"):
        print(f"| random, 2 threads, {parallel} | {rate(2, Parallel=parallel):,.0f} |")
    best = math.inf
    spiel = OpenSpiel(playouts)
    for _ in range(runs):
        spiel.new_game(1)
        for _ in range(2):
            spiel.observe(0, "123456")
        position = EwnPosition(START)
        started = time.perf_counter()
        spiel.choose(position, 0)
        best = min(best, (time.perf_counter() - started) / playouts)
    print(f"| OpenSpiel's MCTS | {1 / best:,.0f} |")


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = add_games(parser, ("games", "figures", "grid"))
    regret = commands.add_parser("regret")
    regret.add_argument("values", type=Path)
    regret.add_argument("--ms", type=float, nargs="+", default=[50])
    regret.add_argument("--player", action="append", required=True)
    speed = commands.add_parser("speed")
    speed.add_argument("--playouts", type=int, default=100_000)
    speed.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if options.command == "regret":
        report_regret(options.values, options.player, options.ms)
    elif options.command == "speed":
        report_speed(options.playouts, options.runs)
    else:
        pairings = {
            "figures": FIGURES,
            "grid": [(grid_name(wink, uctk), "uct") for wink, uctk in itertools.product(STEPS, STEPS)],
        }
        report_games(play, pairings, options, report_grid)
    return 0


if __name__ == "__main__":
    sys.exit(main())
