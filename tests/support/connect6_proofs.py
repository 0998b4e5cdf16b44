"""Proofs of wins by double threats: trees of one turn for the attacker and every reply of the opponent."""

from __future__ import annotations

from typing import Any, NamedTuple

from siqi.games.connect6.rules.lookup import LOOKUP_RECORD
from siqi.games.connect6.rules.position import NOT_OVER, do_move, undo_move
from siqi.games.connect6.search.threats import ThreatSolver, replies_to


class Proof(NamedTuple):
    """A winning turn, and the proof after each reply that hits all its threats."""

    turn: int
    replies: dict[int, Proof]  # empty if the turn makes six or no two stones hit all its threats
    length: int  # attacker's turns in the longest line, the six included


def prove(solver: ThreatSolver, pos: Any, budget: int) -> Proof | None:
    """Return the proof of a win by double threats; None if none is found within `budget` nodes at a position."""
    if not solver.solve(pos, budget):
        return None
    pos, work = pos.copy(), solver._work
    turn = int(work.replies[0])
    do_move(pos, LOOKUP_RECORD, turn)
    if pos.winner != NOT_OVER:
        return Proof(turn, {}, 1)
    replies: dict[int, Proof] = {}
    count = int(replies_to(pos, work, LOOKUP_RECORD, turn))
    for reply in work.replies[:count].tolist():
        do_move(pos, LOOKUP_RECORD, reply)
        answer = prove(solver, pos, budget)
        if answer is None:
            return None
        replies[reply] = answer
        undo_move(pos, LOOKUP_RECORD, reply)
    return Proof(turn, replies, 1 + max((answer.length for answer in replies.values()), default=1))
