"""Train the network of Junqi's beliefs, from games to the file that the engine reads.

    python scripts/network/train_junqi_beliefs.py own.jsonl others.jsonl --test GAMES --out my.network

Each side's view is taken every `--every` plies. The network learns to give the true types of the other side's uncertain
pieces the highest chance: the loss is the mean -ln of that chance, in nats, by the beliefs that follow from deployment,
deduction and network (marginals). Games with the same deployments stay together; one of ten is held out. Half of the
views are mirrored at the middle column. Prints the loss of deployments alone, of habits and of the network: on what is
held out of each file, and on `--test`, a referee's log, which is not learned from.

Data: logs that `python scripts/papers/compare_players.py junqi own.jsonl --pairing siqi siqi` makes. Games of several
kinds of opponents and deployments make beliefs that hold against more than the engine itself.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script
from scripts.match.junqi_views import LEAST_CHANCE, View, is_held_out, own_games, referee_games, views_of
from scripts.network.adam import MOMENTS, Steps
from scripts.network.batches import batches
from scripts.network.junqi_belief_kernels import beliefs

from siqi.games.junqi.knowledge.behaviour import factors
from siqi.games.junqi.knowledge.belief import FLAG_SLOT, MIRRORED, deployment_weights
from siqi.games.junqi.knowledge.belief_network import (
    INPUTS,
    KIND,
    LAYOUT,
    NETWORK_BOOK,
    NEURONS,
    Network,
    inputs_of,
    layers,
    write_network,
)
from siqi.games.junqi.knowledge.worlds import SAMPLER_DTYPE
from siqi.games.junqi.rules.lookup import COUNTS, TYPES
from siqi.games.kernel.jit import new_record

FLAG_SLOTS = np.array([FLAG_SLOT, MIRRORED[FLAG_SLOT]])
DEPLOYMENTS = np.log(np.stack([deployment_weights(slot) for slot in FLAG_SLOTS]))
"""By the flag's slot: logarithms of the weights of types, [flag, slot, type]."""

OUTPUT_SPREAD = 0.05
"""Standard deviation of initial output weights; that of other weights is 1 / sqrt(inputs)."""

KEEP_SQUARE = 0.999


class Views(NamedTuple):
    """Views as arrays."""

    may: Any  # int64 [view, piece]
    inputs: Any  # float32 [view, piece, input]
    habits: Any  # float32 [view, piece, type]: logarithms of the factors that habits give
    kinds: Any  # int64 [view, piece]

    def part(self, rows: Any) -> Views:
        return Views(*(array[rows] for array in self))


def arrays_of(views: Sequence[View]) -> Views:
    may = np.array([view.may for view in views], np.int64)
    counts = np.array([view.counts for view in views])
    plies, kinds = np.array([view.plies for view in views]), np.array([view.kinds for view in views])
    learned = np.log(factors(counts)).astype(np.float32)
    return Views(may, inputs_of(may, counts, plies).astype(np.float32), learned, kinds)


# ---------------------------------------------------------------- beliefs


_SAMPLER, _COUNTS = new_record(SAMPLER_DTYPE), np.array(COUNTS, np.int64)


def chances_of(views: Views, logarithms: Any) -> Any:
    """Return the chance of each type, float64 [view, piece, type], by the logarithms of factors."""
    chances = np.empty(logarithms.shape)
    beliefs(_SAMPLER, views.may, logarithms.astype(np.float64), FLAG_SLOTS, DEPLOYMENTS, _COUNTS, chances)
    return chances


def unsure(views: Views) -> Any:
    """Return which pieces are uncertain, bool [view, piece]."""
    return views.may & views.may - 1 != 0


def losses(views: Views, chances: Any) -> Any:
    """Return the -ln of the chance of the true type of each uncertain piece."""
    true = np.take_along_axis(chances, views.kinds[..., None], 2)[..., 0]
    return -np.log(np.maximum(true[unsure(views)], LEAST_CHANCE))


def mean_loss(views: Views, logarithms: Callable[[Views], Any], batch: int) -> float:
    parts = (views.part(slice(first, first + batch)) for first in range(0, len(views.may), batch))
    return float(np.concatenate([losses(part, chances_of(part, logarithms(part))) for part in parts]).mean())


# ---------------------------------------------------------------- learning


class Learner:
    """Learns the network by steps of Adam."""

    def __init__(self, seed: int, decay: float) -> None:
        random = np.random.default_rng(seed)
        spread = {
            "input_weights": 1 / math.sqrt(INPUTS),
            "hidden_weights": 1 / math.sqrt(NEURONS),
            "output_weights": OUTPUT_SPREAD,
        }
        self._steps, self._decay = Steps(1, KEEP_SQUARE), decay
        self._state: dict[str, Any] = {"steps": 0}
        for name, (_, shape) in LAYOUT.items():
            self._state[name] = random.normal(0, spread.get(name, 0.0), shape).astype(np.float32)
            self._state |= {f"{name}_{moment}": np.zeros(shape, np.float32) for moment in MOMENTS}

    def network(self) -> Network:
        return Network(*(self._state[name] for name in LAYOUT))

    def logarithms(self, views: Views) -> Any:
        """Return the logarithms of the factors that the network gives."""
        return layers(self.network(), views.inputs)[2]

    def gradients(self, views: Views, is_mirrored: Any) -> tuple[float, dict[str, Any]]:
        """Return the mean loss and its gradients; views with a true `is_mirrored` [view] are mirrored."""
        inputs = views.inputs.copy()
        inputs[is_mirrored] = inputs[is_mirrored][:, MIRRORED]
        net = self.network()
        first, second, logarithms = layers(net, inputs)
        logarithms[is_mirrored] = logarithms[is_mirrored][:, MIRRORED]
        chances, counted = chances_of(views, logarithms), unsure(views)
        slope = (chances - np.eye(len(TYPES))[views.kinds]) * counted[..., None] / max(1, counted.sum())
        slope[is_mirrored] = slope[is_mirrored][:, MIRRORED]
        slope = slope.astype(np.float32)
        of_second = (slope @ net.output_weights.T) * (second > 0)
        of_first = (of_second @ net.hidden_weights.T) * (first > 0)
        return float(losses(views, chances).mean()), {
            "input_weights": inputs.reshape(-1, INPUTS).T @ of_first.reshape(-1, NEURONS),
            "slot_biases": of_first.sum(0),
            "hidden_weights": first.reshape(-1, NEURONS).T @ of_second.reshape(-1, NEURONS),
            "hidden_biases": of_second.sum((0, 1)),
            "output_weights": second.reshape(-1, NEURONS).T @ slope.reshape(-1, len(TYPES)),
            "slot_outputs": slope.sum(0),
        }

    def step(self, views: Views, is_mirrored: Any, rate: float) -> float:
        """Learn from a batch; return the mean loss before the step."""
        loss, gradients = self.gradients(views, is_mirrored)
        self._state["steps"] += 1
        for name, gradient in gradients.items():
            self._steps.move(self._state, name, np.ascontiguousarray(gradient), rate)
            self._state[name] *= np.float32(1 - rate * self._decay)
        return loss


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path, nargs="+", help="logs of games to learn from")
    parser.add_argument("--test", type=Path, metavar="LOG", help="a referee's log, not learned from")
    parser.add_argument("--every", type=int, default=3, metavar="N", help="plies between a side's views; %(default)s")
    parser.add_argument("--epochs", type=float, default=4.0, metavar="N", help="passes over the views; %(default)s")
    parser.add_argument("--rate", type=float, default=2e-3, metavar="X", help="largest step; %(default)s")
    parser.add_argument("--decay", type=float, default=0.1, metavar="X", help="of weights, times the step; %(default)s")
    parser.add_argument("--batch", type=int, default=256, help="views a step; %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    script.add_output(parser, "the network")
    options = parser.parse_args(arguments)
    if min(options.every, options.batch) < 1 or options.epochs <= 0 or not 0 < options.rate < 1 or options.seed < 0:
        parser.error("--every and --batch must be at least 1, --epochs positive, --rate within 0..1, --seed at least 0")
    return options


def read(games: Iterable[list[str]], every: int) -> tuple[list[View], list[View]]:
    """Return the views to learn from, and those that are held out."""
    parts: tuple[list[View], list[View]] = [], []
    for words in script.progress(games, unit=" games"):
        parts[is_held_out(words)].extend(views_of(words, every))
    return parts


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    out = script.output_file(options, NETWORK_BOOK, script.is_book(KIND))
    started = time.perf_counter()

    def report(text: str) -> None:
        print(f"{time.perf_counter() - started:6.0f} s  {text}", flush=True)

    learned: list[View] = []
    tests: dict[str, Views] = {}
    for path in options.games:
        views, held_out = read(own_games(path), options.every)
        if not views or not held_out:
            raise OSError(None, "too few games", str(path))
        learned += views
        tests[path.name] = arrays_of(held_out)
        report(f"{path.name}: {len(views):,} views, {len(held_out):,} held out")
    if options.test is not None:
        tests[options.test.name] = arrays_of([view for part in read(referee_games(options.test), 1) for view in part])
    samples, learner = arrays_of(learned), Learner(options.seed, options.decay)
    random = np.random.default_rng(options.seed)

    def test(logarithms: Callable[[Views], Any]) -> dict[str, float]:
        return {name: round(mean_loss(views, logarithms, options.batch), 4) for name, views in tests.items()}

    def text(found: dict[str, float]) -> str:
        return ", ".join(f"{name} {loss:.4f}" for name, loss in found.items())

    report(f"deployments: {text(test(lambda views: np.zeros_like(views.habits)))}")
    report(f"habits: {text(test(lambda views: views.habits))}")
    seen, held_out_losses = [], {}
    for rows, rate, due in batches(len(learned), options.batch, options.epochs, options.rate, random):
        seen.append(learner.step(samples.part(rows), random.random(len(rows)) < 0.5, rate))
        if due:
            held_out_losses = test(learner.logarithms)
            report(f"{due}: loss {np.mean(seen):.4f}; held out: {text(held_out_losses)}")
            seen = []
    about = {
        "views": len(learned), "epochs": options.epochs, "rate": options.rate, "decay": options.decay,
        "seed": options.seed, "losses": held_out_losses,
    }  # fmt: skip
    write_network(out, {"training": about}, learner.network())
    return 0


if __name__ == "__main__":
    sys.exit(main())
