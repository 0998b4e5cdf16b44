"""The learning stage of paper 4's player: joint actions of the activated pieces, valued by Q-learning.

A joint action (team.py) is carried out in as many own turns as it has moves, the move that UCT values most first, each
followed by the opponent's answer; a move that is no longer possible is left out. Every piece has its own reward and its
own Q (section 1.2):

    Q_i(s, a) <- (1 - alpha) Q_i(s, a)
                 + alpha (r_i + gamma * sum over a' of P1(s', a'1) .. Pn(s', a'n) Q_i(s', a'))

Pi(s', a'i) is the share of UCT's visits of the piece's moves in the state s' itself. The reward r_i is what the piece's
move and the answer to it change in the search's return, a playout's value; so a lost game counts as one, by the quiet
limit too. The paper prints 1 + alpha, with which no Q converges. A state that UCT's tree does not know has no moves to
choose from: nothing is expected of it beyond the playout.

The term that alpha weighs is a lesson. It also counts for the kind of the piece's part (experience.py), and what the
kinds have learned, in earlier games too, is the first Q of a joint action that was not tried yet.
"""

from __future__ import annotations

import math
from typing import Any

from siqi.games.junqi.paper.experience import EXPERIENCE, add_lesson, kind_of, mean_lesson
from siqi.games.junqi.paper.team import JOINT_ACTIONS, MATRIX, MAX_PIECE_MOVES, MAX_TEAM, TEAM, action_count, state_at
from siqi.games.junqi.rules.lookup import LOOKUP, NOWHERE, SQUARES
from siqi.games.junqi.rules.movegen import targets_of
from siqi.games.junqi.rules.position import (
    POSITION,
    QUIET_LIMIT,
    do_move,
    origin_of,
    result_code,
    target_of,
    type_of,
)
from siqi.games.junqi.rules.work import WORK
from siqi.games.junqi.search.playout import enter_world, playout, quick_move
from siqi.games.junqi.search.uct import EDGES, NO_PRIOR, PLAYOUT_PLIES
from siqi.games.kernel.intrinsics import copy_record
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, void
from siqi.games.kernel.node import count_node
from siqi.games.kernel.random import below, next_state

EXPLORATION_SHARE = 0.3
"""Share of the joint actions that are drawn by UCT's policy, not chosen by Q."""

EPISODE_ACTIONS = 4
"""The most joint actions of an episode."""


@inner(float64(MATRIX, int64, int64), forceinline=True)
def team_worth(matrix: Any, row: int, action: int) -> float:
    """Return the sum of all pieces' Q of a joint action."""
    total = 0.0
    for i in range(MAX_TEAM):
        total += matrix[row].worth[i * JOINT_ACTIONS + action]
    return total


@inner(int64(MATRIX, int64, WORK))
def choose_action(matrix: Any, row: int, work: Record) -> int:
    """Return the joint action of the highest team worth among those tried, or one drawn by UCT's policy."""
    best, best_worth = int64(-1), 0.0
    work.random = next_state(work.random)
    if below(work.random, int64(1000)) >= 1000 * EXPLORATION_SHARE:
        for action in range(action_count(matrix, row)):
            if matrix[row].seen[action] > 0:
                worth = team_worth(matrix, row, int64(action))
                if best < 0 or worth > best_worth:
                    best, best_worth = int64(action), worth
    if best >= 0:
        return best
    action = int64(0)
    for i in range(MAX_TEAM - 1, -1, -1):
        work.random = next_state(work.random)
        mark = below(work.random, int64(1 << 20)) / (1 << 20)
        number = int64(0)
        while number < matrix[row].count[i] - 1 and mark >= matrix[row].policy[i * MAX_PIECE_MOVES + number]:
            mark -= matrix[row].policy[i * MAX_PIECE_MOVES + number]
            number += 1
        action = action * matrix[row].count[i] + number
    return action


@inner(float64(MATRIX, int64, int64))
def expected_worth(matrix: Any, row: int, i: int) -> float:
    """Return piece `i`'s expected Q of a state in which each piece acts by UCT's policy there."""
    total = 0.0
    for action in range(action_count(matrix, row)):
        chance = 1.0
        left = int64(action)
        for j in range(MAX_TEAM):
            chance *= matrix[row].policy[j * MAX_PIECE_MOVES + left % matrix[row].count[j]]
            left //= matrix[row].count[j]
        total += chance * matrix[row].worth[i * JOINT_ACTIONS + action]
    return total


@inner(float64(MATRIX, int64, int64, int64, float64, int64, float64, float64))
def update(
    matrix: Any, row: int, action: int, i: int, reward: float, next_row: int, alpha: float, gamma: float
) -> float:
    """Update piece `i`'s Q of a joint action by its reward and the next state, -1 if nothing is expected of it.

    Return the lesson, the term that alpha weighs.
    """
    at = i * JOINT_ACTIONS + action
    lesson = reward + gamma * (expected_worth(matrix, next_row, i) if next_row >= 0 else 0.0)
    matrix[row].worth[at] = (1 - alpha) * matrix[row].worth[at] + alpha * lesson
    return lesson


@entry(void(MATRIX, int64, int64, int64, float64, int64, float64, float64), is_rare=True)
def update_here(
    matrix: Any, row: int, action: int, i: int, reward: float, next_row: int, alpha: float, gamma: float
) -> None:
    """Call `update` from Python."""
    update(matrix, row, action, i, reward, next_row, alpha, gamma)


@inner(void(MATRIX, int64, int64, WORK), forceinline=True)
def unpack_action(matrix: Any, row: int, action: int, work: Record) -> None:
    """Set work.chosen to the numbers of the pieces' moves in a joint action."""
    for i in range(MAX_TEAM):
        work.chosen[i] = action % matrix[row].count[i]
        action //= matrix[row].count[i]


@inner(void(POSITION, POSITION, WORK, LOOKUP, TEAM, MATRIX, int64))
def set_kinds(view: Record, pos: Record, work: Record, lookup: Record, team: Record, matrix: Any, row: int) -> None:
    """Set work.kind to the kinds of the pieces' parts in the joint action of work.chosen, -1 without a move."""
    for i in range(team.members):
        work.kind[i] = -1
        move = int64(matrix[row].move[i * MAX_PIECE_MOVES + work.chosen[i]])
        if move == 0:
            continue
        target = target_of(move)
        partner, partner_meets, nearest = int64(-1), int64(0), int64(SQUARES)
        for j in range(team.members):
            square = int64(pos.where[team.piece[j]])
            if j != i and square != NOWHERE and lookup.distance[target * SQUARES + square] < nearest:
                nearest = int64(lookup.distance[target * SQUARES + square])
                partner = int64(team.piece[j])
                other = int64(matrix[row].move[j * MAX_PIECE_MOVES + work.chosen[j]])
                partner_meets = int64(other != 0 and pos.board[target_of(other)] != 0)
        work.kind[i] = kind_of(view, pos, lookup, int64(team.piece[i]), target, partner, partner_meets)


@entry(void(POSITION, POSITION, WORK, LOOKUP, TEAM, MATRIX, EXPERIENCE, int64))
def recall(
    view: Record, pos: Record, work: Record, lookup: Record, team: Record, matrix: Any, experience: Any, row: int
) -> None:
    """Give the joint actions of a state that were not tried yet the worths of their kinds, where these have any.

    `pos` is the state, in a world or as the view has it.
    """
    for action in range(action_count(matrix, row)):
        if matrix[row].seen[action] > 0:
            continue
        unpack_action(matrix, row, int64(action), work)
        set_kinds(view, pos, work, lookup, team, matrix, row)
        is_known = int64(1)
        for i in range(team.members):
            if work.kind[i] >= 0:
                is_known &= int64(experience[work.kind[i]].lessons >= team.least)
        if is_known == 1:
            matrix[row].seen[action] = 1
            for i in range(team.members):
                worth = mean_lesson(experience, work.kind[i]) if work.kind[i] >= 0 else 0.0
                matrix[row].worth[i * JOINT_ACTIONS + action] = worth


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def can_play(pos: Record, lookup: Record, move: int) -> int:
    """Return 1 if the side to move has a piece on the move's origin that reaches its target, else 0."""
    origin = origin_of(move)
    if move == 0 or pos.occupied[pos.turn] >> origin & 1 == 0:
        return int64(0)
    kind = type_of(pos, int64(pos.board[origin]) - 1)
    return targets_of(pos, lookup, origin, pos.turn, int64(1) << kind) >> target_of(move) & 1


@inner(int64(EDGES, int64, int64))
def edge_of(edges: Any, first: int, move: int) -> int:
    """Return the edge of a move at a node, 0 if it has none."""
    edge = first
    while edge != 0 and int64(edges[edge].move) != move:
        edge = int64(edges[edge].next)
    return edge


@inner(int64(POSITION, LOOKUP, EDGES, int64, int64))
def follow(pos: Record, lookup: Record, edges: Any, first: int, move: int) -> int:
    """Play a move; return the first edge of the node that it leads to in the tree, 0 outside the tree."""
    edge = edge_of(edges, first, move)
    code = result_code(pos, lookup, move)
    do_move(pos, move, code)
    return int64(edges[edge].children[code]) if edge != 0 else int64(0)


@inner(int64(POSITION), forceinline=True)
def is_over(pos: Record) -> int:
    """Return 1 if a flag has fallen or the quiet limit is reached, else 0."""
    return int64(pos.loser >= 0 or pos.quiet >= QUIET_LIMIT)


@entry(void(POSITION, POSITION, POSITION, WORK, LOOKUP, EDGES, TEAM, MATRIX, EXPERIENCE, int64))
def learn(
    view: Record,
    pos: Record,
    spare: Record,
    work: Record,
    lookup: Record,
    edges: Any,
    team: Record,
    matrix: Any,
    experience: Any,
    playouts: int,
) -> None:
    """Run episodes from a view, each in a random world, of `playouts` playouts together, and add what they teach.

    team.row is the root's state. `pos` and `spare` are scratch. Ends early once work.stopped.
    """
    side = view.turn
    end = work.nodes + playouts
    while work.nodes < end:
        # Step 1. Enter a random world
        copy_record(pos, view)
        work.random = next_state(work.random)
        enter_world(pos, work, below(work.random, work.world_count))
        row = int64(team.row)
        first = int64(work.first_edge)
        before = team.base
        began = work.nodes
        for _ in range(EPISODE_ACTIONS):
            # Step 2. Choose a joint action, and carry out its moves
            action = choose_action(matrix, row, work)
            unpack_action(matrix, row, action, work)
            set_kinds(view, pos, work, lookup, team, matrix, row)
            for i in range(MAX_TEAM):
                work.reward[i] = 0.0
            done = int64(0)
            for _ in range(team.members):
                best = int64(-1)
                for i in range(team.members):
                    if done >> i & 1 == 0 and (
                        best < 0
                        or matrix[row].value[i * MAX_PIECE_MOVES + work.chosen[i]]
                        > matrix[row].value[best * MAX_PIECE_MOVES + work.chosen[best]]
                    ):
                        best = int64(i)
                done |= int64(1) << best
                move = int64(matrix[row].move[best * MAX_PIECE_MOVES + work.chosen[best]])
                if is_over(pos) == 1 or can_play(pos, lookup, move) == 0:
                    continue
                first = follow(pos, lookup, edges, first, move)
                if is_over(pos) == 0:
                    move = quick_move(pos, work, lookup)
                    if move >= 0:
                        first = follow(pos, lookup, edges, first, move)
                copy_record(spare, pos)
                value = playout(spare, work, lookup, int64(PLAYOUT_PLIES))
                value = value if side == 0 else 1.0 - value
                work.reward[best] = value - before
                before = value
                count_node(work)
                if work.stopped == 1:
                    return

            # Step 3. Update every piece's Q, and the experience of its kind
            next_row = int64(-1)
            if is_over(pos) == 0 and pos.turn == side and first != 0:
                next_row = state_at(matrix, edges, first, pos, team, int64(0))
                if next_row >= 0 and matrix[next_row].is_new == 1:
                    matrix[next_row].is_new = 0
                    recall(view, pos, work, lookup, team, matrix, experience, next_row)
            for i in range(team.members):
                lesson = update(matrix, row, action, int64(i), work.reward[i], next_row, team.alpha, team.gamma)
                if work.kind[i] >= 0:
                    add_lesson(experience, int64(work.kind[i]), lesson)
            matrix[row].seen[action] += 1
            if next_row < 0:
                break
            row = next_row
        if work.nodes == began:  # no move could be played: count the episode, so that the loop ends
            count_node(work)
            if work.stopped == 1:
                return


@inner(float64(MATRIX, int64, WORK, TEAM, int64, int64))
def expected_gain(matrix: Any, row: int, work: Record, team: Record, i: int, number: int) -> float:
    """Return the mean team worth of the joint actions tried that have a piece's move, by UCT's policy for the others.

    With `i` -1, the mean of all joint actions tried. NaN if there is none.
    """
    total, weight = 0.0, 0.0
    for action in range(action_count(matrix, row)):
        if matrix[row].seen[action] == 0:
            continue
        unpack_action(matrix, row, int64(action), work)
        if i >= 0 and work.chosen[i] != number:
            continue
        chance = 1.0
        for j in range(team.members):
            if j != i:
                chance *= matrix[row].policy[j * MAX_PIECE_MOVES + work.chosen[j]]
        total += chance * team_worth(matrix, row, int64(action))
        weight += chance
    return total / weight


@entry(void(WORK, TEAM, MATRIX))
def set_priors(work: Record, team: Record, matrix: Any) -> None:
    """Set work.prior: UCT's value of the team's moves, with the gain that is learned for one move above the others."""
    for k in range(len(work.prior)):
        work.prior[k] = NO_PRIOR
    if team.row < 0:
        return
    row = int64(team.row)
    base = 0.0
    for i in range(team.members):
        for number in range(matrix[row].count[i]):
            at = i * MAX_PIECE_MOVES + number
            base += matrix[row].policy[at] * matrix[row].value[at] / team.members
    mean = expected_gain(matrix, row, work, team, int64(-1), int64(0))
    for i in range(team.members):
        for number in range(matrix[row].count[i]):
            move = int64(matrix[row].move[i * MAX_PIECE_MOVES + number])
            gain = expected_gain(matrix, row, work, team, int64(i), int64(number))
            if move != 0 and not math.isnan(gain):
                work.prior[move] = min(max(base + gain - mean, 0.0), 1.0)
