"""Train the networks of Connect6's evaluation, from games to the file that the engine reads.

    python scripts/network/train_connect6_network.py --policy expert.csv.gz --value own.jsonl.zst --out my.network

`--policy`: games whose turns the policy learns to expect. `--value`: games of match/self_play.py; the value learns
their results, mixed with the scores of their searches (`--result-share`). `--positions`: files of
sample_connect6_positions.py, whose scores the value learns. `--start` begins with the networks of a file; one that gets
no games stays as it is there. One opening of twenty is held out, with all its games: the losses are log
losses there, of the stones' points and of the target.

A thread learns from 5,000 positions a second. The same options and number of threads give the same networks. Prints the
losses, and the loss by rounding to integers.

Data: games of Connect6 as JSON lines (`moves`, `result`) or CSV; the shipped policy is of 19,368 expert games of Little
Golem, which are not shipped. `python scripts/match/self_play.py connect6 own.jsonl.zst` makes games for the value.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scripts.common import script
from scripts.network.adam import MOMENTS, Steps
from scripts.network.batches import batches
from scripts.network.connect6_kernels import compile_kernels, policy_gradients, value_gradients
from scripts.network.connect6_samples import ValueSamples, policy_samples, scored_positions, value_samples

from siqi.games.books.book import BookFileError
from siqi.games.connect6.evaluation.network import (
    CHANNELS,
    INTEREST_LOGIT,
    KIND,
    LARGEST,
    LAYOUT,
    NETWORK_BOOK,
    SHIFT,
    SUM_SHIFT,
    UNIT,
    VALUE_LOGIT,
    Network,
    read_network,
    write_network,
)

POLICY = ("policy_rows", "policy_biases", "policy_weights", "policy_centre")
VALUE = (
    "value_rows", "value_biases", "value_weights", "hidden_weights", "hidden_biases", "hidden_outputs", "value_bias",
)  # fmt: skip

ROW_SPREAD, POLICY_SPREAD, HIDDEN_SPREAD, OUTPUT_SPREAD = 0.04, 0.2, 0.15, 0.1
"""Standard deviations of initial weights."""

KEEP_SQUARE = 0.99
"""Share of the mean square of a gradient that a step of Adam keeps."""

_ONE = 1 << SHIFT
UNITS = {
    "policy_rows": UNIT,
    "policy_biases": UNIT,
    "policy_weights": INTEREST_LOGIT / UNIT * _ONE,
    "policy_centre": INTEREST_LOGIT * _ONE,
    "value_rows": UNIT,
    "value_biases": UNIT,
    "value_weights": VALUE_LOGIT / UNIT * _ONE,
    "hidden_weights": _ONE,
    "hidden_biases": UNIT * _ONE,
    "hidden_outputs": VALUE_LOGIT / UNIT * _ONE,
    "value_bias": VALUE_LOGIT * _ONE,
}
"""Integers of `Network` per unit of each parameter."""

assert 1 << SUM_SHIFT == 64  # as in training

MAX_OUTPUTS = 0.95 * np.iinfo(np.int32).max / (LARGEST * UNITS["hidden_outputs"])
"""The largest sum of the hidden neurons' outputs, either way: with more the engine's sum might overflow."""

State = dict[str, Any]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("--policy", type=Path, nargs="+", default=[], metavar="FILE", help="games to learn turns on")
    option("--value", type=Path, nargs="+", default=[], metavar="FILE", help="games to learn results and scores on")
    option("--positions", type=Path, nargs="+", default=[], metavar="FILE", help="positions to learn scores on")
    option("--start", type=Path, metavar="NETWORK", help="begin with these networks")
    option("--policy-epochs", type=float, default=2.0, metavar="N", help="passes over the positions; %(default)s")
    option("--value-epochs", type=float, default=4.0, metavar="N", help="passes over the positions; %(default)s")
    option("--share", type=float, default=1.0, metavar="X", help="of the positions that the value sees; %(default)s")
    option("--result-share", type=float, default=0.25, metavar="X", help="in the value's target; %(default)s")
    option("--rate", type=float, default=3e-3, metavar="X", help="largest step; %(default)s")
    option("--batch", type=int, default=128, help="positions a step; %(default)s")
    option("--seed", type=int, default=1)
    option("--threads", type=int, default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
    script.add_jobs(parser, what="processes that label positions")
    script.add_output(parser, "the networks")
    options = parser.parse_args(arguments)
    has_value = bool(options.value or options.positions)
    if not options.policy and not has_value:
        parser.error("--policy, --value or --positions needs files")
    if not options.start and not (options.policy and has_value):
        parser.error("without --start, --policy and --value or --positions need files")
    if min(options.policy_epochs, options.value_epochs) <= 0 or not 0 < options.rate < 1:
        parser.error("epochs and --rate must be positive, --rate below 1")
    if min(options.batch, options.threads, options.jobs) < 1 or options.seed < 0:
        parser.error("--batch, --threads and --jobs must be at least 1, --seed at least 0")
    if not 0 < options.share <= 1 or not 0 <= options.result_share <= 1:
        parser.error("--share and --result-share must be within 0..1")
    return options


# ---------------------------------------------------------------- parameters


def new_state(seed: int) -> State:
    """Return the parameters of networks that have learned nothing, in float32."""
    random = np.random.default_rng(seed)
    spread = {
        "policy_rows": ROW_SPREAD,
        "policy_weights": POLICY_SPREAD,
        "value_rows": ROW_SPREAD,
        "hidden_weights": HIDDEN_SPREAD,
        "hidden_outputs": OUTPUT_SPREAD,
    }
    return {
        name: random.normal(0, spread.get(name, 0.0), shape).astype(np.float32) for name, (_, shape) in LAYOUT.items()
    }


def floats(network: Network) -> State:
    """Return the parameters of networks of integers, in float32."""
    return {name: (getattr(network, name) / UNITS[name]).astype(np.float32) for name in LAYOUT}


def quantise(state: State) -> Network:
    """Return the networks as integers. ValueError if a weight does not fit its type."""
    arrays = []
    for name, (kind, _) in LAYOUT.items():
        limits, rounded = np.iinfo(kind), np.rint(state[name].astype(np.float64) * UNITS[name])
        if not (np.isfinite(rounded).all() and rounded.min() >= limits.min and rounded.max() <= limits.max):
            raise ValueError(f"a weight of {name} does not fit {limits.bits} bits")
        arrays.append(rounded.astype(kind))
    return Network(*arrays)


def as_tables(state: State, names: Sequence[str]) -> list[Any]:
    """Return parameters as the kernels have them."""
    return [state[name].reshape(-1, CHANNELS) if name.endswith("_rows") else state[name] for name in names]


# ---------------------------------------------------------------- learning


class Learner:
    """Learns one of the networks, by steps of Adam."""

    def __init__(self, state: State, names: Sequence[str], steps: Steps) -> None:
        compile_kernels()
        self._names, self._steps = names, steps
        self.state: State = {name: state[name].copy() for name in names} | {"steps": 0}
        for name in names:
            self.state |= {f"{name}_{moment}": np.zeros_like(state[name]) for moment in MOMENTS}
        self._gradients = [{name: np.zeros_like(state[name]) for name in names} for _ in range(steps.threads)]

    def loss(self, samples: tuple[Any, ...], unit: float = 0.0) -> float:
        """Return the mean loss of samples; with `unit`, leave the gradients of that times the sum of losses."""

        def work(part: slice, thread: int) -> float:
            gradients = self._gradients[thread]
            for gradient in gradients.values():
                gradient.fill(0)
            arrays = [np.ascontiguousarray(values[part]) for values in samples]
            tables = as_tables(self.state, self._names), as_tables(gradients, self._names)
            if self._names == POLICY:
                return float(policy_gradients(*arrays, np.float32(unit), *tables[0], *tables[1]))
            logits = np.empty(len(arrays[0]), np.float32)
            return float(value_gradients(*arrays, np.float32(unit), *tables[0], *tables[1], logits))

        return sum(self._steps.share(work, len(samples[0]))) / max(1, len(samples[0]))

    def step(self, samples: tuple[Any, ...], rate: float) -> float:
        """Learn from a batch; return the mean loss before the step."""
        loss = self.loss(samples, 1 / len(samples[0]))
        self.state["steps"] += 1
        for name in self._names:
            total = self._gradients[0][name]
            for other in self._gradients[1:]:
                np.add(total, other[name], out=total)
            self._steps.move(self.state, name, total, rate)
        if self._names == VALUE:
            outputs = self.state["hidden_outputs"]
            outputs *= MAX_OUTPUTS / max(MAX_OUTPUTS, np.abs(outputs).sum())
        return loss


def learn(
    learner: Learner, samples: tuple[Any, ...], held_out: tuple[Any, ...], epochs: float, options: argparse.Namespace,
    report: Callable[[str], None],
) -> float:  # fmt: skip
    """Learn from samples; return the loss on those held out at the end."""
    random = np.random.default_rng(options.seed)
    losses, test = [], math.nan
    for rows, rate, due in batches(len(samples[0]), options.batch, epochs, options.rate, random):
        losses.append(learner.step(tuple(values[rows] for values in samples), rate))
        if due:
            test = learner.loss(held_out)
            report(f"{due}: loss {np.mean(losses):.4f}, held out {test:.4f}")
            losses = []
    return test


def targets(samples: ValueSamples, result_share: float) -> tuple[Any, Any]:
    """Return the boards and targets of samples."""
    mixed = result_share * samples.results + (1 - result_share) * samples.chances
    return samples.boards, mixed.astype(np.float32)


def joined(parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return samples of several files as those of one."""
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    out = script.output_file(options, NETWORK_BOOK, script.is_book(KIND))
    started = time.perf_counter()
    state = new_state(options.seed)
    if options.start:
        try:
            state = floats(read_network(options.start))
        except BookFileError as error:
            raise OSError(str(error)) from None
    about: dict[str, Any] = {"seed": options.seed, "rate": options.rate, "batch": options.batch}
    steps = Steps(options.threads, KEEP_SQUARE)

    def report(text: str) -> None:
        print(f"{time.perf_counter() - started:6.0f} s  {text}", flush=True)

    def train(name: str, names: Sequence[str], parts: Any, epochs: float) -> None:
        learned, held_out = parts
        if not len(learned[0]) or not len(held_out[0]):
            raise OSError(
                None, f"games for --{name} are too few: {len(learned[0])} positions, {len(held_out[0])} held out"
            )
        report(f"{name}: {len(learned[0]):,} positions, {len(held_out[0]):,} held out")
        learner = Learner(state, names, steps)
        learn(learner, learned, held_out, epochs, options, lambda text: report(f"{name} {text}"))
        state.update({key: learner.state[key] for key in names})
        rounded = Learner(floats(quantise(new_state(0) | state)), names, steps).loss(held_out)
        report(f"{name}: {rounded:.4f} with weights rounded")
        about[name] = {"positions": len(learned[0]), "epochs": epochs, "loss": round(rounded, 4)}

    try:
        if options.policy:
            train("policy", POLICY, policy_samples(options.policy, options.seed), options.policy_epochs)
        if options.value or options.positions:
            files = [value_samples(path, options.share, options.seed, script.jobs(options)) for path in options.value]
            mixed = [tuple(targets(part, options.result_share) for part in file) for file in files]
            mixed += [scored_positions(path) for path in options.positions]
            train("value", VALUE, [joined(parts) for parts in zip(*mixed, strict=True)], options.value_epochs)
            about["value"] |= {"share": options.share, "result_share": options.result_share}
        write_network(out, {"training": about}, quantise(state))
    except ValueError as error:
        raise OSError(None, f"is not written: {error}", str(out)) from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
