"""Learn EWN's evaluation by playing against itself: temporal differences over all throws.

Before each throw of a game the position's value moves towards that of its successors: the mean over the six throws of
the best move's value, exact where a move wins or a tablebase knows it. The game continues with the best move of one
throw, sometimes with a random one. A weight's step shrinks as its errors cancel out (temporal
coherence, Beal and Smith 1999; Jaskowski 2018 for n-tuples).
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from siqi.games.ewn.evaluation.evaluate import EVALUATION, list_terms
from siqi.games.ewn.knowledge.probe import UNKNOWN, probe_tablebase
from siqi.games.ewn.rules.lookup import CAPTURED, LOOKUP, NOBODY, ONE
from siqi.games.ewn.rules.movegen import piece_mask, step
from siqi.games.ewn.rules.notation import TRIANGLES
from siqi.games.ewn.rules.position import NOT_OVER, POSITION, do_move, undo_move
from siqi.games.ewn.rules.work import WORK
from siqi.games.kernel.intrinsics import popcount
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, record, record_type, void
from siqi.games.kernel.random import below, next_state

RATE = 4.0
"""Log odds by which an error of 1 initially moves a value."""

RANDOM_MOVES = 100
"""Random moves per thousand moves."""

EXACT_PIECES = 4
"""A game ends with this many pieces on the board: tablebases have their values."""

LEARNER_DTYPE = record(
    [
        ("triangles", "u1", 12),
        ("best", "f8", 6),  # scratch: the value of each piece's best move
        ("states", "i8"),
        ("squared_error", "f8"),  # sum over states
    ]
)
LEARNER = record_type(LEARNER_DTYPE)
WEIGHTS = types.Array(types.float32, 1, "C")


def ready(learner: Record) -> None:
    learner.triangles[:] = [*TRIANGLES[0], *TRIANGLES[1]]


@inner(float64(WEIGHTS, WORK, int64), forceinline=True)
def estimate(weights: Any, work: Record, terms: int) -> float:
    total = 0.0
    for term in range(terms):
        total += weights[work.terms[term]]
    return 1 / (1 + math.exp(-total))


@inner(float64(POSITION, EVALUATION, WORK, WEIGHTS))
def value_of(pos: Record, e: Record, work: Record, weights: Any) -> float:
    exact = probe_tablebase(pos, work.tablebase)
    if exact != UNKNOWN:
        return exact / ONE
    return estimate(weights, work, list_terms(pos, e, work))


@inner(void(POSITION, EVALUATION, LEARNER, WORK, WEIGHTS, WEIGHTS, WEIGHTS, float64))
def learn(
    pos: Record, e: Record, learner: Record, work: Record, weights: Any, errors: Any, sizes: Any, target: float
) -> None:
    """Move a position's value towards `target`. `errors`, `sizes`: by weight, sums of errors and of their sizes."""
    terms = list_terms(pos, e, work)
    error = target - estimate(weights, work, terms)
    learner.squared_error += error * error
    learner.states += 1
    for term in range(terms):
        at = work.terms[term]
        coherence = 1.0 if sizes[at] == 0 else abs(errors[at]) / sizes[at]
        weights[at] += RATE * error * coherence / terms
        errors[at] += error
        sizes[at] += abs(error)


@inner(void(POSITION, LEARNER, WORK))
def deploy(pos: Record, learner: Record, work: Record) -> None:
    """Set up both sides at random, either to move."""
    for square in range(26):
        pos.board[square] = 0
    for side in range(2):
        pos.alive[side] = 63
        for i in range(6):
            work.random = next_state(work.random)
            j = below(work.random, int64(i + 1))  # shuffled as it is laid out
            pos.square[6 * side + 1 + i] = pos.square[6 * side + 1 + j]
            pos.square[6 * side + 1 + j] = learner.triangles[6 * side + i]
        for piece in range(6 * side + 1, 6 * side + 7):
            pos.board[pos.square[piece]] = piece
    work.random = next_state(work.random)
    pos.turn = below(work.random, int64(2))
    pos.winner = NOT_OVER
    pos.die = 0
    pos.height = 0


@inner(void(POSITION, POSITION))
def mirror(pos: Record, image: Record) -> None:
    """Set up `image` as `pos` mirrored at the diagonal a5-e1."""
    for square in range(25):
        image.board[square % 5 * 5 + square // 5] = pos.board[square]
    for piece in range(1, 13):
        square = int64(pos.square[piece])
        image.square[piece] = CAPTURED if square == CAPTURED else square % 5 * 5 + square // 5
    image.alive[0] = pos.alive[0]
    image.alive[1] = pos.alive[1]
    image.turn = pos.turn


@entry(void(POSITION, POSITION, LOOKUP, EVALUATION, LEARNER, WORK, WEIGHTS, WEIGHTS, WEIGHTS, int64))
def play(
    pos: Record,
    image: Record,
    lookup: Record,
    e: Record,
    learner: Record,
    work: Record,
    weights: Any,
    errors: Any,
    sizes: Any,
    games: int,
) -> None:
    """Play this many games and learn from them."""
    for _ in range(games):
        deploy(pos, learner, work)
        while pos.winner < 0 and popcount(pos.alive[0]) + popcount(pos.alive[1]) > EXACT_PIECES:
            # Step 1. Value all moves, and choose one of those that the throw allows
            side = pos.turn
            alive = pos.alive[side]
            work.random = next_state(work.random)
            allowed = piece_mask(pos, lookup, 1 + below(work.random, int64(6)))
            work.random = next_state(work.random)
            is_random = below(work.random, int64(1000)) < RANDOM_MOVES
            chosen = int64(0)
            most = -1.0
            for piece in range(6):
                learner.best[piece] = 0.0
                if alive >> piece & 1 == 0:
                    continue
                square = int64(pos.square[6 * side + piece + 1])
                for way in range(lookup.step_count[side * 25 + square]):
                    move = step(lookup, side, square, int64(way))
                    do_move(pos, lookup, move)
                    value = 1.0 if pos.winner >= 0 else 1.0 - value_of(pos, e, work, weights)
                    undo_move(pos)
                    learner.best[piece] = max(learner.best[piece], value)
                    if allowed >> piece & 1:
                        if is_random:
                            work.random = next_state(work.random)
                            value = float64(work.random & 0xFFFFFFFF)
                        if value > most:
                            most = value
                            chosen = move

            # Step 2. Learn from all throws, and from the mirror image
            target = 0.0
            for die in range(1, 7):
                pair = int64(lookup.movable[alive * 7 + die])
                value = learner.best[pair & 15]
                if pair >> 4 != NOBODY:
                    value = max(value, learner.best[pair >> 4])
                target += value / 6
            learn(pos, e, learner, work, weights, errors, sizes, target)
            mirror(pos, image)
            learn(image, e, learner, work, weights, errors, sizes, target)

            # Step 3. Play the chosen move
            do_move(pos, lookup, chosen)
            pos.height = 0
