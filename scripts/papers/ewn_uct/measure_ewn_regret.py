"""Measure the chance to win that players of EWN lose per decision, in positions whose values are known.

    python -m scripts.papers.ewn_uct.measure_ewn_regret values.csv --ms 1 5 50 --player siqi --player "siqi Threads=2"
    python -m scripts.papers.ewn_uct.measure_ewn_regret values.csv --nodes 20000 --player uct --player improved --jobs 2

Players are those of players.py, a name with options. Each position is searched anew, after each throw.

Data: the exact values are not shipped; tests/support/fixtures/ewn_values.csv is such a file of 36 positions.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from scripts.common import script
from scripts.common.table import Table
from scripts.papers.ewn_uct.players import make_player
from scripts.papers.ewn_uct.regret import Decision, decisions, regret_of

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.cluster.jobs import in_order

player_of = functools.lru_cache(1)(make_player)
"""Return the player of a name, which stays in its process for the next positions."""


class Question(NamedTuple):
    """A player and a position whose decisions it makes."""

    player: str
    limit: PlayerLimits
    case: Decision


def regret_at(question: Question) -> float:
    return regret_of(player_of(question.player), question.case, question.limit)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("values", type=Path, help="a CSV file: fen, n_red, n_blue, all1 .. all6")
    parser.add_argument("--player", action="append", required=True, metavar="NAME")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--ms", type=int, nargs="+", default=[50], help="for a move")
    limit.add_argument("--nodes", type=int, nargs="+", help="for a move, in place of a time: nodes or playouts")
    script.add_jobs(parser)
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    jobs = script.jobs(options)
    cases = list(decisions(options.values))
    limits = (
        [PlayerLimits(nodes=nodes) for nodes in options.nodes]
        if options.nodes
        else [PlayerLimits(ms) for ms in options.ms]
    )
    sizes = sorted({case.pieces for case in cases})
    ways = list(itertools.product(options.player, limits))
    questions = [Question(name, each, case) for name, each in ways for case in cases]
    regrets = (regret_at(question) for question in questions) if jobs == 1 else in_order(regret_at, questions, jobs)
    lost: dict[tuple[str, PlayerLimits], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    with contextlib.closing(regrets):
        for question, regret in zip(questions, script.progress(regrets, total=len(questions)), strict=True):
            lost[question.player, question.limit][question.case.pieces].append(regret)
    rows = []
    for name, each in ways:
        by_pieces = lost[name, each]
        means = [
            statistics.fmean(itertools.chain.from_iterable(by_pieces[n] for n in sizes)),
            *(statistics.fmean(by_pieces[n]) for n in sizes),
        ]
        rows.append((name, each.text, *(f"{mean:.6f}" for mean in means)))
    columns = ("player", "limit", "regret", *(f"of {n} pieces" for n in sizes))
    print(Table("", columns, rows).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
