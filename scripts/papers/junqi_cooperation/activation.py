"""Paper 4's learning stage behind four kinds of activation (figure 8): none, minimax, MCTS, UCT.

Each search values the root's moves; the pieces of the best moves are activated, and learn joint actions of these moves.
Without activation all pieces that can move learn, in teams of the largest size of a joint action: one team of all would
have more joint actions than can be distinguished.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from scripts.papers.junqi_cooperation.players import FullWidth, MonteCarlo

from siqi.daemon.clients.player import PlayerLimits
from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.paper.cooperation import CooperationAdapter, ranked_pieces
from siqi.games.junqi.paper.experience import KIND_DTYPE, KINDS, LEAST_LESSONS
from siqi.games.junqi.paper.learning import learn
from siqi.games.junqi.paper.team import MAX_TEAM, STATE_DTYPE, STATE_VISITS, STATES, TEAM_DTYPE, enter_root
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD
from siqi.games.junqi.rules.position import POSITION_DTYPE, origin_of
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.junqi.search.root import MoveValue, RootView
from siqi.games.junqi.search.uct import EDGE_DTYPE, WORLDS, grow, root_values, set_tree
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import new_record
from siqi.games.kernel.random import seed_state

GUIDE_PLAYOUTS = 400
ACTIVATIONS = ("none", "minimax", "MCTS", "UCT")


class LearningStage:
    """The learning stage, after one of ACTIVATIONS."""

    def __init__(self, activation: str, alpha: float, gamma: float) -> None:
        self._activation = activation
        self._minimax, self._monte_carlo = FullWidth(False), MonteCarlo()
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
        """Return the time of the search that activates, and of `lessons` playouts of learning for each team."""
        started = time.perf_counter()
        self._matrix["key"] = 0
        root = RootView(Task(view, Control()), [self._work], WORLDS, 1)
        set_tree(self._work, *CooperationAdapter.tree_settings)
        for team in self._teams(root, view, search):
            self._team.members = len(team)
            self._team.piece[: len(team)] = team
            enter_root(root.view, self._work, self._tree, self._team, self._matrix)
            self._work.control, self._work.nodes, self._work.poll_at = Control().address, 0, 1 << 60
            place = (root.view, self._board, self._spare, self._work, LOOKUP_RECORD, self._tree, self._team)
            learn(*place, self._matrix, self._experience, lessons)
        return time.perf_counter() - started

    def ranked_moves(self, view: JunqiPosition) -> list[int]:
        """Return the moves by a quick search, the same for every activation, so that all play the same games."""
        return [value.move for value in self._monte_carlo.rank(view, PlayerLimits(nodes=GUIDE_PLAYOUTS))[:MAX_TEAM]]

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
        if self._activation == "none":
            pieces = list(dict.fromkeys(int(root.view.board[origin_of(move)]) - 1 for move in root.moves))
            self._plant([MoveValue(move, STATE_VISITS, 0.5) for move in root.moves])
            return [pieces[i : i + MAX_TEAM] for i in range(0, len(pieces), MAX_TEAM)]
        player = self._minimax if self._activation == "minimax" else self._monte_carlo
        ranked = player.rank(view, search)
        self._plant(ranked)
        return [sorted(ranked_pieces(root.view, ranked)[:MAX_TEAM])]

    def _plant(self, ranked: Sequence[MoveValue]) -> None:
        """Make a tree that has only the root's moves."""
        for edge, value in enumerate(ranked, 1):
            visits = max(value.visits, STATE_VISITS)
            self._tree[edge] = (value.move, edge + 1, visits, visits, visits * value.value, (0, 0, 0, 0))
        self._tree[len(ranked)]["next"] = 0
        self._work.first_edge, self._work.used = 1, len(ranked) + 1
