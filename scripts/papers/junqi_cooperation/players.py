"""Players of Junqi for experiments, by name; each has a view, and a time or a number of nodes per move.

    random          any move
    minimax         full-width search of sampled worlds, deepened while there is time; values averaged over the worlds
    alphabeta       the same with alpha-beta cuts, attacks first
    mcts            playouts in sampled worlds: of the best move so far, one in ten of a random move
    uct             a UCT tree for each sampled world, visits added up; the formula and k of paper 4's player
    cooperation     paper 4's player
    siqi            the engine as it is

`siqi with own setups` deploys as the engine chooses; all others get deployments drawn from the learned weights.
The last two take options of the engine, `siqi Threads=2`. The others use the engine's knowledge, by its worlds and its
static evaluation. `minimax simple` and the like draw one world, all possible deployments being equally likely, and
value material alone.
"""

from __future__ import annotations

import functools
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from scripts.common import script
from scripts.match.agents import Agent, AgentPlayer, EngineAgent, RandomAgent
from scripts.match.paired_games import PairJob, PaperGame, play_game

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.data.weights import WORTH
from siqi.games.junqi.evaluation.evaluate import evaluate
from siqi.games.junqi.game import Junqi
from siqi.games.junqi.knowledge.worlds import Belief
from siqi.games.junqi.paper.cooperation import MAX_LESSONS, CooperationAdapter
from siqi.games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.junqi.rules.movegen import BOARDS, list_side
from siqi.games.junqi.rules.position import POSITION, POSITION_DTYPE, QUIET_LIMIT, do_move, result_code
from siqi.games.junqi.rules.work import MAX_MOVES, WORK, WORK_DTYPE
from siqi.games.junqi.search.deployment import TILT, draw_deployment
from siqi.games.junqi.search.flat import ARM_DTYPE, PLAYOUT_PLIES, try_arms
from siqi.games.junqi.search.playout import enter_world
from siqi.games.junqi.search.root import MoveValue, RootView
from siqi.games.junqi.search.uct import EDGE_DTYPE, UctAdapter, grow, set_tree
from siqi.games.kernel.control import Control
from siqi.games.kernel.intrinsics import copy_record
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, new_record
from siqi.games.kernel.memory import address_of
from siqi.games.kernel.node import count_node
from siqi.games.kernel.random import seed_state
from siqi.games.search.sampling import SamplingSearcher

MAX_PLIES = 40
MAX_GAME_PLIES = 1000
CHUNK = 4
"""Playouts of a move in succession."""
OWN = " with own setups"
STACK = types.Array(types.uint16, 1, "C")


MATERIAL = LOOKUP_RECORD.copy()
"""The engine's lookup arrays, with no weights except the worth of pieces."""
MATERIAL.weights[:] = 0
MATERIAL.weights[: len(WORTH)] = WORTH


class Determinized:
    """The base of players that sample worlds and then see all pieces in each."""

    worlds = 8

    def __init__(self, is_simple: bool = False) -> None:
        """`is_simple`: one world, drawn without the engine's knowledge, and a material evaluation."""
        self.work = new_record(WORK_DTYPE)
        self.board = new_record(POSITION_DTYPE)
        self.lookup = MATERIAL if is_simple else LOOKUP_RECORD
        self._is_simple = is_simple
        self._seed = 0

    def new_game(self, seed: int) -> None:
        self._seed = seed << 20
        self.work.random = seed_state(seed)

    def rank(self, view: JunqiPosition, limit: PlayerLimits) -> list[MoveValue]:
        """Return the moves with their values, best first."""
        raise NotImplementedError

    def choose(self, view: JunqiPosition, limit: PlayerLimits) -> int:
        return self.rank(view, limit)[0].move

    def run_within(self, control: Control) -> None:
        self._control = control
        self.work.control, self.work.nodes, self.work.poll_at, self.work.stopped = control.address, 0, 0, 0

    def begin(self, view: JunqiPosition, limit: PlayerLimits) -> RootView:
        """Return the sampled worlds; the clock runs from here."""
        self._seed += 1
        self.run_within(limit.control())
        if self._is_simple:
            view = PlainView(view)
        return RootView(Task(view, self._control), [self.work], 1 if self._is_simple else self.worlds, self._seed)


class PlainView(JunqiPosition):
    """A view of a player that knows nothing of deployments and habits: all possibilities are equally likely."""

    def __init__(self, view: JunqiPosition) -> None:
        self.__dict__ |= view.copy().__dict__

    def believed(self, side: int) -> Belief:
        belief = super().believed(side)
        return Belief(belief.may, {flag: np.ones_like(weights) for flag, weights in belief.weights.items()})


@inner(int64(POSITION, WORK, LOOKUP, STACK, int64))
def list_attacks_first(pos: Record, work: Record, lookup: Record, stack: Any, first: int) -> int:
    """Write the moves of the side to move to stack[first:]; return their end."""
    count = list_side(pos, work, lookup, pos.turn)
    end = first
    for attacks in range(1, -1, -1):
        for i in range(count):
            if int64(pos.board[int64(work.moves[i]) >> 6] != 0) == attacks:
                stack[end] = work.moves[i]
                end += 1
    return end


@inner(float64(BOARDS, WORK, LOOKUP, STACK, int64, int64, float64, float64, int64))
def negamax(
    boards: Any,
    work: Record,
    lookup: Record,
    stack: Any,
    ply: int,
    depth: int,
    alpha: float,
    beta: float,
    with_cuts: int,
) -> float:
    """Return the mover's chance on boards[ply], all pieces known; meaningless once work.stopped."""
    pos = boards[ply]
    count_node(work)
    if work.stopped == 1:
        return 0.0
    if pos.loser >= 0:
        return 1.0 - abs(pos.loser - (1 - pos.turn))
    if pos.quiet >= QUIET_LIMIT:
        return 1.0
    if depth == 0:
        value = evaluate(pos, work, lookup)
        return 1.0 - value if pos.turn else value
    first = ply * MAX_MOVES
    end = list_attacks_first(pos, work, lookup, stack, first)
    best = 0.0  # the mover has lost if it has no move
    for i in range(first, end):
        move = int64(stack[i])
        copy_record(boards[ply + 1], pos)
        do_move(boards[ply + 1], move, result_code(pos, lookup, move))
        floor = max(alpha, best) if with_cuts == 1 else 0.0
        value = 1.0 - negamax(boards, work, lookup, stack, ply + 1, depth - 1, 1.0 - beta, 1.0 - floor, with_cuts)
        best = max(best, value)
        if with_cuts == 1 and best >= beta:
            break
    return best


@entry(float64(POSITION, BOARDS, WORK, LOOKUP, STACK, int64, int64, int64, int64))
def try_move(
    view: Record,
    boards: Any,
    work: Record,
    lookup: Record,
    stack: Any,
    world: int,
    move: int,
    depth: int,
    with_cuts: int,
) -> float:
    """Return a move's value to its mover in a world, searched `depth` plies deep with this one."""
    copy_record(boards[0], view)
    enter_world(boards[0], work, world)
    do_move(boards[0], move, result_code(boards[0], lookup, move))
    return 1.0 - negamax(boards, work, lookup, stack, int64(0), depth - 1, 0.0, 1.0, with_cuts)


class FullWidth(Determinized):
    """Minimax or alpha-beta, in each world separately."""

    def __init__(self, with_cuts: bool, is_simple: bool = False) -> None:
        super().__init__(is_simple)
        self._with_cuts = int(with_cuts)
        self._positions = np.zeros(MAX_PLIES + 1, POSITION_DTYPE)
        self._stack = np.zeros((MAX_PLIES + 1) * MAX_MOVES, np.uint16)

    def rank(self, view: JunqiPosition, limit: PlayerLimits) -> list[MoveValue]:
        root = self.begin(view, limit)
        ranked = [MoveValue(move, 1, 0.5) for move in root.moves]
        worlds = len(root.worlds.kinds)
        for depth in range(1, MAX_PLIES):
            values = [sum(self._try(root, world, move, depth) for world in range(worlds)) for move, _, _ in ranked]
            if self.work.stopped:
                break
            ranked = [MoveValue(move, 1, value / worlds) for (move, _, _), value in zip(ranked, values, strict=True)]
            ranked.sort(key=lambda value: -value.value)
        return ranked

    def _try(self, root: RootView, world: int, move: int, depth: int) -> float:
        where = (root.view, self._positions, self.work, self.lookup, self._stack)
        return 0.0 if self.work.stopped else float(try_move(*where, world, move, depth, self._with_cuts))


class MonteCarlo(Determinized):
    """Playouts in sampled worlds of the best move so far, one time in ten of a random one."""

    worlds = 40

    def rank(self, view: JunqiPosition, limit: PlayerLimits) -> list[MoveValue]:
        root = self.begin(view, limit)
        arms = np.zeros(len(root.moves), ARM_DTYPE)
        arms["move"] = root.moves
        rng = random.Random(self._seed)
        number = 0
        while not self.work.stopped:
            chosen = number // CHUNK % len(arms)
            if number >= CHUNK * len(arms):
                best = int(np.argmax(arms["sum"] / arms["visits"]))
                chosen = rng.randrange(len(arms)) if rng.random() < 0.1 else best
            arm = arms[chosen : chosen + 1]
            try_arms(root.view, self.board, self.work, self.lookup, arm, 1, number, 1, CHUNK, PLAYOUT_PLIES)
            number += CHUNK
        ranked = [MoveValue(int(arm["move"]), int(arm["visits"]), float(arm["sum"])) for arm in arms]
        ranked = [value._replace(value=value.value / max(value.visits, 1)) for value in ranked]
        return sorted(ranked, key=lambda value: -value.value)


class Trees(Determinized):
    """UCT in each sampled world separately; the moves that the trees visit most come first."""

    def __init__(self, is_simple: bool = False) -> None:
        super().__init__(is_simple)
        self._tree = np.zeros(1 << 18, EDGE_DTYPE)

    def rank(self, view: JunqiPosition, limit: PlayerLimits) -> list[MoveValue]:
        started = time.monotonic_ns()
        root = self.begin(view, limit)
        kinds = root.worlds.kinds
        visits: Counter[int] = Counter()
        sums: dict[int, float] = defaultdict(float)
        for world in range(len(kinds)):
            self.work.worlds, self.work.world_count = address_of(kinds[world]), 1
            set_tree(self.work, *CooperationAdapter.tree_settings)
            control = Control(limit.nodes // len(kinds))
            if limit.movetime_ms:
                control.set_deadline(started + int(limit.movetime_ms * 1e6 * (world + 1) / len(kinds)))
            self.run_within(control)
            grow(root.view, self.board, self.work, self.lookup, self._tree, 1 << 30)
            edge = int(self.work.first_edge)
            while edge:
                visits[int(self._tree[edge]["move"])] += int(self._tree[edge]["visits"])
                sums[int(self._tree[edge]["move"])] += float(self._tree[edge]["value"])
                edge = int(self._tree[edge]["next"])
        ranked = [MoveValue(move, visits[move], sums[move] / max(visits[move], 1)) for move in root.moves]
        return sorted(ranked, key=lambda value: -value.visits)


PARTS = ("learning", "prior", "experience", "frozen", "formula", "k", "expand")
"""Changes of paper 4's design that a player `cooperation` can make, for ablations: the share of the playouts spent on
learning, the visits for which learned values count, `none` for no experience of kinds of actions, a `CooperationFile`
to which nothing is added, `ucb1` for the formula of `siqi Algorithm=uct`, the formula's k, and the visits of a leaf
before it gets moves."""


class Frozen(CooperationAdapter):
    """Paper 4's player with a file to which it adds nothing, so that all its games are played with the same one."""

    def _save(self) -> None:
        return


def cooperation(options: dict[str, str]) -> EngineAgent:
    """Return paper 4's player; `options` may have PARTS, too."""
    parts = {name: options.pop(name) for name in PARTS if name in options}
    game = Junqi(print)
    if not parts:
        return EngineAgent(game, {"Algorithm": "cooperation"} | options)
    if "frozen" in parts:
        options["CooperationFile"] = parts["frozen"]
    adapter = (Frozen if "frozen" in parts else CooperationAdapter)(game.knowledge)
    formula, k, expand = adapter.tree_settings
    if parts.get("formula") == "ucb1":
        formula, k, expand = UctAdapter.tree_settings
    adapter.tree_settings = (formula, float(parts.get("k", k)), int(parts.get("expand", expand)))
    adapter.learning_share = float(parts.get("learning", adapter.learning_share))
    adapter.prior_visits = float(parts.get("prior", adapter.prior_visits))
    if parts.get("experience") == "none":
        adapter.least_lessons = MAX_LESSONS
    return EngineAgent(game, options, SamplingSearcher(adapter))


def make_player(text: str) -> Agent:
    """Return a player by name and options; ValueError for an unknown name."""
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words if "=" in word)
    if name == "siqi":
        return EngineAgent(Junqi(print), options)
    if name == "cooperation":
        return cooperation(options)
    if name == "random":
        return RandomAgent()
    kinds: dict[str, Callable[[bool], Agent]] = {
        "minimax": functools.partial(FullWidth, False),
        "alphabeta": functools.partial(FullWidth, True),
        "mcts": MonteCarlo,
        "uct": Trees,
    }
    if name not in kinds or set(words) - {"simple"}:
        raise ValueError(f"unknown player: {text}")
    return kinds[name](bool(words))


@functools.cache
def player(text: str, side: int = 0) -> Agent:
    """Return a player, kept by the process for each side: both sides may have the same kind."""
    return make_player(text.removesuffix(OWN))


def play(job: PairJob, first: int) -> PaperGame:
    """Play a game of random deployments, the same in both games of a pair; its record has the words too."""
    deployments = [draw_deployment(2 * job.pair + side + 1) for side in range(2)]
    for side, name in enumerate((job.pairing[first], job.pairing[1 - first])):
        if name.endswith(OWN):
            deployments[side] = draw_deployment(2 * job.pair + side + 1, TILT)
    agents = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    game = script.load_once("junqi")
    referee = Referee(game, Opening(moves=deployments))
    record = play_game(job, first, referee, [AgentPlayer(agent, game, job.limit) for agent in agents], MAX_GAME_PLIES)
    assert isinstance(referee.position, JunqiPosition)
    return record | {"words": words_of(referee.position)}


def words_of(referee: JunqiPosition) -> str:
    """Return the game as `position startpos moves` takes it."""
    return " ".join([*referee.words, *map(referee.move_text, referee.moves())])
