"""EWN's UCT against paper 1: UCTValue by the formula, factors that play equally, options that make it bare."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from fixture_files import vectors

from siqi.games import registry
from siqi.games.contract import Report, Task
from siqi.games.ewn.paper.uct import NODE_DTYPE, OPEN, TOP, USED, uct_value
from siqi.games.ewn.rules.position import POSITION_DTYPE
from siqi.games.ewn.rules.work import WORK, WORK_DTYPE
from siqi.games.ewn.search.playout import WIN
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import Record, entry, float64, int64, new_record
from siqi.games.kernel.memory import address_of

START = "ABC2/DE3/F3f/3ed/2cba f 3"
MIDDLE = "A1B2/2E2/C1F1f/2e2/1cb1a s 4"
ENDING = next(case["fen"] for case in vectors("ewn_exact.jsonl") if 0 < case["v"] < 1)
FENS = (START, MIDDLE, ENDING)
BARE = {"UCTProofs": "false", "UCTReuseTree": "false", "UCTLeafVisits": "1", "UseEndgames": "false"}
REWARDS = {"0..1": (0, 1), "-1..1": (-1, 1)}


@entry(float64(WORK, int64, int64, float64))
def value_of(work: Record, tree: int, child: int, logarithm: float) -> float:
    return uct_value(work, tree, child, logarithm)


class Search:
    """A search, playout by playout, and its tree."""

    def __init__(self, fen: str, threads: int = 1, **options: str) -> None:
        self.game: Any = registry.load("ewn")
        for name, value in ({"Algorithm": "uct"} | options).items():
            self.game.set_option(name, value)
        self.position: Any = self.game.position(fen)
        self.searcher: Any = self.game.searcher()
        self.searcher.configure(16, threads, 1)
        self.start()

    def start(self) -> None:
        self.control = Control()
        self.searcher.start(Task(self.position, self.control))
        self.adapter = self.searcher._searcher._adapter
        self._board = new_record(POSITION_DTYPE)

    def iterate(self, depth: int) -> Report:
        while True:
            report: Report = self.searcher.iterate()
            if report.finished or report.depth == depth:
                return report

    def grow(self, playouts: int, thread: int = 0) -> None:
        self.adapter.grow(thread, self._board, playouts)

    @property
    def tree(self) -> Any:
        """Return a copy of the nodes in use, without the root, which has no counts."""
        forest = self.adapter._forests[0]
        return forest._halves[0][TOP + 1 : int(forest.shared[USED])].copy()

    def root(self) -> Any:
        """Return a copy of the children of the root that its throw allows."""
        children = self.adapter._forests[0].children(TOP)
        return children[np.isin(children["move"], self.position.legal_moves())].copy()


def formula(mean: float, n: int, all_n: int, wink: float, uctk: float, reward: str) -> float:
    """Return the paper's UCTValue of a child whose mean result is `mean`, 0 to 1."""
    low, high = REWARDS[reward]
    return (low + (high - low) * mean) * wink + math.sqrt(math.log(all_n) / n) * uctk


@pytest.mark.parametrize("reward", REWARDS)
def test_uct_values_are_those_of_the_formula(reward: str) -> None:
    """UCT values agree with the formula, except for the worth of a loss, which is equal for all children."""
    rng, node = random.Random(4), np.zeros(2, NODE_DTYPE)
    for wink, uctk in ((1, 1), (0.4, 1), (0.5, 0.5), (1, 0), (0, 1), (rng.random(), rng.random())):
        work = Search(START, WINK=repr(wink), UCTK=repr(uctk), UCTReward=reward).adapter._works[0]
        for _ in range(200):
            n = rng.randint(1, rng.choice([3, 1000, 10**6]))
            total, all_n = rng.randint(0, n * WIN), n + rng.randint(0, 10**6)
            node[1] = (total, n, 0, OPEN, 0, 0)
            actual = float(value_of(work, address_of(node), 1, math.log(all_n))) + REWARDS[reward][0] * wink
            assert actual == pytest.approx(formula(total / n / WIN, n, all_n, wink, uctk, reward), rel=0, abs=1e-12)


def test_uct_values_of_unvisited_and_proven_children() -> None:
    work, node = new_record(WORK_DTYPE), np.zeros(2, NODE_DTYPE)
    work.wink, work.uctk = 100, 100
    most = 100 + 100 * math.sqrt(math.log(2**30))
    node[1] = (0, 0, 0, OPEN, 0, 0)
    assert most < float(value_of(work, address_of(node), 1, math.log(9))) < math.inf
    node[1] = (WIN, 5, 0, WIN, 0, 0)
    assert value_of(work, address_of(node), 1, math.log(9)) == math.inf
    node[1] = (WIN, 5, 0, WIN // 4, 0, 0)
    assert value_of(work, address_of(node), 1, math.log(9)) == pytest.approx(25, abs=1e-3)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("wink", "uctk"), [(1, 1), (0.4, 1), (0.5, 0.5), (1, 0.1), (0, 1), (1, 0)])
def test_each_playout_takes_the_child_of_the_highest_uct_value(wink: float, uctk: float, reward: str) -> None:
    for fen in (START, MIDDLE):
        search = Search(fen, **BARE, WINK=str(wink), UCTK=str(uctk), UCTReward=reward)
        search.grow(1)
        for _ in range(400):
            before = search.root()
            search.grow(1)
            (chosen,) = np.flatnonzero(search.root()["visits"] - before["visits"])
            all_n = int(before["visits"].sum())
            values = [
                formula(node["sum"] / WIN / node["visits"], int(node["visits"]), all_n, wink, uctk, reward)
                if node["visits"]
                else math.inf
                for node in before
            ]
            assert values[chosen] >= max(values) - 1e-12
        assert np.all(search.root()["visits"] > 0)


@pytest.mark.parametrize(("fen", "moves"), [("4b/5/c4/5/A1C2 f 2", 2), (START, 3), (MIDDLE, 6)])
def test_the_paper_s_threads_take_different_children(fen: str, moves: int) -> None:
    """Each of three threads takes the child of its rank; with two moves the third takes the best, not the second's."""
    search = Search(fen, threads=3, **BARE, UCTParallel="children")
    search.grow(10)
    for _ in range(50):
        for thread in range(3):
            before = search.root()
            assert len(before) == moves and np.all(before["visits"] > 0)
            search.grow(1, thread)
            (chosen,) = np.flatnonzero(search.root()["visits"] - before["visits"])
            all_n = int(before["visits"].sum())
            values = [
                formula(node["sum"] / WIN / node["visits"], int(node["visits"]), all_n, 0.4, 1, "0..1")
                for node in before
            ]
            assert values[chosen] == pytest.approx(sorted(values, reverse=True)[thread % moves], rel=0, abs=1e-12)


def test_a_larger_wink_searches_deeper() -> None:
    """The paper, section 2.2: WINK above UCTK searches in depth, a larger UCTK in breadth."""
    depths = [
        Search(START, **BARE, WINK=wink, UCTK=uctk).iterate(20).seldepth
        for wink, uctk in (("1", "0.1"), ("1", "1"), ("0.1", "1"))
    ]
    assert depths == sorted(set(depths), reverse=True)


@pytest.mark.parametrize("leaf_visits", ["1", "8"])
@pytest.mark.parametrize("reward", REWARDS)
def test_half_and_half_plays_exactly_as_one_and_one(reward: str, leaf_visits: str) -> None:
    """Multiplying both factors by a power of two keeps the order of the children, to the last bit."""
    options = BARE | {"UCTReward": reward, "UCTLeafVisits": leaf_visits}
    for fen in FENS:
        trees = []
        for factor in ("1.0", "0.5"):
            search = Search(fen, **options, WINK=factor, UCTK=factor)
            search.iterate(12)
            trees.append(search.tree)
        assert np.array_equal(trees[0], trees[1])
        other = Search(fen, **options, WINK="0.4", UCTK="1.0")
        other.iterate(12)
        assert not np.array_equal(trees[0], other.tree)


@pytest.mark.parametrize(("wink", "uctk"), [(1, 1), (0.4, 1), (0.1, 0.7)])
def test_rewards_from_minus_one_count_as_twice_the_weight(wink: float, uctk: float) -> None:
    for fen in FENS:
        trees = {}
        for reward, factor in (("-1..1", wink), ("0..1", 2 * wink), ("0..1", wink)):
            search = Search(fen, **BARE, WINK=str(factor), UCTK=str(uctk), UCTReward=reward)
            report = search.iterate(12)
            assert all(0 <= (line.score.win or 0) <= 1 for line in report.lines)
            trees[reward, factor] = search.tree
        assert np.array_equal(trees["-1..1", wink], trees["0..1", 2 * wink])
        assert not np.array_equal(trees["-1..1", wink], trees["0..1", wink])


def test_without_proofs_no_value_is_proven() -> None:
    for fen in FENS:
        search = Search(fen, UCTProofs="false")  # the tablebase is available
        report = search.iterate(14)
        assert (report.finished, report.tbhits) == (False, 0)
        assert all(line.score.mate is None for line in report.lines)
        assert np.all(search.tree["exact"] == OPEN)
    proving = Search(ENDING)
    assert proving.iterate(14).finished
    assert np.any(proving.tree["exact"] != OPEN)


def test_without_proofs_the_end_of_the_game_is_a_result() -> None:
    """A move to the corner wins each playout, and never gets children."""
    search = Search("5/5/5/3A1/a4 f 1", **BARE)
    search.iterate(12)
    (winner,) = (node for node in search.root() if search.position.move_text(int(node["move"])) == "d2e1")
    assert winner["visits"] > 1000
    assert (winner["sum"], winner["first"]) == (WIN * int(winner["visits"]), 0)


def test_without_its_tree_each_search_begins_anew() -> None:
    for keeps, is_kept in (("true", True), ("false", False)):
        search = Search(START, UCTReuseTree=keeps)
        report = search.iterate(12)
        search.position.push(report.lines[0].pv[0])
        search.position.set_dice(2)
        search.start()
        assert bool(len(search.root())) == is_kept


def test_a_tree_with_proofs_is_not_kept_without_them() -> None:
    search = Search(ENDING)
    search.iterate(12)
    search.game.set_option("UCTProofs", "false")
    search.start()
    search.iterate(4)
    assert np.all(search.tree["exact"] == OPEN)


@pytest.mark.parametrize("least", [1, 2, 8, 50])
def test_nodes_get_children_after_their_leaf_visits(least: int) -> None:
    search = Search(START, **(BARE | {"UCTLeafVisits": str(least)}))
    search.iterate(12)
    nodes = search.tree
    grown = nodes[nodes["first"] > 0]
    assert len(grown) > 10
    assert grown["visits"].min() > least
    leaves = nodes[(nodes["first"] == 0) & (nodes["visits"] > least)]
    assert np.all((leaves["sum"] == 0) | (leaves["sum"] == WIN * leaves["visits"].astype(np.int64)))  # games that end
