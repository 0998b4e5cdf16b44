"""Worlds: what the pieces of a side may be that is not seen, drawn by what is known and by the learned weights.

A world gives each piece a type from its set, every type as often as a side has it, and is as likely as the product of
its pieces' weights. Candidates are drawn piece by piece, the tightest set first, each type by its weight scaled so that
all pieces together have every type as often as there is (Sinkhorn 1964). What the order of drawing distorts is put
right by importance: of the candidates as many as are wanted are kept, by systematic resampling, and then exchange types
in pairs as Metropolis has it, which leaves their distribution as it is and makes twins differ.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types

from games.junqi.knowledge.belief import find_world
from games.junqi.rules.lookup import ANY, COUNTS, FLAG, PIECES
from games.kernel.intrinsics import popcount
from games.kernel.jit import Record, entry, float64, inner, int64, new_record, record, record_type, void
from games.kernel.random import below, next_state, seed_state

CANDIDATES = 4
"""Candidates drawn for each world that is kept."""

SWAPS = 64
"""Pairs of a kept world that may exchange their types."""

SCALINGS = 30
"""Rounds of scaling."""

ATTEMPTS = 8
"""Tries at a candidate before it is given up; a dead end is rare."""

FLAGS = 2
"""Pieces that may be the flag at most: those in their headquarters."""

SAMPLER_DTYPE = record(
    [
        ("random", "i8"),
        ("flag_count", "i8"),  # pieces that may be the flag
        ("flag", "i8", FLAGS),
        ("share", "f8", FLAGS),  # by flag, of the candidates
        ("may", "u2", PIECES),
        # [flag, piece, type]; logarithms, and scaled:
        ("weights", "f8", FLAGS * PIECES * 12),
        ("scaled", "f8", FLAGS * PIECES * 12),
        ("flag_index", "i8"),  # flag of the world being drawn
        ("kinds", "u1", PIECES),  # its types
        ("left", "i8", 12),  # pieces of a type still to give out
        ("demand", "f8", 12),  # sum of the scaled weights of pieces without a type
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


class Belief(NamedTuple):
    """What a side's 25 pieces may be, and how likely it is."""

    may: list[int]  # sets of types
    weights: dict[int, Any]  # by the piece that is the flag: float [piece, type], above 0


class Worlds(NamedTuple):
    """Completions of one side, equally likely."""

    kinds: Any  # uint8 [world, piece 0-24]: types
    effective: float  # share of the candidates that the resampling was worth, 0..1


@inner(void(SAMPLER, int64))
def scale(s: Record, flag_index: int) -> None:
    """Scale the weights for one flag: rows to 1, columns to the counts; note how likely this flag is by that."""
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
    """A number from 0 to 1, 1 left out."""
    s.random = next_state(s.random)
    return below(s.random, int64(1 << 30)) / (1 << 30)


@inner(void(SAMPLER, NUMBERS), forceinline=True)
def reset_left(s: Record, counts: Any) -> None:
    """All pieces are still to be given a type, the flag apart."""
    for kind in range(12):
        s.left[kind] = counts[kind]
    s.left[FLAG] = 0


@inner(float64(SAMPLER, NUMBERS))
def draw_candidate(s: Record, counts: Any) -> float:
    """Draw a candidate into s.kinds; returns the logarithm of its weight over its chance here, NEVER at a dead end."""
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
        # The set with the fewest types still to be had comes next.
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
    """The logarithm of the weight of s.kinds by one flag's weights."""
    total = 0.0
    for piece in range(PIECES):
        total += s.weights[(flag_index * PIECES + piece) * 12 + int64(s.kinds[piece])]
    return total


@inner(void(SAMPLER, int64, int64), forceinline=True)
def swap_types(s: Record, one: int, other: int) -> None:
    kind = s.kinds[one]
    s.kinds[one] = s.kinds[other]
    s.kinds[other] = kind


@inner(void(SAMPLER, int64))
def metropolis(s: Record, times: int) -> None:
    """Let pairs of pieces of s.kinds exchange types, as likely as Metropolis has it; the flags' pair first."""
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
    """Scale the weights for each flag, and set how likely each is."""
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
    """Fill `kept` with worlds by the scaled weights, `candidates` [candidate, piece] and `logarithms` being scratch.

    Returns the effective share of the candidates; 0 if all met dead ends, and nothing is kept then.
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

    # Step 2. Keep some by weight, and let their pieces exchange types
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
    """A sampler, its weights scaled."""
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
    """float64 [piece, type]: about how likely each piece is to be each type, by the scaled weights alone."""
    s = _sampler(belief)
    found = np.zeros((PIECES, 12))
    for flag_index in range(int(s.flag_count)):
        found += s.share[flag_index] * s.scaled.reshape(FLAGS, PIECES, 12)[flag_index]
        found[s.flag[flag_index], FLAG] += s.share[flag_index]
    return found


def draw_worlds(belief: Belief, count: int, seed: int) -> Worlds:
    """So many completions of a side whose sets have one."""
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
