"""Vectors of 16-bit numbers against numpy, for the smallest and largest counts of a row and of hidden neurons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from siqi.games.kernel.jit import entry, int64
from siqi.games.kernel.memory import address_of
from siqi.games.kernel.vectors import (
    ACTIVATION_TOP,
    HIDDEN_SHIFT,
    HIDDEN_STEP,
    MAX_COUNT,
    MAX_HIDDEN,
    MAX_HIDDEN_WEIGHT,
    MAX_OUTPUT_WEIGHT,
    row_operations,
)

copy_32, add_32, subtract_32, exchange_32, exchange_two_32, sum_32 = row_operations(32, HIDDEN_STEP)
copy_512, add_512, subtract_512, exchange_512, exchange_two_512, sum_512 = row_operations(512, MAX_HIDDEN)

COUNTS = (32, 512)
HIDDEN = dict(zip(COUNTS, (HIDDEN_STEP, MAX_HIDDEN)))


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


@entry(int64(int64, int64, int64, int64, int64, int64))
def total_32(first: Any, second: Any, weights: Any, hidden: Any, biases: Any, outputs: Any) -> int:
    return sum_32(first, second, weights, hidden, biases, outputs)


@entry(int64(int64, int64, int64, int64, int64, int64))
def total_512(first: Any, second: Any, weights: Any, hidden: Any, biases: Any, outputs: Any) -> int:
    return sum_512(first, second, weights, hidden, biases, outputs)


COMBINE, TOTAL = dict(zip(COUNTS, (combine_32, combine_512))), dict(zip(COUNTS, (total_32, total_512)))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("how", range(5))
def test_rows_are_combined_as_by_numpy(count: int, how: int) -> None:
    """Sums of any numbers wrap around; numbers on both sides of the target stay, and an exchange works in place."""
    random = np.random.default_rng(how)
    for in_place in (False, True):
        buffer, source, plus, minus, minus_too = random.integers(-(2**15), 2**15, (5, count + 64), dtype=np.int16)
        target = buffer[32:-32]
        rows = [row[32:-32] for row in (source, plus, minus, minus_too)]
        if in_place:
            rows[0] = target
        old, before = buffer.copy(), target.copy()
        want = (
            rows[0].copy(),
            before + rows[1],
            before - rows[2],
            rows[0] + rows[1] - rows[2],
            rows[0] + rows[1] - rows[2] - rows[3],
        )[how]
        COMBINE[count](how, address_of(target), *map(address_of, rows))
        assert (target == want).all()
        assert (buffer[:32] == old[:32]).all() and (buffer[-32:] == old[-32:]).all()


def exact_sum(first: Any, second: Any, weights: Any, hidden: Any, biases: Any, outputs: Any) -> tuple[int, Any]:
    """Return the sum, and the hidden neurons before they are clipped."""
    clipped = np.clip(np.concatenate([first, second]), 0, ACTIVATION_TOP).astype(object)
    sums = (clipped * hidden.astype(object)).sum(axis=1) + biases
    assert max(map(abs, sums)) < 2**31
    inside = [int(value) // 2**HIDDEN_SHIFT for value in sums]
    total = int((clipped * clipped * weights.astype(object)).sum())
    total += sum(min(max(y, 0), ACTIVATION_TOP) ** 2 * int(output) for y, output in zip(inside, outputs, strict=True))
    return total, inside


@pytest.mark.parametrize("count", COUNTS)
def test_sums_are_exact(count: int) -> None:
    """Sums are exact with hidden neurons below, within and above the bounds of an activation."""
    random = np.random.default_rng(count)
    actual: list[int] = []
    for size, most in ((300, 40), (300, MAX_HIDDEN_WEIGHT), (2**15, 40), (2**15, MAX_HIDDEN_WEIGHT)):
        first, second = random.integers(-size, size, (2, count)).astype(np.int16)
        weights = random.integers(-MAX_OUTPUT_WEIGHT, MAX_OUTPUT_WEIGHT + 1, 2 * count).astype(np.int16)
        hidden = random.integers(-most, most + 1, (HIDDEN[count], 2 * count)).astype(np.int16)
        biases = random.integers(-100_000, 100_000, HIDDEN[count]).astype(np.int32)
        outputs = random.integers(-MAX_HIDDEN_WEIGHT, MAX_HIDDEN_WEIGHT + 1, HIDDEN[count]).astype(np.int16)
        arrays = first, second, weights, hidden, biases, outputs
        total, inside = exact_sum(*arrays)
        assert TOTAL[count](*map(address_of, arrays)) == total
        actual += inside
    assert min(actual) < 0 and max(actual) > ACTIVATION_TOP and any(0 < y < ACTIVATION_TOP for y in actual)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("top", [ACTIVATION_TOP, 2**15 - 1])
def test_the_greatest_sums_do_not_overflow(count: int, sign: int, top: int) -> None:
    first, second = np.full((2, count), top, np.int16)
    weights = np.full(2 * count, sign * MAX_OUTPUT_WEIGHT, np.int16)
    hidden = np.full((HIDDEN[count], 2 * count), MAX_HIDDEN_WEIGHT, np.int16)
    biases = np.full(HIDDEN[count], 2**31 - 1 - 2 * count * MAX_HIDDEN_WEIGHT * ACTIVATION_TOP, np.int32)
    outputs = np.full(HIDDEN[count], sign * MAX_HIDDEN_WEIGHT, np.int16)
    want = sign * (2 * count * MAX_OUTPUT_WEIGHT + HIDDEN[count] * MAX_HIDDEN_WEIGHT) * ACTIVATION_TOP**2
    assert abs(want) > 2**31 or count < MAX_COUNT
    assert TOTAL[count](*map(address_of, (first, second, weights, hidden, biases, outputs))) == want
