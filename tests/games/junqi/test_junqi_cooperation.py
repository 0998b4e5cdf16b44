"""Paper 4's player: UCT's formula as printed, joint actions of UCT's moves, and one update of Q by the formula."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from fixture_files import vectors

from siqi.games import registry
from siqi.games.contract import Task, exhaust
from siqi.games.game_record import GameRecord, position_after
from siqi.games.junqi.paper import learning, team
from siqi.games.junqi.paper.cooperation import CooperationAdapter
from siqi.games.junqi.paper.experience import (
    FAR,
    KIND_DTYPE,
    KINDS,
    LEAST_LESSONS,
    MEETINGS,
    PARTNERS,
)
from siqi.games.junqi.paper.team import (
    JOINT_ACTIONS,
    MAX_PIECE_MOVES,
    MAX_TEAM,
    MOVES_BY_SIZE,
    STATE_DTYPE,
    STATES,
    TEAM_DTYPE,
)
from siqi.games.junqi.rules.lookup import ATTACKER_WINS, BOMB, CAMPS, LOOKUP_RECORD, PIECES, SQUARES, result_of
from siqi.games.junqi.rules.position import POSITION_DTYPE, make_move, origin_of
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.junqi.search.deployment import draw_deployment
from siqi.games.junqi.search.uct import PAPER, UCB1, UctAdapter, upper_bound_here
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import new_record
from siqi.games.search.sampling import SamplingSearcher

QUIET = "1l3/5/5/5/5/D4/5/4d/5/5/5/1L3 f f {quiet}"
"""A position in which no move can attack an enemy."""


def view() -> Any:
    position = registry.load("junqi").position()
    for word in (draw_deployment(3), "?"):
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


def activate(adapter: Any) -> None:
    """Activate the pieces anew, as a turn of learning begins."""
    adapter._activate_pieces(adapter._best_first(adapter.move_values()))


def edges_at(tree: Any, first: int) -> list[Any]:
    edges = []
    while first:
        edges.append(tree[first])
        first = int(tree[first]["next"])
    return edges


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
    activate(adapter)
    row, active = adapter._matrix[adapter._team.row], adapter._team
    root = edges_at(adapter._trees[0], int(adapter._works[0].first_edge))
    assert active.members == size and MOVES_BY_SIZE[size] ** size <= JOINT_ACTIONS
    assert active.piece[:size].tolist() == sorted(active.piece[:size].tolist())
    for i in range(size):
        own = [edge for edge in root if int(position.record.board[origin_of(int(edge["move"]))]) - 1 == active.piece[i]]
        own.sort(key=lambda edge: -edge["visits"])
        count = min(len(own), MOVES_BY_SIZE[size])
        part = slice(i * MAX_PIECE_MOVES, i * MAX_PIECE_MOVES + count)
        assert row["count"][i] == count
        assert {*row["move"][part].tolist()} <= {int(edge["move"]) for edge in own}
        visits = [int(edge["visits"]) for edge in own[:count]]
        assert row["policy"][part] == pytest.approx(np.array(visits) / sum(visits), rel=1e-6)
    assert row["count"][size:].tolist() == [1] * (MAX_TEAM - size)


def test_later_states_have_moves_and_policies_of_their_own() -> None:
    adapter = searched(view(), 30_000, options={"CooperationPieces": "1"})
    rows = adapter._matrix[adapter._matrix["key"] != 0]
    assert len(rows) > 10
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
        row["policy"][i * MAX_PIECE_MOVES :][: len(shares)] = shares / shares.sum()
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
            chance *= float(matrix[8]["policy"][i * MAX_PIECE_MOVES + number])
            joint, step = joint + step * number, step * counts[i]
        expected += chance * float(matrix[8]["worth"][piece * JOINT_ACTIONS + joint])
    for next_row, future in ((8, expected), (-1, 0.0)):
        before = matrix.copy()
        wanted = (1 - alpha) * float(before[7]["worth"][at]) + alpha * (reward + gamma * future)
        learning.update_here(matrix, 7, action, piece, reward, next_row, alpha, gamma)
        assert matrix[7]["worth"][at] == pytest.approx(wanted, abs=1e-6)
        before[7]["worth"][at] = matrix[7]["worth"][at]
        assert matrix.tobytes() == before.tobytes()  # no other Q changes


@pytest.mark.parametrize(("quiet", "is_lost"), [(0, False), (30, True)])
def test_the_loss_at_the_quiet_limit_is_a_reward(quiet: int, is_lost: bool) -> None:
    """At the quiet limit every move loses: the reward takes the rest of the root's UCT value."""
    position = registry.load("junqi").position(QUIET.format(quiet=quiet))
    adapter = searched(position, 400)
    work, tree, stage = adapter._works[0], adapter._trees[0], adapter._team
    stage.base, stage.gamma, stage.alpha = 0.5, 0.0, 1.0
    row = stage.row
    adapter._matrix[row]["worth"][:] = 0
    adapter._matrix[row]["seen"][:] = 0
    work.nodes, work.stopped, work.poll_at = 0, 0, 1 << 60
    boards = [new_record(POSITION_DTYPE) for _ in range(2)]
    learning.learn(
        position.record, *boards, work, LOOKUP_RECORD, tree, stage, adapter._matrix, adapter._experience, 300
    )
    seen = adapter._matrix[row]["seen"] > 0
    worth = adapter._matrix[row]["worth"].reshape(MAX_TEAM, JOINT_ACTIONS).sum(0)[seen]
    assert seen.any()
    assert (worth == -0.5).all() == is_lost


def moves_of(row: Any, size: int) -> list[tuple[int, ...]]:
    """Return the moves of each joint action of the first pieces."""
    counts = row["count"][:size].tolist()
    numbers = [numbers[::-1] for numbers in itertools.product(*map(range, counts[::-1]))]
    return [tuple(int(row["move"][i * MAX_PIECE_MOVES + number]) for i, number in enumerate(each)) for each in numbers]


def fill(row: Any, counts: tuple[int, ...], rng: np.random.Generator) -> None:
    """Give the pieces of a row random moves out of eight each."""
    pool = [make_move(origin, target) for origin, target in itertools.product(range(1, 5), range(20, 28))]
    for i, count in enumerate(counts):
        row["count"][i] = count
        row["move"][i * MAX_PIECE_MOVES :][:count] = rng.choice(pool[8 * i :][:8], count, False)


@pytest.mark.parametrize("newcomer", [None, 0, 1, 2])
def test_what_was_learned_follows_moves_and_pieces(newcomer: int | None) -> None:
    """A joint action has the mean of those that agree with it in the moves of all pieces that stay in the team."""
    rng = np.random.default_rng(3)
    before, row = random_row(rng, 3), random_row(rng, 3)
    fill(before, (5, 6, 5), rng)
    fill(row, (6, 5, 4), rng)
    before["seen"] = rng.integers(0, 3, JOINT_ACTIONS)
    pieces = [20, 21, 22]
    old = [piece for i, piece in enumerate(pieces) if i != newcomer] + ([24] if newcomer is not None else [])
    if newcomer is not None:  # the pieces that stay have other places in the old row
        moves = [before["move"][i * MAX_PIECE_MOVES :][:MAX_PIECE_MOVES].copy() for i in range(3)]
        stayed = [i for i in range(3) if i != newcomer]
        for place, i in enumerate([*stayed, newcomer]):
            before["move"][place * MAX_PIECE_MOVES :][:MAX_PIECE_MOVES] = moves[i]
        before["count"][:3] = before["count"][[*stayed, newcomer]]
    known = np.array([before]).view(np.recarray)[0], np.array([row]).view(np.recarray)[0]
    worth, seen = team.carried_over(known[1], known[0], pieces, old)
    earlier = moves_of(before, 3)
    count = 0
    for action, moves_now in enumerate(moves_of(row, 3)):
        agreeing = [
            number
            for number, moves_then in enumerate(earlier)
            if all(moves_now[i] == moves_then[old.index(piece)] for i, piece in enumerate(pieces) if piece in old)
        ]
        lessons = sum(int(before["seen"][number]) for number in agreeing)
        assert seen[action] == lessons
        count += lessons > 0
        for i, piece in enumerate(pieces):
            total = 0.0
            if piece in old:
                at = old.index(piece) * JOINT_ACTIONS
                total = sum(float(before["worth"][at + n]) * int(before["seen"][n]) for n in agreeing)
            assert worth[i, action] == pytest.approx(total / max(lessons, 1), abs=1e-5)
    assert count and not seen[len(moves_of(row, 3)) :].any()


@pytest.mark.filterwarnings("error")
def test_lessons_that_are_taken_over_again_and_again_stay_numbers() -> None:
    """A team that changes whole takes over the sum of all lessons for each joint action: sums of sums overflowed."""
    rng = np.random.default_rng(4)
    row = random_row(rng, 3)
    fill(row, (5, 6, 5), rng)
    row["seen"] = 1 << 31
    known = np.array([row]).view(np.recarray)[0]
    seen = team.carried_over(known, known, [20, 21, 22], [23, 24, 25])[1]
    assert set(seen[: len(moves_of(row, 3))].tolist()) == {team.MAX_LESSONS}


def test_a_team_is_sorted_and_kept() -> None:
    """Members stay while they are among the best of twice the number; the best piece is always a member."""
    first = team.renewed_team([9, 3, 7, 1, 5, 8, 2, 6], [], 4)
    assert first == [1, 3, 7, 9]
    assert team.renewed_team([3, 8, 5, 9, 2, 1, 6, 7], first, 4) == first
    assert team.renewed_team([8, 3, 5, 9, 2, 1, 6, 7], first, 4) == [1, 3, 8, 9]
    assert team.renewed_team([3, 8, 5, 9, 2, 6, 4, 0, 1, 7], first, 4) == [3, 5, 8, 9]
    assert team.renewed_team([4], first, 4) == [4]


# What reaches the root


def some_positions() -> list[Any]:
    """Return ten views of recorded games, each two plies later than the one before."""
    game, records = registry.load("junqi"), vectors("junqi_games.jsonl")
    positions = []
    for number in range(10):
        record = records[number % len(records)]
        referee: Any = game.position()
        for word in (record["first"], record["second"], *record["moves"][: 4 + 2 * number]):
            referee.push(referee.parse_move(word))
        positions.append(position_after(game, GameRecord(tuple(referee.view_moves(referee.turn)))))
    return positions


@pytest.mark.parametrize("nodes", [300, 1000, 5000])
def test_learned_values_reach_the_choice_at_any_limit(nodes: int) -> None:
    """In nine of ten positions the move chosen has a learned value, and so have others that it was chosen from.

    Before the team was kept and learning had its turns, 8 of 9 positions had none at 5,000 playouts.
    """
    reached = 0
    for position in some_positions():
        adapter = searched(position, nodes)
        learned = adapter._works[0].prior >= 0
        reached += bool(learned[adapter.result().lines[0].pv[0]] and learned.sum() >= 4)
    assert reached >= 9


@pytest.mark.parametrize("number", [5, 7])
def test_learned_values_change_the_choice(number: int) -> None:
    """A move is not chosen if all joint actions with it are said to lose, nor if others are said to win."""
    position = some_positions()[number]
    adapter = searched(position, 1000)
    adapter.prior_visits = 1e6
    row, active = adapter._row, int(adapter._team.members)
    for worth in (-1.0, 1.0):
        row.seen[:], row.worth[:] = 1, 0
        chosen = adapter.result().lines[0].pv[0]
        has_it = [chosen in moves for moves in moves_of(row, active)]
        row.worth[[i for i, has in enumerate(has_it) if has == (worth < 0)]] = worth
        assert any(has_it) and adapter.result().lines[0].pv[0] != chosen


def test_a_prior_is_the_team_s_value_with_the_gain_above_the_mean() -> None:
    adapter = searched(some_positions()[4], 1000)
    row, active = adapter._row, int(adapter._team.members)
    work, actions = adapter._works[0], moves_of(row, int(adapter._team.members))
    policy = dict(zip(row.move.tolist(), row.policy.tolist(), strict=True))
    base = np.mean(
        [
            sum(
                float(row.policy[i * MAX_PIECE_MOVES + n]) * float(row.value[i * MAX_PIECE_MOVES + n])
                for n in range(row.count[i])
            )
            for i in range(active)
        ]
    )
    worth = row.worth.reshape(MAX_TEAM, JOINT_ACTIONS).sum(0)
    tried = [action for action in range(len(actions)) if row.seen[action]]

    def mean(chosen: list[int], without: int) -> float:
        weights = [math.prod(policy[move] for move in actions[action] if move != without) for action in chosen]
        return float(np.average(worth[chosen], weights=weights))

    learning.set_priors(work, adapter._team, adapter._matrix)
    moves = {move for action in tried for move in actions[action]}
    assert len(moves) > 4 and {*np.flatnonzero(work.prior >= 0).tolist()} == moves
    for move in moves:
        gain = mean([action for action in tried if move in actions[action]], move) - mean(tried, 0)
        assert work.prior[move] == pytest.approx(min(max(base + gain, 0), 1), abs=1e-5)


def test_q_chooses_the_joint_action_of_the_highest_q() -> None:
    position = some_positions()[2]
    adapter = searched(position, 1000, options={"CooperationChoice": "q"})
    row, active = adapter._row, int(adapter._team.members)
    tried = [i for i, _ in enumerate(moves_of(row, active)) if row.seen[i]]
    worth = row.worth.reshape(MAX_TEAM, JOINT_ACTIONS).sum(0)
    best = max(tried, key=lambda action: worth[action])
    value = dict(zip(row.move.tolist(), row.value.tolist(), strict=True))
    assert adapter.result().lines[0].pv[0] == max(moves_of(row, active)[best], key=lambda move: value[move])
    wanted = tried[0] if best != tried[0] else tried[-1]
    row.worth[wanted] = 50.0
    assert adapter.result().lines[0].pv[0] in moves_of(row, active)[wanted]


# Experience


def naive_kind(record: Any, piece: int, move: int, others: dict[int, int]) -> int:
    """Return the kind of a piece's move; `others` has the moves of the other pieces of the team."""

    def steps(square: int) -> int:
        return min(max(int(LOOKUP_RECORD.distance[target * SQUARES + square]), 1), FAR) - 1

    def known(number: int) -> bool:
        return int(record.may[number]).bit_count() == 1

    target = move >> 6
    kind = int(record.may[piece]).bit_length() - 1
    met = int(record.board[target]) - 1
    meets = 0
    if met >= 0 and not known(met):
        meets = 2 if record.fought >> met & 1 else 1
    elif met >= 0:
        meets = 3 if result_of(kind, int(record.may[met]).bit_length() - 1) == ATTACKER_WINS else 4
    enemies = range(PIECES, 2 * PIECES) if piece < PIECES else range(PIECES)
    near = {number: steps(int(record.where[number])) for number in enemies if record.where[number] not in (60, target)}
    least = min([FAR - 1, *near.values()])
    is_known = any(known(number) for number, distance in near.items() if distance == least)
    place = ((kind * MEETINGS + meets) * FAR + least) * 4 + 2 * is_known + (target in CAMPS)
    if not others:
        return int(place * PARTNERS)
    partner = min(others, key=lambda other: LOOKUP_RECORD.distance[target * SQUARES + int(record.where[other])])
    other_kind = int(record.may[partner]).bit_length() - 1
    relation = 2 if other_kind == BOMB else int(other_kind < kind)
    attacks = bool(others[partner] and record.board[others[partner] >> 6])
    return int(place * PARTNERS + 1 + (steps(int(record.where[partner])) * 3 + relation) * 2 + attacks)


@pytest.mark.parametrize("number", range(0, 10, 2))
def test_experience_of_kinds_is_the_first_worth_of_what_was_not_tried(number: int) -> None:
    """Where each kind's lessons say its number, the worths of untried joint actions are their kinds' numbers."""
    position = some_positions()[number]
    adapter = searched(position, 400)
    adapter._experience["lessons"] = LEAST_LESSONS
    adapter._experience["total"] = LEAST_LESSONS * np.arange(KINDS)
    row, active = adapter._row, adapter._team
    row.seen[:] = 0
    row.seen[0] = 1
    row.worth[:] = -1
    pieces = active.piece[: active.members].tolist()
    place = (position.record, position.record, adapter._works[0], LOOKUP_RECORD, active, adapter._matrix)
    learning.recall(*place, adapter._experience, active.row)
    actions = moves_of(row, len(pieces))
    assert len(actions) > 1 and (row.seen[: len(actions)] == 1).all()
    assert (row.worth.reshape(MAX_TEAM, JOINT_ACTIONS)[:, 0] == -1).all()  # it was tried: its own worth stays
    for action, moves in enumerate(actions[1:], 1):
        for i, piece in enumerate(pieces):
            others = {other: move for other, move in zip(pieces, moves, strict=True) if other != piece}
            kind = naive_kind(position.record, piece, moves[i], others)
            assert 0 <= kind < KINDS and row.worth[i * JOINT_ACTIONS + action] == kind
    adapter._experience["lessons"] = LEAST_LESSONS - 1
    row.seen[:] = 0
    learning.recall(*place, adapter._experience, active.row)
    assert not row.seen.any()


def test_a_lesson_counts_for_its_kind() -> None:
    """All lessons of a search are in its experience, each once for each piece that has a move."""
    adapter = searched(view(), 2000)
    lessons, totals = adapter._experience["lessons"], adapter._experience["total"]
    assert lessons.sum() > 200 and (lessons > 0).sum() > 20
    assert not totals[lessons == 0].any() and (np.abs(totals) <= 4 * lessons).all()
    assert KIND_DTYPE.itemsize * KINDS < 1 << 19


def test_a_team_is_told_apart_in_the_same_position() -> None:
    position = view()
    adapter = searched(position, 4000)
    other = new_record(TEAM_DTYPE)
    other.members = 2
    other.piece[:2] = [int(position.record.board[origin_of(move)]) - 1 for move in position.legal_moves()[::9][:2]]
    place = (position.record, adapter._works[0], adapter._trees[0])
    team.enter_root(*place, other, adapter._matrix)
    assert 0 <= other.row != adapter._team.row
    assert max(other.piece) < PIECES
