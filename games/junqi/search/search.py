"""The default searcher: alpha-beta in a shared set of worlds, averaged, moves dropped by halves as it goes deeper.

Every root move still in the race is searched in every world to the same depth, and its value is the mean. With each
depth the worse half is dropped, for their values are told well enough by then. In a world all pieces are known, to both
sides; but an attack is only tried where its owner would expect to gain by it (`gains`), so that nobody acts on what he
cannot know.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types

from games.contract import Task
from games.junqi.evaluation.evaluate import evaluate
from games.junqi.evaluation.playout import enter_world
from games.junqi.rules.lookup import ATTACKER_WINS, BOTH_DIE, LOOKUP, LOOKUP_RECORD, PIECES, PLAIN, SQUARES
from games.junqi.rules.movegen import BOARDS, targets_of
from games.junqi.rules.position import POSITION, POSITION_DTYPE, QUIET_LIMIT, do_move, result_code, type_of
from games.junqi.rules.work import MAX_DEPTH, MAX_MOVES, WORK, WORK_DTYPE
from games.junqi.search.root import MoveValue, RootView
from games.kernel.intrinsics import copy_record, trailing_zeros
from games.kernel.jit import Record, entry, float64, inner, int64, void
from games.kernel.node import count_node
from games.kernel.tt import (
    EXACT,
    LOWER,
    UPPER,
    TranspositionTable,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    probe,
    save,
)
from games.search.deepening import DeepeningAdapter
from games.search.findings import Findings

if TYPE_CHECKING:
    from games.junqi.game import JunqiPosition

WORLDS = 32
"""53.3 % +- 8.0 of 120 games at 50 ms against 16."""

FINALISTS = 4
"""Moves that are never dropped."""

MIN_GAIN = -20.0
"""What an attack must be expected to gain for being looked at, in hundredths of log odds."""

QUIESCENCE_PLIES = 2
"""Plies of attacks expected to gain that a branch is prolonged by: 66.7 % +- 10.3 of 80 games against none."""

FUTILITY_MARGIN = 0.03
"""Futility margin per ply, a chance: 56.2 % +- 6.6 of 160 games, with LMR_MOVES and ASPIRATION_WINDOW, against none."""

FUTILITY_DEPTH = 2
"""The deepest nodes cut by it."""

LMR_MOVES = 4
"""Quiet moves this far down the list are first searched a ply less deep, from LMR_DEPTH on."""

LMR_DEPTH = 3

ASPIRATION_WINDOW = 0.03
"""How far from its value a depth before a root move's is looked for first."""

NULL_WINDOW = 1e-6
"""The width of a window that only asks whether a move is better; the table's unit of chance too."""

TT_UNITS = round(1 / NULL_WINDOW)

TURN_KEY = 0x5DEECE66D1B54A33
"""Of the hash: whose turn it is."""

TT_MOVE_SCORE = 1e9
"""What the table's move promises."""

QUIET_SCORE = 250_000.0
"""The most that a quiet move promises; an attack promises twice that, give or take what it gains."""

SHALLOW_DEPTH = 2
"""Depth to which a world's moves are searched in one call."""

MOVES = types.Array(types.uint16, 1, "C")
SCORES = types.Array(types.float32, 1, "C")
VALUES = types.Array(types.float64, 1, "C")


@inner(int64(POSITION, LOOKUP, int64, int64, int64), forceinline=True)
def key_after(pos: Record, lookup: Record, key: int, move: int, code: int) -> int:
    """The hash after a move from `pos`, whose own is given.

    Plies without contact and who has fought are left out: they differ only where battles came in another order.
    """
    origin, target = move & 63, move >> 6
    mover = (int64(pos.board[origin]) - 1) * SQUARES
    key ^= lookup.zobrist[mover + origin] ^ TURN_KEY
    if code == PLAIN or code == ATTACKER_WINS:
        key ^= lookup.zobrist[mover + target]
    if code == ATTACKER_WINS or code == BOTH_DIE:
        key ^= lookup.zobrist[(int64(pos.board[target]) - 1) * SQUARES + target]
    return key


@inner(int64(POSITION, WORK, LOOKUP, MOVES, SCORES, int64, float64, int64, int64))
def list_scored(
    pos: Record,
    work: Record,
    lookup: Record,
    moves: Any,
    scores: Any,
    first: int,
    least: float,
    with_quiet: int,
    tt_move: int,
) -> int:
    """The moves of the side to move that are worth a look, to moves[first:], with what they promise; returns their end.

    Attacks expected to gain more than `least`, and quiet moves if asked for; `tt_move` is the table's move.
    """
    side = pos.turn
    enemy = pos.occupied[1 - side]
    end = first
    pieces = pos.occupied[side]
    while pieces != 0:
        origin = trailing_zeros(pieces)
        pieces &= pieces - 1
        kind = type_of(pos, int64(pos.board[origin]) - 1)
        targets = targets_of(pos, lookup, origin, side, int64(1) << kind)
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
            scores[end] = TT_MOVE_SCORE if move == tt_move else score
            end += 1
    return end


@inner(float64(BOARDS, WORK, LOOKUP, MOVES, SCORES, int64, int64, int64, float64, float64))
def search(
    boards: Any,
    work: Record,
    lookup: Record,
    moves: Any,
    scores: Any,
    key: int,
    ply: int,
    depth: int,
    alpha: float,
    beta: float,
) -> float:
    """The chance of the side to move on boards[ply], all pieces known; fail-soft. Void once work.stopped."""
    # Step 1. Count the node; is the game over?
    count_node(work)
    if work.stopped == 1:
        return 0.0
    work.seldepth = max(work.seldepth, ply + 1)
    pos = boards[ply]
    if pos.loser >= 0:
        return 0.0 if pos.loser == pos.turn else 1.0
    if pos.quiet >= QUIET_LIMIT:
        return 1.0

    # Step 2. Does the table know it?
    tt_move = int64(0)
    if depth > 0:
        data = probe(work.tt, work.tt_mask, key)
        if data != 0:
            tt_move = entry_move(data)
            score, bound = entry_score(data) / TT_UNITS, entry_bound(data)
            answers = bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)
            if entry_depth(data) == depth and answers:
                return score

    # Step 3. What it looks like; near the leaves that may do
    best = 0.0  # without a move the game is lost
    with_quiet = int64(depth > 0)
    if depth <= FUTILITY_DEPTH:
        static = evaluate(pos, lookup, work)
        if pos.turn:
            static = 1.0 - static
        margin = FUTILITY_MARGIN * max(depth, 0)
        if static - margin >= beta:
            return static
        if depth <= 0:
            best = static
            if depth <= -work.quiescence_plies or ply >= MAX_DEPTH - 1:
                return best
        elif static + margin <= alpha:
            best = static + margin
            with_quiet = int64(0)

    # Step 4. The moves, best-looking first
    first = ply * MAX_MOVES
    least = work.min_gain if depth > 0 else 0.0
    end = list_scored(pos, work, lookup, moves, scores, first, least, with_quiet, tt_move)
    if end == first and with_quiet == 1:  # all there is are attacks that lose
        end = list_scored(pos, work, lookup, moves, scores, first, -1e9, with_quiet, tt_move)
    start = alpha
    best_move = int64(0)
    for i in range(first, end):
        top = i
        for j in range(i + 1, end):
            if scores[j] > scores[top]:
                top = j
        move = int64(moves[top])
        moves[top] = moves[i]
        scores[top] = scores[i]

        # Step 5. Search it: late quiet moves less deep, and all but the first just for being better
        code = result_code(pos, lookup, move)
        copy_record(boards[ply + 1], pos)
        do_move(boards[ply + 1], move, code)
        next_key = key_after(pos, lookup, key, move, code)
        alpha = max(alpha, best)
        reduction = int64(depth >= LMR_DEPTH and i >= first + LMR_MOVES and code == PLAIN)
        value = 0.0
        if i > first:
            new_depth = depth - 1 - reduction
            value = 1.0 - search(
                boards,
                work,
                lookup,
                moves,
                scores,
                next_key,
                ply + 1,
                new_depth,
                1.0 - alpha - NULL_WINDOW,
                1.0 - alpha,
            )
        if i == first or (work.stopped == 0 and value > alpha and (value < beta or reduction == 1)):
            value = 1.0 - search(
                boards, work, lookup, moves, scores, next_key, ply + 1, depth - 1, 1.0 - beta, 1.0 - alpha
            )
        if work.stopped == 1:
            return 0.0
        if value > best:
            best = value
            best_move = move
            if best >= beta:
                if code == PLAIN:
                    work.history[pos.turn << 12 | move] += depth * depth
                break

    # Step 6. Tell the table
    if depth > 0:
        bound = LOWER if best >= beta else EXACT if best > start else UPPER
        save(work.tt, work.tt_mask, key, best_move, int64(best * TT_UNITS), depth, bound, work.generation)
    return best


@entry(void(POSITION, BOARDS, WORK, LOOKUP, MOVES, SCORES, int64, int64, int64, MOVES, VALUES))
def try_moves(
    view: Record,
    boards: Any,
    work: Record,
    lookup: Record,
    moves: Any,
    scores: Any,
    world: int,
    key: int,
    depth: int,
    tried: Any,
    values: Any,
) -> None:
    """What moves are worth to their mover in a world, `depth` plies deep with them; void once work.stopped.

    `key` is the world's hash; `values` come with what was found a depth before.
    """
    pos = boards[MAX_DEPTH]
    copy_record(pos, view)
    enter_world(pos, work, world)
    for i in range(tried.size):
        move = int64(tried[i])
        code = result_code(pos, lookup, move)
        copy_record(boards[0], pos)
        do_move(boards[0], move, code)
        next_key = key_after(pos, lookup, key, move, code)
        low, high = 0.0, 1.0
        if depth > 1:
            low, high = max(values[i] - ASPIRATION_WINDOW, 0.0), min(values[i] + ASPIRATION_WINDOW, 1.0)
        value = 1.0 - search(boards, work, lookup, moves, scores, next_key, int64(0), depth - 1, 1.0 - high, 1.0 - low)
        if work.stopped == 0 and (value <= low or value >= high):
            value = 1.0 - search(boards, work, lookup, moves, scores, next_key, int64(0), depth - 1, 0.0, 1.0)
        if work.stopped == 1:
            return
        values[i] = value


def keys_of(view: Record, worlds: Any) -> list[int]:
    """Return each world's key, a hash of the view's fields and the hidden types; padding differs between copies."""
    fields = b"".join(view[name].tobytes() for name in view.dtype.names)
    digests = (hashlib.blake2b(fields + kinds.tobytes(), digest_size=8).digest() for kinds in worlds)
    return [int.from_bytes(digest, "little", signed=True) for digest in digests]


class Stacks(NamedTuple):
    """What a thread's search needs beside its WORK: a board, moves and their scores for each ply."""

    boards: Any
    moves: Any
    scores: Any


class WorldsAdapter(DeepeningAdapter["JunqiPosition"]):
    """Junqi's half of the searcher: a depth is searched in every world, and the threads divide the worlds."""

    work_dtype = WORK_DTYPE
    max_depth = 45  # beyond reach
    is_seeded = shares_depths = True

    def __init__(self) -> None:
        self._stacks: list[Stacks] = []

    def begin(self, task: Task[JunqiPosition], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        self._works = works
        self._root = RootView(task, works, WORLDS, seed + task.position.ply)
        while len(self._stacks) < len(works):
            plies = MAX_DEPTH * MAX_MOVES
            self._stacks.append(
                Stacks(np.zeros(MAX_DEPTH + 1, POSITION_DTYPE), np.zeros(plies, np.uint16), np.zeros(plies, np.float32))
            )
        for work in works:
            work.history[:] = 0
            work.min_gain, work.quiescence_plies = MIN_GAIN, QUIESCENCE_PLIES
            work.tt, work.tt_mask, work.generation = tt.address, tt.mask, tt.generation
        self._keys = keys_of(self._root.view, self._root.worlds.kinds)
        # The answer of a search that is stopped at once: the attack that promises most.
        self._racing = sorted(self._root.moves, key=self._expected_gain, reverse=True)
        self._dropped: list[int] = []
        self._values = {move: np.full(len(self._root.worlds.kinds), 0.5) for move in self._racing}

    def _expected_gain(self, move: int) -> float:
        target = int(self._root.view.board[move >> 6])
        if target == 0:
            return 0.0
        kind = int(self._root.view.may[self._root.view.board[move & 63] - 1]).bit_length() - 1
        return float(self._root.gains[kind, target - 1])

    def begin_depth(self, depth: int) -> None:
        """A shallow search of all moves in a world is one job, for a call costs more than a move; then each is one."""
        size = len(self._racing) if depth <= SHALLOW_DEPTH else 1
        parts = [self._racing[first : first + size] for first in range(0, len(self._racing), size)]
        self._jobs = itertools.product(range(len(self._root.worlds.kinds)), parts)
        self._found: dict[tuple[int, int], float] = {}

    def search(self, thread: int, depth: int) -> None:
        """Do jobs, world by world, until none of this depth is left."""
        work, (boards, moves, scores) = self._works[thread], self._stacks[thread]
        while (job := next(self._jobs, None)) is not None:
            world, part = job
            values = np.array([self._values[move][world] for move in part])
            tried = np.array(part, np.uint16)
            key = self._keys[world]
            try_moves(
                self._root.view, boards, work, LOOKUP_RECORD, moves, scores, world, key, depth, tried, values
            )  # fmt: skip
            if work.stopped:
                return
            self._found |= {(move, world): float(value) for move, value in zip(part, values, strict=True)}

    def findings(self, depth: int) -> Findings:
        """Order lines by how long they stayed in the race, then by value; after a whole depth drop the worse half."""
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
        found = [
            MoveValue(move, len(worlds), float(self._values[move].mean())) for move in self._racing + self._dropped
        ]
        return self._root.findings(found, is_settled=len(found) == 1)
