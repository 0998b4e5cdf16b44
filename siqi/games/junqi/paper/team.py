"""The learning stage of paper 4's player: joint actions of the activated pieces, valued by Q-learning.

A *joint action* gives each activated piece one of the moves that UCT has found for it in a state. It is carried out in
as many own turns, the move that UCT values most first, each followed by the opponent's answer; a move that is no longer
possible is left out. Every piece has its own reward and its own Q (section 1.2):

    Q_i(s, a) <- (1 - alpha) Q_i(s, a)
                 + alpha (r_i + gamma * sum over a' of P1(s', a'1) .. Pn(s', a'n) Q_i(s', a'))

Pi(s', a'i) is the share of UCT's visits of the piece's moves in the state s' itself. The reward r_i is what the piece's
move and the answer to it change in the search's return, a playout's value; so a lost game counts as one, by the quiet
limit too. The paper prints 1 + alpha, with which no Q converges. A state that UCT's tree does not know has no moves to
choose from: nothing is expected of it beyond the playout.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from siqi.games.junqi.rules.lookup import LOOKUP, PIECES, SQUARES
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
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, record, record_type, void
from siqi.games.kernel.node import count_node
from siqi.games.kernel.random import below, next_state

MAX_TEAM = 4
"""The most pieces that act together."""

MOST_MOVES = 16
"""The most moves of a piece in a state."""

MOVES_BY_SIZE = (0, 16, 16, 6, 4)
"""The most moves of each piece by the size of the team, so that a state has at most JOINT_ACTIONS joint actions."""

JOINT_ACTIONS = 256

EXPLORATION_SHARE = 0.3
"""Share of the joint actions that are drawn by UCT's policy, not chosen by Q."""

STATE_VISITS = 32
"""The fewest playouts through a state of the tree before its moves are taken from it."""

EPISODE_ACTIONS = 4
"""The most joint actions of an episode."""

STATES = 1 << 12
PROBES = 8

TEAM_DTYPE = record(
    [
        ("members", "i8"),  # activated pieces
        ("piece", "i8", MAX_TEAM),  # best first
        ("alpha", "f8"),
        ("gamma", "f8"),
        ("row", "i8"),  # of the root's state, -1: none yet
        ("base", "f8"),  # UCT's value of the root to the side to move
    ]
)
TEAM = record_type(TEAM_DTYPE)

STATE_DTYPE = record(
    [
        ("key", "i8"),  # 0: a free row
        ("count", "i8", MAX_TEAM),  # moves by piece, at least 1; a piece without moves has 0 as its first
        ("move", "u2", MAX_TEAM * MOST_MOVES),  # [piece, number]
        ("policy", "f4", MAX_TEAM * MOST_MOVES),  # share of UCT's visits of the piece's moves
        ("value", "f4", MAX_TEAM * MOST_MOVES),  # UCT's mean value of the move
        ("worth", "f4", MAX_TEAM * JOINT_ACTIONS),  # [piece, joint action]: Q
        ("seen", "u4", JOINT_ACTIONS),
    ]
)  # worth, seen: of joint action a, piece 0's number + its count * (piece 1's number + ...)
MATRIX = types.Array(record_type(STATE_DTYPE), 1, "C")


@inner(int64(int64, int64), forceinline=True)
def mix(key: int, value: int) -> int:
    """Return a hash of a hash and a value."""
    key = (key ^ value) * -7046029254386353131
    return key ^ (key >> 29)


@inner(int64(POSITION, TEAM, int64))
def state_key(pos: Record, team: Record, side: int) -> int:
    """Return the hash of what a side sees, never 0: its own pieces, where the enemy stands, and its team."""
    key: int = int64(side + 1)
    for square in range(SQUARES):
        piece = int64(pos.board[square]) - 1
        if piece >= 0:
            kind = type_of(pos, piece) if piece // PIECES == side else int64(15)
            key = mix(key, square << 4 | kind)
    for i in range(team.members):
        key = mix(key, int64(pos.where[team.piece[i]]))
    return key | 1


@inner(int64(MATRIX, int64, int64))
def row_of(matrix: Any, key: int, is_root: int) -> int:
    """Return the row of a state, or a free one; if PROBES have none -1, or for the root one whose key becomes 0."""
    at = key >> 8 & (STATES - 1)
    for _ in range(PROBES):
        if matrix[at].key == key or matrix[at].key == 0:
            return at
        at = (at + 1) & (STATES - 1)
    if is_root == 0:
        return int64(-1)
    matrix[at].key = 0
    return at


@entry(int64(MATRIX, int64))
def row_for(matrix: Any, key: int) -> int:
    """Return to Python the row of a state that is added from a file, as for a root."""
    return row_of(matrix, key, int64(1))


@inner(int64(MATRIX, int64), forceinline=True)
def action_count(matrix: Any, row: int) -> int:
    """Return the number of joint actions of a state."""
    count = int64(1)
    for i in range(MAX_TEAM):
        count *= matrix[row].count[i]
    return count


@inner(void(MATRIX, int64, int64, EDGES, int64, POSITION, TEAM))
def add_moves(matrix: Any, row: int, i: int, edges: Any, first: int, pos: Record, team: Record) -> None:
    """Set a piece's moves in a state to its most visited ones at a node, with UCT's policy and values."""
    at = i * MOST_MOVES
    matrix[row].count[i] = 1
    matrix[row].move[at] = 0
    matrix[row].policy[at] = 1.0
    matrix[row].value[at] = 0.0
    if i >= team.members:
        return
    square = int64(pos.where[team.piece[i]])
    most = int64(MOST_MOVES if team.members <= 2 else 6 if team.members == 3 else 4)
    count = int64(0)
    edge = first
    while edge != 0:
        if origin_of(int64(edges[edge].move)) == square and edges[edge].visits > 0:
            visits = float64(edges[edge].visits)
            place = count if count < most else most - 1
            if count < most or visits > matrix[row].policy[at + place]:
                while place > 0 and matrix[row].policy[at + place - 1] < visits:
                    matrix[row].move[at + place] = matrix[row].move[at + place - 1]
                    matrix[row].policy[at + place] = matrix[row].policy[at + place - 1]
                    matrix[row].value[at + place] = matrix[row].value[at + place - 1]
                    place -= 1
                matrix[row].move[at + place] = edges[edge].move
                matrix[row].policy[at + place] = visits
                matrix[row].value[at + place] = edges[edge].value / visits
                count = min(count + 1, most)
        edge = int64(edges[edge].next)
    total = 0.0
    for k in range(count):
        total += matrix[row].policy[at + k]
    for k in range(count):
        matrix[row].policy[at + k] /= total
    matrix[row].count[i] = max(count, 1)


@inner(int64(MATRIX, EDGES, int64, POSITION, TEAM, int64))
def state_at(matrix: Any, edges: Any, first: int, pos: Record, team: Record, is_root: int) -> int:
    """Return the row of a position whose node has the edge `first`; -1 if it has too few visits or no row is free.

    A new state gets its moves from the node.
    """
    visits = int64(0)
    edge = first
    while edge != 0:
        visits += int64(edges[edge].visits)
        edge = int64(edges[edge].next)
    if visits < STATE_VISITS:
        return int64(-1)
    key = state_key(pos, team, pos.turn)
    row = row_of(matrix, key, is_root)
    if row >= 0 and matrix[row].key == 0:
        matrix[row].key = key
        for i in range(MAX_TEAM):
            add_moves(matrix, row, int64(i), edges, first, pos, team)
        for k in range(JOINT_ACTIONS):
            matrix[row].seen[k] = 0
        for k in range(MAX_TEAM * JOINT_ACTIONS):
            matrix[row].worth[k] = 0.0
    return row


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
    best = int64(-1)
    work.random = next_state(work.random)
    if below(work.random, int64(1000)) >= 1000 * EXPLORATION_SHARE:
        for action in range(action_count(matrix, row)):
            if matrix[row].seen[action] > 0 and (
                best < 0 or team_worth(matrix, row, int64(action)) > team_worth(matrix, row, best)
            ):
                best = int64(action)
    if best >= 0:
        return best
    action = int64(0)
    for i in range(MAX_TEAM - 1, -1, -1):
        work.random = next_state(work.random)
        mark = below(work.random, int64(1 << 20)) / (1 << 20)
        number = int64(0)
        while number < matrix[row].count[i] - 1 and mark >= matrix[row].policy[i * MOST_MOVES + number]:
            mark -= matrix[row].policy[i * MOST_MOVES + number]
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
            chance *= matrix[row].policy[j * MOST_MOVES + left % matrix[row].count[j]]
            left //= matrix[row].count[j]
        total += chance * matrix[row].worth[i * JOINT_ACTIONS + action]
    return total


@inner(void(MATRIX, int64, int64, int64, float64, int64, float64, float64))
def update(
    matrix: Any, row: int, action: int, i: int, reward: float, next_row: int, alpha: float, gamma: float
) -> None:
    """Update piece `i`'s Q of a joint action by its reward and the next state, -1 if nothing is expected of it."""
    at = i * JOINT_ACTIONS + action
    future = expected_worth(matrix, next_row, i) if next_row >= 0 else 0.0
    matrix[row].worth[at] = (1 - alpha) * matrix[row].worth[at] + alpha * (reward + gamma * future)


@entry(void(MATRIX, int64, int64, int64, float64, int64, float64, float64), is_rare=True)
def update_here(
    matrix: Any, row: int, action: int, i: int, reward: float, next_row: int, alpha: float, gamma: float
) -> None:
    """Call `update` from Python."""
    update(matrix, row, action, i, reward, next_row, alpha, gamma)


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


@entry(void(POSITION, POSITION, POSITION, WORK, LOOKUP, EDGES, TEAM, MATRIX, int64))
def learn(
    view: Record,
    pos: Record,
    spare: Record,
    work: Record,
    lookup: Record,
    edges: Any,
    team: Record,
    matrix: Any,
    playouts: int,
) -> None:
    """Run episodes from a view, each in a random world, of `playouts` playouts together, and update `matrix`.

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
            for i in range(MAX_TEAM):
                work.reward[i] = 0.0
                work.chosen[i] = action % matrix[row].count[i]
                action //= matrix[row].count[i]
            action = int64(0)
            for i in range(MAX_TEAM - 1, -1, -1):
                action = action * matrix[row].count[i] + work.chosen[i]
            done = int64(0)
            for _ in range(team.members):
                best = int64(-1)
                for i in range(team.members):
                    if done >> i & 1 == 0 and (
                        best < 0
                        or matrix[row].value[i * MOST_MOVES + work.chosen[i]]
                        > matrix[row].value[best * MOST_MOVES + work.chosen[best]]
                    ):
                        best = int64(i)
                done |= int64(1) << best
                move = int64(matrix[row].move[best * MOST_MOVES + work.chosen[best]])
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

            # Step 3. Update every piece's Q
            next_row = int64(-1)
            if is_over(pos) == 0 and pos.turn == side and first != 0:
                next_row = state_at(matrix, edges, first, pos, team, int64(0))
            for i in range(team.members):
                update(matrix, row, action, int64(i), work.reward[i], next_row, team.alpha, team.gamma)
            matrix[row].seen[action] += 1
            if next_row < 0:
                break
            row = next_row
        if work.nodes == began:  # no move could be played: count the episode, so that the loop ends
            count_node(work)
            if work.stopped == 1:
                return


@entry(void(POSITION, WORK, EDGES, TEAM, MATRIX))
def enter_root(view: Record, work: Record, edges: Any, team: Record, matrix: Any) -> None:
    """Set team.row and team.base from a tree's root; team.row is -1 while it has too few visits."""
    visits, value = int64(0), 0.0
    edge = int64(work.first_edge)
    while edge != 0:
        visits += int64(edges[edge].visits)
        value += edges[edge].value
        edge = int64(edges[edge].next)
    team.base = value / max(visits, 1)
    team.row = state_at(matrix, edges, int64(work.first_edge), view, team, int64(1))


@entry(void(POSITION, WORK, EDGES, TEAM, MATRIX))
def renew_moves(view: Record, work: Record, edges: Any, team: Record, matrix: Any) -> None:
    """Set the moves of the root's state anew from the tree; the caller moves what was learned (`relocate`)."""
    for i in range(MAX_TEAM):
        add_moves(matrix, int64(team.row), int64(i), edges, int64(work.first_edge), view, team)


def relocate(row: Record, before: Record) -> None:
    """Move what was learned of the joint actions of `before`, a copy of the row, to where the row has them now.

    A joint action with a move that the row did not have begins anew.
    """
    counts, old_counts = row.count.tolist(), before.count.tolist()
    numbers = []  # by piece and new number: the old number, -1 if it had none
    for i, (count, old_count) in enumerate(zip(counts, old_counts, strict=True)):
        old = before.move[i * MOST_MOVES :][:old_count].tolist()
        new = row.move[i * MOST_MOVES :][:count].tolist()
        numbers.append(np.array([old.index(move) if move in old else -1 for move in new]))
    source = np.zeros(1, int)
    is_known = np.ones(1, bool)
    step = 1
    for i in range(MAX_TEAM):  # piece 0's number changes fastest
        source = (source[None, :] + step * numbers[i][:, None]).ravel()
        is_known = (is_known[None, :] & (numbers[i] >= 0)[:, None]).ravel()
        step *= old_counts[i]
    worth = np.zeros((MAX_TEAM, JOINT_ACTIONS), np.float32)
    seen = np.zeros(JOINT_ACTIONS, np.uint32)
    old_worth = before.worth.reshape(MAX_TEAM, JOINT_ACTIONS)
    worth[:, : len(source)] = np.where(is_known, old_worth[:, np.where(is_known, source, 0)], 0)
    seen[: len(source)] = np.where(is_known, before.seen[np.where(is_known, source, 0)], 0)
    row.worth[:], row.seen[:] = worth.ravel(), seen


@entry(void(WORK, TEAM, MATRIX))
def set_priors(work: Record, team: Record, matrix: Any) -> None:
    """Set work.prior: the root's value with what the team expects to gain by joint actions that begin with a move."""
    for k in range(len(work.prior)):
        work.prior[k] = NO_PRIOR
    if team.row < 0:
        return
    row = int64(team.row)
    for i in range(team.members):
        for number in range(matrix[row].count[i]):
            move = int64(matrix[row].move[i * MOST_MOVES + number])
            total, weight = 0.0, 0.0
            for action in range(action_count(matrix, row)):
                chance = 1.0
                left = int64(action)
                is_first = 1
                for j in range(team.members):
                    at = j * MOST_MOVES + left % matrix[row].count[j]
                    left //= matrix[row].count[j]
                    if j == i:
                        is_first &= int64(at == i * MOST_MOVES + number)
                    else:
                        chance *= matrix[row].policy[at]
                        is_first &= int64(matrix[row].value[at] <= matrix[row].value[i * MOST_MOVES + number])
                if is_first == 1 and matrix[row].seen[action] > 0:
                    total += chance * team_worth(matrix, row, int64(action))
                    weight += chance
            if weight > 0.0 and move != 0:
                work.prior[move] = min(max(team.base + total / weight, 0.0), 1.0)
