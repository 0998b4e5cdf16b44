"""Train the network of Xiangqi's evaluation, from files of positions to the file that the engine reads.

    python scripts/network/train_xiangqi_network.py --distil static.zst --search leaves.zst deep.zst --out my.network

Data: files of positions with scores and results, of which self-play makes any number.

Two stages, each left out if it has no files: `--distil` learns the hand-made evaluation of positions, which costs
nothing to label and gives the network all that the terms know; `--search` learns scores of searches, mixed with the
results of games (`--result-share`). One block of fifty of the files is held out: the losses are mean squared errors of
the chance to win there.

A network that goes on from another (`--start`) with few positions learns them by heart. Half the way back to where it
began (`--start-share 0.5`) it keeps what they have in common and loses most of the rest.

A thread learns from 350,000 positions a second with 128 neurons a side and eight hidden ones: an epoch of ten million
takes half a minute. A position takes 42 bytes of memory.

Every minute the work is saved next to the network (`.part.npz`); the same command resumes from there. If the files of
positions have grown since, it still uses the positions that it began with. The same seed and number of threads give the
same network. Prints the losses, and the loss by rounding to integers.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from scripts.common import script
from scripts.common.plots import check_plot, marker, save_plot
from scripts.network.learner import Learner, State, blended, new_state, state_of, weights_of
from scripts.network.sample_sets import SampleSet, count_samples, load_samples
from scripts.network.samples import Samples, read_settings
from scripts.network.training import Stage, Training, is_checkpoint, losses_of, saved
from scripts.network.weights import evaluate, floats, quantise
from scripts.network.xiangqi_inputs import CENTIPAWNS, inputs_of, widened

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, book_header
from siqi.games.books.nnue import MAX_BUCKETS, Architecture, Network
from siqi.games.xiangqi.evaluation.network import ARCHITECTURE, read_network, write_network
from siqi.system.files import read_bytes, replace_file

SHIPPED = BOOKS_FOLDER / "xiangqi.network"

DISTIL, SEARCH = "distil", "search"

NEURONS = (128, 256, 512)
HIDDEN = (8, 16)

ROUNDED = 20_000
"""Held-out positions on which integers are compared with float32."""

LARGEST_START = 1 << 24
"""Most bytes of the file of `--start`."""

is_losses = script.begins_with('{"stage": ')


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("--distil", type=Path, nargs="+", default=[], metavar="FILE", help="positions to learn the terms on")
    option(
        "--search", type=Path, nargs="+", default=[], metavar="FILE", help="positions to learn scores and results on"
    )
    option("--start", type=Path, metavar="NETWORK", help="begin with this network, widened if it has half the neurons")
    option("--start-share", type=float, default=0.0, metavar="X", help="of --start in the weights written; %(default)s")
    option("--neurons", type=int, choices=NEURONS, default=NEURONS[0], help="of each side; the engine has %(default)s")
    option("--hidden", type=int, choices=HIDDEN, default=HIDDEN[0], help="hidden neurons; the engine has %(default)s")
    option("--buckets", type=int, default=8, help="outputs by the number of pieces left")
    option("--distil-epochs", type=int, default=1, metavar="N")
    option("--search-epochs", type=int, default=3, metavar="N")
    option("--distil-rate", type=float, default=8e-3, metavar="X", help="largest step; %(default)s")
    option("--search-rate", type=float, default=1.2e-3, metavar="X", help="largest step; %(default)s")
    option("--result-share", type=float, default=0.1, metavar="X", help="in the target of --search; %(default)s")
    # From 7.8 million positions with scores of 2,000 nodes, 8 epochs, held out: 0.00604 without, 0.00591 with this.
    option("--row-decay", type=float, default=0.3, metavar="X", help="of a bucket's own rows, in --search; %(default)s")
    option("--largest-score", type=int, default=2500, metavar="CP", help="leave out positions with larger ones")
    # One epoch of 2.7 million positions, held out: 0.00176 with 16384 a step and a rate of 4e-3, 0.00077 with these.
    option("--batch", type=int, default=4096, help="positions a step; %(default)s")
    option("--seed", type=int, default=1)
    option("--threads", type=int, default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
    option("--log", type=Path, metavar="JSONL", help="write the losses here")
    option("--plot", type=Path, metavar="SVG", help="draw the losses here")
    script.add_output(parser, "the network")
    options = parser.parse_args(arguments)
    if not options.distil and not options.search:
        parser.error("--distil or --search needs files")
    for name in ("distil_epochs", "search_epochs", "batch", "threads", "largest_score"):
        if getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be at least 1")
    if not 1 <= options.buckets <= MAX_BUCKETS:
        parser.error(f"--buckets must be within 1..{MAX_BUCKETS}")
    if not 0 <= options.result_share <= 1:
        parser.error("--result-share must be within 0..1")
    if not 0 <= options.start_share < 1:
        parser.error("--start-share must be at least 0 and below 1")
    if options.start_share and options.start is None:
        parser.error("--start-share needs --start")
    if not 0 <= options.row_decay <= 1:
        parser.error("--row-decay must be within 0..1")
    if not all(0 < rate < 1 for rate in (options.distil_rate, options.search_rate)):
        parser.error("rates must be between 0 and 1")
    if options.seed < 0:
        parser.error("--seed must not be negative")
    return options


# ---------------------------------------------------------------- the run


def stages_of(options: argparse.Namespace) -> list[tuple[Stage, list[Path]]]:
    """Return the stages that have files."""
    stages = [
        (Stage(DISTIL, options.distil_epochs, options.distil_rate, 0.0, 0.0), options.distil),
        (
            Stage(SEARCH, options.search_epochs, options.search_rate, options.result_share, options.row_decay),
            options.search,
        ),
    ]
    return [(stage, paths) for stage, paths in stages if paths]


def settings_of(options: argparse.Namespace, part: Path) -> dict[str, Any]:
    """Return all settings that determine the network. Files count with the blocks that they had when the run began."""
    stages = []
    for stage, paths in stages_of(options):
        files = [{"file": path.name, "made": read_settings(path)} for path in paths]
        fields = {"epochs": stage.epochs, "rate": stage.rate}
        fields |= {"result_share": stage.result_share, "row_decay": stage.row_decay}
        stages.append({"stage": stage.name, **fields, "files": files})
    settings: dict[str, Any] = {
        "neurons": options.neurons, "hidden": options.hidden, "buckets": options.buckets, "batch": options.batch,
        "seed": options.seed, "largest_score": options.largest_score,
        "start": options.start and start_of(options.start), "start_share": options.start_share,
        "threads": options.threads, "stages": stages,
    }  # fmt: skip
    settings = json.loads(json.dumps(settings))
    state = saved(part)
    for number, (_, paths) in enumerate(stages_of(options)):
        counts = counts_of(state[0], number) if state else []
        if len(counts) != len(paths):
            counts = count_samples(paths)
        for file, (blocks, positions) in zip(settings["stages"][number]["files"], counts, strict=True):
            file |= {"blocks": blocks, "positions": positions}
    return settings


def start_of(path: Path) -> dict[str, Any]:
    """Return the settings that identify the network with which a run began."""
    header = book_header(read_bytes(path, LARGEST_START))
    return {"file": path.name} | {name: header.get(name) for name in ("crc", "neurons")}


def counts_of(settings: dict[str, Any], stage: int) -> list[tuple[int, int]]:
    """Return the blocks and positions of each of a stage's files; an empty list if there is no such stage.

    The list is empty, too, for settings of another structure, which `Training` refuses.
    """
    with contextlib.suppress(KeyError, TypeError):
        files = [file for stages in settings["stages"][stage : stage + 1] for file in stages["files"]]
        return [(file["blocks"], file["positions"]) for file in files]
    return []


def load(stage: Stage, paths: Sequence[Path], blocks: Sequence[int], largest_score: int) -> SampleSet:
    """Return a stage's positions, for `--distil` labelled by the terms."""
    label = None
    if stage.name == DISTIL:
        from scripts.network.sampling import label_static  # compiles kernels

        label = label_static
    with script.progress(unit=" positions", unit_scale=True, desc="reading") as bar:
        return load_samples(paths, blocks, label, largest_score, bar.update)


def architecture_of(options: argparse.Namespace) -> Architecture:
    return ARCHITECTURE._replace(neurons=options.neurons, hidden=options.hidden)


def first_state(options: argparse.Namespace, start: dict[str, Any] | None) -> State:
    """Return the state to begin with. `start`: of the settings. OSError if `--start` cannot be used."""
    architecture = architecture_of(options)
    if start is None:
        return new_state(architecture, options.buckets, options.seed)
    is_half = start["neurons"] == options.neurons // 2
    try:
        network = read_network(options.start, architecture._replace(neurons=options.neurons // (1 + is_half)))
    except BookFileError as error:
        raise OSError(str(error)) from None
    if network.buckets != options.buckets:
        raise OSError(None, f"has {network.buckets} buckets, not {options.buckets}", str(options.start))
    weights = floats(network, CENTIPAWNS)
    return state_of(widened(weights) if is_half else weights, architecture)


# ---------------------------------------------------------------- results


def line_of(loss: dict[str, Any]) -> str:
    return (
        f"{loss['stage']} epoch {loss['epochs']:.2f}: loss {loss['train']:.5f}, held out {loss['test']:.5f}"
        f" (scores {loss['test_score']:.5f}, results {loss['test_result']:.5f})"
    )


def plot_losses(losses: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the losses of each stage by epochs."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(loss["stage"] for loss in losses))
    figure = Figure(figsize=(5 * len(names), 4), layout="constrained")
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        rows = [loss for loss in losses if loss["stage"] == name]
        for kind, label in (("train", "learned from"), ("test", "held out")):
            epochs, means = [row["epochs"] for row in rows], [row[kind] for row in rows]
            axes.plot(epochs, means, marker=marker(len(rows)), label=label)
        axes.set(title=name, xlabel="epochs", ylabel="mean squared error of the chance", yscale="log")
        axes.legend()
    save_plot(figure, path)


def rounding_error(network: Network, samples: Samples, learner: Learner, result_share: float) -> dict[str, float]:
    """Return rounding errors on held-out positions in centipawns, mean and largest, and the rounded network's loss."""
    chosen = samples[:: max(1, math.ceil(len(samples) / ROUNDED))]
    inputs = inputs_of(chosen, network.buckets)
    values = evaluate(network, inputs)
    away = np.abs(values - learner.values(inputs).astype(np.float64) * CENTIPAWNS)
    loss = losses_of(values / CENTIPAWNS, chosen, result_share)["test"]
    return {"mean_cp": round(float(away.mean()), 3), "largest_cp": round(float(away.max()), 3), "loss": loss}


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    out = script.output_file(options, SHIPPED, script.is_book(ARCHITECTURE.kind))
    part = out.with_suffix(".part.npz")
    script.check_output(part, is_checkpoint)
    check_plot(options.plot)
    if options.log:
        script.check_output(options.log, is_losses)
    script.check_distinct(out, part, options.log, options.plot)
    settings = settings_of(options, part)
    started = time.perf_counter()

    def report(losses: list[dict[str, Any]]) -> None:
        tqdm.write(f"{time.perf_counter() - started:6.0f} s  {line_of(losses[-1])}")
        sys.stdout.flush()
        if options.log:
            lines = "".join(json.dumps(loss) + "\n" for loss in losses)
            replace_file(options.log, [lines.encode()], is_losses)

    start = first_state(options, settings["start"])  # read once: the file may change while the training runs
    training = Training(part, settings, start, lambda state: Learner(state, options.threads), report)
    stages = stages_of(options)
    for number, (stage, paths) in enumerate(stages):
        if number < min(training.progress.stage, len(stages) - 1):
            continue
        blocks = [count for count, _ in counts_of(settings, number)]
        samples = load(stage, paths, blocks, options.largest_score)
        print(f"{stage.name}: {len(samples.train):,} positions, {len(samples.test):,} held out")
        training.train(number, stage, samples)

    learner = training.learner
    if options.start_share:
        learner = Learner(blended(learner.state(), start, options.start_share), options.threads)
    try:
        network = quantise(weights_of(learner.state()), ARCHITECTURE, CENTIPAWNS)
    except ValueError as error:
        raise OSError(None, f"is not written: {error}", str(out)) from None
    rounding = rounding_error(network, samples.test, learner, stages[-1][0].result_share)
    print(
        f"integers: {rounding['mean_cp']:.2f} centipawns from float32 on average, {rounding['largest_cp']:.1f} at most;"
        f" loss {rounding['loss']:.5f}"
    )
    losses = training.progress.losses
    last = [[loss for loss in losses if loss["stage"] == stage.name][-1] for stage, _ in stages]
    write_network(out, {"training": settings, "losses": last, "rounding": rounding}, network)
    if options.plot:
        plot_losses(losses, options.plot)
    part.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
