"""Games between players of a paper's experiment: played in pairs, kept in a log, reported and plotted as scores."""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from scripts.lib import script
from scripts.lib.game_loop import Adjudication, Clock, Opening, Referee, play_moves
from scripts.lib.log import Log, read_log
from scripts.lib.players import Choice, Player, Turn
from scripts.lib.plots import check_plot, save_plot
from scripts.lib.pool import completed
from scripts.lib.statistics import Estimate, estimate

from games.contract import Game, Position, Report, Task
from games.kernel.control import Control

PaperGame = dict[str, Any]
"""A line of the log: players `a` and `b`, `ms` a move, `pair`, `first` (0: A), `winner` (None: a draw), ..."""


class Pairing(NamedTuple):
    a: str
    b: str


class Job(NamedTuple):
    """Two games that begin alike, sides swapped."""

    pairing: Pairing
    pair: int
    ms: float


class Mind(Protocol):
    """A player of an experiment, in this process."""

    def new_game(self, seed: int) -> None: ...

    def choose(self, position: Any, ms: float) -> int:
        """Return a move in a position, which is a view where pieces are hidden."""


class RandomMind:
    """A player of random legal moves."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._random.seed(seed)

    def choose(self, position: Position, ms: float) -> int:
        return self._random.choice(position.legal_moves())


class EngineMind:
    """A searcher of the engine, with options of its game, `Threads` and `Hash`."""

    def __init__(self, game: Any, options: dict[str, str]) -> None:
        self._threads, self._hash_mb = int(options.pop("Threads", 1)), int(options.pop("Hash", 64))
        self.game = game
        for name, value in options.items():
            game.set_option(name, value)
        self.searcher = game.searcher()

    def new_game(self, seed: int) -> None:
        self.searcher.configure(self._hash_mb, self._threads, seed)
        self.searcher.clear()

    def choose(self, position: Any, ms: float) -> int:
        return self.search(position, ms).lines[0].pv[0]

    def search(self, position: Any, ms: float, moves: tuple[int, ...] = ()) -> Report:
        """Search some moves, or all; return the last report."""
        control = Control()
        control.set_deadline(time.monotonic_ns() + int(ms * 1e6))
        self.searcher.start(Task(position, control, moves))
        report: Report = self.searcher.iterate()
        while report.complete and not report.finished and not control.stopped:
            report = self.searcher.iterate()
        self.searcher.finish()
        return report


class Seat(Player):
    """The seat of a mind: keeps its view of the game, and calls its `observe` with each move, if it has one."""

    def __init__(self, mind: Mind, game: Game[Position], ms: float) -> None:
        self._mind, self._game, self._ms = mind, game, ms
        self._view = game.position()
        self._known = 0

    def new_game(self, seed: str) -> None:
        self._mind.new_game(int(seed))

    def choose(self, turn: Turn) -> Choice:
        position: Any = turn.position
        throws = [0, 0, *turn.throws]  # none for the set-ups
        for ply in range(self._known, len(turn.words)):
            if self._game.info.has_hidden:
                self._view.push(self._view.parse_move(turn.words[ply]))
            elif observe := getattr(self._mind, "observe", None):
                observe(throws[ply], turn.words[ply])
        self._known = len(turn.words)
        started = time.perf_counter()
        move = self._mind.choose(self._view if self._game.info.has_hidden else position, self._ms)
        spent_ms = 1000 * (time.perf_counter() - started)
        return Choice(position.move_text(move & MOVE_BITS), spent_ms)


MOVE_BITS = 0xFFF
"""Mask of a move without the result that Junqi's moves may have."""


class Played(NamedTuple):
    """A game that is over."""

    record: PaperGame
    referee: Referee


def play_game(
    game: Game[Position],
    job: Job,
    first: int,
    minds: Sequence[Mind],
    setups: Sequence[str],
    dice: Iterable[int] = (),
    max_plies: int = 0,
) -> Played:
    """Play one game; `first` is the player on the first side, 0 for A. Minds and set-ups are by side."""
    referee, clocks = Referee(game, Opening(moves=setups), dice), [Clock(), Clock()]
    seeds = [str(2 * job.pair + side + 1) for side in range(2)]
    ending = play_moves(referee, [Seat(mind, game, job.ms) for mind in minds], clocks, seeds, Adjudication(max_plies))
    if ending.cause not in ("rules", "adjudicated"):
        raise AssertionError(f"{job}: {ending}")
    players = [clocks[side ^ first] for side in range(2)]
    record = {
        "a": job.pairing.a,
        "b": job.pairing.b,
        "ms": job.ms,
        "pair": job.pair,
        "first": first,
        "winner": None if ending.winner is None else ending.winner ^ first,
        "end": ending.reason if ending.cause == "rules" else "plies",
        "plies": len(referee.words) - len(setups),
        "spent": [round(clock.used_ms) for clock in players],
        "longest": [round(clock.longest_ms) for clock in players],
    }
    return Played(record, referee)


def add_games(parser: argparse.ArgumentParser, names: Sequence[str]) -> Any:
    """Add commands that play games, `games` among them; return the subparsers for others."""
    commands = parser.add_subparsers(dest="command", required=True)
    for name in names:
        command = commands.add_parser(name)
        command.add_argument("log", type=Path, help="JSON lines; continued if it exists")
        command.add_argument("--games", type=int, default=400, help="of each pairing")
        command.add_argument("--ms", type=float, default=50, help="for a move")
        command.add_argument("--jobs", type=int, default=1)
        command.add_argument("--plot", type=Path, help="an SVG or PNG to draw")
        if name == "games":
            command.add_argument("--pairing", nargs=2, action="append", required=True, metavar=("A", "B"))
    return commands


def is_log(head: bytes) -> bool:
    """True if a file begins with a game as `run_games` writes it."""
    return re.match(rb'\{"a": "[^"]*", "b": "[^"]*", "ms": ', head) is not None


class Pairs:
    """The games of a log. A kill may have left half a pair, which was then replayed."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[Any, ...], dict[int, PaperGame]] = defaultdict(dict)

    def read(self, line: bytes) -> None:
        record = json.loads(line)
        self._pairs[record["a"], record["b"], record["ms"], record["pair"]][record["first"]] = record

    def whole(self) -> list[PaperGame]:
        """Return the games of the complete pairs."""
        return [record for pair in self._pairs.values() if len(pair) == len((0, 1)) for record in pair.values()]


def read_games(path: Path) -> list[PaperGame]:
    """Return all games of a log, in its order."""
    records: list[PaperGame] = []
    read_log(path, lambda line: records.append(json.loads(line)))
    return records


def whole_pairs(path: Path) -> list[PaperGame]:
    """Return the games of the complete pairs of a log."""
    pairs = Pairs()
    read_log(path, pairs.read)
    return pairs.whole()


def run_games(
    play: Callable[[Job, int], PaperGame], pairings: Iterable[tuple[str, str]], options: argparse.Namespace
) -> list[PaperGame]:
    """Play the pairs that the log lacks; return the games of these pairings at this time, old and new."""
    check_plot(options.plot)
    pairs = Pairs()
    log = Log(options.log, is_log, pairs.read)
    records = pairs.whole()
    wanted = [Pairing(*pairing) for pairing in pairings]
    done = {(record["a"], record["b"], record["ms"], record["pair"]) for record in records}
    missing = [
        Job(pairing, pair, options.ms)
        for pairing in wanted
        for pair in range(options.games // 2)
        if (*pairing, options.ms, pair) not in done
    ]
    finished = completed(functools.partial(play_pair, play), missing, options.jobs)
    with log, contextlib.closing(finished):
        each = itertools.chain.from_iterable(finished)
        for played in (bar := script.progress(each, total=len(missing), unit=" pairs", mininterval=5)):
            log.add([json.dumps(record).encode() for record in played])
            records += played
            bar.set_postfix_str(f"{played[0]['a']} - {played[0]['b']}", refresh=False)
    return [record for record in records if (record["a"], record["b"]) in wanted and record["ms"] == options.ms]


def results(records: Iterable[PaperGame]) -> dict[Pairing, Estimate]:
    """Return A's score in each pairing."""
    points: dict[Pairing, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for record in records:
        score = 0.5 if record["winner"] is None else 1 - record["winner"]
        points[Pairing(record["a"], record["b"])][record["pair"]] += score
    found = {}
    for pairing, pairs in points.items():
        counts = [0] * 5
        for won in pairs.values():
            counts[round(2 * won)] += 1
        found[pairing] = estimate(counts)
    return found


def play_pair(play: Callable[[Job, int], PaperGame], job: Job) -> list[PaperGame]:
    return [play(job, first) for first in (0, 1)]


def print_grid(corner: str, steps: Sequence[float], score: Callable[[float, float], Estimate]) -> None:
    """Print the scores of all pairs of two parameters' values."""
    print(f"| {corner} | " + " | ".join(map(str, steps)) + " |\n|" + "---|" * (len(steps) + 1))
    for row in steps:
        cells = [score(row, column) for column in steps]
        print(f"| {row} | " + " | ".join(f"{cell.score:.1%} +- {cell.bar:.1%}" for cell in cells) + " |")


def report_games(
    play: Callable[[Job, int], PaperGame],
    pairings: Mapping[str, Iterable[tuple[str, str]]],
    options: argparse.Namespace,
    report_grid: Callable[[list[PaperGame], Path | None], None],
) -> None:
    """Play the games that a command's log lacks; report them as its grid, or as scores with a plot.

    `play` plays a job's game with A (0) or B (1) on the first side; `pairings`: of each command but `games`.
    """
    records = run_games(play, pairings.get(options.command) or options.pairing, options)
    if options.command == "grid":
        report_grid(records, options.plot)
        return
    report_scores(records)
    if options.plot is not None:
        plot_scores(records, options.plot)


def report_scores(records: list[PaperGame]) -> None:
    """Print a table of the results."""
    print("| | games | score |\n|---|---|---|")
    for pairing, score in results(records).items():
        games = sum((record["a"], record["b"]) == pairing for record in records)
        print(f"| {pairing.a} against {pairing.b} | {games} | {score.score:.1%} +- {score.bar:.1%} |")


def plot_scores(records: list[PaperGame], path: Path) -> None:
    """Plot bars of each A's scores against each B."""
    from matplotlib import pyplot

    found = results(records)
    heroes = list(dict.fromkeys(pairing.a for pairing in found))
    others = list(dict.fromkeys(pairing.b for pairing in found))
    width = 0.8 / len(heroes)
    _, axes = pyplot.subplots(figsize=(8, 4))
    for i, hero in enumerate(heroes):
        bars = [(others.index(pairing.b), score) for pairing, score in found.items() if pairing.a == hero]
        axes.bar(
            [at + width * (i - (len(heroes) - 1) / 2) for at, _ in bars],
            [100 * score.score for _, score in bars],
            0.9 * width,
            yerr=[100 * score.bar for _, score in bars],
            label=hero,
        )
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(others)), others)
    axes.set_ylabel("score, %")
    axes.legend()
    pyplot.tight_layout()
    save_plot(pyplot.gcf(), path)
