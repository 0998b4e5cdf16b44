"""Steps of a search kernel at a node, for the working memory of any game.

`count_node` and `hasten_poll` need `nodes`, `poll_at`, `stopped`, `control` and `thread`; `pick` needs `moves` and
`move_scores`; `set_pv` needs `pv`, rows of one length by ply, and `pv_length`, the moves in each row; `root_place` and
`promote` need `root_moves`, of which `root_count` are in use.
"""

from __future__ import annotations

from typing import Any

from siqi.games.kernel.control import STOPPED, poll
from siqi.games.kernel.jit import Record, generic, inner, int64, uint64


@generic
def count_node(work: Record) -> None:
    """Count a node, and poll the control block when it is due: `work.stopped` becomes 1 if the search has to stop."""
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, work.thread, work.nodes)
        if work.poll_at == STOPPED:
            work.stopped = 1


@generic
def hasten_poll(work: Record, nodes: int) -> None:
    """Poll the control block `nodes` nodes sooner: for work that takes as long as that many nodes."""
    work.poll_at -= nodes


@generic
def pick_from(moves: Any, scores: Any, at: int, end: int) -> int:
    """Swap the best-scored of the moves at..end-1 to `at`, with its score; return it. The first of equals wins."""
    best, most = at, scores[uint64(at)]
    for i in range(at + 1, end):
        score = scores[uint64(i)]
        if score > most:
            best, most = i, score
    move = int64(moves[best])
    moves[best] = moves[at]
    scores[best] = scores[at]
    moves[at] = move
    scores[at] = most
    return move


@generic
def pick(work: Record, at: int, end: int) -> int:
    """`pick_from` the moves of a working memory."""
    return pick_from(work.moves, work.move_scores, at, end)


@generic
def root_place(work: Record, move: int, first: int) -> int:
    """Return the place of a move among the root moves from `first` on; work.root_count if it is not there."""
    place = first
    while place < work.root_count and work.root_moves[place] != move:
        place += 1
    return place


@generic
def promote(work: Record, place: int, first: int, move: int) -> None:
    """Put a root move at `first`; those from there to `place` shift back by one, over the one at `place`."""
    for i in range(place, first, -1):
        work.root_moves[i] = work.root_moves[i - 1]
    work.root_moves[first] = move


@generic
def set_pv(work: Record, ply: int, move: int) -> None:
    """Set the variation at `ply` to `move` followed by the variation at `ply + 1`."""
    width = len(work.pv_length)
    row = ply * width
    work.pv[row] = move
    length = int64(work.pv_length[ply + 1])
    for i in range(length):
        work.pv[row + 1 + i] = work.pv[row + width + i]
    work.pv_length[ply] = length + 1


@inner(int64(int64, int64, int64), forceinline=True)
def to_tt(score: int, ply: int, bound: int) -> int:
    """Return a score as the tt stores it: a win or loss beyond +-`bound` is counted from its position, not the root."""
    if score > bound:
        return score + ply
    if score < -bound:
        return score - ply
    return score


@inner(int64(int64, int64, int64), forceinline=True)
def from_tt(score: int, ply: int, bound: int) -> int:
    """Return a score that the tt has stored, for a node at `ply`: the reverse of `to_tt`."""
    if score > bound:
        return score - ply
    if score < -bound:
        return score + ply
    return score
