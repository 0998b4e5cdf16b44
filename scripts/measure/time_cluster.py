"""Time a cluster of a scheduler and two workers on the loopback beside single processes: throughput and overhead.

    python scripts/measure/time_cluster.py throughput --seconds 10 --rounds 3
    python scripts/measure/time_cluster.py throughput connect6 --nodes 2500 --hash 4
    python scripts/measure/time_cluster.py overhead

`throughput`, for each game: the same positions, each with `clear`, in turns by one process of `siqi analyse` with one
thread; shared by two such processes at once; and by the cluster. All run through, warm, from round to round. A row is
the median of the rounds, with the least and the greatest: positions a second, the processor time a position of those
that search, and both as a ratio to the single process (of the time 2 x one / both: what two cores gain). Two single
processes at once show what the machine itself takes from each of two that search; the rest is the cluster's.
Without `--nodes` a position takes some 10 ms. On an idle machine of two cores all four games take some eight times the
rounds times `--seconds`, and a minute; only there times of the wall mean something.

`overhead`: the processor time of client, scheduler and worker for a batch of 50 calls that do nothing, and for
positions of one node; of an idle scheduler and worker; and their memory. It needs /proc.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.lib import script
from scripts.lib.paper import Table
from scripts.lib.process import Process, cpu_s, status
from scripts.lib.queries import queries

from siqi.daemon.cluster.calls import encode_call
from siqi.daemon.cluster.remote import Cluster, ClusterWorkers
from siqi.games import registry
from siqi.games.compiling import to_stderr

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s",
    "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "10",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""Those of docs/cluster.md."""


LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")

NODES = {"xiangqi": 14_000, "connect6": 2_500, "ewn": 5_000, "junqi": 20_000}
"""Nodes that take some 10 ms."""

WARM_UP = 400
"""Positions before the first round: a second and more of each worker, after which batches have their size."""

WORKERS = 2
CALLS = 50
IDLE_S = 10.0
START_TIMEOUT_S = 120.0


# ---------------------------------------------------------------- processes


class DaskCluster(NamedTuple):
    """A scheduler and workers on the loopback."""

    address: str
    scheduler: int  # process id
    workers: list[int]


@contextlib.contextmanager
def dask_cluster() -> Iterator[DaskCluster]:
    """Start a scheduler and two workers by Dask's own commands; end them with the block."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:

        def start(*words: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *LOOPBACK],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | SETTINGS | {"PYTHONPATH": str(ROOT)},
                cwd=name,
                start_new_session=True,  # as `Process`: where Linux shares the time by sessions, none has less
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        file = Path(name) / "scheduler.json"
        scheduler = start("scheduler", "--port", "0", "--scheduler-file", str(file))
        deadline = time.monotonic() + START_TIMEOUT_S
        while not file.exists() or not file.read_text():
            if scheduler.poll() is not None or time.monotonic() > deadline:
                raise OSError("the scheduler does not start")
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        options = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--no-nanny")
        workers = [start("worker", address, *options).pid for _ in range(WORKERS)]
        from distributed import Client

        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=START_TIMEOUT_S)
        yield DaskCluster(address, scheduler.pid, workers)


@contextlib.contextmanager
def analysis(hash_mb: int, *words: str) -> Iterator[Process]:
    """Start `siqi analyse`; it ends with the block."""
    process = Process(shlex.join((sys.executable, "-m", "siqi", "analyse", "--hash", str(hash_mb), *words)))
    try:
        yield process
    finally:
        process.end_input()
        process.close()


def answer(processes: Sequence[Process], lines: Sequence[str]) -> float:
    """Have processes answer equal shares of positions at once; return the seconds until the last answer."""
    shares = [lines[i :: len(processes)] for i in range(len(processes))]
    started = time.monotonic()
    for process, share in zip(processes, shares, strict=True):
        process.send(*share)
    last = started
    for process, share in zip(processes, shares, strict=True):
        for _ in share:
            last, line = process.wait_for()
            if '"error"' in line:
                raise OSError(f"a position is not answered: {line}")
    return last - started


# ---------------------------------------------------------------- throughput


class Way(NamedTuple):
    """A way to have positions answered."""

    name: str
    processes: list[Process]  # that get positions
    searching: list[int]  # process ids of those that search
    serving: list[int]  # process ids of client and scheduler


class Taken(NamedTuple):
    """The times of a round, in ms a position."""

    wall: float
    searching: float
    serving: float


def measure(way: Way, lines: Sequence[str]) -> Taken:
    before = [sum(map(cpu_s, pids)) for pids in (way.searching, way.serving)]
    wall_s = answer(way.processes, lines)
    after = [sum(map(cpu_s, pids)) for pids in (way.searching, way.serving)]
    scale = 1000 / len(lines)
    return Taken(wall_s * scale, *(scale * (end - start) for start, end in zip(before, after, strict=True)))


def measure_game(name: str, nodes: int, hash_mb: int, seconds: float, rounds: int, cluster: DaskCluster) -> list[Row]:
    """Return the rows of a game."""
    found = (line.decode().strip() for line in queries(name, nodes, clear=True))
    with contextlib.ExitStack() as stack:
        singles = [stack.enter_context(analysis(hash_mb)) for _ in range(2)]
        client = stack.enter_context(analysis(hash_mb, "--cluster", cluster.address))
        pids = [single.pid for single in singles]
        ways = (
            Way("one process", singles[:1], pids[:1], []),
            Way("two at once", singles, pids, []),
            Way("cluster of two", [client], cluster.workers, [client.pid, cluster.scheduler]),
        )
        warm = list(itertools.islice(found, WARM_UP))
        for way in ways:  # the first time loads the game, and the batches of the cluster grow
            answer(way.processes, warm)
        rate = len(warm) / answer(singles[:1], warm)
        lines = list(itertools.islice(found, max(WORKERS, int(rate * seconds))))
        times: dict[str, list[Taken]] = {way.name: [] for way in ways}
        for turn in script.progress(range(rounds), " rounds", desc=name):
            for way in ways[:: -1 if turn % 2 else 1]:
                times[way.name].append(measure(way, lines))
    return [Row(name, nodes, len(lines), way.name, times["one process"], times[way.name]) for way in ways]


class Row(NamedTuple):
    """A way's times beside those of one process, round by round."""

    game: str
    nodes: int
    positions: int
    way: str
    one: list[Taken]
    times: list[Taken]

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        pairs = list(zip(self.one, self.times, strict=True))
        # Each searches its share: twice the time of one by that of all is the gain of two cores.
        share = 1 if self.way == "one process" else 2
        return (
            f"{self.game}, {self.nodes} nodes, {self.positions} positions",
            self.way,
            spread([1000 / taken.wall for taken in self.times], 1),
            spread([one.wall / taken.wall for one, taken in pairs], 2),
            spread([taken.searching for taken in self.times], 2),
            spread([taken.serving for taken in self.times], 3),
            spread([share * one.searching / (taken.searching + taken.serving) for one, taken in pairs], 2),
        )


COLUMNS = (
    "positions",
    "by",
    "a second",
    "of one",
    "CPU ms a position",
    "client and scheduler",
    "of one by CPU time",
)


def spread(values: Sequence[float], digits: int) -> str:
    """Return the median, and the range if there are several."""
    text = f"{statistics.median(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def measure_throughput(options: argparse.Namespace) -> None:
    rows = []
    with dask_cluster() as cluster:
        for name in options.games or registry.NAMES:
            nodes = options.nodes or NODES[name]
            rows += measure_game(name, nodes, options.hash, options.seconds, options.rounds, cluster)
    print(Table("", COLUMNS, [row.cells() for row in rows]).markdown())


# ---------------------------------------------------------------- overhead


def nothing(number: int) -> int:
    return number


def measure_overhead(options: argparse.Namespace) -> None:
    with dask_cluster() as cluster:
        measure_batches(options.batches, cluster)
        measure_positions(options.positions, cluster)
        before = [cpu_s(pid) for pid in (cluster.scheduler, *cluster.workers)]
        time.sleep(IDLE_S)
        idle = [cpu_s(pid) - start for pid, start in zip((cluster.scheduler, *cluster.workers), before, strict=True)]
        shares = " ".join(f"{100 * taken / IDLE_S:.1f} %" for taken in idle)
        print(f"idle: scheduler and workers use {shares} of a core")


def measure_batches(batches: int, cluster: DaskCluster) -> None:
    """Measure batches of calls that do nothing, sent by this process."""
    calls = [encode_call(nothing, number) for number in range(CALLS)]
    with ClusterWorkers(Cluster(cluster.address), to_stderr) as workers:
        while workers.count() < WORKERS:
            time.sleep(0.1)
        pids = (os.getpid(), cluster.scheduler, *cluster.workers)
        for count in (batches // 10, batches):  # the first ones are slower
            before = [cpu_s(pid) for pid in pids]
            for _ in range(count):
                workers.outcome(workers.send(calls))
            taken_ms = [1000 * (cpu_s(pid) - start) / count for pid, start in zip(pids, before, strict=True)]
    client, scheduler, *searching = taken_ms
    print(
        f"{batches} batches of {CALLS} calls: client {client:.2f}, scheduler {scheduler:.2f}, "
        f"workers {sum(searching):.2f} ms a batch"
    )


def measure_positions(count: int, cluster: DaskCluster) -> None:
    """Measure positions of one node, and the memory at the start and at the end."""
    found = (line.decode().strip() for line in queries("xiangqi", 1))
    lines = list(itertools.islice(found, 1000))
    with analysis(4, "--cluster", cluster.address) as client:
        pids = (client.pid, cluster.scheduler, *cluster.workers)
        for number, many in enumerate((lines, list(itertools.islice(itertools.cycle(lines), count)))):
            before = [cpu_s(pid) for pid in pids]
            answer([client], many)
            taken = [1000 * (cpu_s(pid) - start) / len(many) for pid, start in zip(pids, before, strict=True)]
            mib = " ".join(f"{status(pid, 'VmRSS') / 1024:.0f}" for pid in pids)
            if number:
                print(
                    f"{count} positions of a node: client {taken[0]:.3f}, scheduler {taken[1]:.3f}, workers "
                    f"{sum(taken[2:]):.3f} ms a position"
                )
            print(f"memory after {len(many)} positions: client, scheduler, workers {mib} MiB")


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    throughput = commands.add_parser("throughput")
    throughput.add_argument("games", nargs="*", metavar="GAME", help="default: all")
    throughput.add_argument("--seconds", type=float, default=10, help="that one process takes for a round")
    throughput.add_argument("--rounds", type=int, default=3)
    throughput.add_argument("--nodes", type=int, default=0, help="a position")
    throughput.add_argument("--hash", type=int, default=4, metavar="MIB")
    throughput.set_defaults(run=measure_throughput)
    overhead = commands.add_parser("overhead")
    overhead.add_argument("--batches", type=int, default=1000)
    overhead.add_argument("--positions", type=int, default=100_000)
    overhead.set_defaults(run=measure_overhead)
    options = parser.parse_args()
    if unknown := set(vars(options).get("games", ())) - set(registry.NAMES):
        parser.error(f"no game of ours: {', '.join(sorted(unknown))}")
    script.require("distributed", "cluster")
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
