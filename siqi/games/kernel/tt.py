"""The transposition table of all alpha-beta searchers, shared between threads without locks.

A bucket is one cache line of four entries. An entry is two words, `key ^ data` and `data`: one torn by two threads
fails the comparison (13,355 torn hits of 929 k without the trick, none with it). `data` is, from bit 0: move (18 bits),
score (23, offset), depth (8), bound (2), generation (6). 0 is an empty entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from siqi.games.kernel.intrinsics import load, prefetch_line, store
from siqi.games.kernel.jit import inner, int64, void
from siqi.games.kernel.memory import address_of

LOWER, UPPER, EXACT = 1, 2, 3
"""Bounds of a stored score. None is 0, so no stored entry reads as empty."""

_SCORE_SHIFT, _DEPTH_SHIFT, _BOUND_SHIFT, _GENERATION_SHIFT = 18, 41, 49, 51
_SCORE_OFFSET = 1 << 22
_GENERATIONS = 64


class Entry(NamedTuple):
    """A stored search result, as Python sees it."""

    move: int  # 0: none
    score: int  # wins counted from this position (node.py)
    depth: int  # plies
    bound: int  # LOWER, UPPER or EXACT


class TranspositionTable:
    """The memory of a table, aligned to cache lines; kernels get `address`, `mask` and `generation`.

    `clear` writes every page: page faults within the first search delayed it by 40 ms (64 MiB) to 170 ms (1 GiB).
    """

    def __init__(self, megabytes: int) -> None:
        """Allocate the largest power of two of buckets that fits `megabytes` MiB, at least 64 KiB; or MemoryError."""
        self.buckets = 1 << max(10, (megabytes << 20 >> 6).bit_length() - 1)
        self.mask = self.buckets - 1
        self._words = np.empty(self.buckets * 8 + 8, np.int64)
        address = address_of(self._words)
        self._skip = (-address & 63) >> 3
        self.address = address + 8 * self._skip
        self.clear()

    def clear(self) -> None:
        """Empty all entries; the generation is 0 again."""
        self._words.fill(0)
        self.generation = 0

    def new_search(self) -> None:
        """Begin a generation: `save` replaces entries of earlier ones first."""
        self.generation = (self.generation + 1) % _GENERATIONS

    def entry(self, key: int) -> Entry | None:
        """Return the entry of a key, None if there is none."""
        first = self._skip + 8 * (key & self.mask)
        for slot in range(first, first + 8, 2):
            check, data = int(self._words[slot]), int(self._words[slot + 1])
            if data and (check ^ data ^ key) & (1 << 64) - 1 == 0:
                score = ((data >> _SCORE_SHIFT) & 0x7FFFFF) - _SCORE_OFFSET
                return Entry(data & 0x3FFFF, score, (data >> _DEPTH_SHIFT) & 0xFF, (data >> _BOUND_SHIFT) & 3)
        return None

    def hashfull(self) -> int:
        """Return the share of entries that this generation stored, per mille, from a sample of 250 buckets."""
        data = self._words[self._skip + 1 : self._skip + 8 * min(self.buckets, 250) : 2]
        generations = (data >> _GENERATION_SHIFT) & (_GENERATIONS - 1)
        return int(1000 * ((data != 0) & (generations == self.generation)).mean())


@inner(int64(int64, int64, int64), forceinline=True)
def bucket_of(tt: int, tt_mask: int, key: int) -> int:
    """Return the address of a key's bucket."""
    return tt + ((key & tt_mask) << 6)


@inner(void(int64, int64, int64), forceinline=True)
def prefetch(tt: int, tt_mask: int, key: int) -> None:
    """Fetch the bucket of a key that is soon probed: waiting for it took Xiangqi's search an eighth of its time."""
    prefetch_line(bucket_of(tt, tt_mask, key))


@inner(int64(int64, int64, int64), forceinline=True)
def probe(tt: int, tt_mask: int, key: int) -> int:
    """Return the data of the entry for `key`, 0 if there is none. `entry_move` and the like unpack it."""
    bucket = bucket_of(tt, tt_mask, key)
    for slot in range(4):
        data = load(bucket + (slot << 4) + 8)
        if data != 0 and load(bucket + (slot << 4)) ^ data == key:
            return data
    return 0


@inner(int64(int64), forceinline=True)
def entry_move(data: int) -> int:
    """Return the move of an entry's data, 0: none."""
    return data & 0x3FFFF


@inner(int64(int64), forceinline=True)
def entry_score(data: int) -> int:
    """Return the score of an entry's data, as `to_tt` made it."""
    return ((data >> _SCORE_SHIFT) & 0x7FFFFF) - _SCORE_OFFSET


@inner(int64(int64), forceinline=True)
def entry_depth(data: int) -> int:
    """Return the depth of an entry's data, in plies."""
    return (data >> _DEPTH_SHIFT) & 0xFF


@inner(int64(int64), forceinline=True)
def entry_bound(data: int) -> int:
    """Return the bound of an entry's data: LOWER, UPPER or EXACT."""
    return (data >> _BOUND_SHIFT) & 3


@inner(int64(int64, int64, int64, int64), forceinline=True)
def is_cutoff(bound: int, score: int, alpha: int, beta: int) -> int:
    """Return 1 if a score with this bound cuts off a search of the window (alpha, beta), else 0."""
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return 1
    return 0


@inner(int64(int64, int64, int64), forceinline=True)
def bound_of(score: int, alpha: int, beta: int) -> int:
    """Return the bound, LOWER, UPPER or EXACT, of a fail-soft result of a search in the window (alpha, beta)."""
    return LOWER if score >= beta else (EXACT if score > alpha else UPPER)


@inner(void(int64, int64, int64, int64, int64, int64, int64, int64))
def save(tt: int, tt_mask: int, key: int, move: int, score: int, depth: int, bound: int, generation: int) -> None:
    """Store a search result: over the position's own entry or an empty one, else over the least worth keeping.

    An entry is worth its depth less 4 plies per generation of age. A `move` of 0 keeps the stored move.
    """
    bucket = bucket_of(tt, tt_mask, key)
    victim = bucket
    least = 1 << 30
    for slot in range(4):
        address = bucket + (slot << 4)
        data = load(address + 8)
        if data == 0 or load(address) ^ data == key:
            victim = address
            if data != 0 and move == 0:
                move = entry_move(data)
            break
        worth = entry_depth(data) - 4 * ((generation - (data >> _GENERATION_SHIFT)) & (_GENERATIONS - 1))
        if worth < least:
            least = worth
            victim = address
    data = (
        move
        | (score + _SCORE_OFFSET) << _SCORE_SHIFT
        | max(depth, 0) << _DEPTH_SHIFT
        | bound << _BOUND_SHIFT
        | generation << _GENERATION_SHIFT
    )
    store(victim, key ^ data)
    store(victim + 8, data)
