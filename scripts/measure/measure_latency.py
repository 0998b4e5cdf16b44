"""Measure through the pipe how fast the daemon answers, and how much memory it takes.

    python scripts/measure/measure_latency.py --engine "siqi" --runs 10
    python scripts/measure/measure_latency.py --late 60 --busy 4

For each game: process start to `uciok` and to `readyok` (kernel cache filled by a first start), `stop` to `bestmove`,
`isready` during a search, lateness of `movetime 50` against its 50 ms, and resident memory after a search of two
seconds. Medians in ms with the worst in brackets. `--late` measures instead the lateness of `movetime 200` in the
settings whose searches read the clock least often, with `--busy` processes that only take processor time.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from scripts.common import script

from siqi.daemon.clients.process import Process
from siqi.games import registry

SETUPS = {
    "ewn": "position startpos moves 123456 615243",
    "junqi": "position startpos moves diahcbgkkfiecfigjhedjljhg ?",
}

LATE_SETTINGS = (
    ("junqi", "Algorithm flat"),
    ("connect6", "Width 40"),
    ("connect6", "Width 40", "Threads 4"),
)
"""A game, and options with their values."""

MOVETIME_MS = 200


class Daemon(Process):
    """A daemon process."""

    def wait(self, word: str, since: float) -> float:
        """Return the ms from `since` until a line begins with a word."""
        return 1000 * (self.wait_for(word)[0] - since)


def shown(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} ({max(values):.1f})"


def measure(game: str, command: str, runs: int) -> list[str]:
    """Return the cells of a game's row."""
    columns: dict[str, list[float]] = {name: [] for name in ("uciok", "readyok", "stop", "isready", "late", "mb")}
    variant = f"setoption name UCI_Variant value {game}"
    for run in script.progress(range(runs + 1), " starts", desc=game):
        engine = Daemon(command)
        engine.send("uci")
        uciok = engine.wait("uciok", engine.started)
        engine.send(variant, "isready")
        readyok = engine.wait("readyok", engine.started)
        if run:  # the first start may compile
            columns["uciok"].append(uciok)
            columns["readyok"].append(readyok)
        engine.send(SETUPS.get(game, "position startpos"))
        if game == "ewn":
            engine.send("dice 3")
        since = engine.send("go movetime 50")
        columns["late"].append(engine.wait("bestmove", since) - 50)
        engine.send("go infinite")
        time.sleep(0.2)
        columns["isready"].append(engine.wait("readyok", engine.send("isready")))
        columns["stop"].append(engine.wait("bestmove", engine.send("stop")))
        if run == runs:
            engine.wait("bestmove", engine.send("go movetime 2000"))
            columns["mb"].append(engine.status("VmRSS") / 1024)
        engine.close()
    return [shown(values) for values in columns.values()]


def lateness(command: str, game: str, options: tuple[str, ...], runs: int) -> list[float]:
    """Return the lateness of each search in ms."""
    engine = Daemon(command)
    engine.send(f"setoption name UCI_Variant value {game}")
    for option in options:
        engine.send("setoption name {} value {}".format(*option.rsplit(maxsplit=1)))
    late = []
    for _ in script.progress(range(runs), " searches", desc=game):
        engine.send("ucinewgame", SETUPS.get(game, "position startpos moves j10 i9k9 i11k11"))
        engine.wait("readyok", engine.send("isready"))
        late.append(engine.wait("bestmove", engine.send(f"go movetime {MOVETIME_MS}")) - MOVETIME_MS)
    engine.close()
    return late


def print_lateness(command: str, runs: int, busy: int) -> None:
    """Print a line for each of LATE_SETTINGS."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        for game, *options in LATE_SETTINGS:
            measured = lateness(command, game, tuple(options), runs)
            print(f"{game} {', '.join(options)}: late by {shown(measured)} ms in {runs} searches", flush=True)
    finally:
        for loop in loops:
            loop.kill()


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", default=registry.NAMES, help="all, if none is named")
    parser.add_argument("--engine", default=f"{sys.executable} -m siqi")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--late", type=int, default=0, metavar="RUNS", help="measure RUNS late searches per setting")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="processes in addition")
    options = parser.parse_args()
    if options.late:
        print_lateness(options.engine, options.late, options.busy)
        return 0
    print("| game | uciok | readyok | stop to bestmove | isready in a search | movetime 50 late by | MB |")
    print("|---|---|---|---|---|---|---|")
    for game in options.games:
        print(f"| {game} | {' | '.join(measure(game, options.engine, options.runs))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
