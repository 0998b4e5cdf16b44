"""Proofs of wins by double threats: trees of one turn for the attacker and every reply of the opponent."""

from __future__ import annotations

from typing import NamedTuple

from siqi.games.connect6.rules.lookup import LOOKUP_RECORD
from siqi.games.connect6.rules.position import NOT_OVER, do_turn, undo_turn
from siqi.games.connect6.rules.work import MAX_LEVELS, WORK_DTYPE
from siqi.games.connect6.search.threats import ABORTED, replies_to, win_after, win_by_threats
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.tt import TranspositionTable


class Proof(NamedTuple):
    """A winning turn, and the proof after each reply that hits all its threats."""

    turn: int
    replies: dict[int, Proof]  # empty if the turn makes six or no two stones hit all its threats
    length: int  # attacker's turns in the longest line, the six included


class ThreatSolver:
    """The threat search alone, with a transposition table and a control block of its own."""

    def __init__(self, megabytes: int = 16) -> None:
        self._work = new_record(WORK_DTYPE)
        self._tt = TranspositionTable(megabytes)
        self._control = Control()
        self._work.control = self._control.address
        self._work.tt, self._work.tt_mask = self._tt.address, self._tt.mask
        self.nodes = 0
        """Nodes of the last search."""

    def solve(self, pos: Record, budget: int, depth: int = MAX_LEVELS) -> int | None:
        """Return the number of turns in which the side to move wins by double threats, 0 if it does not.

        None if `budget`, a number of nodes, did not suffice. `depth`: the most turns of the win.
        """
        length = int(win_by_threats(pos, self._work, LOOKUP_RECORD, depth, budget))
        self.nodes = int(self._work.attack_nodes)
        return None if length == ABORTED else length

    def solve_after(self, pos: Record, turn: int, budget: int) -> int:
        """Return the number of turns in which a turn that makes a threat wins by double threats after every reply.

        0 if that is not proven with `budget` nodes for each reply.
        """
        return max(int(win_after(pos, self._work, LOOKUP_RECORD, turn, budget)), 0)

    def prove(self, pos: Record, budget: int) -> Proof | None:
        """Return the proof of a win by double threats; None if none is found within `budget` nodes at a position."""
        if not self.solve(pos, budget):
            return None
        pos = pos.copy()
        turn = int(self._work.replies[0])
        do_turn(pos, LOOKUP_RECORD, turn)
        if pos.winner != NOT_OVER:
            return Proof(turn, {}, 1)
        replies: dict[int, Proof] = {}
        count = int(replies_to(pos, self._work, LOOKUP_RECORD, turn))
        for reply in self._work.replies[:count].tolist():
            do_turn(pos, LOOKUP_RECORD, reply)
            answer = self.prove(pos, budget)
            if answer is None:
                return None
            replies[reply] = answer
            undo_turn(pos, LOOKUP_RECORD, reply)
        return Proof(turn, replies, 1 + max((answer.length for answer in replies.values()), default=1))
