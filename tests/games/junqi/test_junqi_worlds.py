"""Worlds of Junqi's unseen side: their existence, and drawing them by their weights."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from junqi_games import FIRST, RECORDS, random_games, replay
from samples import sampled

from siqi.games import registry
from siqi.games.contract import Game
from siqi.games.junqi.knowledge.belief import find_world, narrow_by_counts
from siqi.games.junqi.knowledge.worlds import Belief, draw_worlds, marginals
from siqi.games.junqi.rules.lookup import COUNTS, FLAG, PIECES


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("junqi")


# Finding a world


def brute_force(sets: list[int], left: list[int]) -> list[tuple[int, ...]]:
    """Return all assignments of one of its types to each set, each type at most as often as `left` allows."""
    if not sets:
        return [()]
    assignments = []
    for kind in range(12):
        if sets[0] >> kind & 1 and left[kind]:
            left[kind] -= 1
            assignments += [(kind, *rest) for rest in brute_force(sets[1:], left)]
            left[kind] += 1
    return assignments


def random_sets(rng: random.Random) -> tuple[list[int], int]:
    """Return 25 sets, of which only the first few are uncertain, and their number; some contradict each other."""
    types = [kind for kind, count in enumerate(COUNTS) for _ in range(count)]
    rng.shuffle(types)
    open_ = rng.randint(1, 6)
    sets = [1 << kind for kind in types]
    for index in range(open_):
        for _ in range(rng.randint(0, 3)):
            sets[index] |= 1 << rng.choice(types[:open_])
        if rng.random() < 0.1:
            sets[index] &= ~(1 << types[index])
    return sets, open_


def test_completion_against_brute_force() -> None:
    rng = random.Random(7)
    impossible = sharpened = 0
    for _ in range(1500):
        sets, open_ = random_sets(rng)
        left = list(COUNTS)
        for types in sets[open_:]:
            left[types.bit_length() - 1] -= 1
        solutions = brute_force(sets[:open_], left)
        assignment = find_world(sets)
        if not solutions:
            impossible += 1
            assert assignment is None
            continue
        assert assignment is not None
        assert tuple(assignment[:open_]) in solutions
        assert [1 << kind for kind in assignment[open_:]] == sets[open_:]
        spread = narrow_by_counts(sets)
        sharpened += spread != sets
        for index in range(25):
            needed = 0
            for solution in solutions:
                needed |= 1 << solution[index] if index < open_ else sets[index]
            assert spread[index] & sets[index] == spread[index]
            assert spread[index] & needed == needed
        assert narrow_by_counts(spread) == spread
    assert impossible > 50
    assert sharpened > 50


def test_counts_that_contradict_each_other() -> None:
    settled = [1 << kind for kind, count in enumerate(COUNTS) for _ in range(count)]
    assert narrow_by_counts(settled) == settled
    assert find_world(settled) == [types.bit_length() - 1 for types in settled]
    for wrong in ([1, *settled[:1], *settled[2:]], [0, *settled[1:]]):
        assert find_world(wrong) is None
        with pytest.raises(ValueError, match="contradicts"):
            narrow_by_counts(wrong)


# Drawing worlds


def belief_of(sets: list[int], rng: random.Random) -> Belief:
    """Return a belief with random weights for each possible flag."""
    flags = [piece for piece in range(PIECES) if sets[piece] >> FLAG & 1]
    return Belief(sets, {flag: np.array([[rng.uniform(0.2, 3) for _ in range(12)] for _ in sets]) for flag in flags})


def weigh(belief: Belief, kinds: Any) -> float:
    """Return the weight of a world."""
    return float(np.prod(belief.weights[list(kinds).index(FLAG)][range(PIECES), list(kinds)]))


def test_worlds_are_as_likely_as_their_weights() -> None:
    rng, tried = random.Random(5), 0
    while tried < 12:
        sets, open_ = random_sets(rng)
        if open_ < 4 or find_world(sets) is None or sum(types >> FLAG & 1 for types in sets) > 2:
            continue
        tried += 1
        belief = belief_of(sets, rng)
        left = list(COUNTS)
        for types in sets[open_:]:
            left[types.bit_length() - 1] -= 1
        rest = tuple(types.bit_length() - 1 for types in sets[open_:])
        exact = {solution: weigh(belief, solution + rest) for solution in brute_force(sets[:open_], left)}
        total = sum(exact.values())
        worlds = draw_worlds(belief, 4000, tried)
        assert 0 < worlds.effective <= 1
        actual = Counter(tuple(kinds[:open_].tolist()) for kinds in worlds.kinds)
        assert set(actual) <= set(exact)
        for solution, weight in exact.items():
            share = weight / total
            assert abs(actual[solution] / 4000 - share) < 5 * math.sqrt(share * (1 - share) / 4000) + 1e-9


def exact_marginals(belief: Belief) -> Any:
    """Return the probabilities [piece, type] over all worlds, by forward and backward sums over assigned types."""
    shape = tuple(count + 1 for count in COUNTS)
    sums, total = np.zeros((PIECES, 12)), 0.0
    for flag, weights in belief.weights.items():
        allowed = np.array([[types >> kind & 1 for kind in range(12)] for types in belief.may])
        allowed[:, FLAG] = 0
        allowed[flag] = np.arange(12) == FLAG
        rows = weights / weights.max() * allowed
        forwards, backwards = [np.zeros(shape)], [np.zeros(shape)]
        forwards[0][(0,) * 12] = backwards[0][COUNTS] = 1
        for row, back in zip(rows, rows[::-1], strict=True):
            more, less = np.zeros(shape), np.zeros(shape)
            for kind in range(12):
                low, high = at(kind, slice(0, -1)), at(kind, slice(1, None))
                more[high] += row[kind] * forwards[-1][low]
                less[low] += back[kind] * backwards[-1][high]
            forwards.append(more)
            backwards.append(less)
        backwards.reverse()
        scale = weights.max() ** PIECES
        for piece in range(PIECES):
            for kind in np.flatnonzero(rows[piece]):
                both = forwards[piece][at(kind, slice(0, -1))] * backwards[piece + 1][at(kind, slice(1, None))]
                sums[piece, kind] += scale * rows[piece, kind] * both.sum()
        total += scale * forwards[PIECES][COUNTS]
    return sums / total


def at(kind: int, part: slice) -> tuple[slice, ...]:
    return tuple(part if axis == kind else slice(None) for axis in range(12))


@pytest.mark.parametrize("plies", [0, 40])
def test_worlds_of_games_have_the_exact_marginals(game: Game, plies: int) -> None:
    referee = replay(game, [RECORDS[4]["first"], RECORDS[4]["second"], *RECORDS[4]["moves"][:plies]])
    belief = replay(game, referee.view_moves(0)).believed(1)
    exact = exact_marginals(belief)
    worlds = draw_worlds(belief, 10_000, 1)
    drawn = np.stack([(worlds.kinds == kind).mean(0) for kind in range(12)], 1)
    assert worlds.effective > 0.2
    assert np.abs(drawn - exact).max() < 0.025  # 5 standard errors
    assert np.abs(marginals(belief) - exact).mean() < 0.01


@sampled("games", 2, 6)
def test_worlds_never_violate_what_is_known(game: Game, games: int) -> None:
    for referee, _ in itertools.islice(random_games(game, 9, games), 0, None, 7):
        for viewer in range(2):
            view = replay(game, referee.view_moves(viewer))
            if view.outcome() is not None:
                continue
            belief = view.believed(1 - viewer)
            for kinds in draw_worlds(belief, 20, 3).kinds.tolist():
                assert all(types >> kind & 1 for types, kind in zip(belief.may, kinds, strict=True))
                assert tuple(kinds.count(kind) for kind in range(12)) == COUNTS


def test_the_same_seed_draws_the_same_worlds(game: Game) -> None:
    belief = replay(game, [FIRST, "?"]).believed(1)
    one, other, third = (draw_worlds(belief, 50, seed).kinds.tolist() for seed in (1, 1, 2))
    assert one == other != third


@sampled("games", 2, 8)
def test_the_opponent_is_thought_to_know_the_truth_and_no_more(game: Game, games: int) -> None:
    """A view's belief about the opponent's knowledge is true, and never narrower than that knowledge."""
    for referee, _ in itertools.islice(random_games(game, 11, games), 0, None, 5):
        if referee.outcome() is not None:
            continue
        views = [replay(game, referee.view_moves(viewer)) for viewer in range(2)]
        for side in range(2):
            thought = views[side].believed(side).may
            known = views[1 - side].believed(side).may
            truth = referee.record.may[side * PIECES : side * PIECES + PIECES].tolist()
            assert all(types & fact for types, fact in zip(thought, truth, strict=True))
            assert all(more & ~types == 0 for types, more in zip(thought, known, strict=True))
