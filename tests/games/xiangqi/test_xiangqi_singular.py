"""The search for singularity searches a node's other moves, and learns from them alone."""

from __future__ import annotations

from typing import Any

from siqi.games import registry
from siqi.games.contract import Task
from siqi.games.kernel.control import NEVER, Control
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.work import MAX_MOVES
from siqi.games.xiangqi.search.search import search_root

FIRST = MAX_MOVES
"""The place of the moves of ply 1."""


def test_a_cut_by_another_move_than_the_excluded_one_teaches_nothing_about_moves_not_tried() -> None:
    """Nothing is learned if the tt's move, stored by another search since, is not the excluded one and cuts at once.

    The update of the histories once ran past the node's moves, over other data and beyond the array.
    """
    game = registry.load("xiangqi")
    position = game.position()
    searcher: Any = game.searcher()
    searcher.configure(1, 1, 1)
    searcher.start(Task(position, Control(), (position.parse_move("h2e2"),)))
    for _ in range(6):
        searcher.iterate()
    position.push(position.parse_move("h2e2"))
    stored = searcher.recall(position)
    quiet = [move for move in position.legal_moves() if not position.record.board[move >> 7]]
    assert stored is not None and stored.move in quiet
    excluded, untried = [move for move in quiet if move != stored.move][:2]
    position.pop()

    work = searcher._searcher._works[0]
    work.excluded[1], work.poll_at = excluded, NEVER
    work.moves[FIRST:] = untried  # what an earlier node may have left
    piece, target = int(position.record.board[untried & 127]), untried >> 7
    before = int(work.history[piece * 90 + target])
    score = search_root(position.record.copy(), work, LOOKUP_RECORD, 500, 501, 2, 0)
    assert score <= 500 and work.moves[FIRST] == stored.move
    assert work.killers[2] == stored.move
    assert int(work.history[piece * 90 + target]) == before
    work.excluded[1] = 0
    searcher.finish()
