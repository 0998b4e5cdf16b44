"""Steps of Adam (Kingma and Ba 2015) on the processor, and the options of training kernels.

The compiler may reorder sums in the kernels (`fastmath`), always in the same way.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numba
import numpy as np
from numba import njit, types

KERNEL_OPTIONS: dict[str, Any] = dict(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})

MOMENTS = ("mean", "square")
"""Running means of a parameter's gradient and of its square, `f"{parameter}_{moment}"` in a state."""

KEEP = 0.9
"""Share of the mean that a step keeps."""

_ONE = np.float32(1)

Result = TypeVar("Result")


@contextlib.contextmanager
def vector_loops() -> Iterator[None]:
    """Let numba vectorise the loops compiled within; the games' kernels forbid it (siqi/games/kernel/jit.py)."""
    before = numba.config.LOOP_VECTORIZE
    numba.config.LOOP_VECTORIZE = 1
    try:
        yield
    finally:
        numba.config.LOOP_VECTORIZE = before


@njit(**KERNEL_OPTIONS)
def adam(
    values: Any, gradient: Any, means: Any, squares: Any,
    rate: Any, keep: Any, keep_square: Any, by_mean: Any, by_square: Any,
) -> None:  # fmt: skip
    """Move values by one step; the last two arguments correct the moments' start at 0."""
    small = np.float32(1e-8)
    for i in range(len(values)):
        means[i] = keep * means[i] + (_ONE - keep) * gradient[i]
        squares[i] = keep_square * squares[i] + (_ONE - keep_square) * gradient[i] * gradient[i]
        values[i] -= rate * (means[i] * by_mean) / (np.sqrt(squares[i] * by_square) + small)


@functools.cache
def _compile_adam() -> None:
    vector, scalar = types.Array(types.float32, 1, "C"), types.float32
    with vector_loops():
        adam.compile((vector, vector, vector, vector, *(scalar,) * 5))


class Steps:
    """Threads that work on parts of a batch and of the parameters, and the steps of Adam."""

    def __init__(self, threads: int, keep_square: float) -> None:
        """`keep_square`: share of the mean square that a step keeps."""
        _compile_adam()
        self.threads = threads
        self._keep_square = keep_square
        self._pool = ThreadPoolExecutor(threads)

    def share(self, function: Callable[[slice, int], Result], count: int) -> list[Result]:
        """Call a function with a slice of `count` items and its number, one for each thread; return the results."""
        ends = [count * i // self.threads for i in range(self.threads + 1)]
        parts = [slice(start, end) for start, end in itertools.pairwise(ends)]
        return list(self._pool.map(function, parts, range(self.threads)))

    def move(self, state: dict[str, Any], name: str, gradient: Any, rate: float) -> None:
        """Move a parameter of a state, whose `steps` counts this step, too."""
        steps = int(state["steps"])
        flat = [values.reshape(-1) for values in (state[name], gradient, *(state[f"{name}_{m}"] for m in MOMENTS))]
        corrections = (1 / (1 - keep**steps) for keep in (KEEP, self._keep_square))
        scalars = [np.float32(x) for x in (rate, KEEP, self._keep_square, *corrections)]
        self.share(lambda part, _: adam(*(array[part] for array in flat), *scalars), len(flat[0]))
