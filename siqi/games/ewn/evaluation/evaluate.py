"""The learned evaluation: the mover's chance to win before the throw, the logistic function of a sum of weights.

The weights form an n-tuple network over the board as the mover sees it, heading for e1. Its tuples are the blocks of
3 x 3 squares, every square empty, own or enemy, and the pairs of pieces of either side. Pairs are distinguished by
the pieces' squares and by how many throws move them. The weights are learned by self-play (scripts/tune/train_ewn.py)
and read from a book.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, open_book
from siqi.games.ewn.rules.lookup import CAPTURED, ONE, PLACES, movable
from siqi.games.ewn.rules.position import POSITION
from siqi.games.ewn.rules.work import WORK
from siqi.games.kernel.intrinsics import bit_reverse, pointer_to, trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, record, record_type

BOOK = BOOKS_FOLDER / "ewn-evaluation.book"
KIND, VERSION = "ewn-evaluation", 1

SCALE = 1024
"""A sum of SCALE is one logit, 1 of the natural logarithm of the odds."""

MAX_LOG_ODDS = 8
"""The highest log odds that the evaluation distinguishes."""

LOGISTIC_SHIFT = 3
"""The lowest bits of a sum, which the lookup of the logistic function drops."""

PIECES = 2 * PLACES * 6
"""The kinds of a pair's pieces: side (0 the mover), place from its own corner, number of throws that move it less 1."""

BLOCK = 3**9
"""The number of weights of a block: three states of nine squares."""

PAIRS = 9 * BLOCK
"""The index of the first weight of pairs."""

WEIGHTS = PAIRS + PIECES * PIECES

EVALUATION_DTYPE = record(
    [
        ("weights", "i2", WEIGHTS),
        ("throws", "u1", 64 * 6),  # [alive mask, piece]: number of throws that move it
        ("ternary", "u2", 512),  # [bits]: nine bits as digits of base 3
        ("logistic", "u2", 2 * (MAX_LOG_ODDS * SCALE >> LOGISTIC_SHIFT) + 1),  # [shifted sum]: chance, 0 to ONE
    ]
)
EVALUATION = record_type(EVALUATION_DTYPE)
evaluation_at = pointer_to(EVALUATION)


def new_evaluation() -> Record:
    """Return an evaluation with its lookups filled and all weights zero."""
    evaluation = new_record(EVALUATION_DTYPE)
    for alive in range(1, 64):
        for die in range(1, 7):
            for piece in movable(alive, die):
                evaluation.throws[alive * 6 + piece] += 1
    for bits in range(512):
        evaluation.ternary[bits] = sum(3**i for i in range(9) if bits >> i & 1)
    limit = MAX_LOG_ODDS * SCALE >> LOGISTIC_SHIFT
    odds = np.arange(-limit, limit + 1) * ((1 << LOGISTIC_SHIFT) / SCALE)
    evaluation.logistic[:] = np.rint(ONE / (1 + np.exp(-odds)))
    return evaluation


def step_weights() -> Any:
    """Return weights that favour pieces near their goal, for play without the book."""
    weights = np.zeros(WEIGHTS, np.int16)
    steps = np.array([place // 5 + place % 5 for place in range(PLACES) for _ in range(6)])
    weights[PAIRS:].reshape(2, PIECES // 2, 2, PIECES // 2)[0, :, 1] = 40 * (steps[:, None] - steps)
    return weights


def load(warn: Callable[[str], None]) -> Record:
    """Return the book's evaluation. If the book cannot be used, `warn` gets a line and `step_weights` replace it."""
    evaluation = new_evaluation()
    try:
        book = open_book(BOOK, KIND, VERSION, 2 * WEIGHTS)
        if len(book.payload) != 2 * WEIGHTS:
            raise BookFileError(f"{BOOK}: not {WEIGHTS} weights")
        evaluation.weights[:] = book.payload.view("<i2")
    except BookFileError as error:
        warn(f"{error}; evaluating by steps alone")
        evaluation.weights[:] = step_weights()
    return evaluation


@inner(int64(POSITION, EVALUATION, WORK, int64, int64, int64), forceinline=True)
def list_pieces(pos: Record, evaluation: Record, work: Record, side: int, mask: int, first: int) -> int:
    """List a side's pieces as parts of pairs in work.pieces from `first`; return their end.

    `mask`: the squares of its pieces, numbered from its own corner. The mover's pieces are listed first, at 0.
    """
    alive = pos.alive[side]
    part = int64(0) if first == 0 else int64(PIECES // 2)
    while mask != 0:
        place = trailing_zeros(mask)
        mask &= mask - 1
        piece = int64(pos.board[place if side == 0 else 24 - place]) - 6 * side - 1
        work.pieces[first] = part + place * 6 + int64(evaluation.throws[alive * 6 + piece]) - 1
        first += 1
    return first


@inner(int64(POSITION, EVALUATION, WORK))
def list_terms(pos: Record, evaluation: Record, work: Record) -> int:
    """List the indices of a position's weights in work.terms; return their number."""
    first = int64(0)
    second = int64(0)
    for piece in range(1, 7):
        square = int64(pos.square[piece])
        if square < CAPTURED:
            first |= int64(1) << square
        square = int64(pos.square[6 + piece])
        if square < CAPTURED:
            second |= int64(1) << square
    first_turned = bit_reverse(first) >> 39
    second_turned = bit_reverse(second) >> 39
    if pos.turn == 0:
        own, enemy = first, second
        count = list_pieces(pos, evaluation, work, int64(0), first, int64(0))
        count = list_pieces(pos, evaluation, work, int64(1), second_turned, count)
    else:
        own, enemy = second_turned, first_turned
        count = list_pieces(pos, evaluation, work, int64(1), second_turned, int64(0))
        count = list_pieces(pos, evaluation, work, int64(0), first, count)
    term = int64(0)
    for row in range(3):
        for column in range(3):
            mine = own >> (5 * row + column)
            theirs = enemy >> (5 * row + column)
            mine = mine & 7 | (mine >> 2 & 56) | (mine >> 4 & 448)
            theirs = theirs & 7 | (theirs >> 2 & 56) | (theirs >> 4 & 448)
            work.terms[term] = (
                BLOCK * (3 * row + column) + int64(evaluation.ternary[mine]) + 2 * int64(evaluation.ternary[theirs])
            )
            term += 1
    for i in range(count):
        for j in range(i + 1, count):
            work.terms[term] = PAIRS + int64(work.pieces[i]) * PIECES + int64(work.pieces[j])
            term += 1
    return term


@inner(int64(POSITION, EVALUATION, WORK))
def chance(pos: Record, evaluation: Record, work: Record) -> int:
    """Return the mover's estimated chance before the throw, 0 to ONE; nobody may have won yet."""
    total = int64(MAX_LOG_ODDS * SCALE)
    for term in range(list_terms(pos, evaluation, work)):
        total += int64(evaluation.weights[work.terms[term]])
    return int64(evaluation.logistic[min(max(total, 0), 2 * MAX_LOG_ODDS * SCALE) >> LOGISTIC_SHIFT])


@entry(int64(POSITION, EVALUATION, WORK))
def chance_here(pos: Record, evaluation: Record, work: Record) -> int:
    """`chance` for Python."""
    return chance(pos, evaluation, work)
