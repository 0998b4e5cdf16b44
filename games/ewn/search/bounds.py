"""What pieces are worth before a throw bounds what the mover's chance is: sums over the six throws, and what they ask.

A thread's bounds stand in work.bounds, six for the pieces in each row, the best move's worth of each, 0 to WIN.
"""

from __future__ import annotations

from games.ewn.evaluation.playout import WIN
from games.ewn.rules.lookup import LOOKUP, NOBODY
from games.ewn.rules.work import WORK
from games.kernel.jit import Record, inner, int64


@inner(int64(WORK, int64, int64), forceinline=True)
def throw_bound(work: Record, base: int, pair: int) -> int:
    """The higher bound of the pieces that a throw moves (`movable`), bounds of a node beginning at `base`."""
    value = int64(work.bounds[base + (pair & 15)])
    if pair >> 4 != NOBODY:
        value = max(value, int64(work.bounds[base + (pair >> 4)]))
    return value


@inner(int64(WORK, LOOKUP, int64, int64), forceinline=True)
def sum_over_throws(work: Record, lookup: Record, alive: int, base: int) -> int:
    """Six times the chance, by the bounds that begin at `base`."""
    total = int64(0)
    for die in range(1, 7):
        total += throw_bound(work, base, int64(lookup.movable[alive * 7 + die]))
    return total


@inner(int64(WORK, LOOKUP, int64, int64, int64, int64), forceinline=True)
def star1_beta(work: Record, lookup: Record, alive: int, lower: int, piece: int, beta: int) -> int:
    """What a piece must be worth to lift the chance to `beta` beside the lower bounds of the others; at most WIN."""
    rest = int64(0)
    share = int64(0)
    for die in range(1, 7):
        pair = int64(lookup.movable[alive * 7 + die])
        if pair & 15 == piece or pair >> 4 == piece:
            share += 1
        else:
            rest += throw_bound(work, lower, pair)
    return min((6 * beta - rest + share - 1) // share, WIN)


@inner(int64(WORK, LOOKUP, int64, int64, int64, int64), forceinline=True)
def star1_alpha(work: Record, lookup: Record, alive: int, upper: int, piece: int, alpha: int) -> int:
    """If a piece is worth no more than this, the chance is `alpha` at most by the upper bounds of the others."""
    rest = int64(0)
    alone = int64(0)
    shared = int64(0)
    partners = int64(0)
    least = int64(WIN)
    most = int64(0)
    for die in range(1, 7):
        pair = int64(lookup.movable[alive * 7 + die])
        first, second = pair & 15, pair >> 4
        if first == piece and second == NOBODY:
            alone += 1
        elif first == piece or second == piece:
            value = int64(work.bounds[upper + (second if first == piece else first)])
            shared += 1
            partners += value
            least = min(least, value)
            most = max(most, value)
        else:
            rest += throw_bound(work, upper, pair)
    limit = (6 * alpha - rest) // (alone + shared)  # where it is the better of each pair
    if limit >= most:
        return limit
    limit = (6 * alpha - rest - partners) // alone  # where the others are
    return limit if limit <= least else int64(-1)
