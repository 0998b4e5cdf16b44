"""Paper 4's player: UCT's formula as printed, joint actions of UCT's moves, and one update of Q by the formula."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

from siqi.games import registry
from siqi.games.contract import Task, exhaust
from siqi.games.junqi.paper import team as stage
from siqi.games.junqi.paper.cooperation import CooperationAdapter, are_sound
from siqi.games.junqi.paper.team import (
    JOINT_ACTIONS,
    MAX_TEAM,
    MOST_MOVES,
    MOVES_BY_SIZE,
    STATE_DTYPE,
    STATES,
    TEAM_DTYPE,
)
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD, PIECES
from siqi.games.junqi.rules.position import POSITION_DTYPE, make_move, origin_of
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.junqi.search.setup import draw_setup
from siqi.games.junqi.search.uct import PAPER, UCB1, UctAdapter, upper_bound_here
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import new_record
from siqi.games.search.sampling import SamplingSearcher

QUIET = "1l3/5/5/5/5/D4/5/4d/5/5/5/1L3 f f {quiet}"
"""A position in which no move can attack an enemy."""


def view() -> Any:
    position = registry.load("junqi").position()
    for word in (draw_setup(3), "?"):
        position.push(position.parse_move(word))
    return position


def searched(position: Any, nodes: int, adapter: Any = None, options: dict[str, str] | None = None) -> Any:
    """Return an adapter after a search of one thread."""
    game: Any = registry.load("junqi")
    for name, value in (options or {}).items():
        game.set_option(name, value)
    adapter = adapter or CooperationAdapter(game.knowledge)
    searcher = SamplingSearcher(adapter)
    searcher.configure(16, 1, 5)
    searcher.clear()
    exhaust(searcher, Task(position, Control(nodes)))
    return adapter


def edges_at(tree: Any, first: int) -> list[Any]:
    found = []
    while first:
        found.append(tree[first])
        first = int(tree[first]["next"])
    return found


# UCT


@pytest.mark.parametrize("seed", range(20))
def test_upper_bounds_are_to_the_formula(seed: int) -> None:
    rng = random.Random(seed)
    work = new_record(WORK_DTYPE)
    k, value = rng.uniform(0, 2), rng.random()
    visits, total = sorted(rng.sample(range(1, 10**6), 2))
    work.exploration = k
    printed = value + k * math.sqrt(2 * math.log(total / visits))
    usual = value + k * math.sqrt(math.log(total) / visits)
    assert upper_bound_here(work, value, visits, total, PAPER) == pytest.approx(printed, rel=1e-12)
    assert upper_bound_here(work, value, visits, total, UCB1) == pytest.approx(usual, rel=1e-12)


@pytest.mark.parametrize("least", [1, 4, 30])
def test_a_leaf_gets_moves_after_some_visits(least: int) -> None:
    class Adapter(UctAdapter):
        tree_settings = (PAPER, 0.1, least)

    adapter = searched(view(), 4000, Adapter())
    tree, used = adapter._trees[0], int(adapter._works[0].used)
    parents = [edge for edge in tree[1:used] if edge["children"].any()]
    assert parents and all(edge["visits"] > least for edge in parents)  # the visit that adds the first child counts too
    assert least == 1 or any(edge["visits"] == least and not edge["children"].any() for edge in tree[1:used])


# Joint actions


@pytest.mark.parametrize("size", range(1, MAX_TEAM + 1))
def test_joint_actions_are_of_the_moves_that_uct_found(size: int) -> None:
    position = view()
    adapter = searched(position, 6000, options={"CooperationPieces": str(size)})
    row, team = adapter._matrix[adapter._team.row], adapter._team
    root = edges_at(adapter._trees[0], int(adapter._works[0].first_edge))
    assert team.members == size and MOVES_BY_SIZE[size] ** size <= JOINT_ACTIONS
    for i in range(size):
        own = [edge for edge in root if int(position.record.board[origin_of(int(edge["move"]))]) - 1 == team.piece[i]]
        own.sort(key=lambda edge: -edge["visits"])
        count = min(len(own), MOVES_BY_SIZE[size])
        part = slice(i * MOST_MOVES, i * MOST_MOVES + count)
        assert row["count"][i] == count
        assert {*row["move"][part].tolist()} <= {int(edge["move"]) for edge in own}
        visits = [int(edge["visits"]) for edge in own[:count]]
        assert row["policy"][part] == pytest.approx(np.array(visits) / sum(visits), rel=1e-6)
    assert row["count"][size:].tolist() == [1] * (MAX_TEAM - size)


def test_later_states_have_moves_and_policies_of_their_own() -> None:
    adapter = searched(view(), 30_000, options={"CooperationPieces": "1"})
    rows = adapter._matrix[adapter._matrix["key"] != 0]
    assert are_sound(rows) and len(rows) > 10
    moves = {tuple(row["move"][: row["count"][0]].tolist()) for row in rows}
    assert len(moves) > 5
    assert all(row["policy"][: row["count"][0]].sum() == pytest.approx(1, rel=1e-5) for row in rows)
    assert (rows["worth"] != 0).any(1).sum() > 5  # Q is learned there, too


# Q


def random_row(rng: np.random.Generator, size: int) -> Any:
    row = np.zeros(1, STATE_DTYPE)[0]
    row["key"] = 1
    row["count"][:] = 1
    for i in range(MAX_TEAM):
        if i < size:
            row["count"][i] = rng.integers(1, MOVES_BY_SIZE[size] + 1)
        shares = rng.random(row["count"][i])
        row["policy"][i * MOST_MOVES :][: len(shares)] = shares / shares.sum()
    row["worth"] = rng.normal(size=row["worth"].shape)
    return row


@pytest.mark.parametrize("size", range(1, MAX_TEAM + 1))
def test_one_update_is_to_the_formula(size: int) -> None:
    rng = np.random.default_rng(size)
    matrix = np.zeros(STATES, STATE_DTYPE)
    matrix[7], matrix[8] = random_row(rng, size), random_row(rng, size)
    alpha, gamma, reward, piece = 0.4, 0.6, 0.123, size - 1
    action = int(rng.integers(0, matrix[7]["count"].prod()))
    at = piece * JOINT_ACTIONS + action

    expected = 0.0
    counts = matrix[8]["count"].tolist()
    for numbers in itertools.product(*map(range, counts)):
        chance, joint, step = 1.0, 0, 1
        for i, number in enumerate(numbers):
            chance *= float(matrix[8]["policy"][i * MOST_MOVES + number])
            joint, step = joint + step * number, step * counts[i]
        expected += chance * float(matrix[8]["worth"][piece * JOINT_ACTIONS + joint])
    for next_row, future in ((8, expected), (-1, 0.0)):
        before = matrix.copy()
        wanted = (1 - alpha) * float(before[7]["worth"][at]) + alpha * (reward + gamma * future)
        stage.update_here(matrix, 7, action, piece, reward, next_row, alpha, gamma)
        assert matrix[7]["worth"][at] == pytest.approx(wanted, abs=1e-6)
        before[7]["worth"][at] = matrix[7]["worth"][at]
        assert matrix.tobytes() == before.tobytes()  # no other Q changes


@pytest.mark.parametrize(("quiet", "is_lost"), [(0, False), (30, True)])
def test_the_loss_at_the_quiet_limit_is_a_reward(quiet: int, is_lost: bool) -> None:
    """At the quiet limit every move loses: the reward takes the rest of the root's UCT value."""
    position = registry.load("junqi").position(QUIET.format(quiet=quiet))
    adapter = searched(position, 400)
    work, tree, team = adapter._works[0], adapter._trees[0], adapter._team
    team.base, team.gamma, team.alpha = 0.5, 0.0, 1.0
    row = team.row
    adapter._matrix[row]["worth"][:] = 0
    adapter._matrix[row]["seen"][:] = 0
    work.nodes, work.stopped, work.poll_at = 0, 0, 1 << 60
    boards = [new_record(POSITION_DTYPE) for _ in range(2)]
    stage.learn(position.record, *boards, work, LOOKUP_RECORD, tree, team, adapter._matrix, 300)
    seen = adapter._matrix[row]["seen"] > 0
    worth = adapter._matrix[row]["worth"].reshape(MAX_TEAM, JOINT_ACTIONS).sum(0)[seen]
    assert seen.any()
    assert (worth == -0.5).all() == is_lost


def test_what_was_learned_follows_its_moves() -> None:
    rng = np.random.default_rng(3)
    before = random_row(rng, 3)
    before["count"][:3] = 5, 6, 5  # out of eight moves, so that some are in both
    pool = [make_move(origin, target) for origin, target in itertools.product(range(1, 4), range(20, 28))]
    for i in range(3):
        before["move"][i * MOST_MOVES :][: before["count"][i]] = rng.choice(
            pool[8 * i :][:8], before["count"][i], False
        )
    before["seen"] = rng.integers(1, 100, JOINT_ACTIONS)
    row = np.zeros(1, STATE_DTYPE)
    row[0] = before
    for i in range(3):
        row["count"][0, i] = (6, 5, 4)[i]
        chosen = rng.choice(pool[8 * i :][:8], row["count"][0, i], False)
        row["move"][0, i * MOST_MOVES :][: len(chosen)] = chosen
    stage.relocate(row.view(np.recarray)[0], before)

    def learned(state: Any) -> dict[tuple[int, ...], tuple[float, ...]]:
        found = {}
        counts = state["count"].tolist()
        for numbers in itertools.product(*map(range, counts)):
            joint = sum(number * math.prod(counts[:i]) for i, number in enumerate(numbers))
            moves = tuple(int(state["move"][i * MOST_MOVES + number]) for i, number in enumerate(numbers))
            worth = tuple(float(state["worth"][i * JOINT_ACTIONS + joint]) for i in range(MAX_TEAM))
            found[moves] = (*worth, float(state["seen"][joint]))
        return found

    old, new = learned(before), learned(row[0])
    assert set(old) & set(new) and set(new) - set(old)
    for moves, values in new.items():
        assert values == old.get(moves, (0.0,) * (MAX_TEAM + 1))


def test_a_team_is_told_apart_in_the_same_position() -> None:
    position = view()
    adapter = searched(position, 4000)
    other = new_record(TEAM_DTYPE)
    other.members = 2
    other.piece[:2] = [int(position.record.board[origin_of(move)]) - 1 for move in position.legal_moves()[::9][:2]]
    place = (position.record, adapter._works[0], adapter._trees[0])
    stage.enter_root(*place, other, adapter._matrix)
    assert 0 <= other.row != adapter._team.row
    assert max(other.piece) < PIECES
