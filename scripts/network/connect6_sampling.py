"""Kernels that draw and score positions of Connect6 (sample_connect6_positions.py), and what Python needs to call them.

From Python a short search takes ten times as long: at the root it looks for wins by double threats first, with
thousands of nodes.
"""

from __future__ import annotations

import math

import numpy as np

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.evaluation.network import INTEREST_LOGIT
from siqi.games.connect6.evaluation.patterns import NetworkEvaluation, load_interest
from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD, POINTS
from siqi.games.connect6.rules.position import NO_POINT, NOT_OVER, POSITION, do_stone, make_move
from siqi.games.connect6.rules.work import WORK, WORK_DTYPE
from siqi.games.connect6.search.search import HORIZON_NODES, INFINITE, THREAT_DEPTH, search
from siqi.games.connect6.search.threats import find_win
from siqi.games.kernel.control import NEVER, Control
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record
from siqi.games.kernel.random import below, next_state, seed_state
from siqi.games.kernel.tt import TranspositionTable

TT_MB = 1

UNIT = 1 << 30


@inner(int64(POSITION, WORK, int64))
def draw_point(pos: Record, work: Record, random: int) -> int:
    """Return an empty point, drawn with the root of the policy's chance, from a random state."""
    load_interest(pos, work)
    most = int64(-(1 << 40))
    for point in range(POINTS):
        if pos.stones[point] == 0:
            most = max(most, int64(work.interest[point]))
    total = 0.0
    for point in range(POINTS):
        if pos.stones[point] == 0:
            total += math.exp((work.interest[point] - most) / (2.0 * INTEREST_LOGIT))
    left = total * below(random, int64(UNIT)) / UNIT
    last: int = int64(0)
    for point in range(POINTS):
        if pos.stones[point] == 0:
            last = point
            left -= math.exp((work.interest[point] - most) / (2.0 * INTEREST_LOGIT))
            if left < 0.0:
                break
    return last


@entry(int64(POSITION, WORK, LOOKUP, int64, int64), is_rare=True)
def draw_turns(pos: Record, work: Record, lookup: Record, turns: int, random: int) -> int:
    """Play turns drawn by the policy; return 1 if a search asks for the value of the position after them."""
    for _ in range(turns):
        for _ in range(pos.left):
            random = next_state(random)
            do_stone(pos, lookup, draw_point(pos, work, random))
            if pos.winner != NOT_OVER:
                return 0
    if pos.left != 2 or pos.threats[0] + pos.threats[1] > 0:
        return 0
    length, _ = find_win(pos, work, lookup, int64(THREAT_DEPTH), int64(HORIZON_NODES))
    return 1 if length <= 0 else 0


@entry(int64(POSITION, WORK, LOOKUP, int64), is_rare=True)
def score_position(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Return the score of a position by a search of `depth` plies, in the mover's view."""
    work.nodes = 0
    work.stopped = 0
    work.poll_at = NEVER
    for i in range(len(work.killers)):
        work.killers[i] = 0
    score: int = int64(0)
    for plies in range(1, depth + 1):
        score = search(pos, work, lookup, int64(-INFINITE), int64(INFINITE), int64(plies), int64(0))
    return score


class Search:
    """The memory of a thread's searches; each begins with an empty transposition table."""

    def __init__(self, evaluation: NetworkEvaluation, width: int) -> None:
        """`width`: turns searched at a node."""
        self._evaluation = evaluation  # owns the memory of the networks
        self._tt, self._control = TranspositionTable(TT_MB), Control()
        self._work = new_record(WORK_DTYPE)
        self._work.control = self._control.address
        self._work.tt, self._work.tt_mask = self._tt.address, self._tt.mask
        self._work.width = width
        evaluation.prepare([self._work])
        record = Connect6Position().record
        draw_turns(record, self._work, LOOKUP_RECORD, 0, 1)  # compiles the kernels
        score_position(record, self._work, LOOKUP_RECORD, 0)

    def drawn(self, position: Connect6Position, turns: int, seed: int) -> list[int]:
        """Return turns drawn from a position; empty if no search asks for the value of the position after them."""
        pos = position.record.copy()
        height = int(pos.height)
        self._tt.clear()
        if not draw_turns(pos, self._work, LOOKUP_RECORD, turns, seed_state(seed)):
            return []
        points = [int(point) for point in pos.past_point[height : int(pos.height)]]
        first = int(position.record.left)
        groups = [points[:first], *(points[at : at + 2] for at in range(first, len(points), 2))]
        return [make_move(min(group), max(group) if len(group) == 2 else NO_POINT) for group in groups]

    def score(self, pos: np.record, depth: int) -> int:
        """Return the score of a position by a search of `depth` plies, in the mover's view."""
        self._tt.clear()
        return int(score_position(pos.copy(), self._work, LOOKUP_RECORD, depth))
