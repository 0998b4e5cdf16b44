"""Paper 1's parallel search: its speed, its games, and the most that it could gain."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Sequence
from typing import Any

from scripts.common.table import Table
from scripts.match.paired_games import PaperGame, draw_scores, pairing_scores, run_games, score_table
from scripts.papers.ewn_uct.conditions import (
    A_TIME,
    BARE,
    IMPROVED,
    MACHINE,
    PAIRS,
    PLAIN,
    THREADS,
    at_once,
    uct_text,
)
from scripts.papers.ewn_uct.players import make_player, play
from scripts.papers.paper import Bench, Result

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import percent
from siqi.games.contract import Task, exhaust
from siqi.games.ewn.board import EwnPosition
from siqi.games.kernel.control import Control

# ---------------------------------------------------------------- the threads as they are

SPEED_FEN = "ABC2/DE3/F3f/3ed/2cba f 3"


def measure_speed(playouts: int, runs: int, key: str) -> float:
    """Return a player's playouts per second from a start position, the best of some runs.

    The key begins with the player's name.
    """
    agent: Any = make_player(key.partition(",")[0])
    best = math.inf
    for _ in range(runs):
        agent.new_game(1)
        started = time.perf_counter()
        report = exhaust(agent.searcher, Task(EwnPosition(SPEED_FEN), Control(playouts)))
        best = min(best, (time.perf_counter() - started) / report.nodes)
    return 1 / best


def parallel(bench: Bench) -> Result:
    playouts, runs = bench.size(1000, 500_000), bench.size(1, 5)
    ways = [(1, "children"), (2, "children"), *((THREADS, way) for way in ("children", "root", "tree"))]
    keys = {
        way: f"uct Threads={way[0]} UCTParallel={way[1]} Hash=256, {playouts} playouts, best of {runs}" for way in ways
    }
    speed = bench.of("parallel-speed").measure(keys.values(), functools.partial(measure_speed, playouts, runs), jobs=1)
    alone = speed[keys[ways[0]]]
    rows = [
        (str(threads), way if threads > 1 else "", f"{speed[key]:,.0f}", f"{speed[key] / alone:.2f}")
        for (threads, way), key in keys.items()
    ]
    tables = [Table("Playouts a second", ("threads", "way", "playouts/s", "times one thread"), rows)]
    sizes = ((2, 2),) if bench.quick else ((20, 200), (200, 50))
    drawn = list[PaperGame]()
    for movetime_ms, games in sizes:
        limit = PlayerLimits(movetime_ms=movetime_ms)
        pairings = [
            (uct_text(factors, THREADS, hash_mb=256), uct_text(factors, hash_mb=256)) for factors in (PLAIN, (0.4, 1))
        ]
        records = run_games(play, pairings, bench.log, games, limit, at_once(bench, limit))
        tables.append(score_table(records, f"Three threads against one, {limit.text} for a move, {games} games"))
        drawn += [
            record | {"a": record["b"].replace("uct", "3 threads").replace(" Hash=256", ""), "b": f"one, {limit.text}"}
            for record in records
        ]
    conditions = (
        f"{BARE}; `children` is the paper's way: threads on different children of the root, backed up under a lock; "
        f"`root` has a tree for each thread, `tree` one tree with virtual losses. Speed: {playouts} playouts from a "
        f"start position, the best of {runs}. {PAIRS.capitalize()}. {MACHINE}; games at once: "
        f"{at_once(bench, A_TIME)}. Three threads share the cores if there are fewer than three."
    )
    return Result(conditions, tables, lambda figure: draw_scores(figure, drawn))


# ---------------------------------------------------------------- the most that they could gain

BOUND = (uct_text(IMPROVED, hash_mb=256) + f" Times={THREADS}", uct_text(IMPROVED, hash_mb=256))
"""One thread with the playouts of three that lose nothing to each other, and one thread."""

PLAYOUTS = (2_000, 20_000, 200_000)


def threefold(bench: Bench) -> Result:
    limits = [PlayerLimits(nodes=bench.size(100 * (i + 1), nodes)) for i, nodes in enumerate(PLAYOUTS)]
    games = bench.size(2, 1000)
    results = [(limit, run_games(play, [BOUND], bench.log, games, limit, bench.jobs)) for limit in limits]
    conditions = (
        f"{games} games at each number of playouts; {BARE} with (0.4, 1), one thread on each side, and one side has "
        f"{THREADS} times the playouts. Threads that share a tree know less of each other's results than one "
        f"thread, so no {THREADS} threads gain more at equal time. {PAIRS.capitalize()}; the number of a pair is its "
        "seed."
    )
    return Result(conditions, [threefold_table(results)])


def threefold_table(results: Sequence[tuple[PlayerLimits, Sequence[PaperGame]]]) -> Table:
    rows = []
    for limit, records in results:
        (score,) = pairing_scores(records).values()
        rows.append((f"{limit.nodes:,}", f"{THREADS * limit.nodes:,}", str(len(records)), percent(score.score)))
    return Table("Three times the playouts against once", ("playouts", "against", "games", "score"), rows)
