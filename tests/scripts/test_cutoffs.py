"""Cut-offs on trees written out (paper 5, section 2): the example tree, random trees, and the printed procedure."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from scripts.papers.xiangqi_endgames import cutoffs
from scripts.papers.xiangqi_endgames.cutoffs import (
    ALL_LEVELS,
    FIGURE_1,
    MAX,
    MIN,
    THREE_LEVELS,
    WHOLE,
    Node,
    Tree,
    ideal_leaves,
    minimax,
    search,
    veb,
)
from scripts.papers.xiangqi_endgames.xiangqi_cutoffs import ORDERS, search_tree, size_of

FEN = "4kab2/4a4/4b4/3PR4/4P4/9/6r2/9/9/4K4 b"


def random_tree(depth: int, rng: random.Random) -> Tree:
    """Return a tree of at most `depth` plies with one to four children a node; values repeat, so that bounds tie."""
    if depth == 0 or rng.random() < 0.05:
        return rng.randrange(-5, 6)
    return Node("", tuple(random_tree(depth - 1, rng) for _ in range(rng.randrange(1, 5))))


def best_first(depth: int, branching: int, value: float, player: int, fresh: itertools.count[int]) -> Tree:
    """Return a uniform tree of a value whose first successor is always the best; no other leaf has that value."""
    if depth == 0:
        return value
    worse = [value - player * next(fresh) for _ in range(branching - 1)]
    return Node("", tuple(best_first(depth - 1, branching, each, -player, fresh) for each in (value, *worse)))


def test_the_example_tree_is_cut_as_the_text_says() -> None:
    old, new = search(FIGURE_1, THREE_LEVELS)[1], search(FIGURE_1, ALL_LEVELS)[1]
    assert (set(old.alpha), set(old.beta)) == (set("AFGH"), set("BDK"))
    assert (set(new.alpha), set(new.beta)) == (set("AFGH") | set("CEIJLM"), set("BDK"))
    for visit in (old, new):
        cut = visit.alpha + visit.beta
        assert len(cut) == len(set(cut)), "each node is cut once, and no other"
    assert len(new.leaves) < len(old.leaves) < len(search(FIGURE_1, WHOLE)[1].leaves)
    assert {search(FIGURE_1, windows)[0] for windows in (WHOLE, THREE_LEVELS, ALL_LEVELS)} == {minimax(FIGURE_1)}


def test_at_c_the_bounds_are_those_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """At C alpha = 0, beta = -infinity and value = 2, as in the text, so `value < alpha` ends the loop."""
    met = []
    inner = cutoffs.veb

    def watch(tree: Tree, player: int, alpha: float, beta: float, *rest: object) -> float:
        value = inner(tree, player, alpha, beta, *rest)  # type: ignore[arg-type]
        if isinstance(tree, Node) and tree.name == "C":
            met.append((alpha, beta, value))
        return value

    monkeypatch.setattr(cutoffs, "veb", watch)
    search(FIGURE_1, ALL_LEVELS)
    assert met == [(0, -math.inf, 2)]


def test_random_trees_have_their_minimax_value() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        tree = random_tree(rng.randrange(1, 7), rng)
        leaves = []
        for windows in (WHOLE, THREE_LEVELS, ALL_LEVELS):
            value, visit = search(tree, windows)
            assert value == minimax(tree), seed
            leaves.append(len(visit.leaves))
        assert leaves == sorted(leaves, reverse=True), seed
        # A value within narrow bounds is exact, a value outside is a bound of the true one.
        low, high = sorted(rng.sample(range(-6, 7), 2))
        value = veb(tree, MAX, high, low, cutoffs.new_visit())
        true = minimax(tree)
        assert value == true if low < true < high else value <= low if true <= low else high <= value, seed


def test_all_levels_save_leaves_on_some_trees() -> None:
    trees = [random_tree(5, random.Random(seed)) for seed in range(40)]
    assert any(len(search(tree, ALL_LEVELS)[1].leaves) < len(search(tree, THREE_LEVELS)[1].leaves) for tree in trees)


def test_the_printed_procedure_is_wrong() -> None:
    """`value <- -beta` starts from the bound from above: with open bounds nothing is searched in any tree.

    Counter-example: MAX chooses between MIN's 1 and 2. A root bound of +infinity for beta does not repair it: the root
    is searched, but each of its successors begins at its own bound from above.
    """
    tree = Node("", (Node("", (1, 5)), Node("", (2, 7))))
    assert minimax(tree) == search(tree, ALL_LEVELS)[0] == 2
    value, visit = search(tree, ALL_LEVELS, is_printed=True)
    assert (value, visit.leaves) == (math.inf, [])
    visit = cutoffs.new_visit()
    assert veb(tree, MAX, math.inf, math.inf, visit, ALL_LEVELS, True) != 2 and visit.leaves == []


@pytest.mark.parametrize("branching, depth", [(2, 1), (2, 6), (3, 4), (3, 5), (5, 3), (7, 2)])
def test_the_paper_s_formulas_count_the_best_order(branching: int, depth: int) -> None:
    tree = best_first(depth, branching, 0, MAX, itertools.count(1))
    visits = [search(tree, windows)[1] for windows in (WHOLE, THREE_LEVELS, ALL_LEVELS)]
    assert len(visits[0].leaves) == branching**depth
    assert len(visits[2].leaves) == ideal_leaves(branching, depth)
    assert MIN == -MAX


def test_trees_of_positions_agree_with_one_another() -> None:
    """Every order and window gives the minimax value; bounds of all levels visit no more than those of three."""
    for depth in (1, 2, 3):
        size = size_of(FEN, depth)
        whole = search_tree(FEN, depth, WHOLE, "none", "paper")
        assert (whole.leaves, whole.nodes) == (size.leaves, size.nodes)
        for order in ORDERS:
            three, every = (search_tree(FEN, depth, windows, order, "paper") for windows in (THREE_LEVELS, ALL_LEVELS))
            assert three.value == every.value == whole.value
            assert every.leaves <= three.leaves <= whole.leaves
    assert search_tree(FEN, 4, ALL_LEVELS, "none", "paper").leaves < size_of(FEN, 4).leaves / 10
    assert search_tree(FEN, 2, WHOLE, "none", "terms").value != search_tree(FEN, 2, WHOLE, "none", "paper").value
