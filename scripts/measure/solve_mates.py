"""Count the mates that the Xiangqi search finds within a number of nodes.

    python scripts/measure/solve_mates.py mates.jsonl --nodes 200000 --jobs 2
    python scripts/measure/solve_mates.py composed_mates.jsonl --nodes 1000000

A line of the file is an object with `fen` and either `mate_moves`, the mover's moves to the mate (solved: no longer
mate found), or `win_in_plies` (solved: any mate for the mover). Cases without a legal position are skipped; exit status
1 if no case is left.

Data: tests/support/fixtures/xiangqi_mates.jsonl is such a file.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scripts.common import script

from siqi.daemon.cluster.jobs import in_order
from siqi.games.contract import Game, Position, Searcher, Task
from siqi.games.kernel.control import Control


def solve(
    game: Game[Position], searcher: Searcher[Position], case: dict[str, Any], nodes: int
) -> tuple[int | None, int]:
    """Return (moves to the mate found, or None; nodes used)."""
    limit = case.get("mate_moves")
    control = Control(nodes)
    searcher.clear()
    searcher.start(Task(game.position(case["fen"]), control))
    while True:
        report = searcher.iterate()
        mate = report.lines[0].score.mate
        if mate is not None and mate > 0 and (limit is None or mate <= limit):
            break
        if not report.complete or report.finished:
            mate = None
            break
    searcher.finish()
    return mate, control.nodes


class Solution(NamedTuple):
    """The outcome of a case."""

    mate: int | None
    nodes: int


@functools.cache
def _searcher() -> Searcher[Position]:
    """Return the searcher of this process; each case begins with its memory cleared."""
    searcher = script.load_once("xiangqi").searcher()
    searcher.configure(64, 1, 1)
    return searcher


def solve_case(nodes: int, case: dict[str, Any]) -> Solution:
    return Solution(*solve(script.load_once("xiangqi"), _searcher(), case, nodes))


def is_position(game: Game[Position], case: dict[str, Any]) -> bool:
    """True if a case has a legal position; else print the reason on standard error."""
    try:
        game.position(case["fen"])
    except ValueError as error:
        print(f"{case['id']} skipped: {error}", file=sys.stderr)
        return False
    return True


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth case")
    script.add_jobs(parser)
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    cases = [msgspec.json.decode(line) for line in options.file.read_bytes().splitlines()][:: options.every]
    game = script.load_once("xiangqi")
    total = len(cases)
    cases = [case for case in cases if is_position(game, case)]
    solved, spent = 0, 0
    started = time.perf_counter()
    each, jobs = functools.partial(solve_case, options.nodes), script.jobs(options)
    solutions = (each(case) for case in cases) if jobs == 1 else in_order(each, cases, jobs)
    with contextlib.closing(solutions):
        for solution in script.progress(solutions, total=len(cases)):
            solved += solution.mate is not None
            spent += solution.nodes
    seconds = time.perf_counter() - started
    share = solved / len(cases) if cases else 0.0
    print(
        f"{solved} of {len(cases)} solved ({share:.1%}), {spent} nodes in {seconds:.0f} s;"
        f" {total - len(cases)} positions skipped"
    )
    return int(not cases)


if __name__ == "__main__":
    sys.exit(main())
