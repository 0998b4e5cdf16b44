"""The default searcher: alpha-beta in a shared set of worlds, averaged, moves dropped by halves as it goes deeper.

Every root move still in the race is searched in every world to the same depth, and its value is the mean. With each
depth the worse half is dropped, for their values are told well enough by then. In a world all pieces are known, to both
sides; but an attack is only tried where its owner would expect to gain by it (`gains`), so that nobody acts on what he
cannot know.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from games.contract import Task
from games.junqi.evaluate import evaluate
from games.junqi.knowledge import Knowledge
from games.junqi.movegen import BOARDS, targets_of
from games.junqi.playout import enter_world
from games.junqi.position import POSITION, POSITION_DTYPE, QUIET_LIMIT, do_move, result_code, type_of
from games.junqi.root import Half, MoveValue
from games.junqi.tables import PIECES, TABLES, TABLES_RECORD
from games.junqi.work import MAX_DEPTH, MAX_MOVES, WORK
from games.kernel.intrinsics import copy_record, trailing_zeros
from games.kernel.jit import Record, entry, float64, inner, int64, void
from games.kernel.node import count_node
from games.uct import Findings

WORLDS = 16

FINALISTS = 4
"""Moves that are never dropped."""

DARING = -20.0
"""What an attack must be expected to gain for being looked at, in hundredths of log odds."""

ATTACKS = 2
"""Plies of attacks expected to gain that a branch is prolonged by: 66.7 % +- 10.3 of 80 games against none."""

QUIET_SCORE = 250_000.0
"""The most that a quiet move promises; an attack promises twice that, give or take what it gains."""

SHALLOW = 2
"""Depth to which a world's moves are searched in one call."""

MOVES = types.Array(types.uint16, 1, "C")
SCORES = types.Array(types.float32, 1, "C")
VALUES = types.Array(types.float64, 1, "C")


@inner(int64(POSITION, WORK, TABLES, MOVES, SCORES, int64, float64, int64))
def list_scored(
    pos: Record, work: Record, t: Record, moves: Any, scores: Any, first: int, least: float, with_quiet: int
) -> int:
    """The moves of the side to move that are worth a look, to moves[first:], with what they promise; returns their end.

    Attacks expected to gain more than `least`, and quiet moves if asked for.
    """
    side = pos.turn
    enemy = pos.occupied[1 - side]
    end = first
    pieces = pos.occupied[side]
    while pieces != 0:
        origin = trailing_zeros(pieces)
        pieces &= pieces - 1
        kind = type_of(pos, int64(pos.board[origin]) - 1)
        targets = targets_of(pos, t, origin, side, int64(1) << kind)
        if with_quiet == 0:
            targets &= enemy
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            move = origin | target << 6
            score = min(work.history[side << 12 | move], QUIET_SCORE)
            if enemy >> target & 1:
                gain = work.gains[kind * 2 * PIECES + int64(pos.board[target]) - 1]
                if gain <= least:
                    continue
                score = 2 * QUIET_SCORE + gain
            moves[end] = move
            scores[end] = score
            end += 1
    return end


@inner(float64(BOARDS, WORK, TABLES, MOVES, SCORES, int64, int64, float64, float64))
def search(
    boards: Any, work: Record, t: Record, moves: Any, scores: Any, ply: int, depth: int, alpha: float, beta: float
) -> float:
    """The chance of the side to move on boards[ply], all pieces known; fail-soft. Void once work.stopped."""
    # Step 1. Count the node; is the game over?
    count_node(work)
    if work.stopped == 1:
        return 0.0
    work.deepest = max(work.deepest, ply + 1)
    pos = boards[ply]
    if pos.loser >= 0:
        return 0.0 if pos.loser == pos.turn else 1.0
    if pos.quiet >= QUIET_LIMIT:
        return 1.0
    best = 0.0  # without a move the game is lost
    if depth <= 0:
        best = evaluate(pos, t, work)
        if pos.turn:
            best = 1.0 - best
        if best >= beta or depth <= -work.attacks or ply >= MAX_DEPTH - 1:
            return best

    # Step 2. The moves, best-looking first
    first = ply * MAX_MOVES
    if depth <= 0:
        end = list_scored(pos, work, t, moves, scores, first, 0.0, int64(0))
    else:
        end = list_scored(pos, work, t, moves, scores, first, work.daring, int64(1))
        if end == first:  # all there is are attacks that lose
            end = list_scored(pos, work, t, moves, scores, first, -1e9, int64(0))
    for i in range(first, end):
        top = i
        for j in range(i + 1, end):
            if scores[j] > scores[top]:
                top = j
        move = int64(moves[top])
        moves[top] = moves[i]
        scores[top] = scores[i]

        # Step 3. Search it
        copy_record(boards[ply + 1], pos)
        do_move(boards[ply + 1], move, result_code(pos, t, move))
        value = 1.0 - search(boards, work, t, moves, scores, ply + 1, depth - 1, 1.0 - beta, 1.0 - max(alpha, best))
        if work.stopped == 1:
            return 0.0
        if value > best:
            best = value
            if best >= beta:
                if pos.board[move >> 6] == 0:
                    work.history[pos.turn << 12 | move] += depth * depth
                break
    return best


@entry(void(POSITION, BOARDS, WORK, TABLES, MOVES, SCORES, int64, int64, MOVES, VALUES))
def try_moves(
    view: Record,
    boards: Any,
    work: Record,
    t: Record,
    moves: Any,
    scores: Any,
    world: int,
    depth: int,
    tried: Any,
    values: Any,
) -> None:
    """What moves are worth to their mover in a world, `depth` plies deep with them; void once work.stopped."""
    for i in range(tried.size):
        copy_record(boards[0], view)
        enter_world(boards[0], work, world)
        move = int64(tried[i])
        do_move(boards[0], move, result_code(boards[0], t, move))
        values[i] = 1.0 - search(boards, work, t, moves, scores, int64(0), depth - 1, 0.0, 1.0)
        if work.stopped == 1:
            return


class Memory(NamedTuple):
    """What a thread's search needs beside its WORK: a board, moves and their scores for each ply."""

    boards: Any
    moves: Any
    scores: Any


class WorldsRoot(Half):
    """Junqi's half of the searcher; an iteration is a depth. It keeps no trees."""

    node_dtype = np.dtype("i8")
    worlds = WORLDS
    daring = DARING
    attacks = ATTACKS

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__(knowledge)
        self._memories: list[Memory] = []

    def tree_count(self, threads: int) -> int:
        return 1

    def begin(self, task: Task, trees: Sequence[Any], works: Sequence[Record]) -> None:
        super().begin(task, trees, works)
        while len(self._memories) < len(works):
            plies = MAX_DEPTH * MAX_MOVES
            self._memories.append(
                Memory(np.zeros(MAX_DEPTH, POSITION_DTYPE), np.zeros(plies, np.uint16), np.zeros(plies, np.float32))
            )
        for work in works:
            work.history[:] = 0
            work.daring = self.daring
            work.attacks = self.attacks
        # What a search that is stopped at once answers with: the attack that promises most.
        self._racing = sorted(self._root.moves, key=self._promise, reverse=True)
        self._dropped: list[int] = []
        self._values = {move: np.full(len(self._root.worlds.kinds), 0.5) for move in self._racing}
        self._begin_depth(1)

    def _promise(self, move: int) -> float:
        target = int(self._root.view.board[move >> 6])
        if target == 0:
            return 0.0
        kind = int(self._root.view.may[self._root.view.board[move & 63] - 1]).bit_length() - 1
        return float(self._root.gains[kind, target - 1])

    def _begin_depth(self, depth: int) -> None:
        """A shallow search of all moves in a world is one job, for a call costs more than a move; then each is one."""
        self._depth = depth
        size = len(self._racing) if depth <= SHALLOW else 1
        parts = [self._racing[first : first + size] for first in range(0, len(self._racing), size)]
        self._jobs = itertools.product(range(len(self._root.worlds.kinds)), parts)
        self._found: dict[tuple[int, int], float] = {}

    def grow(self, board: Record, work: Record, tree: Any, playouts: int) -> None:
        """Do jobs, world by world, until this depth is done."""
        boards, moves, scores = self._memories[int(work.thread)]
        while (job := next(self._jobs, None)) is not None:
            world, part = job
            values = np.zeros(len(part))
            tried = np.array(part, np.uint16)
            try_moves(self._root.view, boards, work, TABLES_RECORD, moves, scores, world, self._depth, tried, values)
            if work.stopped:
                return
            self._found |= {(move, world): float(value) for move, value in zip(part, values, strict=True)}

    def findings(self, trees: Sequence[Any], works: Sequence[Record]) -> Findings:
        """Lines are ordered by how long they stayed in the race, and by value."""
        worlds = range(len(self._root.worlds.kinds))
        whole = [world for world in worlds if all((move, world) in self._found for move in self._racing)]
        for move in self._racing:
            for world in whole:
                self._values[move][world] = self._found[move, world]
        self._racing.sort(key=lambda move: -self._values[move].mean())
        if len(whole) == len(worlds):
            keep = max(len(self._racing) // 2, FINALISTS)
            self._dropped = self._racing[keep:] + self._dropped
            self._racing = self._racing[:keep]
            self._begin_depth(self._depth + 1)
        found = [
            MoveValue(move, len(worlds), float(self._values[move].mean())) for move in self._racing + self._dropped
        ]
        lines = self._root.lines(found)
        is_settled = len(found) == 1 or lines[0].score.mate is not None or self._depth >= MAX_DEPTH - 1
        return Findings(lines, 0, is_settled)
