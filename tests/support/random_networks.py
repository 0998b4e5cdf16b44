"""Networks of nnue.py with random numbers."""

from __future__ import annotations

import numpy as np

from siqi.games.books.nnue import Architecture, Network


def random_network(architecture: Architecture, seed: int, buckets: int, size: int) -> Network:
    """Return a network of random numbers; `size`: the largest feature weight, with which neurons saturate or not."""
    rng, neurons, hidden = np.random.default_rng(seed), architecture.neurons, architecture.hidden
    return Network(
        rng.integers(-size, size + 1, (architecture.rows, neurons)).astype(np.int16),
        rng.integers(-50, 150, neurons).astype(np.int16),
        rng.integers(-127, 128, (buckets, 2 * neurons)).astype(np.int16),
        rng.integers(-100_000, 100_000, buckets).astype(np.int32),
        rng.integers(-100, 101, (buckets, hidden, 2 * neurons)).astype(np.int16),
        rng.integers(-100_000, 100_000, (buckets, hidden)).astype(np.int32),
        rng.integers(-2047, 2048, (buckets, hidden)).astype(np.int16),
        400,
    )
