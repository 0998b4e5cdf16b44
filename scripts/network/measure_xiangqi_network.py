"""Measure how well networks of Xiangqi know the scores of searches, on files of positions that they did not learn from.

    python scripts/network/measure_xiangqi_network.py held_out.samples lost.samples --network my.network shipped

`sample_positions.py` and `sample_lost_games.py` make such files. A network's static value and the score count as
chances to win. Per file and network it prints the mean squared error of the chance, as the training does; the log loss
in nats, and the least possible, that of the scores themselves; and how far the value is above the score in
centipawns, the mean over positions within 600 centipawns: above 0 the side to move is seen too well.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script
from scripts.common.table import Table
from scripts.network.samples import Samples, read_samples
from scripts.network.weights import evaluate
from scripts.network.xiangqi_inputs import chance_of, inputs_of

from siqi.games.books.book import BookFileError
from siqi.games.books.nnue import Network
from siqi.games.xiangqi.evaluation.network import NETWORK_BOOK, read_network

SHIPPED = "shipped"

LARGEST = 600
"""Scores beyond it (centipawns) are left out of the mean difference: there a value need not be exact."""


class Errors(NamedTuple):
    """The errors of a network's values against the scores of positions."""

    squared: float  # mean squared error of the chance
    log_loss: float  # nats
    least: float  # the log loss of the scores themselves, nats
    above: float  # centipawns


def errors_of(values: Any, scores: Any) -> Errors:
    """Return the errors of values against scores, both in centipawns and in the view of the side to move."""
    guess, chance = chance_of(values), chance_of(scores)

    def log_loss(guessed: Any) -> float:
        return -float((chance * np.log(guessed) + (1 - chance) * np.log(1 - guessed)).mean())

    is_even = np.abs(scores) <= LARGEST
    above = float((values - scores)[is_even].mean()) if is_even.any() else 0.0
    return Errors(float(((guess - chance) ** 2).mean()), log_loss(guess), log_loss(chance), above)


def samples_of(path: Path) -> Samples:
    """Return all samples of a file; OSError if there are none."""
    blocks = list(read_samples(path))
    if not blocks:
        raise OSError(None, "has no positions", str(path))
    return np.concatenate(blocks)


def network_of(name: str) -> Network:
    """Return the network of a file, or the shipped one."""
    try:
        return read_network(NETWORK_BOOK if name == SHIPPED else Path(name))
    except BookFileError as error:
        raise OSError(str(error)) from None


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="positions with scores")
    parser.add_argument("--network", nargs="+", default=[SHIPPED], metavar="NETWORK", help=f"files; {SHIPPED}")
    options = parser.parse_args(arguments)
    networks = {name: network_of(name) for name in options.network}
    rows = []
    for path in options.files:
        samples = samples_of(path)
        scores = samples["score"].astype(np.int64)
        for name, network in networks.items():
            errors = errors_of(evaluate(network, inputs_of(samples, network.buckets)), scores)
            figures = (f"{errors.squared:.5f}", f"{errors.log_loss:.4f}", f"{errors.least:.4f}", f"{errors.above:+.0f}")
            rows.append((path.name, f"{len(samples):,}", Path(name).name, *figures))
    heads = ("file", "positions", "network", "squared error", "log loss", "least possible", "centipawns above")
    print(Table("", heads, rows).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
