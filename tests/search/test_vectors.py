"""Vectors of 16-bit numbers against numpy, for the least and the greatest count of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from games.kernel.jit import entry, int64
from games.kernel.memory import address_of
from games.kernel.vectors import ACTIVATION_TOP, MOST_COUNT, MOST_WEIGHT, row_operations

copy_32, add_32, subtract_32, exchange_32, exchange_two_32, sum_32 = row_operations(32)
copy_512, add_512, subtract_512, exchange_512, exchange_two_512, sum_512 = row_operations(512)

COUNTS = (32, 512)


@entry(int64(int64, int64, int64, int64, int64, int64))
def combine_32(how: Any, target: Any, source: Any, plus: Any, minus: Any, minus_too: Any) -> int:
    if how == 0:
        copy_32(target, source)
    elif how == 1:
        add_32(target, plus)
    elif how == 2:
        subtract_32(target, minus)
    elif how == 3:
        exchange_32(target, source, plus, minus)
    else:
        exchange_two_32(target, source, plus, minus, minus_too)
    return 0


@entry(int64(int64, int64, int64, int64, int64, int64))
def combine_512(how: Any, target: Any, source: Any, plus: Any, minus: Any, minus_too: Any) -> int:
    if how == 0:
        copy_512(target, source)
    elif how == 1:
        add_512(target, plus)
    elif how == 2:
        subtract_512(target, minus)
    elif how == 3:
        exchange_512(target, source, plus, minus)
    else:
        exchange_two_512(target, source, plus, minus, minus_too)
    return 0


@entry(int64(int64, int64, int64))
def total_32(first: Any, second: Any, weights: Any) -> int:
    return sum_32(first, second, weights)


@entry(int64(int64, int64, int64))
def total_512(first: Any, second: Any, weights: Any) -> int:
    return sum_512(first, second, weights)


COMBINE, TOTAL = dict(zip(COUNTS, (combine_32, combine_512))), dict(zip(COUNTS, (total_32, total_512)))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("how", range(5))
def test_rows_are_combined_as_by_numpy(count: int, how: int) -> None:
    """Any numbers; sums wrap around. The numbers on either side of the target stay, and an exchange works in place."""
    random = np.random.default_rng(how)
    for in_place in (False, True):
        room, source, plus, minus, minus_too = random.integers(-(2**15), 2**15, (5, count + 64), dtype=np.int16)
        target = room[32:-32]
        rows = [row[32:-32] for row in (source, plus, minus, minus_too)]
        if in_place:
            rows[0] = target
        old, before = room.copy(), target.copy()
        want = (
            rows[0].copy(),
            before + rows[1],
            before - rows[2],
            rows[0] + rows[1] - rows[2],
            rows[0] + rows[1] - rows[2] - rows[3],
        )[how]
        COMBINE[count](how, address_of(target), *map(address_of, rows))
        assert (target == want).all()
        assert (room[:32] == old[:32]).all() and (room[-32:] == old[-32:]).all()


def exact_sum(first: Any, second: Any, weights: Any) -> int:
    clipped = np.clip(np.concatenate([first, second]), 0, ACTIVATION_TOP).astype(object)
    return int((clipped * clipped * weights.astype(object)).sum())


@pytest.mark.parametrize("count", COUNTS)
def test_sums_are_exact(count: int) -> None:
    random = np.random.default_rng(count)
    for size in (300, 2**15):
        first, second = random.integers(-size, size, (2, count)).astype(np.int16)
        weights = random.integers(-MOST_WEIGHT, MOST_WEIGHT + 1, 2 * count).astype(np.int16)
        got = TOTAL[count](*map(address_of, (first, second, weights)))
        assert got == exact_sum(first, second, weights)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("weight", [-MOST_WEIGHT, MOST_WEIGHT])
@pytest.mark.parametrize("top", [ACTIVATION_TOP, 2**15 - 1])
def test_the_greatest_sums_do_not_overflow(count: int, weight: int, top: int) -> None:
    first, second = np.full((2, count), top, np.int16)
    weights = np.full(2 * count, weight, np.int16)
    want = 2 * count * weight * ACTIVATION_TOP**2
    assert abs(want) > 2**31 or count < MOST_COUNT
    assert TOTAL[count](*map(address_of, (first, second, weights))) == want
