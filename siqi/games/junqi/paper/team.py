"""The team of activated pieces, and the rows of the cooperation matrix: states with their joint actions.

A *joint action* gives each activated piece one of the moves that UCT has found for it in a state. A state is what the
side sees, and its team; the pieces of a team are in rising order, so that a team has one name.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numba import types

from siqi.games.junqi.rules.lookup import PIECES, SQUARES
from siqi.games.junqi.rules.position import POSITION, origin_of, type_of
from siqi.games.junqi.rules.work import WORK
from siqi.games.junqi.search.uct import EDGES
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, record, record_type, void

MAX_TEAM = 4
"""The most pieces that act together."""

MAX_PIECE_MOVES = 16
"""The most moves of a piece in a state."""

MOVES_BY_SIZE = (0, 16, 16, 6, 4)
"""The most moves of each piece by the size of the team, so that a state has at most JOINT_ACTIONS joint actions."""

JOINT_ACTIONS = 256

STATE_VISITS = 32
"""The fewest playouts through a state of the tree before its moves are taken from it."""

STATES = 1 << 12
PROBES = 8

TEAM_DTYPE = record(
    [
        ("members", "i8"),  # activated pieces
        ("piece", "i8", MAX_TEAM),  # in rising order
        ("alpha", "f8"),
        ("gamma", "f8"),
        ("row", "i8"),  # of the root's state, -1: none yet
        ("base", "f8"),  # UCT's value of the root to the side to move
        ("least", "i8"),  # the lessons of a kind from which on it gives a new state its first worths
    ]
)
TEAM = record_type(TEAM_DTYPE)

STATE_DTYPE = record(
    [
        ("key", "i8"),  # 0: a free row
        ("is_new", "i8"),  # 1 until experience has given it its first worths
        ("count", "i8", MAX_TEAM),  # moves by piece, at least 1; a piece without moves has 0 as its first
        ("move", "u2", MAX_TEAM * MAX_PIECE_MOVES),  # [piece, number]
        ("policy", "f4", MAX_TEAM * MAX_PIECE_MOVES),  # share of UCT's visits of the piece's moves
        ("value", "f4", MAX_TEAM * MAX_PIECE_MOVES),  # UCT's mean value of the move
        ("worth", "f4", MAX_TEAM * JOINT_ACTIONS),  # [piece, joint action]: Q
        ("seen", "u4", JOINT_ACTIONS),  # lessons, or 1 if the first worth comes from experience
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
    at = i * MAX_PIECE_MOVES
    matrix[row].count[i] = 1
    matrix[row].move[at] = 0
    matrix[row].policy[at] = 1.0
    matrix[row].value[at] = 0.0
    if i >= team.members:
        return
    square = int64(pos.where[team.piece[i]])
    most = int64(MAX_PIECE_MOVES if team.members <= 2 else 6 if team.members == 3 else 4)
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
        matrix[row].is_new = 1
        for i in range(MAX_TEAM):
            add_moves(matrix, row, int64(i), edges, first, pos, team)
        for k in range(JOINT_ACTIONS):
            matrix[row].seen[k] = 0
        for k in range(MAX_TEAM * JOINT_ACTIONS):
            matrix[row].worth[k] = 0.0
    return row


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
    """Set the moves of the root's state anew from the tree; the caller carries over what was learned."""
    for i in range(MAX_TEAM):
        add_moves(matrix, int64(team.row), int64(i), edges, int64(work.first_edge), view, team)


def renewed_team(ranking: Sequence[int], team: Container[int], most: int) -> list[int]:
    """Return at most `most` pieces in rising order, given the pieces by the values of their moves, best first.

    Members of a team stay while they are among the best of twice the number; the best piece is always a member.
    """
    kept = [piece for piece in ranking[: 2 * most] if piece in team]
    if ranking and ranking[0] not in kept:
        kept = [ranking[0], *kept[: most - 1]]
    return sorted((kept + [piece for piece in ranking if piece not in kept])[:most])


MAX_LESSONS = 1 << 31
"""The most lessons that a joint action takes over."""


def carried_over(row: Record, before: Record, team: Sequence[int], team_before: Sequence[int]) -> tuple[Any, Any]:
    """Return worths [piece, joint action] and lessons [joint action] for a row, from what another row has learned.

    `before` is the row of the same position with another team, or with other moves. A joint action has the mean of
    those of `before` that agree with it in the moves of all pieces that are in both teams, weighted by their lessons;
    0 if there is none. A piece that was not in the team has learned nothing.
    """
    moves = row.move[joint_places(row, len(team))]
    moves_before = before.move[joint_places(before, len(team_before))]
    weight = np.tile(before.seen[: len(moves_before)].astype(float), (len(moves), 1))
    worth = np.zeros((MAX_TEAM, JOINT_ACTIONS), np.float32)
    seen = np.zeros(JOINT_ACTIONS, np.uint32)
    stayed = [(i, team_before.index(piece)) for i, piece in enumerate(team) if piece in team_before]
    for i, old in stayed:
        weight *= moves[:, None, i] == moves_before[None, :, old]
    lessons = weight.sum(1)
    for i, old in stayed:
        learned = before.worth[old * JOINT_ACTIONS :][: len(moves_before)]
        worth[i, : len(moves)] = weight @ learned / np.maximum(lessons, 1)
    seen[: len(moves)] = np.minimum(lessons, MAX_LESSONS)  # sums of sums: a team that often changes overflowed
    return worth, seen


def first_move(row: Record, members: int) -> int:
    """Return the first move of the joint action of the highest Q, 0 if none was tried."""
    places = joint_places(row, members)
    worth = row.worth.reshape(MAX_TEAM, JOINT_ACTIONS)[:, : len(places)].sum(0)
    best = int(np.where(row.seen[: len(places)] > 0, worth, -np.inf).argmax())
    return int(row.move[places[best][row.value[places[best]].argmax()]]) if row.seen[best] else 0


def joint_places(row: Record, members: int) -> Any:
    """Return the places of the joint actions' moves in the row's arrays: int [joint action, piece]."""
    numbers = np.indices(row.count[:members][::-1]).reshape(members, -1)[::-1]  # piece 0's number changes fastest
    return numbers.T + MAX_PIECE_MOVES * np.arange(members)
