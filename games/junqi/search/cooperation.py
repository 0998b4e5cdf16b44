"""The cooperative player of paper 4: UCT over worlds, activation of pieces, Q-learning of joint actions.

UCT in worlds drawn by belief values the moves (uct.py, worlds.py). The few pieces behind the best moves are
*activated*. Each of them intends to attack, to advance or to withdraw; a joint action is the intentions of all.
Episodes in worlds learn the worth of joint actions in a state. A state is the class of each activated piece, whether
enemies near it are likely weaker or stronger, and the game's phase:

    Q(s, a) <- (1 - alpha) Q(s, a) + alpha (r + gamma * sum over a' of P1(a'1) .. Pn(a'n) Q(s', a'))

where Pi(ai) is the share of UCT's visits in which piece i does as ai intends (the paper prints 1 + alpha, which does
not converge). The reward is the change of the static evaluation, which has material and flags' safety, plus some for
every battle, since battles reveal types. The move played is that of argmax over a of Q(s, a). The *cooperation matrix*,
Q by state and joint action, is kept for the whole game, and in a file if the user names one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from games.books.book import BookFileError, open_book, write_book
from games.contract import Task
from games.junqi.evaluation.evaluate import evaluate
from games.junqi.evaluation.playout import enter_world, quick_move
from games.junqi.knowledge.knowledge import Knowledge
from games.junqi.rules.lookup import (
    BOMB,
    CAMP_SET,
    ENGINEER,
    FLAG,
    HEADQUARTERS,
    LOOKUP,
    LOOKUP_RECORD,
    NOWHERE,
    PIECES,
    PLAIN,
    SQUARES,
)
from games.junqi.rules.movegen import targets_of
from games.junqi.rules.position import (
    POSITION,
    QUIET_LIMIT,
    do_move,
    make_move,
    origin_of,
    result_code,
    target_of,
    type_of,
)
from games.junqi.rules.work import WORK
from games.junqi.search.root import MoveValue
from games.junqi.search.uct import UctAdapter
from games.kernel.intrinsics import copy_record, popcount, trailing_zeros
from games.kernel.jit import Record, entry, float64, inner, int64, new_record, record, record_type, void
from games.kernel.node import count_node, hasten_poll
from games.kernel.random import below, next_state
from games.search.findings import Findings

if TYPE_CHECKING:
    from games.junqi.game import JunqiPosition

MAX_TEAM = 4
"""The most pieces that act together."""

ATTACK, ADVANCE, WITHDRAW = range(3)
INTENTIONS = 3
JOINT_ACTIONS = INTENTIONS**MAX_TEAM

EPISODE_MOVES = 6
"""Own moves of an episode."""

EPISODE_NODES = 4
"""Playouts that take as long as one episode."""

EXPLORATION_SHARE = 0.3
"""Share of an episode's joint actions that are drawn by UCT's policy, not chosen by Q."""

BATTLE_REWARD = 0.01
"""Reward of a battle, for what it reveals; a chance."""

MATRIX_ROWS = 1 << 15
PROBES = 8
CLASSES, SITUATIONS = 7, 4
KIND, VERSION = "junqi-cooperation", 1

TEAM_DTYPE = record(
    [
        ("size", "i8"),  # activated pieces
        ("piece", "i8", MAX_TEAM),  # best first
        ("policy", "f8", MAX_TEAM * INTENTIONS),  # [piece, intention]: its share of UCT's visits
        ("goal", "i8"),  # square: the headquarters where the enemy flag is likelier
        ("alpha", "f8"),
        ("gamma", "f8"),
    ]
)
TEAM = record_type(TEAM_DTYPE)

MATRIX_DTYPE = record(
    [("state", "i8"), ("worth", "f4", JOINT_ACTIONS), ("seen", "u4", JOINT_ACTIONS)]
)  # state 0: a free row
MATRIX = types.Array(record_type(MATRIX_DTYPE), 1, "C")


@inner(int64(int64), forceinline=True)
def class_of(kind: int) -> int:
    """Return the class of a mobile type, 1-6.

    Commander and corps, division and brigade, regiment and battalion, company and platoon, engineer, bomb.
    """
    if kind == BOMB:
        return int64(6)
    return int64(5) if kind == ENGINEER else 1 + kind // 2


@inner(int64(POSITION, WORK, LOOKUP, int64))
def situation(pos: Record, work: Record, lookup: Record, piece: int) -> int:
    """Return bit 0 if an enemy near a piece is likely weaker, bit 1 if one is likely stronger."""
    square = int64(pos.where[piece])
    side = int64(piece >= PIECES)
    kind = type_of(pos, piece)
    near = lookup.roads[square] | lookup.near[square] | targets_of(pos, lookup, square, side, int64(1) << kind)
    enemies = near & pos.occupied[1 - side]
    found = int64(0)
    while enemies != 0:
        enemy = int64(pos.board[trailing_zeros(enemies)]) - 1
        enemies &= enemies - 1
        found |= int64(1) if work.gains[kind * 2 * PIECES + enemy] > 0 else int64(2)
    return found


@inner(int64(POSITION, WORK, LOOKUP, TEAM))
def state_of(pos: Record, work: Record, lookup: Record, team: Record) -> int:
    """Return the number of a state, above 0: phase of the game, class and situation of each activated piece."""
    on_board = popcount(pos.occupied[0] | pos.occupied[1])
    state = int64(1) + int64(on_board > 38) + int64(on_board > 24)
    for i in range(team.size):
        piece = team.piece[i]
        part = int64(0)
        if pos.where[piece] != NOWHERE:
            part = class_of(type_of(pos, piece)) * SITUATIONS + situation(pos, work, lookup, piece)
        state = state * (CLASSES * SITUATIONS) + part
    return state


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def intended_move(pos: Record, work: Record, lookup: Record, piece: int, intention: int, goal: int) -> int:
    """Return the move by which a piece carries out its intention; -1 if there is none.

    ATTACK has the largest expected gain, ADVANCE ends nearest to the square `goal`. WITHDRAW goes into a camp, else
    where the fewest enemies are near; a piece in a camp stays there.
    """
    square = int64(pos.where[piece])
    if square == NOWHERE:
        return int64(-1)
    side = int64(piece >= PIECES)
    kind = type_of(pos, piece)
    targets = targets_of(pos, lookup, square, side, int64(1) << kind)
    enemy = pos.occupied[1 - side]
    if intention == ATTACK:
        targets &= enemy
    else:
        targets &= ~enemy
        if intention == WITHDRAW and CAMP_SET >> square & 1:
            return int64(-1)
    best = -1e9
    move = int64(-1)
    while targets != 0:
        target = trailing_zeros(targets)
        targets &= targets - 1
        if intention == ATTACK:
            value = float64(work.gains[kind * 2 * PIECES + int64(pos.board[target]) - 1])
        elif intention == ADVANCE:
            value = float64(lookup.distance[square * SQUARES + goal]) - lookup.distance[target * SQUARES + goal]
            if value <= 0:
                continue
        else:
            value = float64(
                (CAMP_SET >> target & 1) * 10 - popcount((lookup.roads[target] | lookup.near[target]) & enemy)
            )
        if value > best:
            best = value
            move = make_move(square, target)
    return move


@inner(int64(POSITION, WORK, LOOKUP, TEAM, int64))
def joint_move(pos: Record, work: Record, lookup: Record, team: Record, action: int) -> int:
    """Return the move of a joint action; -1 if there is none.

    It is the attack with the largest expected gain above 0, else the first other move of the activated pieces.
    """
    best = 0.0
    attack = int64(-1)
    other = int64(-1)
    for i in range(team.size):
        intention = action % INTENTIONS
        action //= INTENTIONS
        move = intended_move(pos, work, lookup, team.piece[i], intention, team.goal)
        if move < 0:
            continue
        if intention == ATTACK:
            gain = work.gains[type_of(pos, team.piece[i]) * 2 * PIECES + int64(pos.board[target_of(move)]) - 1]
            if gain > best:
                best = gain
                attack = move
        elif other < 0:
            other = move
    return attack if attack >= 0 else other


@inner(int64(MATRIX, int64))
def row_of(matrix: Any, state: int) -> int:
    """Return the row of a state, a new one if it has none; without a free row among PROBES the next is overwritten."""
    at = (state * -7046029254386353131 >> 20) & (MATRIX_ROWS - 1)
    for _ in range(PROBES):
        if matrix[at].state == state:
            return at
        if matrix[at].state == 0:
            break
        at = (at + 1) & (MATRIX_ROWS - 1)
    matrix[at].state = state
    for action in range(JOINT_ACTIONS):
        matrix[at].worth[action] = 0.0
        matrix[at].seen[action] = 0
    return at


@entry(int64(MATRIX, int64))
def row_here(matrix: Any, state: int) -> int:
    """Return `row_of` to Python."""
    return row_of(matrix, state)


@inner(float64(MATRIX, TEAM, int64, int64))
def expected_worth(matrix: Any, team: Record, row: int, actions: int) -> float:
    """Return the worth of a row's state if each piece acts by UCT's policy."""
    total = 0.0
    for action in range(actions):
        chance = 1.0
        left = action
        for i in range(team.size):
            chance *= team.policy[i * INTENTIONS + left % INTENTIONS]
            left //= INTENTIONS
        total += chance * matrix[row].worth[action]
    return total


@inner(int64(MATRIX, int64, int64))
def best_action(matrix: Any, row: int, actions: int) -> int:
    """Return the joint action of the highest worth among those tried in a state; -1 if none was."""
    best = int64(-1)
    for action in range(actions):
        if matrix[row].seen[action] > 0 and (best < 0 or matrix[row].worth[action] > matrix[row].worth[best]):
            best = int64(action)
    return best


@inner(int64(WORK, TEAM))
def draw_action(work: Record, team: Record) -> int:
    """Return a joint action drawn by UCT's policy, piece by piece."""
    action = int64(0)
    for i in range(team.size - 1, -1, -1):
        work.random = next_state(work.random)
        mark = below(work.random, int64(1 << 20)) / (1 << 20)
        intention = int64(0)
        while intention < INTENTIONS - 1 and mark >= team.policy[i * INTENTIONS + intention]:
            mark -= team.policy[i * INTENTIONS + intention]
            intention += 1
        action = action * INTENTIONS + intention
    return action


@entry(void(POSITION, POSITION, WORK, LOOKUP, TEAM, MATRIX, int64))
def learn(view: Record, pos: Record, work: Record, lookup: Record, team: Record, matrix: Any, episodes: int) -> None:
    """Run episodes from a view, each in a random world, and update `matrix`; end early once work.stopped.

    An episode is EPISODE_MOVES own moves, each with the opponent's answer. `pos` is scratch.
    """
    side = view.turn
    actions = int64(1)
    for _ in range(team.size):
        actions *= INTENTIONS
    for _ in range(episodes):
        # Step 1. Enter a random world
        copy_record(pos, view)
        work.random = next_state(work.random)
        enter_world(pos, work, below(work.random, work.world_count))
        value = evaluate(pos, lookup, work)
        row = row_of(matrix, state_of(pos, work, lookup, team))
        for _ in range(EPISODE_MOVES):
            # Step 2. Play a joint action and the opponent's answer
            action = best_action(matrix, row, actions)
            work.random = next_state(work.random)
            if action < 0 or below(work.random, int64(1000)) < 1000 * EXPLORATION_SHARE:
                action = draw_action(work, team)
            move = joint_move(pos, work, lookup, team, action)
            if move < 0:
                move = quick_move(pos, work, lookup)
                if move < 0:
                    break
            reward = 0.0
            for turn in range(2):
                if turn == 1:
                    move = quick_move(pos, work, lookup)
                    if move < 0:
                        break
                code = result_code(pos, lookup, move)
                do_move(pos, move, code)
                if code != PLAIN:
                    reward += BATTLE_REWARD
                if pos.loser >= 0 or pos.quiet >= QUIET_LIMIT:
                    break
            after = evaluate(pos, lookup, work)
            reward += after - value if side == 0 else value - after
            value = after

            # Step 3. Update the worth of the joint action
            is_over = pos.loser >= 0 or pos.quiet >= QUIET_LIMIT or pos.turn != side
            next_row = row if is_over else row_of(matrix, state_of(pos, work, lookup, team))
            future = 0.0 if is_over else expected_worth(matrix, team, next_row, actions)
            worth = float64(matrix[row].worth[action])
            matrix[row].worth[action] = (1 - team.alpha) * worth + team.alpha * (reward + team.gamma * future)
            matrix[row].seen[action] += 1
            if is_over:
                break
            row = next_row
        count_node(work)
        hasten_poll(work, int64(EPISODE_NODES - 1))
        if work.stopped == 1:
            return


@entry(int64(POSITION, WORK, LOOKUP, TEAM, MATRIX))
def chosen_move(view: Record, work: Record, lookup: Record, team: Record, matrix: Any) -> int:
    """Return the move of the best joint action; -1 if none was tried in this state, or it has no move."""
    actions = int64(1)
    for _ in range(team.size):
        actions *= INTENTIONS
    action = best_action(matrix, row_of(matrix, state_of(view, work, lookup, team)), actions)
    return int64(-1) if action < 0 else joint_move(view, work, lookup, team, action)


class CooperationAdapter(UctAdapter):
    """The adapter of UCT with the cooperation matrix; thread 0 spends half of its playouts on learning."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._matrix = np.zeros(MATRIX_ROWS, MATRIX_DTYPE)
        self._named = Path()  # as the option names it
        self._path = Path()  # the same, if it can be used
        self._has_learned = False  # something that the file lacks
        self._complaint = ""  # the last, not to repeat it with every game

    def _load(self, path: Path) -> bool:
        """Add a file's rows to the matrix; False, after a line with the reason, if the file cannot be used."""
        try:
            payload = open_book(path, KIND, VERSION, self._matrix.nbytes).payload
            if len(payload) % MATRIX_DTYPE.itemsize:
                raise BookFileError(f"{path}: not a cooperation matrix")
            rows = payload.view(MATRIX_DTYPE)
            if (rows["state"] <= 0).any() or not np.isfinite(rows["worth"]).all():
                raise BookFileError(f"{path}: a state or a worth that cannot be")
        except BookFileError as error:
            self._complain(f"{error}; it is left as it is")
            return False
        for row in rows:
            at = row_here(self._matrix, int(row["state"]))
            self._matrix[at] = row
        return True

    def _save(self) -> None:
        """Write the matrix to the file; a line with the reason if it cannot be written."""
        rows = self._matrix[self._matrix["state"] != 0]
        try:
            write_book(self._path, KIND, VERSION, {"states": len(rows)}, rows.tobytes())
        except OSError as error:
            self._complain(f"cannot write {self._path}: {error.strerror}")

    def _complain(self, text: str) -> None:
        """Send the user a line, unless it was the last one."""
        if text != self._complaint:
            self._complaint = text
            self._knowledge.warn(text)

    def forget(self) -> None:
        """Save what a game has taught to the user's file; a new game begins with that file's matrix."""
        super().forget()
        if self._path != Path() and self._has_learned:
            self._save()
        self._has_learned = False
        self._matrix[:] = np.zeros(1, MATRIX_DTYPE)
        self._open_file()

    def _open_file(self) -> None:
        """Load the file that the option names; from now on the matrix is saved there."""
        self._named = self._path = Path(self._knowledge.cooperation_file)
        if self._path != Path() and not _is_new(self._path) and not self._load(self._path):
            self._path = Path()  # a file that could not be read is not overwritten

    def begin(self, task: Task[JunqiPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        if self._named != Path(self._knowledge.cooperation_file):  # the option was set during a game
            self._open_file()
        super().begin(task, trees, works, seed)
        self._team = new_record(TEAM_DTYPE)
        self._team.alpha, self._team.gamma = self._knowledge.alpha, self._knowledge.gamma
        enemy = 1 - task.position.turn
        corners = HEADQUARTERS[2 * (1 - enemy) : 2 * (1 - enemy) + 2]
        self._team.goal = max(corners, key=self._flag_chance)

    def _flag_chance(self, square: int) -> float:
        piece = int(self._root.view.board[square]) - 1
        return float(self._root.beliefs[piece, FLAG]) if piece >= 0 else 0.0

    def grow(self, thread: int, board: Record, playouts: int) -> None:
        work = self._works[thread]
        if not self._team.size or thread:
            super().grow(thread, board, playouts)
            return
        super().grow(thread, board, playouts // 2)
        if not work.stopped:
            self._has_learned = True
            learn(self._root.view, board, work, LOOKUP_RECORD, self._team, self._matrix, playouts - playouts // 2)

    def findings(self) -> Findings:
        """Return UCT's lines, that of the best joint action's move first."""
        found = self.move_values()
        allowed = {move for move, _, _ in found}
        move = -1
        if self._team.size:
            move = int(chosen_move(self._root.view, self._works[0], LOOKUP_RECORD, self._team, self._matrix))
        self._activate_pieces(found)
        if move in allowed:
            found.sort(key=lambda value: value.move != move)
        return self._root.findings(found)

    def _activate_pieces(self, found: Sequence[MoveValue]) -> None:
        """Activate the pieces of the best among the often visited moves, and set the policy to UCT's visits."""
        often = [value for value in found if 4 * value.visits >= found[0].visits]
        pieces: list[int] = []
        for value in sorted(often, key=lambda value: -value.value) + list(found):
            piece = int(self._root.view.board[origin_of(value.move)]) - 1
            if piece not in pieces:
                pieces.append(piece)
        pieces = pieces[: self._knowledge.activate]
        policy = np.full((MAX_TEAM, INTENTIONS), 1.0)
        for value in found:
            piece = int(self._root.view.board[origin_of(value.move)]) - 1
            if piece in pieces:
                policy[pieces.index(piece), self._intention(value.move)] += value.visits
        self._team.size = len(pieces)
        self._team.piece[: len(pieces)] = pieces
        self._team.policy[:] = (policy / policy.sum(1, keepdims=True)).ravel()

    def _intention(self, move: int) -> int:
        """Return the intention that a root move carries out."""
        origin, target, goal = origin_of(move), target_of(move), int(self._team.goal)
        if self._root.view.board[target]:
            return ATTACK
        distance = LOOKUP_RECORD.distance
        is_nearer = distance[target * SQUARES + goal] < distance[origin * SQUARES + goal]
        return ADVANCE if is_nearer else WITHDRAW


def _is_new(path: Path) -> bool:
    """True if there is no file of that name, or it is a link to nothing."""
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        return isinstance(error, FileNotFoundError)
    return False
