"""Measure what `siqi match` itself costs: its latency, its processor time, and what a second game at a time takes.

    python scripts/measure/measure_match.py
    python scripts/measure/measure_match.py --only nodes --pairs 20

`latency`: two stub engines play given moves of Xiangqi and note when they read `go` and write `bestmove`; from one
engine's move to the other's question is the runner's time, in ms, median and 99th percentile. `cpu`: the stubs think
for 100 ms a move; the runner's processor time in percent of the time that passes, once the game is loaded. `nodes`: the
nodes of games of the engine with itself at 100 ms a move, two at a time against one, in pairs one after the other: the
mean ratio with its 95 % interval.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts.common import script
from scripts.match.self_play import random_moves

from siqi.daemon.match.statistics import Z

MEASURES = ("latency", "cpu", "nodes")

PLIES = 120
"""The length of a stub's game."""

THINK_MS = 100

STUB = """
import sys, time
moves, log, think_s = open(sys.argv[1]).read().split(), open(sys.argv[2], "a", 1), float(sys.argv[3])
ply = 0
for line in sys.stdin:
    read = time.monotonic()
    word = line.split()[0] if line.split() else ""
    if word == "uci":
        print("id name stub\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "position":
        ply = len(line.split()) - 3 if "moves" in line else 0
    elif word == "go":
        time.sleep(think_s)
        written = time.monotonic()
        print(f"info depth 1 score cp 0 nodes 1\\nbestmove {moves[ply]}", flush=True)
        log.write(f"{ply} {read:.7f} {written:.7f}\\n")
    elif word == "quit":
        break
"""


def random_game() -> list[str]:
    """Return a game of PLIES random legal moves, which does not end before."""
    game = script.load("xiangqi")
    for seed in range(1000):
        words = random_moves(game, random.Random(seed), PLIES)
        if len(words) == PLIES:
            return words
    raise AssertionError("every game ended early")


def match_command(folder: Path, *words: str) -> list[str]:
    log = folder / f"{time.monotonic_ns()}.jsonl"
    return [sys.executable, "-m", "siqi", "match", "xiangqi", *words, "--openings", "none", "--log", str(log)]


def stubs(folder: Path, think_s: float) -> list[str]:
    """Return the engine arguments of two stubs, which note their times in `a.txt` and `b.txt`."""
    (folder / "stub.py").write_text(STUB)
    (folder / "moves.txt").write_text(" ".join(random_game()))
    (folder / "a.txt").unlink(missing_ok=True)
    (folder / "b.txt").unlink(missing_ok=True)
    start = (sys.executable, "-ISu", str(folder / "stub.py"), str(folder / "moves.txt"))
    return [f"{name}={shlex.join((*start, str(folder / f'{name}.txt'), str(think_s)))} proto=uci" for name in "ab"]


def measure_latency(folder: Path, games: int) -> str:
    words = (*stubs(folder, 0.0), "--games", str(games), "--depth", "1", "--max-plies", str(PLIES))
    subprocess.run(match_command(folder, *words), check=True, capture_output=True)
    events = sorted(
        tuple(map(float, line.split())) for name in "ab" for line in (folder / f"{name}.txt").read_text().splitlines()
    )
    by_time = sorted(events, key=lambda event: event[1])
    gaps = [1000 * (new[1] - old[2]) for old, new in itertools.pairwise(by_time) if new[0] == old[0] + 1]
    worst = sorted(gaps)[int(0.99 * len(gaps))]
    return f"latency: {statistics.median(gaps):.3f} ms a move, 99th percentile {worst:.3f}, {len(gaps)} moves"


def processor_s(pid: int) -> float:
    """Return the processor time of a process in seconds, without its children's."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100  # clock ticks


def measure_cpu(folder: Path) -> str:
    words = (*stubs(folder, THINK_MS / 1000), "--games", "2", "--movetime", str(THINK_MS), "--max-plies", str(PLIES))
    process = subprocess.Popen(
        match_command(folder, *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    while not (folder / "b.txt").exists() or not (folder / "b.txt").read_text():  # the first moves are played
        time.sleep(0.05)
    begun, before = time.monotonic(), processor_s(process.pid)
    time.sleep(PLIES * THINK_MS / 1000 * 1.5)
    share = (processor_s(process.pid) - before) / (time.monotonic() - begun)
    process.kill()
    process.wait()
    return f"cpu: {100 * share:.2f} % of the time"


def measure_nodes(folder: Path, pairs: int) -> str:
    ratios = []
    for pair in script.progress(range(pairs), " pairs"):
        nodes = {}
        for at_a_time in (1, 2) if pair % 2 else (2, 1):
            words = ("one=siqi Hash=16", "two=siqi Hash=16", "--movetime", str(THINK_MS), "--max-plies", "20")
            command = match_command(folder, *words, "--games", "2", "--concurrency", str(at_a_time))
            subprocess.run(command, check=True, capture_output=True)
            games = [json.loads(line) for line in Path(command[-1]).read_text().splitlines()[1:]]
            nodes[at_a_time] = sum(sum(game["nodes"]) for game in games)
        ratios.append(nodes[2] / nodes[1])
    bar = Z * statistics.stdev(ratios) / math.sqrt(pairs)
    return f"nodes: two games at a time have {statistics.fmean(ratios):.3f} +- {bar:.3f} of one's, {pairs} pairs"


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--only", choices=MEASURES, help="default: all")
    parser.add_argument("--pairs", type=int, default=20, metavar="N", help="of matches, for `nodes`")
    parser.add_argument("--games", type=int, default=20, metavar="N", help="for `latency`; even")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for measure in MEASURES:
            if options.only not in (None, measure):
                continue
            if measure == "latency":
                print(measure_latency(folder, options.games), flush=True)
            elif measure == "cpu":
                print(measure_cpu(folder), flush=True)
            else:
                print(measure_nodes(folder, options.pairs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
