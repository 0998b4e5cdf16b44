"""Train the network of Junqi's evaluation, from games to the file that the engine reads.

    python scripts/network/train_junqi_network.py own.jsonl others.jsonl --out my.network

Positions of games, as the referee sees them, are taken every `--every` plies. The network learns from the results
what the terms miss: its value is added to their sum. Games with the same deployments stay together; one of ten is held
out. Prints the mean squared error of the chance there, and the log loss in nats: of the terms alone, of the network
after each tenth of the training, and with its weights rounded.

Data: logs that `python scripts/papers/compare_players.py junqi own.jsonl --pairing siqi "siqi Beliefs=habits"` makes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scripts.common import script
from scripts.match.junqi_views import is_held_out, own_games
from scripts.network.batches import batches
from scripts.network.junqi_inputs import UNIT, Samples, samples_of
from scripts.network.learner import Learner, new_state, weights_of
from scripts.network.weights import evaluate, quantise

from siqi.games.books.nnue import MAX_BUCKETS
from siqi.games.junqi.evaluation.network import ARCHITECTURE, NETWORK_BOOK, write_network


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("games", type=Path, nargs="+", help="logs of games to learn from")
    option(
        "--every", type=int, default=3, metavar="N", help="plies between positions, odd: both sides move; %(default)s"
    )
    option("--buckets", type=int, default=4, help="outputs by the number of mobile pieces; %(default)s")
    option("--epochs", type=float, default=2.0, metavar="N", help="passes over the positions; %(default)s")
    option("--rate", type=float, default=1e-3, metavar="X", help="largest step; %(default)s")
    option("--decay", type=float, default=60.0, metavar="X", help="of the rows, times the step; %(default)s")
    option("--batch", type=int, default=2048, help="positions a step; %(default)s")
    option("--seed", type=int, default=1)
    option("--threads", type=int, default=1)
    script.add_output(parser, "the network")
    options = parser.parse_args(arguments)
    if min(options.every, options.batch, options.threads) < 1 or options.seed < 0 or options.decay < 0:
        parser.error("--every, --batch and --threads must be at least 1, --seed and --decay not negative")
    if options.epochs <= 0 or not 0 < options.rate < 1 or not 1 <= options.buckets <= MAX_BUCKETS:
        parser.error(f"--epochs must be positive, --rate within 0..1, --buckets within 1..{MAX_BUCKETS}")
    return options


def losses_of(logits: Any, results: Any) -> dict[str, float]:
    """Return the mean squared error of the chances, and the log loss."""
    logits, results = np.asarray(logits, np.float64), np.asarray(results, np.float64)
    error = (1 / (1 + np.exp(-logits)) - results) ** 2
    log_loss = np.logaddexp(0, logits) - results * logits
    return {"error": round(float(error.mean()), 5), "log_loss": round(float(log_loss.mean()), 4)}


def read(paths: Sequence[Path], every: int, buckets: int) -> tuple[Samples, Samples]:
    """Return the positions to learn from, and those that are held out. OSError if there are too few games."""
    parts: tuple[list[list[str]], list[list[str]]] = [], []
    for words in dict.fromkeys(tuple(words) for path in paths for words in own_games(path)):
        parts[is_held_out(list(words))].append(list(words))
    learned, held_out = (samples_of(script.progress(part, unit=" games"), every, buckets) for part in parts)
    if not len(learned.results) or not len(held_out.results):
        raise OSError(None, "too few games", str(paths[0]))
    return learned, held_out


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    out = script.output_file(options, NETWORK_BOOK, script.is_book(ARCHITECTURE.kind))
    started = time.perf_counter()

    def report(text: str, losses: dict[str, float]) -> None:
        shown = f"error {losses['error']:.5f}, log loss {losses['log_loss']:.4f}"
        print(f"{time.perf_counter() - started:6.0f} s  {text}: held out {shown}", flush=True)

    learned, held_out = read(options.games, options.every, options.buckets)
    count = len(learned.results)
    print(f"{count:,} positions, {len(held_out.results):,} held out")
    report("terms", losses_of(held_out.inputs.bases, held_out.results))
    learner = Learner(new_state(ARCHITECTURE, options.buckets, options.seed), options.threads)
    random = np.random.default_rng(options.seed)
    for rows, rate, due in batches(count, options.batch, options.epochs, options.rate, random):
        learner.step(learned.inputs.part(rows), learned.results[rows], rate, options.decay)
        if due:
            report(due, losses_of(learner.values(held_out.inputs), held_out.results))
    try:
        network = quantise(weights_of(learner.state()), ARCHITECTURE, UNIT)
    except ValueError as error:
        raise OSError(None, f"is not written: {error}", str(out)) from None
    rounded = losses_of(held_out.inputs.bases + evaluate(network, held_out.inputs) / UNIT, held_out.results)
    report("integers", rounded)
    settings = {name: getattr(options, name) for name in ("every", "epochs", "rate", "decay", "batch", "seed")}
    write_network(out, {"training": settings | {"positions": count}, "held_out": rounded}, network)
    return 0


if __name__ == "__main__":
    sys.exit(main())
