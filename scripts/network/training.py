"""A run of training Xiangqi's network: stages, their losses, and the checkpoint from which a killed run resumes.

The checkpoint is an archive of plain arrays: the learner's state and, as JSON, the settings and the run's progress. A
resumed run ends with exactly the numbers of an uninterrupted one.
"""

from __future__ import annotations

import dataclasses
import errno
import io
import json
import math
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scripts.common import script
from scripts.network.learner import Learner, State
from scripts.network.sample_sets import SampleSet
from scripts.network.samples import Samples
from scripts.network.xiangqi_inputs import inputs_of, mirrored, targets_of

from siqi.system.files import open_regular, replace_file
from siqi.system.log import compare

WARM_UP = 0.05
"""Share of a stage's steps in which the rate grows from 0; it falls along a cosine from there."""

LAST_RATE = 0.02
"""Share of the rate that is left at the end of a stage."""

REPORTS = 20
"""Number of times that a stage's losses are measured."""

SAVE_S = 60.0
"""Seconds from one checkpoint to the next."""

_MARK = "progress.npy"


@dataclasses.dataclass(frozen=True)
class Stage:
    """`epochs`: passes over the positions; `rate`: the largest step; `result_share`: share of results in the target.

    `row_decay`: that of `Learner.step`.
    """

    name: str
    epochs: int
    rate: float
    result_share: float
    row_decay: float


@dataclasses.dataclass
class TrainingProgress:
    """The progress of a run. `error` and `count`: sums over the positions since the last report."""

    stage: int = 0
    step: int = 0
    error: float = 0.0
    count: int = 0
    losses: list[dict[str, Any]] = dataclasses.field(default_factory=list)


def rate_at(step: int, steps: int, most: float) -> float:
    """Return the rate of a stage's step."""
    warm_up = max(1, int(WARM_UP * steps))
    if step < warm_up:
        return most * (step + 1) / warm_up
    along = (step - warm_up) / max(1, steps - warm_up)
    return most * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * along)) / 2)


# ---------------------------------------------------------------- the checkpoint


def is_checkpoint(head: bytes) -> bool:
    """True if a file begins as `save` writes it."""
    return head.startswith(b"PK\x03\x04") and head[30:].startswith(_MARK.encode())


def save(path: Path, settings: dict[str, Any], progress: TrainingProgress, state: State) -> None:
    packed = io.BytesIO()
    fields = json.dumps({"settings": settings, "progress": dataclasses.asdict(progress)})
    np.savez(packed, progress=np.frombuffer(fields.encode(), np.uint8), **state)
    replace_file(path, [packed.getbuffer()], is_checkpoint)


def saved(path: Path) -> tuple[dict[str, Any], TrainingProgress, State] | None:
    """Return what `save` wrote, None if there is no such file; OSError if it is damaged."""
    try:
        with os.fdopen(open_regular(path), "rb") as file, np.load(file, allow_pickle=False) as archive:
            state = dict(archive)
        fields = json.loads(state.pop(_MARK.removesuffix(".npy")).tobytes())
        return fields["settings"], TrainingProgress(**fields["progress"]), state
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise OSError(errno.EIO, f"is damaged: {error}", str(path)) from None


# ---------------------------------------------------------------- the run


class Training:
    """A run. Call `train` for each stage in turn."""

    def __init__(
        self,
        path: Path,
        settings: dict[str, Any],
        start: State,
        make_learner: Callable[[State], Learner],
        report: Callable[[list[dict[str, Any]]], object],
    ) -> None:
        """Begin with `start`, or resume from the checkpoint at `path`. OSError if that is damaged or of other settings.

        `settings`: all that the result depends on, as JSON has it; `batch` and `seed` are used here. `report` is called
        after each measurement with all losses measured so far.
        """
        self.progress = TrainingProgress()
        state = start
        if checkpoint := saved(path):
            compare(path, "is of other settings", checkpoint[0], settings)
            _, self.progress, state = checkpoint
        self._path, self._settings, self._report = path, settings, report
        self.learner = make_learner(state)
        self._saved_at = time.monotonic()

    def train(self, number: int, stage: Stage, samples: SampleSet) -> None:
        """Train the rest of a stage."""
        if self.progress.stage != number:
            return
        count = len(samples.train)
        batch = min(self._settings["batch"], count)
        per_epoch = count // batch
        steps = stage.epochs * per_epoch
        reports = {steps * i // REPORTS for i in range(1, REPORTS + 1)}
        with script.progress(
            total=steps * batch, initial=self.progress.step * batch, unit=" positions", unit_scale=True, desc=stage.name
        ) as bar:
            order = self._order(number, self.progress.step // per_epoch, count)
            while self.progress.step < steps:
                epoch, place = divmod(self.progress.step, per_epoch)
                if place == 0:
                    order = self._order(number, epoch, count)
                chosen = samples.train[order[place * batch : (place + 1) * batch]]
                # Left and right are alike; four epochs of the terms, held out: 0.00065, without it 0.00066.
                chosen[::2] = mirrored(chosen[::2])
                self._learn(stage, chosen, steps)
                bar.update(batch)
                if self.progress.step in reports:
                    self._measure(stage, self.progress.step / per_epoch, samples.test)
                if time.monotonic() >= self._saved_at + SAVE_S:
                    self.save()
        self.progress.stage, self.progress.step = number + 1, 0
        self.save()

    def _order(self, stage: int, epoch: int, count: int) -> Any:
        """Return the order in which an epoch takes the positions."""
        order = np.arange(count, dtype=np.uint32)
        np.random.default_rng([self._settings["seed"], stage, epoch]).shuffle(order)
        return order

    def _learn(self, stage: Stage, samples: Samples, steps: int) -> None:
        progress = self.progress
        targets = targets_of(samples, stage.result_share)
        rate = rate_at(progress.step, steps, stage.rate)
        inputs = inputs_of(samples, self._settings["buckets"])
        error = self.learner.step(inputs, targets, rate, stage.row_decay)
        progress.step += 1
        progress.error += error * len(samples)
        progress.count += len(samples)

    def _measure(self, stage: Stage, epochs: float, samples: Samples) -> None:
        """Measure the losses: mean squared errors of the chance to win, on training and held-out positions."""
        progress = self.progress
        loss = {"stage": stage.name, "epochs": round(epochs, 3), "train": progress.error / progress.count}
        values = self.learner.values(inputs_of(samples, self._settings["buckets"]))
        progress.losses.append(loss | losses_of(values, samples, stage.result_share))
        progress.error, progress.count = 0.0, 0
        self._report(progress.losses)

    def save(self) -> None:
        save(self._path, self._settings, self.progress, self.learner.state())
        self._saved_at = time.monotonic()


def losses_of(logits: Any, samples: Samples, result_share: float) -> dict[str, float]:
    """Return the mean squared errors of chances: against the targets, the scores' chances, and the results."""
    chances = 1 / (1 + np.exp(-np.asarray(logits, np.float64)))
    shares = {"test": result_share, "test_score": 0.0, "test_result": 1.0}
    return {name: float(((chances - targets_of(samples, share)) ** 2).mean()) for name, share in shares.items()}
