"""What the alpha-beta kernels share at a node, for working memories of either game.

A working memory has `nodes`, `poll_at`, `stopped`, `control`, `thread`; `moves` and `move_scores`; and `pv`, a
triangle of rows with their lengths in `pv_length`.
"""

from __future__ import annotations

from typing import Any

from games.kernel.control import STOPPED, poll
from games.kernel.jit import Record, generic, inner, int64


@generic
def count_node(work: Record) -> None:
    """Count a node, and look at the control block when it is time."""
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, work.thread, work.nodes)
        if work.poll_at == STOPPED:
            work.stopped = 1


@generic
def hasten_poll(work: Record, nodes: int) -> None:
    """Look at the control block so many nodes sooner: for work that takes as long as they do."""
    work.poll_at -= nodes


@generic
def pick_from(moves: Any, scores: Any, at: int, end: int) -> int:
    """Bring the best-scored of the moves at..end-1 to `at`, its score with it, and return it."""
    best = at
    for i in range(at + 1, end):
        if scores[i] > scores[best]:
            best = i
    move = int64(moves[best])
    score = scores[best]
    moves[best] = moves[at]
    scores[best] = scores[at]
    moves[at] = move
    scores[at] = score
    return move


@generic
def pick(work: Record, at: int, end: int) -> int:
    """`pick_from` the moves of a search."""
    return pick_from(work.moves, work.move_scores, at, end)


@generic
def set_pv(work: Record, ply: int, move: int) -> None:
    """The variation at `ply` becomes `move` and the variation found one ply deeper."""
    width = len(work.pv_length)
    row = ply * width
    work.pv[row] = move
    length = int64(work.pv_length[ply + 1])
    for i in range(length):
        work.pv[row + 1 + i] = work.pv[row + width + i]
    work.pv_length[ply] = length + 1


@inner(int64(int64, int64, int64), forceinline=True)
def to_table(score: int, ply: int, bound: int) -> int:
    """Scores beyond `bound` are wins, stored as counted from the stored position, not from the root."""
    if score > bound:
        return score + ply
    if score < -bound:
        return score - ply
    return score


@inner(int64(int64, int64, int64), forceinline=True)
def from_table(score: int, ply: int, bound: int) -> int:
    """The reverse of `to_table`."""
    if score > bound:
        return score - ply
    if score < -bound:
        return score + ply
    return score
