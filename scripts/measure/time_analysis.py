"""Time `siqi analyse`: the gain of a second worker, the cost of a query beside its search, and the memory.

    python scripts/measure/time_analysis.py workers --positions 40 --nodes 400000 --rounds 3
    python scripts/measure/time_analysis.py queries --queries 100000 --nodes 1

`workers`, for each game: the same positions by one worker and by two, in turns, and the ratio of their times without
that of loading the game (a run with one short query). `queries`: positions of random Xiangqi games, each searched by
one worker for `--nodes`: the time a query, the part of it that a bare search takes, and the memory.
"""

from __future__ import annotations

import argparse
import itertools
import shlex
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from scripts.lib import script
from scripts.lib.process import Process
from scripts.lib.queries import queries

from siqi.games import registry
from siqi.games.contract import Task
from siqi.games.kernel.control import Control

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "siqi", "analyse", "--hash", "8")


def seconds(lines: Iterable[bytes], workers: int) -> float:
    """Return the seconds from start to end of a process."""
    text = b"".join(lines)
    started = time.perf_counter()
    subprocess.run([*COMMAND, "--workers", str(workers)], input=text, stdout=subprocess.DEVNULL, cwd=ROOT, check=True)
    return time.perf_counter() - started


def measure_workers(options: argparse.Namespace) -> None:
    for name in registry.NAMES:
        found = queries(name, options.nodes)
        lines = list(itertools.islice(found, options.positions))
        first = list(itertools.islice(queries(name, 1), 1))
        times: dict[int, list[float]] = {1: [], 2: []}
        for _ in script.progress(range(options.rounds), " rounds", desc=name):
            for workers, taken in times.items():
                taken.append(seconds(lines, workers) - seconds(first, workers))
        ratios = [one / two for one, two in zip(times[1], times[2], strict=True)]
        shown = " ".join(f"{ratio:.2f}" for ratio in ratios)
        print(
            f"{name}: {options.positions} positions of {options.nodes} nodes: one worker {min(times[1]):.2f} s, "
            f"two {min(times[2]):.2f} s; {statistics.median(ratios):.2f} times as fast ({shown})"
        )


def measure_queries(options: argparse.Namespace) -> None:
    """Time queries written as fast as the process reads them; read its memory as the answers come."""
    process = Process(shlex.join(COMMAND))
    pool = list(itertools.islice(queries("xiangqi", options.nodes), 2000))

    def write() -> None:
        for line in itertools.islice(itertools.cycle(pool), options.queries):
            process.send(line.decode().strip())
        process.end_input()

    threading.Thread(target=write, daemon=True).start()
    memory, started = [], 0.0
    for number in script.progress(range(1, options.queries + 1), " answers"):
        _, line = process.wait_for()
        assert "bestmove" in line, line
        if number == options.queries // 20:
            started = time.perf_counter()
        if number % (options.queries // 20) == 0:
            memory.append(process.status("VmRSS") / 1024)
    taken_ms = 1000 * (time.perf_counter() - started) / (options.queries * 19 // 20)
    shown = " ".join(f"{mib:.0f}" for mib in memory)
    print(f"{number} answers, {taken_ms:.3f} ms a query, of which {bare_search_ms(pool):.3f} ms in the search")
    print(f"memory in MiB after each twentieth: {shown}")


def bare_search_ms(lines: list[bytes]) -> float:
    """Return the ms a position that the same searches take without reading and writing."""
    game = script.load("xiangqi")
    searcher = game.searcher()
    searcher.configure(8, 1, 1)
    taken = 0.0
    for line in lines:
        query, position = msgspec.json.decode(line), game.position()
        for word in query["moves"]:
            position.push(position.parse_move(word))
        control = Control(query["nodes"])
        started = time.perf_counter()
        searcher.start(Task(position, control))
        searcher.iterate()
        searcher.finish()
        taken += time.perf_counter() - started
    return 1000 * taken / len(lines)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    workers = commands.add_parser("workers")
    workers.add_argument("--positions", type=int, default=40)
    workers.add_argument("--nodes", type=int, default=400_000)
    workers.add_argument("--rounds", type=int, default=3)
    workers.set_defaults(run=measure_workers)
    short = commands.add_parser("queries")
    short.add_argument("--queries", type=int, default=100_000)
    short.add_argument("--nodes", type=int, default=1)
    short.set_defaults(run=measure_queries)
    options = parser.parse_args()
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
