"""Apriori: the item sets that are frequent, and the association rules in them.

R. Agrawal, R. Srikant, "Fast algorithms for mining association rules", as used in Jiang, Chen, Tang 2004, section 2.
A transaction is a row of bits. An item's *column* has one bit per transaction: the support of a set is the number of
bits that all its columns share, without a pass over the transactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numba import types

from siqi.games.kernel.intrinsics import popcount
from siqi.games.kernel.jit import entry, inner, int64

Array = np.ndarray[Any, Any]


CAPACITY = 1 << 16
"""The initial capacity of a level, in sets."""


class Level(NamedTuple):
    """All frequent sets of one size, in lexicographic order."""

    sets: Array  # [set, size] int32: ascending item numbers
    counts: Array  # [set]: transactions that hold it


class Rule(NamedTuple):
    """`antecedent` => `consequent`, item numbers ascending."""

    antecedent: tuple[int, ...]
    consequent: tuple[int, ...]
    support: int  # transactions with both
    confidence: float
    lift: float


def columns(transactions: list[set[int]] | list[list[int]], items: int) -> Array:
    """Return [item, word] uint64: bit t of an item's row is set if transaction t holds it."""
    bits = np.zeros((items, (len(transactions) + 63) // 64), np.uint64)
    for number, transaction in enumerate(transactions):
        rows = np.fromiter(transaction, np.int64)
        bits[rows, number >> 6] |= np.uint64(1 << (number & 63))
    return bits


def packed(rows: Sequence[Array]) -> Array:
    """Return the columns of items, each given as one truth value per transaction."""
    bits = np.zeros((len(rows), (len(rows[0]) + 63) // 64), np.uint64)
    for row, holds in zip(bits, rows, strict=True):
        data = np.packbits(holds, bitorder="little")
        row.view(np.uint8)[: len(data)] = data
    return bits


SETS, WORDS = types.int32[:, ::1], types.uint64[::1]


@inner(int64(SETS, types.int32[::1], int64))
def holds(sets: Array, candidate: Array, skipped: int) -> int:
    """Return 1 if a lexicographically ordered level has a candidate without its item number `skipped`, else 0."""
    low, high = 0, len(sets)
    while low < high:
        middle = (low + high) // 2
        order = 0
        for i in range(sets.shape[1]):
            wanted = candidate[i if i < skipped else i + 1]
            if sets[middle, i] != wanted:
                order = -1 if sets[middle, i] < wanted else 1
                break
        if order == 0:
            return 1
        if order < 0:
            low = middle + 1
        else:
            high = middle
    return 0


@entry(int64(types.uint64[:, ::1], SETS, int64, SETS, int64[::1], WORDS, types.int32[::1]))
def _grow(bits: Array, sets: Array, least: int, grown: Array, counts: Array, common: Array, candidate: Array) -> int:
    """Join, prune and count: write frequent sets one larger to `grown` until it is full; return their number.

    Working memory: `common` has a word for each word of a column, `candidate` an item for each of a grown set.
    """
    size = sets.shape[1]
    words = bits.shape[1]
    total = 0
    first = 0
    while first < len(sets):
        # A group: sets that share all but the last item are joined with each other.
        end = first + 1
        while end < len(sets):
            shared = 0
            while shared < size - 1 and sets[end, shared] == sets[first, shared]:
                shared += 1
            if shared < size - 1:
                break
            end += 1
        for a in range(first, end):
            for w in range(words):
                common[w] = bits[sets[a, 0], w]
            candidate[0] = sets[a, 0]
            for i in range(1, size):
                candidate[i] = sets[a, i]
                for w in range(words):
                    common[w] &= bits[sets[a, i], w]
            for b in range(a + 1, end):
                candidate[size] = sets[b, size - 1]
                # Apriori: every subset must be frequent; the two without the last or the last but one are.
                is_possible = 1
                for skipped in range(size - 1):
                    if holds(sets, candidate, int64(skipped)) == 0:
                        is_possible = 0
                        break
                if is_possible == 0:
                    continue
                count = 0
                row = candidate[size]
                for w in range(words):
                    count += popcount(int64(common[w] & bits[row, w]))
                if count >= least:
                    if total < len(grown):
                        for i in range(size + 1):
                            grown[total, i] = candidate[i]
                        counts[total] = count
                    total += 1
        first = end
    return total


def frequent(bits: Array, least: int, longest: int) -> list[Level]:
    """Return the sets of 1..longest items that are in at least `least` transactions."""
    counts = np.bitwise_count(bits).sum(axis=1).astype(np.int64)
    kept = np.flatnonzero(counts >= least)
    levels = [Level(kept.astype(np.int32)[:, None], counts[kept])]
    capacity = CAPACITY
    while len(levels) < longest and len(levels[-1].sets) > 1:
        sets = levels[-1].sets
        common, candidate = np.empty(bits.shape[1], np.uint64), np.empty(sets.shape[1] + 1, np.int32)
        while True:
            grown = np.empty((capacity, sets.shape[1] + 1), np.int32)
            numbers = np.empty(capacity, np.int64)
            total = int(_grow(bits, sets, least, grown, numbers, common, candidate))
            if total <= capacity:
                break
            capacity = total
        if not total:
            break
        levels.append(Level(grown[:total].copy(), numbers[:total].copy()))
    return levels


def rules(levels: list[Level], transactions: int, confidence: float) -> Iterator[Rule]:
    """Yield every split of every frequent set whose confidence is high enough."""
    counts = {
        tuple(items): count
        for level in levels
        for items, count in zip(level.sets.tolist(), level.counts.tolist(), strict=True)
    }
    for items, count in counts.items():
        for size in range(1, len(items)):
            for antecedent in combinations(items, size):
                sure = count / counts[antecedent]
                if sure >= confidence:
                    consequent = tuple(item for item in items if item not in antecedent)
                    yield Rule(antecedent, consequent, count, sure, sure * transactions / counts[consequent])
