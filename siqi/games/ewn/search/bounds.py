"""Star1 bounds at chance nodes (Ballard 1983): from bounds on the pieces' values to the chance, and back to windows.

work.bounds holds rows of six, a bound on the best move's value of each piece, 0 to WIN. The chance before the throw is
the mean over the six throws of the better of the pieces that the throw moves.
"""

from __future__ import annotations

from siqi.games.ewn.rules.lookup import LOOKUP, NOBODY
from siqi.games.ewn.rules.work import WORK
from siqi.games.ewn.search.playout import WIN
from siqi.games.kernel.jit import Record, inner, int64


@inner(int64(WORK, int64, int64), forceinline=True)
def throw_bound(work: Record, base: int, pair: int) -> int:
    """Return the bound on a throw's value, the higher bound of its pieces.

    `pair`: the throw's entry of lookup.movable; `base`: start of the row in work.bounds.
    """
    value = int64(work.bounds[base + (pair & 15)])
    if pair >> 4 != NOBODY:
        value = max(value, int64(work.bounds[base + (pair >> 4)]))
    return value


@inner(int64(WORK, LOOKUP, int64, int64), forceinline=True)
def sum_over_throws(work: Record, lookup: Record, alive: int, base: int) -> int:
    """Return six times the bound on the chance, by the row of bounds that begins at `base`."""
    total = int64(0)
    for die in range(1, 7):
        total += throw_bound(work, base, int64(lookup.movable[alive * 7 + die]))
    return total


@inner(int64(WORK, LOOKUP, int64, int64, int64, int64), forceinline=True)
def star1_beta(work: Record, lookup: Record, alive: int, lower: int, piece: int, beta: int) -> int:
    """Return the beta of a piece's moves: a value that makes the chance at least `beta`, at most WIN.

    The other pieces count by their lower bounds, the row `lower`.
    """
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
    """Return the alpha of a piece's moves: a value up to which the chance is at most `alpha`, -1 if there is none.

    The other pieces count by their upper bounds, the row `upper`.
    """
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
    limit = (6 * alpha - rest) // (alone + shared)  # if the piece is the better of each of its pairs
    if limit >= most:
        return limit
    limit = (6 * alpha - rest - partners) // alone  # if its partners are
    return limit if limit <= least else int64(-1)
