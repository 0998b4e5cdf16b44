"""Paper 4's opponents of the cooperative player: UCT, minimax, alpha-beta and Monte Carlo.

All sample the unseen pieces by the engine's beliefs, and value positions by its evaluation.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from siqi.games.contract import Searcher, Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.evaluation.evaluate import evaluate
from siqi.games.junqi.paper.cooperation import CooperationAdapter
from siqi.games.junqi.rules.lookup import LOOKUP
from siqi.games.junqi.rules.movegen import BOARDS, list_legal
from siqi.games.junqi.rules.position import POSITION, QUIET_LIMIT, do_move, result_code, target_of
from siqi.games.junqi.rules.work import MAX_MOVES, WORK
from siqi.games.junqi.search.flat import PLAYOUT_PLIES, FlatAdapter, try_arms
from siqi.games.junqi.search.playout import enter_world
from siqi.games.junqi.search.root import MoveValue
from siqi.games.junqi.search.search import MOVES, VALUES, WorldsAdapter
from siqi.games.junqi.search.uct import UctAdapter
from siqi.games.kernel.control import Control
from siqi.games.kernel.intrinsics import copy_record
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, void
from siqi.games.kernel.node import count_node
from siqi.games.search.deepening import DeepeningSearcher
from siqi.games.search.iteration import IterationResult
from siqi.games.search.sampling import SamplingSearcher

CHUNK = 4
"""Playouts of a move in succession."""


class PlainUctAdapter(UctAdapter):
    """The cooperative player's UCT, with the same formula and the same k, without activation and learning."""

    tree_settings = CooperationAdapter.tree_settings


@inner(int64(POSITION, WORK, LOOKUP, MOVES, int64))
def list_attacks_first(pos: Record, work: Record, lookup: Record, moves: Any, first: int) -> int:
    """Write the moves of the side to move to moves[first:]; return their end."""
    count = list_legal(pos, work, lookup, pos.turn)
    end = first
    for is_attack in (1, 0):
        for i in range(count):
            if int64(pos.board[target_of(int64(work.moves[i]))] != 0) == is_attack:
                moves[end] = work.moves[i]
                end += 1
    return end


@inner(float64(BOARDS, WORK, LOOKUP, MOVES, int64, int64, float64, float64, int64))
def full_width(
    positions: Any,
    work: Record,
    lookup: Record,
    moves: Any,
    ply: int,
    depth: int,
    alpha: float,
    beta: float,
    has_cuts: int,
) -> float:
    """Return the mover's chance on positions[ply], all pieces known, every move searched to the depth.

    With `has_cuts` 1 moves that cannot change the value in (alpha, beta) are left out: alpha-beta, fail-soft.
    Meaningless once work.stopped.
    """
    pos = positions[ply]
    count_node(work)
    if work.stopped == 1:
        return 0.0
    work.seldepth = max(work.seldepth, ply + 1)
    if pos.loser >= 0:
        return 0.0 if pos.loser == pos.turn else 1.0
    if pos.quiet >= QUIET_LIMIT:
        return 1.0
    if depth == 0:
        value = evaluate(pos, work, lookup)
        return 1.0 - value if pos.turn else value
    first = ply * MAX_MOVES
    best = 0.0  # the mover has lost if it has no move
    for i in range(first, list_attacks_first(pos, work, lookup, moves, first)):
        move = int64(moves[i])
        copy_record(positions[ply + 1], pos)
        do_move(positions[ply + 1], move, result_code(pos, lookup, move))
        floor = max(alpha, best) if has_cuts == 1 else 0.0
        value = 1.0 - full_width(positions, work, lookup, moves, ply + 1, depth - 1, 1.0 - beta, 1.0 - floor, has_cuts)
        if work.stopped == 1:
            return 0.0
        best = max(best, value)
        if has_cuts == 1 and best >= beta:
            break
    return best


@entry(void(POSITION, BOARDS, WORK, LOOKUP, MOVES, int64, int64, int64, MOVES, VALUES))
def try_full_width(
    view: Record,
    positions: Any,
    work: Record,
    lookup: Record,
    moves: Any,
    world: int,
    depth: int,
    has_cuts: int,
    tried: Any,
    values: Any,
) -> None:
    """Search moves of a view in one world, `depth` plies deep with the move, and set `values` to the mover's chances.

    Once work.stopped, the values of the move in hand and of those after it mean nothing.
    """
    for i in range(tried.size):
        copy_record(positions[0], view)
        enter_world(positions[0], work, world)
        move = int64(tried[i])
        do_move(positions[0], move, result_code(positions[0], lookup, move))
        values[i] = 1.0 - full_width(positions, work, lookup, moves, int64(0), depth - 1, 0.0, 1.0, has_cuts)
        if work.stopped == 1:
            return


class MinimaxAdapter(WorldsAdapter):
    """Minimax in each world, all moves to one depth, values averaged over the worlds: no cuts and no table."""

    worlds, finalists = 8, MAX_MOVES
    has_cuts = False

    def _affordable_worlds(self, control: Control) -> int:
        return self.worlds  # whatever the limit, as in the experiments of paper 4

    def _try(self, thread: int, world: int, depth: int, tried: Any, values: Any) -> None:
        place = (self._root.view, self._stacks[thread].positions, self._works[thread], self.lookup)
        try_full_width(*place, self._stacks[thread].moves, world, depth, int(self.has_cuts), tried, values)


class AlphaBetaAdapter(MinimaxAdapter):
    """The same with alpha-beta cuts, attacks first."""

    has_cuts = True


class MonteCarloAdapter(FlatAdapter):
    """Playouts in sampled worlds: of the best move so far, one time in ten of a random one."""

    def begin(self, task: Task[JunqiPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        super().begin(task, trees, works, seed)
        self._draws = [random.Random(seed + task.position.ply + thread) for thread in range(len(works))]

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        work, arms, draw = self._works[thread], self._arms[thread], self._draws[thread]
        end = work.nodes + playouts
        while not work.stopped and work.nodes < end:
            number = int(work.nodes)
            chosen = number // CHUNK
            if chosen >= len(arms):
                is_random = draw.random() < 0.1
                chosen = draw.randrange(len(arms)) if is_random else int(np.argmax(arms["sum"] / arms["visits"]))
            place = (self._root.view, scratch, work, self.lookup, arms[chosen : chosen + 1])
            try_arms(*place, 1, number, 1, min(CHUNK, int(end) - number), PLAYOUT_PLIES)

    def result(self) -> IterationResult:
        """Return the moves that have playouts by their mean results."""
        visits = sum(arms["visits"] for arms in self._arms)
        sums = sum(arms["sum"] for arms in self._arms)
        ranked = [
            MoveValue(move, int(count), float(total / count))
            for move, count, total in zip(self._root.moves, visits, sums, strict=True)
            if count
        ]
        return self._root.result(sorted(ranked, key=lambda value: -value.value), is_settled=len(visits) == 1)


def new_opponent(name: str) -> Searcher[JunqiPosition]:
    """Return a new searcher of an opponent by its value of the option Algorithm."""
    if name == "plain-uct":
        return SamplingSearcher(PlainUctAdapter())
    if name == "montecarlo":
        return SamplingSearcher(MonteCarloAdapter())
    return DeepeningSearcher(MinimaxAdapter() if name == "minimax" else AlphaBetaAdapter())
