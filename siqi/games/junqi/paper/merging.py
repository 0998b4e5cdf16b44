"""Merging what several engines have learned, each from the same file, into one cooperation matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.junqi.paper.team import MAX_TEAM, STATE_DTYPE, STATES, relocate, row_for
from siqi.games.kernel.jit import Record


def merged(base: Any, theirs: Any, ours: Any) -> Any:
    """Return the rows of `theirs`, which others have saved, with what `ours` has learned; both had begun with `base`.

    If the matrix has no room for a state of ours, one of theirs makes room.
    """
    matrix = np.zeros(STATES, STATE_DTYPE)
    for row in theirs:
        matrix[row_for(matrix, int(row["key"]))] = row
    before = {int(row["key"]): row for row in base}
    for row in ours:
        key = int(row["key"])
        at = row_for(matrix, key)
        old = before.get(key)
        if int(matrix[at]["key"]) != key or matrix[at] == old:
            matrix[at] = row
        elif row != old:
            matrix[at] = both(matrix[at], row, np.zeros(1, STATE_DTYPE)[0] if old is None else old)
    return matrix[matrix["key"] != 0]


def both(theirs: Record, ours: Record, base: Record) -> Record:
    """Return a state's row with what two rows of it have learned, begun with `base`, a row without a key if new.

    It has our moves, which are younger. The worth of a joint action is the mean of both, weighted by how often
    each has tried it since.
    """
    rows = np.array([ours] * 3, STATE_DTYPE)
    mine, other, old = (rows[number : number + 1].view(np.recarray)[0] for number in range(3))
    relocate(other, theirs)
    if base["key"]:
        relocate(old, base)
    else:
        old.seen[:] = 0
    lessons = np.maximum(mine.seen.astype(np.int64) - old.seen, 0)
    more = np.maximum(other.seen.astype(np.int64) - old.seen, 0)
    share = np.tile(more / np.maximum(lessons + more, 1), MAX_TEAM)
    mine.worth[:] = (1 - share) * mine.worth + share * other.worth
    mine.seen[:] = np.minimum(old.seen + lessons + more, np.iinfo(np.uint32).max)
    return rows[0]
