"""Paper 4's learning stage behind kinds of activation (figure 8): none, minimax, MCTS, UCT.

Each search values the root's moves; the pieces of the best moves are activated, and learn joint actions of these moves.
Without activation all pieces that can move learn. The paper has them act together: n of them, with A moves each, have
A^n joint actions (its section 2: A^25). `teams` has them learn in teams of the largest size that Siqi's player knows.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence

import numpy as np

from scripts.match.agents import EngineAgent

from siqi.daemon.clients.player import PlayerLimits
from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.game import Junqi
from siqi.games.junqi.paper.cooperation import CooperationAdapter, ranked_pieces
from siqi.games.junqi.paper.experience import KIND_DTYPE, KINDS, LEAST_LESSONS
from siqi.games.junqi.paper.learning import learn
from siqi.games.junqi.paper.team import MAX_TEAM, STATE_DTYPE, STATE_VISITS, STATES, TEAM_DTYPE, enter_root
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD
from siqi.games.junqi.rules.position import POSITION_DTYPE, origin_of
from siqi.games.junqi.rules.work import MAX_MOVES, WORK_DTYPE
from siqi.games.junqi.search.flat import ARM_DTYPE, PLAYOUT_PLIES, try_arms
from siqi.games.junqi.search.root import MoveValue, RootView
from siqi.games.junqi.search.uct import EDGE_DTYPE, WORLDS, grow, root_values, set_tree
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.random import seed_state

GUIDE_PLAYOUTS = 400
ACTIVATIONS = ("none", "teams", "minimax", "MCTS", "UCT")

MAX_ACTIONS = 1 << 22
"""The most joint actions of all pieces; pieces with most moves lose some, if there were more."""


class Everyone:
    """All pieces that can move as one team, and each piece's Q of all their joint actions: float32 [piece, action].

    Only its time is of use. P is uniform, a move's reward is a playout's value, and the sum over the next state's joint
    actions is taken over the same table, since there are as many.
    """

    def __init__(self, view: Record, moves: Sequence[int]) -> None:
        by_piece: dict[int, list[int]] = {}
        for move in moves:
            by_piece.setdefault(int(view.board[origin_of(move)]), []).append(move)
        self.moves = list(by_piece.values())
        while math.prod(map(len, self.moves)) > MAX_ACTIONS:
            max(self.moves, key=len).pop()
        self._shape = tuple(map(len, self.moves))
        self.worth = np.zeros((len(self._shape), math.prod(self._shape)), np.float32)
        each_chance = [np.full(count, 1 / count, np.float32) for count in self._shape]
        self._chances = functools.reduce(np.multiply.outer, each_chance).ravel()

    def learn(self, playouts: int, alpha: float, gamma: float, value_of: Callable[[int], float]) -> None:
        """Carry out joint actions, the one of the highest Q each time, until there were as many playouts."""
        for _ in range(-(-playouts // len(self.moves))):
            action = int(self.worth.sum(0).argmax())
            numbers = np.unravel_index(action, self._shape)
            rewards = [value_of(each[number]) for each, number in zip(self.moves, numbers, strict=True)]
            lessons = np.array(rewards) + gamma * (self.worth @ self._chances)
            self.worth[:, action] = (1 - alpha) * self.worth[:, action] + alpha * lessons


def opponent(algorithm: str) -> EngineAgent:
    """Return an opponent of the paper by its value of the option Algorithm."""
    agent = EngineAgent(Junqi(print), {"Algorithm": algorithm, "Hash": "1"})
    agent.new_game(1)
    return agent


class LearningStage:
    """The learning stage, after one of ACTIVATIONS."""

    def __init__(self, activation: str, alpha: float, gamma: float) -> None:
        self._activation, self._alpha, self._gamma = activation, alpha, gamma
        self._minimax, self._monte_carlo, self._guide = map(opponent, ("minimax", "montecarlo", "montecarlo"))
        self._work, self._board, self._spare = (
            new_record(dtype) for dtype in (WORK_DTYPE, POSITION_DTYPE, POSITION_DTYPE)
        )
        self._work.random = seed_state(1)
        self._tree = np.zeros(1 << 18, EDGE_DTYPE)
        self._matrix = np.zeros(STATES, STATE_DTYPE)
        self._team = new_record(TEAM_DTYPE)
        self._team.alpha, self._team.gamma, self._team.least = alpha, gamma, LEAST_LESSONS
        self._experience = np.zeros(KINDS, KIND_DTYPE)

    def seconds(self, view: JunqiPosition, search: PlayerLimits, lessons: int) -> float:
        """Return the CPU time of the search that activates, and of `lessons` playouts of learning for each team."""
        started = time.process_time()
        self._matrix["key"] = 0
        root = RootView(Task(view, Control()), [self._work], WORLDS, 1)
        if self._activation == "none":
            self._work.control, self._work.nodes, self._work.poll_at = Control().address, 0, 1 << 60
            everyone = Everyone(root.view, root.moves)
            everyone.learn(lessons, self._alpha, self._gamma, functools.partial(self._playout, root))
            return time.process_time() - started
        set_tree(self._work, *CooperationAdapter.tree_settings)
        for team in self._teams(root, view, search):
            self._team.members = len(team)
            self._team.piece[: len(team)] = team
            enter_root(root.view, self._work, self._tree, self._team, self._matrix)
            self._work.control, self._work.nodes, self._work.poll_at = Control().address, 0, 1 << 60
            place = (root.view, self._board, self._spare, self._work, LOOKUP_RECORD, self._tree, self._team)
            learn(*place, self._matrix, self._experience, lessons)
        return time.process_time() - started

    def _playout(self, root: RootView, move: int) -> float:
        """Return the mover's chance by a playout after a move in one of the worlds."""
        arm = np.zeros(1, ARM_DTYPE)
        arm["move"] = move
        place = (root.view, self._board, self._work, LOOKUP_RECORD, arm)
        try_arms(*place, 1, int(self._work.nodes), 1, 1, PLAYOUT_PLIES)
        return float(arm["sum"][0])

    def ranked_moves(self, view: JunqiPosition) -> list[int]:
        """Return the moves by a quick search, the same for every activation, so that all play the same games."""
        lines = self._guide.search(view, PlayerLimits(nodes=GUIDE_PLAYOUTS), lines=MAX_TEAM).lines
        return [line.pv[0] for line in lines]

    def _teams(self, root: RootView, view: JunqiPosition, search: PlayerLimits) -> list[list[int]]:
        """Return the pieces that learn together; UCT's tree, or the values of another search, are in `_tree`."""
        if self._activation == "UCT":
            control = search.control()
            self._work.control, self._work.nodes, self._work.poll_at = control.address, 0, 0
            self._work.stopped = self._work.allowed_count = 0
            grow(root.view, self._board, self._work, LOOKUP_RECORD, self._tree, 1 << 30)
            self._work.stopped = 0
            ranked = root_values([self._work], [self._tree])
            return [sorted(ranked_pieces(root.view, ranked)[:MAX_TEAM])]
        if self._activation == "teams":
            pieces = list(dict.fromkeys(int(root.view.board[origin_of(move)]) - 1 for move in root.moves))
            self._plant([MoveValue(move, STATE_VISITS, 0.5) for move in root.moves])
            return [pieces[i : i + MAX_TEAM] for i in range(0, len(pieces), MAX_TEAM)]
        player = self._minimax if self._activation == "minimax" else self._monte_carlo
        lines = player.search(view, search, lines=MAX_MOVES).lines
        ranked = [MoveValue(line.pv[0], STATE_VISITS, line.score.win or 0.0) for line in lines]
        self._plant(ranked)
        return [sorted(ranked_pieces(root.view, ranked)[:MAX_TEAM])]

    def _plant(self, ranked: Sequence[MoveValue]) -> None:
        """Make a tree that has only the root's moves."""
        for edge, (move, visits, value) in enumerate(ranked, 1):
            self._tree[edge] = (move, edge + 1, visits, visits, visits * value, (0, 0, 0, 0))
        self._tree[len(ranked)]["next"] = 0
        self._work.first_edge, self._work.used = 1, len(ranked) + 1
