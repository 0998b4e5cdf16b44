"""The chance to win that players of EWN lose a decision, in positions whose values are known.

    python scripts/measure/measure_ewn_regret.py exact_values.csv --ms 1 5 50 --player siqi --player "siqi Threads=2"
    python scripts/measure/measure_ewn_regret.py exact_values.csv --nodes 20000 --player uct --player improved

Players are those of lib/ewn_players.py, a name with options. Each position is searched anew, after each throw.

Data: the exact values are not shipped; tests/support/fixtures/ewn_values.csv is such a file of 36 positions.
"""

from __future__ import annotations

import itertools
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from scripts.lib import script
from scripts.lib.ewn_players import make_player
from scripts.lib.ewn_regret import decisions, regret_of
from scripts.lib.paper import Table
from scripts.lib.paper_games import Limit


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("values", type=Path, help="a CSV file: fen, n_red, n_blue, all1 .. all6")
    parser.add_argument("--player", action="append", required=True, metavar="NAME")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--ms", type=float, nargs="+", default=[50], help="for a move")
    limit.add_argument("--nodes", type=int, nargs="+", help="for a move, in place of a time: nodes or playouts")
    options = parser.parse_args()
    cases = list(decisions(options.values))
    limits = [Limit(nodes=nodes) for nodes in options.nodes] if options.nodes else [Limit(ms) for ms in options.ms]
    sizes = sorted({case.pieces for case in cases})
    rows = []
    for name, each in itertools.product(options.player, limits):
        who = make_player(name)
        lost: dict[int, list[float]] = defaultdict(list)
        for case in script.progress(cases, desc=f"{name} {each.text}"):
            lost[case.pieces].append(regret_of(who, case, each))
        means = [
            statistics.fmean(itertools.chain.from_iterable(lost.values())),
            *(statistics.fmean(lost[n]) for n in sizes),
        ]
        rows.append((name, each.text, *(f"{mean:.6f}" for mean in means)))
    columns = ("player", "limit", "regret", *(f"of {n} pieces" for n in sizes))
    print(Table("", columns, rows).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
