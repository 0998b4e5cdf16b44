"""Playouts a second of EWN's UCT, by kind of playout and by threads, from a start position.

    python scripts/measure/time_ewn_playouts.py --playouts 100000
    python scripts/measure/time_ewn_playouts.py --openspiel

UCT is the engine's own, with proofs and a kept tree; `--openspiel` needs the extra `benchmark`.
"""

from __future__ import annotations

import math
import sys
import time

from scripts.lib import script
from scripts.lib.ewn_players import OpenSpiel
from scripts.lib.paper import Table
from scripts.lib.paper_games import EngineMind, Limit

from siqi.games.contract import Task, exhaust
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.game import Ewn
from siqi.games.ewn.paper.uct import PARALLEL_MODES
from siqi.games.ewn.search.playout import PLAYOUTS
from siqi.games.kernel.control import Control

START = "ABC2/DE3/F3f/3ed/2cba f 3"


def rate(playouts: int, runs: int, threads: int, **options: str) -> float:
    """Return the playouts a second, the best of some runs; each thread has that many playouts."""
    mind = EngineMind(Ewn(print), {"Algorithm": "uct", "Threads": str(threads), "Hash": "256", **options})
    best = math.inf
    for _ in range(runs):
        mind.new_game(1)
        started = time.perf_counter()
        report = exhaust(mind.searcher, Task(EwnPosition(START), Control(playouts * threads)))
        best = min(best, (time.perf_counter() - started) / report.nodes)
    return 1 / best


def openspiel_rate(playouts: int, runs: int) -> float:
    best = math.inf
    spiel = OpenSpiel(playouts)
    for _ in range(runs):
        spiel.new_game(1)
        for _ in range(2):
            spiel.observe(0, "123456")
        position = EwnPosition(START)
        started = time.perf_counter()
        spiel.choose(position, Limit(nodes=playouts))
        best = min(best, (time.perf_counter() - started) / playouts)
    return 1 / best


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--playouts", type=int, default=100_000, help="of each thread")
    parser.add_argument("--runs", type=int, default=5, help="the best counts")
    parser.add_argument("--openspiel", action="store_true", help="OpenSpiel's MCTS too")
    options = parser.parse_args()
    size = (options.playouts, options.runs)
    rates = {kind: rate(*size, 1, Playout=kind) for kind in PLAYOUTS}
    rates |= {f"random, 2 threads, {way}": rate(*size, 2, Parallel=way) for way in PARALLEL_MODES}
    if options.openspiel:
        rates["OpenSpiel's MCTS"] = openspiel_rate(*size)
    print(Table("", ("", "playouts/s"), [(name, f"{found:,.0f}") for name, found in rates.items()]).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
