"""Time Apriori against mlxtend's on the same games, and check that both find the same item sets and rules.

    python scripts/measure/time_apriori.py games.jsonl.zst --min-support 0.02 --min-confidence 0.3

Transactions are the games' first plies, as in mine_rules.py. mlxtend is spared the items that are too rare alone.

Data: games as JSON lines (`moves`, `result`), PGN or CSV; books/README.md names those of the shipped books, which
are not shipped themselves. `python scripts/play/self_play.py xiangqi own.jsonl` makes some.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

from scripts.lib import script
from scripts.lib.records import read_game_records

from siqi.games.xiangqi.knowledge import apriori
from siqi.games.xiangqi.knowledge.replay import collect, first_plies


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("file", type=Path, help="JSON lines or PGN, also .zst")
    parser.add_argument("--min-support", type=float, default=0.02)
    parser.add_argument("--min-confidence", type=float, default=0.3)
    parser.add_argument("--longest", type=int, default=3, help="items of a set, at most")
    parser.add_argument("--plies", type=int, default=40)
    options = parser.parse_args()
    script.require("mlxtend")
    import pandas
    from mlxtend import frequent_patterns

    games = collect(script.progress(read_game_records(options.file, print), unit=" games"), options.plies, print)
    baskets = [list(plies) for plies in first_plies(games, 0)]
    least = math.ceil(options.min_support * len(baskets))

    started = time.perf_counter()
    levels = apriori.frequent(apriori.columns(baskets, len(games.items)), least, options.longest)
    own_sets_s = time.perf_counter() - started
    own_rules = list(apriori.rules(levels, len(baskets), options.min_confidence))
    own_s = time.perf_counter() - started

    kept = levels[0].sets[:, 0].tolist()
    table = np.zeros((len(baskets), len(kept)), bool)
    column = {item: place for place, item in enumerate(kept)}
    for row, basket in enumerate(baskets):
        table[row, [column[item] for item in basket if item in column]] = True
    frame = pandas.DataFrame(table, columns=kept)
    started = time.perf_counter()
    sets = frequent_patterns.apriori(
        frame, min_support=least / len(baskets), max_len=options.longest, use_colnames=True
    )
    their_sets_s = time.perf_counter() - started
    rules = frequent_patterns.association_rules(sets, metric="confidence", min_threshold=options.min_confidence)
    their_s = time.perf_counter() - started

    own = {frozenset(items) for level in levels for items in level.sets.tolist()}
    same_sets = own == set(sets.itemsets)
    same_rules = {(frozenset(rule.antecedent), frozenset(rule.consequent)) for rule in own_rules} == set(
        zip(rules.antecedents, rules.consequents, strict=True)
    )
    print(f"{len(baskets)} games, {len(own)} item sets (the same: {same_sets}), {len(rules)} rules ({same_rules})")
    print(f"item sets: {own_sets_s:.2f} s against {their_sets_s:.2f}, {their_sets_s / own_sets_s:.0f} times")
    print(f"with the rules: {own_s:.2f} s against {their_s:.2f}, {their_s / own_s:.0f} times")
    return 0 if same_sets and same_rules else 1


if __name__ == "__main__":
    sys.exit(main())
