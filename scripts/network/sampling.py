"""Kernels that take and label samples of Xiangqi (samples.py), and what Python needs to call them.

All that a short search needs runs in kernels: from Python the calls around a search of 200 nodes take eight times as
long as the search. The kernels are in one file, since the kernel cache does not see that a kernel called from another
file of scripts/ has changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import intrinsic

from scripts.network.samples import SAMPLE_DTYPE, Samples

from siqi.games.kernel.control import NEVER, NODE_LIMIT, NODES, STOP, Control
from siqi.games.kernel.intrinsics import call_at, copy_record, pointer_to, store
from siqi.games.kernel.jit import (
    Record,
    code_address,
    entry,
    inner,
    int64,
    new_record,
    outlined,
    record,
    record_type,
    void,
)
from siqi.games.kernel.memory import address_of
from siqi.games.kernel.random import below, next_state, seed_state
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.aspiration import MIN_DEPTH
from siqi.games.xiangqi.data.margins import Margins
from siqi.games.xiangqi.evaluation.choice import Evaluation
from siqi.games.xiangqi.evaluation.terms import evaluate_by_terms
from siqi.games.xiangqi.rules.lookup import BLOCKED, CAPTURED, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, IN_CHECK, checks_and_pins, generate_legal
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION, POSITION_DTYPE, put_piece, target_of
from siqi.games.xiangqi.rules.work import MAX_PLY, NO_SCORE, WORK, WORK_DTYPE
from siqi.games.xiangqi.search.margins import MarginsRecord
from siqi.games.xiangqi.search.quiescence import MATE, MATE_BOUND
from siqi.games.xiangqi.search.search import INFINITE, PvsAdapter, search_root

MAX_SCORE = 2500
"""Samples have smaller scores, either way: with larger ones a game is decided, and their size does not matter."""

SEEN = 1 << 16
"""Number of keys kept of the positions taken last, so that a game's samples are mostly different."""

TT_MB = 1
"""Size of a search's transposition table in MiB. With 16, labels of 200 nodes took 1.15 times as long, and equally many
were kept."""

DEFAULT = Margins()

SAMPLE = record_type(SAMPLE_DTYPE)
sample_at = pointer_to(SAMPLE)
SAMPLE_BYTES = SAMPLE_DTYPE.itemsize

SAMPLER_DTYPE = record(
    [
        ("work", WORK_DTYPE),  # of the searches whose leaves are taken; first, so that `sampler_of` finds the rest
        ("evaluator", "i8"),  # address of the evaluation's kernel
        ("samples", "i8"),  # address of SAMPLE records
        ("capacity", "i8"),
        ("count", "i8"),
        ("gap", "i8"),  # mean number of evaluations from one sample to the next
        ("left", "i8"),  # evaluations to the next sample
        ("random", "i8"),  # state of random.py
        ("seen", "i8", SEEN),  # keys
    ]
)
SAMPLER = record_type(SAMPLER_DTYPE)


@intrinsic  # type: ignore[untyped-decorator]
def sampler_of(typing: Any, work: Any) -> Any:
    """Return the SAMPLER whose first field is this WORK."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(SAMPLER))

    return SAMPLER(WORK), generate


# ---------------------------------------------------------------- positions and samples


@inner(void(POSITION, LOOKUP, SAMPLE))
def put_sample(pos: Record, lookup: Record, sample: Record) -> None:
    """Set up a sample's position, without history, over whatever the record held."""
    for square in range(92):
        pos.board[square] = 0
    pos.board[BLOCKED] = 1
    for piece in range(48):
        pos.square[piece] = CAPTURED
    for rank in range(10):
        pos.rank_bits[rank] = 0
    for file in range(9):
        pos.file_bits[file] = 0
    pos.turn = int64(sample.turn)
    pos.key = int64(0) if pos.turn == 0 else lookup.zobrist_turn
    pos.material = 0
    pos.score = 0
    pos.quiet = 0
    pos.checks[0] = 0
    pos.checks[1] = 0
    pos.height = 0
    pos.since = 0
    for place in range(32):
        square = int64(sample.square[place])
        if square < CAPTURED:
            put_piece(pos, lookup, int64(16 + place), square)


@inner(void(POSITION, SAMPLE, int64), forceinline=True)
def write_sample(pos: Record, sample: Record, score: int) -> None:
    """Write a position as a sample; the result is 0."""
    for place in range(32):
        sample.square[place] = pos.square[16 + place]
    sample.turn = pos.turn
    sample.result = 0
    sample.ply = pos.height
    sample.score = score


@entry(void(POSITION, LOOKUP, int64), is_rare=True)
def _put_sample(pos: Record, lookup: Record, sample: int) -> None:
    put_sample(pos, lookup, sample_at(sample))


@entry(void(POSITION, int64, int64), is_rare=True)
def _write_sample(pos: Record, sample: int, score: int) -> None:
    write_sample(pos, sample_at(sample), score)


@entry(void(POSITION, WORK, LOOKUP, int64, int64, int64), is_rare=True)
def _label_static(pos: Record, work: Record, lookup: Record, samples: int, count: int, scores: int) -> None:
    for i in range(count):
        put_sample(pos, lookup, sample_at(samples + i * SAMPLE_BYTES))
        store(scores + 8 * i, evaluate_by_terms(pos, work, lookup))


def set_up_sample(pos: Record, samples: Samples, index: int = 0) -> None:
    """Fill a position record from a sample; it has no history, and no quiet plies."""
    _put_sample(pos, LOOKUP_RECORD, address_of(samples[index : index + 1]))


def sample_of(pos: Record, score: int) -> Samples:
    """Return a position as an array of one sample, without the result of its game."""
    samples = np.zeros(1, SAMPLE_DTYPE)
    _write_sample(pos, address_of(samples), score)
    return samples


def label_static(samples: Samples) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return the value of each sample by the terms: centipawns, in the view of the side to move."""
    samples = np.ascontiguousarray(samples, SAMPLE_DTYPE)
    scores = np.zeros(len(samples), np.int64)
    pos, work = new_record(POSITION_DTYPE), new_record(WORK_DTYPE)
    _label_static(pos, work, LOOKUP_RECORD, address_of(samples), len(samples), address_of(scores))
    return scores.astype(np.int16)


# ---------------------------------------------------------------- leaves


@inner(void(POSITION, SAMPLER, int64))
def take_leaf(pos: Record, sampler: Record, value: int) -> None:
    """Take the position as a sample with its static value as its score, and draw the gap to the next.

    The root, positions that the game has given already, decided ones, and those at the search's last ply, which alone
    are evaluated in check, are left out.
    """
    sampler.random = next_state(sampler.random)
    sampler.left = 1 + below(sampler.random, 2 * sampler.gap - 1)
    place, ply = pos.key & SEEN - 1, pos.height - sampler.work.root_height
    if ply == 0 or ply >= MAX_PLY or abs(value) >= MAX_SCORE or sampler.seen[place] == pos.key:
        return
    if sampler.count == sampler.capacity:
        return
    sampler.seen[place] = pos.key
    write_sample(pos, sample_at(sampler.samples + sampler.count * SAMPLE_BYTES), value)
    sampler.count += 1


@outlined(int64(POSITION, WORK, LOOKUP))
def evaluate_and_sample(pos: Record, work: Record, lookup: Record) -> int:
    """Return the static value by the search's evaluation; about one position in `gap` becomes a sample.

    For work.evaluator.
    """
    sampler = sampler_of(work)
    value: int = call_at(sampler.evaluator, pos, work, lookup)
    sampler.left -= 1
    if sampler.left <= 0:
        take_leaf(pos, sampler, value)
    return value


# ---------------------------------------------------------------- searches

MARGIN, QUIET_BOUND = PvsAdapter.margin, PvsAdapter.quiet_bound
"""The half-width of the aspiration windows, as in the engine's search."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def search_depth(pos: Record, work: Record, lookup: Record, depth: int, score: int) -> int:
    """Search the root moves to a depth; return the new score, the mover's view, and put the best move first.

    `score` is that of the last depth; the window around it widens as in siqi/games/search/aspiration.py.
    """
    alpha, beta, margin = int64(-INFINITE), int64(INFINITE), int64(MARGIN)
    if depth >= MIN_DEPTH and abs(score) < QUIET_BOUND:
        alpha, beta = score - margin, score + margin
    while True:
        value = search_root(pos, work, lookup, alpha, beta, depth, int64(0))
        if value > alpha:
            score = value
        if work.stopped == 1 or alpha < value < beta:
            return score
        margin *= 3
        is_wide = margin > 80 * MARGIN
        if value <= alpha:
            alpha = int64(-INFINITE) if is_wide else max(value - margin, -INFINITE)
        else:
            beta = int64(INFINITE) if is_wide else min(value + margin, INFINITE)


@inner(int64(POSITION, WORK, LOOKUP, int64))
def deepen(pos: Record, work: Record, lookup: Record, nodes: int) -> int:
    """Search a position by iterative deepening to a number of nodes; return its score in the mover's view.

    NO_SCORE if there is no legal move. The best move is work.root_moves[0]. The search equals the engine's with one
    thread, no book and no tablebase; it uses what the transposition table and the histories hold.
    """
    store(work.control + 8 * STOP, int64(0))
    store(work.control + 8 * NODE_LIMIT, nodes)
    store(work.control + 8 * NODES, int64(0))
    work.nodes = 0
    work.stopped = 0
    work.poll_at = NEVER  # the first depth is finished
    work.seldepth = 0
    work.generation = work.generation + 1 & 63
    work.root_height = pos.height
    work.root_count = generate_legal(pos, work, lookup, int64(0), int64(ALL_MOVES), checks_and_pins(pos, lookup))
    if work.root_count == 0:
        return NO_SCORE
    for i in range(work.root_count):
        work.root_moves[i] = work.moves[i]
    for i in range(len(work.killers)):
        work.killers[i] = NO_MOVE
    score = 0
    for depth in range(1, MAX_PLY):
        score = search_depth(pos, work, lookup, int64(depth), score)
        if depth == 1:
            work.poll_at = 0
            if 0 < nodes <= work.nodes:
                break
        if work.stopped == 1 or (abs(score) > MATE_BOUND and 2 * ((MATE - abs(score) + 1) // 2) <= depth):
            break
    return score


@entry(int64(POSITION, WORK, LOOKUP, int64), is_rare=True)
def search_position(pos: Record, work: Record, lookup: Record, nodes: int) -> int:
    """Call `deepen`, for a game that Python plays."""
    return deepen(pos, work, lookup, nodes)


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64), is_rare=True)
def label_leaves(pos: Record, work: Record, lookup: Record, samples: int, count: int, nodes: int) -> int:
    """Search each of the samples at an address, write its score, and move the good ones to the front; return how many.

    A good one is not in check, its best move takes nothing, and its score is below MAX_SCORE. Depth 1 is asked first:
    where its best move takes something, so does that of 2,000 nodes in seven cases of eight, and 1.4 times as many good
    samples come of the same time. `pos` is overwritten.
    """
    kept = 0
    for i in range(count):
        sample = sample_at(samples + i * SAMPLE_BYTES)
        put_sample(pos, lookup, sample)
        if checks_and_pins(pos, lookup) & IN_CHECK:
            continue
        if deepen(pos, work, lookup, int64(1)) == NO_SCORE or pos.board[target_of(int64(work.root_moves[0]))] != 0:
            continue
        score = deepen(pos, work, lookup, nodes)
        if abs(score) >= MAX_SCORE or pos.board[target_of(int64(work.root_moves[0]))] != 0:
            continue
        sample.score = score
        copy_record(sample_at(samples + kept * SAMPLE_BYTES), sample)
        kept += 1
    return kept


class Search:
    """The memory of one thread's searches: deterministic from one `clear` to the next."""

    def __init__(self, evaluation: Evaluation, margins: Margins = DEFAULT) -> None:
        self._evaluation = evaluation
        self._margins = MarginsRecord(margins)
        self._memory = np.zeros(1, SAMPLER_DTYPE)
        self.sampler: Record = self._memory[0]
        self.work: Record = self.sampler.work
        self._control = Control()
        self._tt = TranspositionTable(TT_MB)

    def clear(self) -> None:
        """Forget all searches; take no leaves."""
        self._memory.view(np.uint8).fill(0)
        self._tt.clear()
        self.work.control = self._control.address
        self.work.tt, self.work.tt_mask = self._tt.address, self._tt.mask
        self._evaluation.prepare([self.work])
        self.work.margins = self._margins.address
        self.sampler.evaluator = self.work.evaluator

    def take_leaves(self, every: int, seed: int) -> None:
        """Take about one in `every` evaluated positions from now on."""
        sampler = self.sampler
        sampler.gap, sampler.left, sampler.random = every, every, seed_state(seed)
        self.work.evaluator = code_address(evaluate_and_sample)

    def score(self, pos: Record, nodes: int) -> int:
        """Search a position; return its score, in the mover's view. It has legal moves."""
        return int(search_position(pos, self.work, LOOKUP_RECORD, nodes))

    @property
    def best_move(self) -> int:
        """Return the best move of the last search."""
        return int(self.work.root_moves[0])

    def score_and_leaves(self, pos: Record, nodes: int) -> tuple[int, Samples]:
        """Search a position; return its score and the leaves taken, with their static values."""
        samples = np.zeros(nodes, SAMPLE_DTYPE)  # a node is evaluated at most once
        sampler = self.sampler
        sampler.samples, sampler.capacity, sampler.count = address_of(samples), nodes, 0
        score = self.score(pos, nodes)
        return score, samples[: int(sampler.count)]

    def label(self, samples: Samples, nodes: int) -> Samples:
        """Label samples in place by searches of a number of nodes, one after the other; return those worth keeping."""
        kept = label_leaves(
            new_record(POSITION_DTYPE), self.work, LOOKUP_RECORD, address_of(samples), len(samples), nodes
        )
        return samples[: int(kept)]
