"""Solve endings of EWN's games by search, with the value of each move, for measure_ewn_regret.py.

    python -m scripts.papers.ewn_uct.solve_ewn_endings match.jsonl values.csv --pieces 7 8 --positions 100 --jobs 2

Draws games of a log of `siqi match` by `--seed`, and takes from each its first position with as many pieces as
`--pieces` names. In each position every move's search goes on until no deeper one can change its value, which may then
be wrong by 2.3e-5. A position is left out if a move takes more than `--nodes`; the last line has the number of those
solved. `--tables` names a folder with the tables of five pieces (build_ewn_tablebases.py), at which the searches end
sooner.

A position is a line of the file, added as it is solved. The same command resumes an interrupted run, and tries again
what was left out.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scripts.common import script
from scripts.match.agents import EngineAgent
from scripts.papers.ewn_uct.regret import COLUMNS, board_of, row_of

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.cluster.jobs import Jobs
from siqi.daemon.match.stats import read_match
from siqi.games.ewn.board import EwnPosition
from siqi.system.log import Log

HEADER = ",".join(COLUMNS).encode()

Solution = tuple[str, dict[str, float] | None]
"""A position without a throw and its moves' chances to win; None if a move took more nodes than allowed."""


def endings_of(log: Path, pieces: int, count: int, seed: int) -> list[str]:
    """Draw games of a log; return the FEN, without a throw, of each one's first position with `pieces` pieces."""
    records = read_match(log).records
    random.Random(seed).shuffle(records)
    fens: dict[str, None] = {}
    for record in records:
        if len(fens) == count:
            break
        position = EwnPosition()
        for word, die in zip(record.moves, [0, 0, *record.dice], strict=True):
            if position.has_pieces and len(position.pieces()) == pieces:
                position.set_dice(0)
                fens[position.fen()] = None
                break
            if die:
                position.set_dice(die)
            position.push(position.parse_move(word))
    return list(fens)


@functools.lru_cache(1)
def _agent(tables: str) -> EngineAgent:
    """Return the searcher of this process."""
    options = {"Hash": "256", **({"EndgamePath": tables} if tables else {})}
    return EngineAgent(script.load("ewn"), options)


def solve(tables: str, nodes: int, fen: str) -> Solution:
    """Solve a position by searches of at most `nodes` for each move."""
    agent, position = _agent(tables), EwnPosition(fen)
    agent.new_game(1)
    values: dict[str, float] = {}
    for move in position.legal_moves():
        position.push(move)
        if position.outcome() is not None:
            values[position.move_text(move)] = 1.0
        else:
            report = agent.search(position, PlayerLimits(nodes=nodes))
            if not report.finished or report.value is None or report.value.win is None:
                return fen, None
            values[position.move_text(move)] = 1.0 - report.value.win
        position.pop()
    return fen, values


def solve_all(fens: Sequence[str], path: Path, each: Callable[[str], Solution], jobs: Jobs) -> Iterator[bool]:
    """Add the rows of positions to a file that may have some of them; yield for each position whether it is solved."""
    there: set[str] = set()
    with Log(
        path, lambda head: head.startswith(HEADER), lambda line: there.add(line.decode().partition(",")[0])
    ) as log:
        if log.is_empty:
            log.add([HEADER])
        missing = [fen for fen in fens if board_of(fen) not in there]
        yield from itertools.repeat(True, len(fens) - len(missing))
        with contextlib.closing(script.finished(each, missing, jobs)) as finished:
            for results in finished:
                log.add([row_of(fen, values).encode() for fen, values in results if values is not None])
                yield from (values is not None for _, values in results)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("log", type=Path, help="games of EWN, a log of `siqi match`")
    parser.add_argument("out", type=Path, help="a CSV file")
    parser.add_argument("--pieces", type=int, nargs="+", default=[7, 8])
    parser.add_argument("--positions", type=int, default=100, help="of each number of pieces")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=100_000_000, help="for a move")
    parser.add_argument("--tables", default="", metavar="DIR", help="the option EndgamePath")
    script.add_jobs(parser)
    options = parser.parse_args()
    fens = [
        fen for pieces in options.pieces for fen in endings_of(options.log, pieces, options.positions, options.seed)
    ]
    each = functools.partial(solve, options.tables, options.nodes)
    results = script.progress(solve_all(fens, options.out, each, script.jobs(options)), total=len(fens))
    left_out = sum(not is_solved for is_solved in results)
    print(f"{len(fens) - left_out} of {len(fens)} positions solved")
    return int(left_out == len(fens))


if __name__ == "__main__":
    sys.exit(main())
