"""Paper 3's experiments: Connect6 with the board scanned whole, or only where stones were placed.

    python scripts/papers/compare_connect6_scans.py times openings.txt --plot times.svg
    python scripts/papers/compare_connect6_scans.py games openings.txt --width 20 --games 100 --plot games.svg

`times`: seconds for a turn at depths 3, 4 and 5 by the number of the turn (the paper's figure 3). The local program
plays each opening on against itself; both search every position that arises, and must choose alike.
`games`: the two against each other with the same time for a turn and iterative deepening, each opening from both sides.
Openings: a line each, turns from the empty board.

Data: tests/support/fixtures/connect6_openings.txt are such openings.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

from scripts.lib import script
from scripts.lib.connect6_scans import GLOBAL, LOCAL, MAX_DEPTH, MAX_WIDTH, WON, Program
from scripts.lib.game_loop import Adjudication, Clock, Opening, Referee, play_moves
from scripts.lib.players import Choice, Forfeit, Player, Turn
from scripts.lib.plots import check_plot, save_plot
from scripts.lib.pool import Workers
from scripts.lib.statistics import estimate

from games.connect6.game import Connect6Position

NAMES = {LOCAL: "local", GLOBAL: "global"}
PAPER_TURN = 9
PAPER = {3: (2.010, 23.030), 4: (31.855, 269.902), 5: (36.301, 640.780)}
"""Seconds at the paper's turn 9, local and global, by depth."""


def read_openings(path: Path) -> list[list[str]]:
    """Return the openings' turns; Forfeit names the first that is illegal."""
    openings = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    for opening in openings:
        Referee(script.load_once("connect6"), Opening(moves=opening))
    return openings


class Timing(NamedTuple):
    """The time of one depth at one position."""

    turn: int  # its number, from 1
    depth: int
    local: float  # seconds
    whole: float


def measure(openings: list[list[str]], games: int, depths: list[int], turns: list[int], width: int) -> list[Timing]:
    programs = {scan: Program(scan, width) for scan in NAMES}
    found = []
    for opening in script.progress(openings[:games], " openings"):
        position = Referee(script.load_once("connect6"), Opening(moves=opening)).position
        assert isinstance(position, Connect6Position)
        while position.outcome() is None and position.ply < max(turns):
            turn, value, _ = programs[LOCAL].search(position, min(depths))
            if position.ply + 1 in turns and abs(value) < WON:
                for depth in depths:
                    seconds, answers = {}, set()
                    for scan, program in programs.items():
                        start = time.perf_counter()
                        answers.add(program.search(position, depth))
                        seconds[scan] = time.perf_counter() - start
                    if len(answers) > 1:
                        raise AssertionError(f"{position.fen()}: the two differ at depth {depth}: {answers}")
                    found.append(Timing(position.ply + 1, depth, seconds[LOCAL], seconds[GLOBAL]))
                    print(*(f"{x:.3f}" if isinstance(x, float) else x for x in found[-1]), file=sys.stderr, flush=True)
            position.push(turn)
    return found


def means(timings: list[Timing], depth: int) -> dict[int, tuple[float, float]]:
    """Return the mean seconds of the local and the global scan, by number of the turn."""
    chosen = [t for t in timings if t.depth == depth]
    return {
        turn: (
            statistics.mean(t.local for t in chosen if t.turn == turn),
            statistics.mean(t.whole for t in chosen if t.turn == turn),
        )
        for turn in sorted({t.turn for t in chosen})
    }


def report_times(timings: list[Timing], plot: Path | None) -> None:
    depths = sorted({t.depth for t in timings})
    print("depth  turn    local s   global s   ratio")
    for depth in depths:
        for turn, (local, whole) in means(timings, depth).items():
            paper = ""
            if turn == PAPER_TURN and depth in PAPER:
                theirs = PAPER[depth]
                paper = f"   paper {theirs[0]:.1f} s, {theirs[1]:.1f} s: {theirs[1] / theirs[0]:.1f}"
            print(f"{depth:5} {turn:5} {local:10.4f} {whole:10.4f} {whole / local:7.1f}{paper}")
    if plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4 * len(depths), 3.2), layout="constrained")
        for axes, depth in zip(figure.subplots(1, len(depths), squeeze=False)[0], depths, strict=True):
            rows = means(timings, depth)
            for place, scan in enumerate(NAMES):
                axes.semilogy(list(rows), [pair[place] for pair in rows.values()], "o-", label=NAMES[scan])
            axes.set(title=f"depth {depth}", xlabel="turn", ylabel="seconds a turn")
            axes.legend()
        save_plot(figure, plot)


class ScanJob(NamedTuple):
    """A game to be played."""

    opening: list[str]
    local_side: int
    width: int
    seconds: float  # a turn
    max_turns: int  # a game that reaches it is drawn


class ScanGame(NamedTuple):
    points: float  # of the local program
    turns: int
    depths: tuple[list[int], list[int]]  # finished for each turn, LOCAL and GLOBAL


class Scanner(Player):
    """A program with a time for each turn; keeps the depths that it finished."""

    def __init__(self, scan: int, width: int, seconds: float) -> None:
        self._program, self._seconds = Program(scan, width), seconds
        self.depths: list[int] = []

    def choose(self, turn: Turn) -> Choice:
        assert isinstance(turn.position, Connect6Position)
        move, _, depth = self._program.search(turn.position, MAX_DEPTH, self._seconds)
        self.depths.append(depth)
        return Choice(turn.position.move_text(move), 0.0)


def play(job: ScanJob) -> ScanGame:
    local, whole = (Scanner(scan, job.width, job.seconds) for scan in (LOCAL, GLOBAL))
    referee = Referee(script.load_once("connect6"), Opening(moves=job.opening))
    seated = (local, whole) if job.local_side == 0 else (whole, local)
    winner = play_moves(referee, seated, [Clock(), Clock()], ("", ""), Adjudication(job.max_turns)).winner
    points = 0.5 if winner is None else float(winner == job.local_side)
    return ScanGame(points, len(referee.words), (local.depths, whole.depths))


def report_games(width: int, seconds: float, played: list[ScanGame], plot: Path | None) -> None:
    pairs = [0] * 5
    for first, second in zip(played[::2], played[1::2], strict=True):
        pairs[round(2 * (first.points + second.points))] += 1
    result = estimate(pairs)
    wins, losses = (sum(game.points == points for game in played) for points in (1.0, 0.0))
    print(f"width {width}, {seconds} s a turn: local against global, {len(played)} games")
    print(f"W-D-L {wins}-{len(played) - wins - losses}-{losses}  score {result.score:.1%} +- {result.bar:.1%}")
    for scan, name in NAMES.items():
        print(f"{name}: mean depth {statistics.mean(depth for game in played for depth in game.depths[scan]):.2f}")
    if plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 3.2), layout="constrained")
        score, depth = figure.subplots(1, 2)
        score.bar(["local", "drawn", "global"], [wins, len(played) - wins - losses, losses])
        score.set(title=f"width {width}, {seconds} s a turn", ylabel="games won")
        for scan, name in NAMES.items():
            longest = max(len(game.depths[scan]) for game in played)
            rows = [[game.depths[scan][i] for game in played if i < len(game.depths[scan])] for i in range(longest)]
            depth.plot(range(1, longest + 1), [statistics.mean(row) for row in rows], label=name)
        depth.set(xlabel="turn of the program", ylabel="mean depth finished")
        depth.legend()
        save_plot(figure, plot)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("times", "games"):
        command = commands.add_parser(name)
        command.add_argument("openings", type=Path)
        command.add_argument("--width", type=int, default=10, help=f"1 to {MAX_WIDTH}")
        command.add_argument("--games", type=int, default=2 if name == "times" else 100)
        command.add_argument("--plot", type=Path, help="an SVG or PNG to draw")
    commands.choices["times"].add_argument("--depths", type=int, nargs="+", default=[3, 4, 5])
    commands.choices["times"].add_argument("--turns", type=int, nargs="+", default=[5, 7, 9, 11, 13])
    commands.choices["games"].add_argument("--seconds", type=float, default=0.2, help="for a turn")
    commands.choices["games"].add_argument("--max-turns", type=int, default=150, help="of a game; then it is drawn")
    commands.choices["games"].add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    check_plot(options.plot)
    try:
        openings = read_openings(options.openings)
    except Forfeit as error:
        parser.error(f"{options.openings}: {error}")
    if not 1 <= options.width <= MAX_WIDTH or not openings:
        parser.error(f"a width of 1 to {MAX_WIDTH} and an opening are needed")
    if options.command == "times":
        report_times(measure(openings, options.games, options.depths, options.turns, options.width), options.plot)
        return 0
    jobs = [
        ScanJob(openings[game // 2 % len(openings)], game % 2, options.width, options.seconds, options.max_turns)
        for game in range(options.games)
    ]
    with Workers(options.jobs) as workers:
        played = list(script.progress(workers.map(play, jobs), total=len(jobs)))
    report_games(options.width, options.seconds, played, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
