"""The default searcher: alpha-beta in a shared set of worlds, averaged; each depth halves the root moves.

Every root move still in the race is searched in every world to the same depth; its value is the mean over the worlds.
After each depth the worse half is dropped. In a world both sides know all pieces. But an attack is searched only if its
player, by its beliefs, expects to gain by it (`gains`), so that neither side acts on what it cannot know.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.evaluation.evaluate import begin_line, evaluate_in_line, follow_move
from siqi.games.junqi.knowledge.belief_models import HABITS, BeliefModel
from siqi.games.junqi.rules.lookup import ATTACKER_WINS, BOTH_DIE, LOOKUP, LOOKUP_RECORD, PIECES, PLAIN, SQUARES
from siqi.games.junqi.rules.movegen import BOARDS, targets_of
from siqi.games.junqi.rules.position import (
    POSITION,
    POSITION_DTYPE,
    QUIET_LIMIT,
    do_move,
    make_move,
    origin_of,
    result_code,
    target_of,
    type_of,
)
from siqi.games.junqi.rules.work import MAX_MOVES, MAX_PLY, WORK, WORK_DTYPE
from siqi.games.junqi.search.playout import enter_world
from siqi.games.junqi.search.root import MoveValue, RootView
from siqi.games.kernel.control import Control
from siqi.games.kernel.intrinsics import copy_record, trailing_zeros
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, void
from siqi.games.kernel.node import count_node
from siqi.games.kernel.tt import (
    EXACT,
    LOWER,
    UPPER,
    TranspositionTable,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    prefetch,
    probe,
    save,
)
from siqi.games.search.deepening import DeepeningAdapter
from siqi.games.search.iteration import IterationResult

WORLDS = 32
"""Worlds of a search: 53.3 % +- 8.0 of 120 games at 50 ms against 16."""

HASTY_NS, HASTY_WORLDS = 20_000_000, 8
"""With less time than this the shortest search must be short, so it has fewer worlds: it takes 2 ms, with 32 of
them 12, and 16 of 200 games at 1 s without an increment were lost on time on a busy machine."""

WORLD_NODES = 200
"""A search with a node limit has one world for each of these, since depth 1 always ends and takes up to 270 in a world:
Skill Level 4 scored 64.0 % [53.2, 73.5] of 100 games against 0, with 32 worlds at each level 49.0 % +- 9.8."""

FINALISTS = 4
"""Root moves that stay in the race to the end."""

MIN_GAIN = -20.0
"""Attacks expected to gain no more are not searched, unless there is no other move; in hundredths of log odds."""

QUIESCENCE_PLIES = 2
"""Plies of the quiescence search, attacks expected to gain: 66.7 % +- 10.3 of 80 games against none."""

FUTILITY_MARGIN = 0.03
"""Futility margin per ply, a chance: 56.2 % +- 6.6 of 160 games, with late move reductions and ASPIRATION_WINDOW,
against none."""

FUTILITY_MAX_DEPTH = 2
"""The greatest depth at which futility margins apply."""

LMR_MIN_DEPTH, LMR_MIN_MOVE = 3, 4
"""The first depth, and the first quiet move of a node (from 0), that late move reductions shorten."""

ASPIRATION_WINDOW = 0.03
"""Half-width of the first window around a root move's value at the depth before, a chance."""

NULL_WINDOW = 1e-6
"""Width of a null window, and the unit in which the transposition table stores chances."""

TT_UNITS = round(1 / NULL_WINDOW)

TURN_KEY = 0x5DEECE66D1B54A33
"""The hash key of the side to move."""

TT_MOVE_SCORE = 1e9
"""The ordering score of the transposition table's move."""

QUIET_SCORE = 250_000.0
"""The highest ordering score of a quiet move; an attack has twice this plus its expected gain."""

SHALLOW_DEPTH = 2
"""The depth up to which one call searches all moves in a world."""

MOVES = types.Array(types.uint16, 1, "C")
SCORES = types.Array(types.float32, 1, "C")
VALUES = types.Array(types.float64, 1, "C")


@inner(int64(POSITION, LOOKUP, int64, int64, int64), forceinline=True)
def key_after(pos: Record, lookup: Record, key: int, move: int, code: int) -> int:
    """Return the hash after a move from `pos`, whose own hash is `key`.

    It leaves out the plies without contact and the pieces that have fought. In one search they differ between
    positions of one hash only if battles came in another order.
    """
    origin, target = origin_of(move), target_of(move)
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
    """Write the moves worth searching to moves[first:], with their ordering scores; return their end.

    These are the attacks expected to gain more than `least` (hundredths of log odds), and, if `with_quiet` is 1, the
    quiet moves. `pos` is a full position; `tt_move` is 0 if the transposition table has none.
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
            move = make_move(origin, target)
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
    positions: Any,
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
    """Search positions[ply], a full position, in the window (alpha, beta); return the chance of the side to move, 0..1.

    Fail-soft: a value <= alpha is an upper bound, a value >= beta a lower bound, of this selective search. `depth` is
    in plies; from 0 down to -work.quiescence_plies only attacks expected to gain are searched. `key`: its hash.
    Values depend on the path: the plies without contact are not hashed. Overwrites positions[ply + 1:] and the moves of
    these plies. Once work.stopped the value is void, and nothing is stored.
    """
    # Step 1. Count the node; a finished game has its exact value
    count_node(work)
    if work.stopped == 1:
        return 0.0
    work.seldepth = max(work.seldepth, ply + 1)
    pos = positions[ply]
    if pos.loser >= 0:
        return 0.0 if pos.loser == pos.turn else 1.0
    if pos.quiet >= QUIET_LIMIT:
        return 1.0

    # Step 2. Near the leaves a quiet move is unlikely to change the static value by more than the margin: return if it
    # is above beta by that, skip quiet moves if below alpha. At depth 0 and below the side to move may stand pat.
    best = 0.0  # a side without a move has lost
    with_quiet = int64(depth > 0)
    if depth <= FUTILITY_MAX_DEPTH:
        static = evaluate_in_line(pos, work, lookup, ply)
        if pos.turn:
            static = 1.0 - static
        margin = FUTILITY_MARGIN * max(depth, 0)
        if static - margin >= beta:
            return static
        if depth <= 0:
            best = static
            if depth <= -work.quiescence_plies or ply >= MAX_PLY - 1:
                return best
        elif static + margin <= alpha:
            best = static + margin
            with_quiet = int64(0)

    # Step 3. Probe the transposition table: an entry of the same depth may answer, else its move comes first. Where the
    # plies without contact may run out within the depth, the value belongs to the path: the table has none
    tt_move = int64(0)
    is_stored = depth > 0 and pos.quiet + depth < QUIET_LIMIT
    if is_stored:
        data = probe(work.tt, work.tt_mask, key)
        if data != 0:
            tt_move = entry_move(data)
            score, bound = entry_score(data) / TT_UNITS, entry_bound(data)
            answers = bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)
            if entry_depth(data) == depth and answers:
                return score

    # Step 4. List the moves with their scores; the best-scored comes next
    first = ply * MAX_MOVES
    least = work.min_gain if depth > 0 else 0.0
    end = list_scored(pos, work, lookup, moves, scores, first, least, with_quiet, tt_move)
    if end == first and with_quiet == 1:  # only attacks that lose: search them, because passing is not allowed
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

        # Step 5. Late quiet moves are seldom best: search them less deep, and all but the first by a null window
        code = result_code(pos, lookup, move)
        next_key = key_after(pos, lookup, key, move, code)
        if depth > 1:
            prefetch(work.tt, work.tt_mask, next_key)
        follow_move(pos, work, lookup, ply, ply + 1, move, code)
        copy_record(positions[ply + 1], pos)
        do_move(positions[ply + 1], move, code)
        alpha = max(alpha, best)
        reduction = int64(depth >= LMR_MIN_DEPTH and i >= first + LMR_MIN_MOVE and code == PLAIN)
        value = 0.0
        if i > first:
            new_depth = depth - 1 - reduction
            value = 1.0 - search(
                positions,
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
                positions, work, lookup, moves, scores, next_key, ply + 1, depth - 1, 1.0 - beta, 1.0 - alpha
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

    # Step 6. Store the result
    if is_stored:
        bound = LOWER if best >= beta else EXACT if best > start else UPPER
        save(work.tt, work.tt_mask, key, best_move, int64(best * TT_UNITS), depth, bound, work.generation)
    return best


@entry(void(POSITION, BOARDS, WORK, LOOKUP, MOVES, SCORES, int64, int64, int64, MOVES, VALUES))
def try_moves(
    view: Record,
    positions: Any,
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
    """Search moves of a view in one world, `depth` plies deep with the move, and set `values` to the mover's chances.

    `key` is the world's hash. `values` come with those of the depth before: beyond depth 1 a move is first searched in
    an aspiration window around its value, and again in the full window if it falls outside. Once work.stopped, the
    value of the move in hand and those after it are left as they are.
    """
    pos = positions[MAX_PLY]
    copy_record(pos, view)
    enter_world(pos, work, world)
    begin_line(pos, work, lookup, int64(MAX_PLY))
    for i in range(tried.size):
        move = int64(tried[i])
        code = result_code(pos, lookup, move)
        follow_move(pos, work, lookup, int64(MAX_PLY), int64(0), move, code)
        copy_record(positions[0], pos)
        do_move(positions[0], move, code)
        next_key = key_after(pos, lookup, key, move, code)
        low, high = 0.0, 1.0
        if depth > 1:
            low, high = max(values[i] - ASPIRATION_WINDOW, 0.0), min(values[i] + ASPIRATION_WINDOW, 1.0)
        value = 1.0 - search(
            positions, work, lookup, moves, scores, next_key, int64(0), depth - 1, 1.0 - high, 1.0 - low
        )
        if work.stopped == 0 and (value <= low or value >= high):
            value = 1.0 - search(positions, work, lookup, moves, scores, next_key, int64(0), depth - 1, 0.0, 1.0)
        if work.stopped == 1:
            return
        values[i] = value


def keys_of(view: Record, worlds: Any) -> list[int]:
    """Return each world's hash, of the view's fields (padding differs between copies) and the world's types."""
    fields = b"".join(view[name].tobytes() for name in view.dtype.names)
    digests = (hashlib.blake2b(fields + kinds.tobytes(), digest_size=8).digest() for kinds in worlds)
    return [int.from_bytes(digest, "little", signed=True) for digest in digests]


class Stacks(NamedTuple):
    """The stacks of a search thread in addition to its WORK: a position, moves and their scores for each ply."""

    positions: Any
    moves: Any
    scores: Any


class WorldsAdapter(DeepeningAdapter["JunqiPosition"]):
    """The adapter of alpha-beta: each depth is searched in every world, and the threads divide the worlds."""

    lookup = LOOKUP_RECORD
    worlds, finalists = WORLDS, FINALISTS

    work_dtype = WORK_DTYPE
    max_depth = 45  # beyond reach
    is_seeded = shares_depths = True

    def __init__(
        self, model: Callable[[], BeliefModel] = lambda: HABITS, evaluation: Callable[[], Evaluation] = Evaluation
    ) -> None:
        """`model` and `evaluation` return those of a search; the papers' players have habits, and `evaluate` alone."""
        self._model, self._evaluation = model, evaluation
        self._stacks: list[Stacks] = []

    def begin(self, task: Task[JunqiPosition], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        self._works = works
        self._evaluated = self._evaluation()  # kept: the works have addresses of its memory
        self._evaluated.prepare(works)
        worlds = self._affordable_worlds(task.control)
        self._root = RootView(task, works, worlds, seed + task.position.ply, self._model())
        while len(self._stacks) < len(works):
            plies = MAX_PLY * MAX_MOVES
            self._stacks.append(
                Stacks(np.zeros(MAX_PLY + 1, POSITION_DTYPE), np.zeros(plies, np.uint16), np.zeros(plies, np.float32))
            )
        for work in works:
            work.history[:] = 0
            work.min_gain, work.quiescence_plies = MIN_GAIN, QUIESCENCE_PLIES
            work.tt, work.tt_mask, work.generation = tt.address, tt.mask, tt.generation
        self._keys = keys_of(self._root.view, self._root.worlds.kinds)
        # The answer of a search that is stopped at once is the first: the attack expected to gain most.
        self._racing = sorted(self._root.moves, key=self._expected_gain, reverse=True)
        self._dropped: list[int] = []
        self._values = {move: np.full(len(self._root.worlds.kinds), 0.5) for move in self._racing}

    def _affordable_worlds(self, control: Control) -> int:
        """Return the number of worlds in which depth 1 ends within the time and the nodes, at least one."""
        worlds = self.worlds
        if control.time_from(time.monotonic_ns()) < HASTY_NS:
            worlds = min(worlds, HASTY_WORLDS)
        if control.node_limit:
            worlds = min(worlds, max(control.node_limit // WORLD_NODES, 1))
        return worlds

    def _expected_gain(self, move: int) -> float:
        target = int(self._root.view.board[target_of(move)])
        if target == 0:
            return 0.0
        kind = int(self._root.view.may[self._root.view.board[origin_of(move)] - 1]).bit_length() - 1
        return float(self._root.gains[kind, target - 1])

    def begin_depth(self, depth: int) -> None:
        """Make the jobs: each is a world with one move, or with all where a call costs more than a move."""
        size = len(self._racing) if depth <= SHALLOW_DEPTH else 1
        parts = [self._racing[first : first + size] for first in range(0, len(self._racing), size)]
        self._jobs = itertools.product(range(len(self._root.worlds.kinds)), parts)
        self._searched: dict[tuple[int, int], float] = {}

    def search(self, thread: int, depth: int) -> None:
        """Do jobs, world by world, until none of this depth is left or the search is stopped."""
        work = self._works[thread]
        while (job := next(self._jobs, None)) is not None:
            world, part = job
            values = np.array([self._values[move][world] for move in part])
            tried = np.array(part, np.uint16)
            self._try(thread, world, depth, tried, values)
            if work.stopped:
                return
            self._searched |= {(move, world): float(value) for move, value in zip(part, values, strict=True)}

    def _try(self, thread: int, world: int, depth: int, tried: Any, values: Any) -> None:
        """Set `values` of moves in a world, searched `depth` plies deep; return early once the search is stopped."""
        work, (positions, moves, scores), key = self._works[thread], self._stacks[thread], self._keys[world]
        try_moves(self._root.view, positions, work, self.lookup, moves, scores, world, key, depth, tried, values)

    def result(self, depth: int) -> IterationResult:
        """Return the moves by their time in the race, then by mean value; after a whole depth drop the worse half.

        After a depth cut short, only the worlds in which it was searched whole count; the others keep their values.
        """
        worlds = range(len(self._root.worlds.kinds))
        whole = [world for world in worlds if all((move, world) in self._searched for move in self._racing)]
        for move in self._racing:
            for world in whole:
                self._values[move][world] = self._searched[move, world]
        means = {move: float(self._values[move].mean()) for move in self._racing + self._dropped}
        self._racing.sort(key=lambda move: -means[move])
        if len(whole) == len(worlds):
            keep = max(len(self._racing) // 2, self.finalists)
            self._dropped = self._racing[keep:] + self._dropped
            self._racing = self._racing[:keep]
        ranked = [MoveValue(move, len(worlds), means[move]) for move in self._racing + self._dropped]
        return self._root.result(ranked, is_settled=len(ranked) == 1)
