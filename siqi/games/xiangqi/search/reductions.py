"""Late move reductions: by how many plies the search of a move is shortened, at the root and below it."""

from __future__ import annotations

from siqi.games.kernel.jit import Record, inner, int64
from siqi.games.xiangqi.search.margins import MARGINS, REDUCTIONS
from siqi.games.xiangqi.search.picker import GOOD_CAPTURE


@inner(int64(MARGINS, int64, int64), forceinline=True)
def base_reduction(margins: Record, depth: int, move_count: int) -> int:
    """Return the reduction in plies by depth and place alone, some log(depth) * log(place); may be below 0.

    `move_count`: the place of the move among its node's, the first is 1.
    """
    return margins.reduction[min(depth, REDUCTIONS - 1) * REDUCTIONS + min(move_count - 1, REDUCTIONS - 1)]


@inner(int64(MARGINS, int64, int64, int64, int64, int64), forceinline=True)
def late_move_reduction(
    margins: Record, reduction: int, move_score: int, is_quiet: int, is_pv: int, improving: int
) -> int:
    """Return the reduction in plies of a late move, 0 or more.

    `reduction`: its base_reduction; `move_score`: its score by the move picker; the other arguments: 1 for yes, 0 for
    no, as in `search`. Good captures are not reduced, moves with a good history less.
    """
    if move_score >= GOOD_CAPTURE:
        return 0
    if is_quiet:
        reduction -= int64(move_score / margins.history_per_ply)
        if is_pv:
            reduction -= 1
        if improving == 0:
            reduction += 1
    else:
        reduction -= 1
    return max(reduction, 0)
