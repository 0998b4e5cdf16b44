"""Compare settings of Xiangqi's search by how near short searches come to long ones.

    python scripts/network/compare_searches.py deep.samples --nodes 5000 TuneRazor=120 TuneNull=150,TuneCapture=80

The scores of the file are those of long searches (`sample_positions.py --label-nodes 200000`). Each position is
searched by `--nodes` with a cleared memory. The error is the mean difference of the two scores as chances to win. Per
variant it prints how much larger the error is than the default's, in percent, with the bound of 95 % of the paired
difference. The first row is the default with twice the nodes, as a measure: what it gains is worth a doubling of time.

A variant is one or more margins (siqi/games/xiangqi/data/margins.py). Long searches by the default make its own
mistakes, too, so a small gain is to be confirmed by games.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script
from scripts.network.measure_xiangqi_network import samples_of
from scripts.network.sampling import MAX_SCORE, Search, set_up_sample
from scripts.network.xiangqi_inputs import chance_of

from siqi.daemon.cluster.jobs import in_order
from siqi.daemon.match import statistics
from siqi.games.kernel.jit import new_record
from siqi.games.xiangqi.data.margins import HIGHEST, LOWEST, MARGIN_OPTIONS, Margins
from siqi.games.xiangqi.evaluation.accumulator import NetworkEvaluation
from siqi.games.xiangqi.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.xiangqi.rules.position import POSITION_DTYPE


class Variant(NamedTuple):
    """A setting of the search."""

    name: str
    margins: Margins
    nodes: int


def parse_variant(text: str) -> tuple[str, Margins]:
    """Return words as `TuneRazor=120,TuneNull=150` with their margins; for argparse."""
    margins = Margins()
    for word in text.split(","):
        name, _, number = word.partition("=")
        field = MARGIN_OPTIONS.get(name)
        if field is None:
            raise argparse.ArgumentTypeError(f"no margin {name}")
        if not number.removeprefix("-").isdecimal():
            raise argparse.ArgumentTypeError(f"not a number: {word}")
        low, high = getattr(LOWEST, field), getattr(HIGHEST, field)
        if not low <= int(number) <= high:
            raise argparse.ArgumentTypeError(f"{word} is not within {low}..{high}")
        margins = margins._replace(**{field: int(number)})
    return text, margins


def search_errors(path: Path, variant: Variant) -> Any:
    """Return the error of a variant on each sample of a file, float [n]: a difference of chances."""
    samples = samples_of(path)
    search = Search(NetworkEvaluation(read_network(NETWORK_BOOK)), variant.margins)
    pos, scores = new_record(POSITION_DTYPE), np.empty(len(samples))
    for i in range(len(samples)):
        set_up_sample(pos, samples, i)
        search.clear()
        scores[i] = search.score(pos, variant.nodes)
    both = np.clip([scores, samples["score"]], -MAX_SCORE, MAX_SCORE)
    return np.abs(np.subtract(*chance_of(both)))


def difference(errors: Any, usual: Any) -> statistics.Mean:
    """Return the excess of errors over the default's on the same positions, as a share of the latter."""
    return statistics.mean(((errors - usual) / usual.mean()).tolist())


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    parser.add_argument("file", type=Path, help="positions with scores of long searches")
    parser.add_argument("variants", nargs="*", type=parse_variant, metavar="TUNE=N,...", help="its margins")
    parser.add_argument("--nodes", type=int, default=5000, help="of a search; %(default)s")
    script.add_jobs(parser)
    options = parser.parse_args(arguments)
    if options.nodes < 1:
        parser.error("--nodes must be at least 1")
    variants = [Variant(text, margins, options.nodes) for text, margins in options.variants]
    count = len(samples_of(options.file))
    usual = Variant("default", Margins(), options.nodes)
    all_variants = [usual, usual._replace(name="twice the nodes", nodes=2 * options.nodes), *variants]
    each, jobs = functools.partial(search_errors, options.file), script.jobs(options)
    results = (each(variant) for variant in all_variants) if jobs == 1 else in_order(each, all_variants, jobs)
    with contextlib.closing(results):
        first = next(results)
        print(f"{count:,} positions, {options.nodes:,} nodes: the default's error is {first.mean():.5f}", flush=True)
        for variant, errors in zip(all_variants[1:], results, strict=True):
            excess = difference(errors, first)
            print(f"{variant.name}: {excess.mean:+.2%} +- {excess.bar:.2%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
