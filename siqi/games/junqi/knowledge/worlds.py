"""Worlds, drawn by what is known and by the learned weights.

A world (determinization) gives each piece of an unseen side one type from its set, and every type as often as a side
has it. Its probability is proportional to the product of its pieces' weights. Candidates are drawn piece by piece, the
tightest set first, each type by its weight. The weights are scaled so that the expected count of each type is its true
count (Sinkhorn 1964). Importance weights correct the bias of drawing in an order: systematic resampling keeps as many
candidates as wanted. Then pairs of pieces exchange types by Metropolis steps, which leave the distribution as it is and
make copies differ.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types

from siqi.games.junqi.knowledge.belief import find_world
from siqi.games.junqi.rules.lookup import ANY, COUNTS, FLAG, PIECES
from siqi.games.kernel.intrinsics import popcount
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, new_record, record, record_type, void
from siqi.games.kernel.random import below, next_state, seed_state

CANDIDATES = 4
"""Candidates drawn for each world that is kept."""

SWAPS = 64
"""Metropolis steps on each kept world."""

SCALINGS = 30
"""Rounds of Sinkhorn scaling."""

ATTEMPTS = 8
"""Attempts to draw a candidate before it is given up; dead ends are rare."""

FLAGS = 2
"""The most pieces that can be the flag: those in their headquarters."""

SAMPLER_DTYPE = record(
    [
        ("random", "i8"),
        ("flag_count", "i8"),  # pieces that can be the flag
        ("flag", "i8", FLAGS),
        ("share", "f8", FLAGS),  # by flag: its probability; while scaling, a logarithm
        ("may", "u2", PIECES),
        ("weights", "f8", FLAGS * PIECES * 12),  # [flag, piece, type]: logarithms
        ("scaled", "f8", FLAGS * PIECES * 12),  # [flag, piece, type]: not logarithms
        ("flag_index", "i8"),  # flag of the world in `kinds`
        ("kinds", "u1", PIECES),  # types of a world
        ("left", "i8", 12),  # by type: pieces still to be given it
        ("demand", "f8", 12),  # by type: sum of the scaled weights of pieces without a type
        ("order", "u1", PIECES),
        ("row", "f8", 12),  # scratch
        ("factor", "f8", 12),
    ]
)
SAMPLER = record_type(SAMPLER_DTYPE)
KINDS = types.Array(types.uint8, 2, "C")
NUMBERS = types.Array(types.int64, 1, "C")
LOGARITHMS = types.Array(types.float64, 1, "C")

NEVER = -1e300
"""Stands for the logarithm of 0."""


class Belief(NamedTuple):
    """The possible types of a side's 25 pieces, and their weights."""

    may: list[int]  # sets of types
    weights: dict[int, Any]  # by flag: float [piece, type], relative probabilities, above 0


class Worlds(NamedTuple):
    """Worlds of one side, equally likely."""

    kinds: Any  # uint8 [world, piece 0-24]: types
    effective: float  # effective sample size of the candidates over their number, 0..1


@inner(void(SAMPLER, int64))
def scale(s: Record, flag_index: int) -> None:
    """Scale one flag's weights so that each piece's sum is 1, and each type's about its count `left`.

    Sets `share` to the logarithm of this flag's approximate total weight.
    """
    base = flag_index * PIECES * 12
    logarithm = s.weights[base + s.flag[flag_index] * 12 + FLAG]
    for kind in range(12):
        s.factor[kind] = 1.0
    for piece in range(PIECES):
        for kind in range(12):
            can = s.may[piece] >> kind & 1 == 1 and kind != FLAG and piece != s.flag[flag_index]
            s.scaled[base + piece * 12 + kind] = math.exp(s.weights[base + piece * 12 + kind]) if can else 0.0
    for turn in range(SCALINGS):
        for kind in range(12):
            s.demand[kind] = 0.0
        for piece in range(PIECES):
            total = 0.0
            for kind in range(12):
                total += s.scaled[base + piece * 12 + kind]
            if total > 0.0:
                logarithm += math.log(total)
                for kind in range(12):
                    s.scaled[base + piece * 12 + kind] /= total
                    s.demand[kind] += s.scaled[base + piece * 12 + kind]
        if turn == SCALINGS - 1:
            break
        for kind in range(12):
            if s.demand[kind] > 0.0:
                logarithm += s.left[kind] * math.log(s.demand[kind] / s.left[kind])
                for piece in range(PIECES):
                    s.scaled[base + piece * 12 + kind] *= s.left[kind] / s.demand[kind]
    s.share[flag_index] = logarithm


@inner(float64(SAMPLER), forceinline=True)
def uniform(s: Record) -> float:
    """Return a random number in [0, 1)."""
    s.random = next_state(s.random)
    return below(s.random, int64(1 << 30)) / (1 << 30)


@inner(void(SAMPLER, NUMBERS), forceinline=True)
def reset_left(s: Record, counts: Any) -> None:
    """Set `left` to the counts of types, with the flag given out already."""
    for kind in range(12):
        s.left[kind] = counts[kind]
    s.left[FLAG] = 0


@inner(float64(SAMPLER, NUMBERS))
def draw_candidate(s: Record, counts: Any) -> float:
    """Draw a candidate into s.kinds; return the logarithm of its importance weight, NEVER at a dead end.

    The importance weight is the candidate's weight over the probability with which it was drawn.
    """
    flag_index = int64(0)
    if s.flag_count == 2 and uniform(s) >= s.share[0]:
        flag_index = 1
    s.flag_index = flag_index
    base = flag_index * PIECES * 12
    flag = s.flag[flag_index]
    s.kinds[flag] = FLAG
    logarithm = s.weights[base + flag * 12 + FLAG] - math.log(s.share[flag_index])
    reset_left(s, counts)
    end = int64(0)
    for kind in range(12):
        s.demand[kind] = 0.0
    for piece in range(PIECES):
        if piece != flag:
            s.order[end] = piece
            end += 1
            for kind in range(12):
                s.demand[kind] += s.scaled[base + piece * 12 + kind]
    open_types = int64(ANY & ~(1 << FLAG))
    for i in range(end):
        # The piece with the fewest types still available comes next.
        tightest, fewest = int64(i), int64(99)
        for j in range(i, end):
            options = popcount(int64(s.may[s.order[j]]) & open_types)
            if options < fewest:
                fewest = options
                tightest = j
        if fewest == 0:
            return NEVER
        piece = int64(s.order[tightest])
        s.order[tightest] = s.order[i]
        may = int64(s.may[piece]) & open_types
        total = 0.0
        for kind in range(12):
            if may >> kind & 1:
                s.row[kind] = s.scaled[base + piece * 12 + kind] * s.left[kind] / max(s.demand[kind], 1e-9) + 1e-9
                total += s.row[kind]
            s.demand[kind] -= s.scaled[base + piece * 12 + kind]
        mark = total * uniform(s)
        chosen = int64(-1)
        for kind in range(12):
            if may >> kind & 1:
                chosen = kind
                mark -= s.row[kind]
                if mark < 0:
                    break
        logarithm += s.weights[base + piece * 12 + chosen] - math.log(s.row[chosen] / total)
        s.kinds[piece] = chosen
        s.left[chosen] -= 1
        if s.left[chosen] == 0:
            open_types &= ~(int64(1) << chosen)
    return logarithm


@inner(float64(SAMPLER, int64), forceinline=True)
def likelihood(s: Record, flag_index: int) -> float:
    """Return the logarithm of the weight of s.kinds by one flag's weights."""
    total = 0.0
    for piece in range(PIECES):
        total += s.weights[(flag_index * PIECES + piece) * 12 + int64(s.kinds[piece])]
    return total


@inner(void(SAMPLER, int64, int64), forceinline=True)
def swap_types(s: Record, one: int, other: int) -> None:
    """Exchange the types of two pieces in s.kinds."""
    kind = s.kinds[one]
    s.kinds[one] = s.kinds[other]
    s.kinds[other] = kind


@inner(void(SAMPLER, int64))
def metropolis(s: Record, times: int) -> None:
    """Take `times` Metropolis steps on s.kinds: a random pair exchanges types; the first step takes both flags."""
    for i in range(times):
        s.random = next_state(s.random)
        pair = below(s.random, int64(PIECES * PIECES))
        one, other = pair // PIECES, pair % PIECES
        if i == 0 and s.flag_count == 2:
            one, other = s.flag[0], s.flag[1]
        kind, kind_of_other = int64(s.kinds[one]), int64(s.kinds[other])
        can = int64(s.may[one]) >> kind_of_other & int64(s.may[other]) >> kind & 1
        if kind == kind_of_other or can == 0:
            continue
        base = s.flag_index * PIECES * 12
        if kind == FLAG or kind_of_other == FLAG:
            before = likelihood(s, s.flag_index)
            swap_types(s, one, other)
            after = likelihood(s, 1 - s.flag_index)
            if after >= before or uniform(s) < math.exp(after - before):
                s.flag_index = 1 - s.flag_index
            else:
                swap_types(s, one, other)
            continue
        gain = s.weights[base + one * 12 + kind_of_other] + s.weights[base + other * 12 + kind]
        gain -= s.weights[base + one * 12 + kind] + s.weights[base + other * 12 + kind_of_other]
        if gain >= 0 or uniform(s) < math.exp(gain):
            swap_types(s, one, other)


@entry(void(SAMPLER, NUMBERS))
def scale_all(s: Record, counts: Any) -> None:
    """Scale each flag's weights, and set `share` to its probability, kept within 0.01..0.99."""
    for flag_index in range(s.flag_count):
        reset_left(s, counts)
        scale(s, int64(flag_index))
    if s.flag_count == 2:
        s.share[0] = min(max(1.0 / (1.0 + math.exp(min(s.share[1] - s.share[0], 50.0))), 0.01), 0.99)
        s.share[1] = 1.0 - s.share[0]
    else:
        s.share[0] = 1.0


@entry(float64(SAMPLER, NUMBERS, KINDS, LOGARITHMS, KINDS))
def sample(s: Record, counts: Any, candidates: Any, logarithms: Any, kept: Any) -> float:
    """Fill `kept` [world, piece] with worlds; return the effective sample size over the number of candidates.

    Returns 0, and leaves `kept` as it is, if all candidates met dead ends. `candidates` [candidate, piece] and
    `logarithms` [candidate] are scratch.
    """
    # Step 1. Draw the candidates
    most = NEVER
    for i in range(candidates.shape[0]):
        logarithms[i] = NEVER
        for _ in range(ATTEMPTS):
            logarithms[i] = draw_candidate(s, counts)
            if logarithms[i] > NEVER:
                break
        for piece in range(PIECES):
            candidates[i, piece] = s.kinds[piece]
        most = max(most, logarithms[i])
    if most == NEVER:
        return 0.0
    total = 0.0
    squares = 0.0
    for i in range(candidates.shape[0]):
        logarithms[i] = math.exp(logarithms[i] - most)
        total += logarithms[i]
        squares += logarithms[i] * logarithms[i]

    # Step 2. Resample by weight; Metropolis steps make copies differ
    step = total / kept.shape[0]
    mark = step * uniform(s)
    i = 0
    weight = logarithms[0]
    for j in range(kept.shape[0]):
        while weight <= mark and i < candidates.shape[0] - 1:
            i += 1
            weight += logarithms[i]
        mark += step
        for piece in range(PIECES):
            s.kinds[piece] = candidates[i, piece]
        s.flag_index = int64(s.flag_count == 2 and s.kinds[s.flag[1]] == FLAG)
        metropolis(s, int64(SWAPS))
        for piece in range(PIECES):
            kept[j, piece] = s.kinds[piece]
    return total * total / squares / candidates.shape[0]


_COUNTS = np.array(COUNTS, np.int64)


def _sampler(belief: Belief) -> Record:
    """Return the sampler of a belief, its weights scaled."""
    s = new_record(SAMPLER_DTYPE)
    s.may[:] = belief.may
    flags = [piece for piece in range(PIECES) if belief.may[piece] >> FLAG & 1]
    s.flag_count = len(flags)
    s.flag[: len(flags)] = flags
    for flag_index, flag in enumerate(flags):
        s.weights[flag_index * PIECES * 12 : (flag_index + 1) * PIECES * 12] = np.log(belief.weights[flag]).ravel()
    scale_all(s, _COUNTS)
    return s


def marginals(belief: Belief) -> Any:
    """Return the approximate probability of each type for each piece, float64 [piece, type], without drawing worlds."""
    s = _sampler(belief)
    probabilities = np.zeros((PIECES, 12))
    for flag_index in range(int(s.flag_count)):
        probabilities += s.share[flag_index] * s.scaled.reshape(FLAGS, PIECES, 12)[flag_index]
        probabilities[s.flag[flag_index], FLAG] += s.share[flag_index]
    return probabilities


def draw_worlds(belief: Belief, count: int, seed: int) -> Worlds:
    """Return `count` worlds of a side; its sets must have one.

    If every candidate met a dead end, all are the same world, and `effective` is 0.
    """
    may = belief.may
    if all(types & types - 1 == 0 for types in may):
        return Worlds(np.tile(np.array([types.bit_length() - 1 for types in may], np.uint8), (count, 1)), 1.0)
    s = _sampler(belief)
    s.random = seed_state(seed)
    kept = np.zeros((count, PIECES), np.uint8)
    candidates = np.zeros((CANDIDATES * count, PIECES), np.uint8)
    effective = float(sample(s, _COUNTS, candidates, np.zeros(len(candidates)), kept))
    if not effective:
        kept[:] = np.array(find_world(may))
    return Worlds(kept, effective)
