"""Samples of files in memory, for training: those to learn from, and held-out blocks to test on.

A block of a file holds whole games: no position to learn from is of a held-out game.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.network.samples import SAMPLE_DTYPE, Samples, read_samples

HELD_OUT = 50
"""The first of this many blocks is held out, counted through all files."""

MAX_TESTED = 100_000
"""Most positions of the held-out blocks to test on, evenly chosen."""


class SampleSet(NamedTuple):
    """The samples to learn from, 38 bytes per position, and those to test on."""

    train: Samples
    test: Samples


def count_samples(paths: Sequence[Path]) -> list[tuple[int, int]]:
    """Return the numbers of blocks and of positions of each file."""
    lengths = [[len(block) for block in read_samples(path)] for path in paths]
    return [(len(sizes), sum(sizes)) for sizes in lengths]


def load_samples(
    paths: Sequence[Path],
    blocks: Sequence[int],
    label: Callable[[Samples], Any] | None,
    largest_score: int,
    report: Callable[[int], object] = lambda count: None,
) -> SampleSet:
    """Return the samples of the first blocks of each file, whose scores are within +-largest_score.

    `label` replaces the scores; `report` gets the number of positions of each block read. OSError if a file has fewer
    blocks, or if nothing is left to learn from or to test on: at least two blocks are needed.
    """
    lengths = []
    for path, count in zip(paths, blocks, strict=True):
        sizes = [len(block) for block in _first(path, count)]
        if len(sizes) < count:
            raise OSError(errno.EINVAL, f"has {len(sizes)} blocks of positions, not {count} as before", str(path))
        lengths += sizes
    is_tested = [number % HELD_OUT == 0 for number in range(len(lengths))]
    sizes = [sum(size for size, tested in zip(lengths, is_tested, strict=True) if tested == kind) for kind in (0, 1)]
    parts = [np.empty(size, SAMPLE_DTYPE) for size in sizes]
    ends = [0, 0]
    number = 0
    for path, count in zip(paths, blocks, strict=True):
        for samples in _first(path, count):
            block = np.array(samples)
            if label is not None:
                block["score"] = label(block)
            kept = block[np.abs(block["score"].astype(np.int64)) <= largest_score]
            part = int(is_tested[number])
            parts[part][ends[part] : ends[part] + len(kept)] = kept
            ends[part] += len(kept)
            number += 1
            report(len(block))
    train, test = (part[:end] for part, end in zip(parts, ends, strict=True))
    if not len(train) or not len(test):
        raise OSError(errno.EINVAL, "too few positions: one block is held out, so two are needed", str(paths[0]))
    chosen = np.linspace(0, len(test) - 1, min(len(test), MAX_TESTED)).astype(np.int64)
    return SampleSet(train, test[chosen])


def _first(path: Path, count: int) -> Any:
    return islice(read_samples(path), count)
