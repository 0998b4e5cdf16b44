"""Players of Junqi for experiments, by name; each has a view and a time for a move.

    random          any move
    minimax         full-width search of sampled worlds, deepened while there is time; values averaged over the worlds
    alphabeta       the same with alpha-beta cuts, attacks first
    mcts            playouts in sampled worlds: of the best move so far, one in ten of a random move
    uct             a UCT tree for each sampled world, visits added up
    cooperation     paper 4's player
    siqi            the engine as it is
    activated       the engine, only with moves of pieces that paper 4's player activates in a fifth of the time

The last three take options of the engine, `siqi Threads=2`. Worlds are sampled by the engine's code, and valued by its
static evaluation.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from scripts.lib.paper_games import EngineMind, Mind, RandomMind

from games.contract import Task
from games.junqi.evaluation.evaluate import evaluate
from games.junqi.evaluation.playout import enter_world
from games.junqi.game import Junqi, JunqiPosition
from games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.junqi.rules.movegen import BOARDS, list_side
from games.junqi.rules.position import POSITION, POSITION_DTYPE, QUIET_LIMIT, do_move, result_code
from games.junqi.rules.work import MAX_MOVES, WORK, WORK_DTYPE
from games.junqi.search.flat import ARM_DTYPE, PLAYOUT_PLIES, try_arms
from games.junqi.search.root import RootView
from games.junqi.search.uct import EDGE_DTYPE, grow
from games.kernel.control import Control
from games.kernel.intrinsics import copy_record
from games.kernel.jit import Record, entry, float64, inner, int64, new_record
from games.kernel.memory import address_of
from games.kernel.node import count_node
from games.kernel.random import seed_state

MAX_PLIES = 40
STACK = types.Array(types.uint16, 1, "C")


class Activated:
    """The engine with paper 4's activation before it."""

    def __init__(self, options: dict[str, str]) -> None:
        self._guide = EngineMind(Junqi(print), {"Searcher": "cooperation"})
        self._engine = EngineMind(Junqi(print), options)

    def new_game(self, seed: int) -> None:
        self._guide.new_game(seed)
        self._engine.new_game(seed)

    def choose(self, view: JunqiPosition, limit: Limit) -> int:
        lines = self._guide.search(view, ms / 5).lines
        origins = list(dict.fromkeys(line.pv[0] & 63 for line in lines))[: self._guide.game.knowledge.activate]
        moves = tuple(move for move in view.legal_moves() if move & 63 in origins)
        return self._engine.search(view, ms * 4 / 5, moves).lines[0].pv[0]


class Determinized:
    """The base of players that sample worlds and then see all pieces in each."""

    worlds = 8

    def __init__(self) -> None:
        self.work = new_record(WORK_DTYPE)
        self.board = new_record(POSITION_DTYPE)
        self._seed = 0

    def new_game(self, seed: int) -> None:
        self._seed = seed << 20
        self.work.random = seed_state(seed)

    def run_until(self, deadline_ns: int) -> None:
        self._control = Control()
        self._control.set_deadline(deadline_ns)
        self.work.control, self.work.nodes, self.work.poll_at, self.work.stopped = self._control.address, 0, 0, 0

    def begin(self, view: JunqiPosition, limit: Limit) -> RootView:
        """Return the sampled worlds; the clock runs from here."""
        self._seed += 1
        self.run_until(time.monotonic_ns() + int(ms * 1e6))
        return RootView(Task(view, self._control), [self.work], self.worlds, self._seed)


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
        value = evaluate(pos, lookup, work)
        return 1.0 - value if pos.turn else value
    first = ply * MAX_MOVES
    end = list_attacks_first(pos, work, lookup, stack, first)
    best = 0.0  # without a move all is lost
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
    """Minimax or alpha-beta, of each completed board by itself."""

    def __init__(self, with_cuts: bool) -> None:
        super().__init__()
        self._with_cuts = int(with_cuts)
        self._boards = np.zeros(MAX_PLIES + 1, POSITION_DTYPE)
        self._stack = np.zeros((MAX_PLIES + 1) * MAX_MOVES, np.uint16)

    def choose(self, view: JunqiPosition, limit: Limit) -> int:
        root = self.begin(view, ms)
        moves = root.moves
        for depth in range(1, MAX_PLIES):
            values = dict.fromkeys(moves, 0.0)
            for world in range(len(root.worlds.kinds)):
                for move in moves:
                    values[move] += try_move(
                        root.view,
                        self._boards,
                        self.work,
                        LOOKUP_RECORD,
                        self._stack,
                        world,
                        move,
                        depth,
                        self._with_cuts,
                    )
                    if self.work.stopped:
                        return moves[0]
            moves.sort(key=values.__getitem__, reverse=True)
        return moves[0]


class MonteCarlo(Determinized):
    """Playouts in sampled worlds of the best move so far, one time in ten of a random one."""

    worlds = 40

    def choose(self, view: JunqiPosition, limit: Limit) -> int:
        root = self.begin(view, ms)
        arms = np.zeros(len(root.moves), ARM_DTYPE)
        arms["move"] = root.moves
        rng = random.Random(self._seed)
        i = 0
        while not self.work.stopped:
            chosen = min(i, len(arms) - 1)
            if i >= len(arms):
                best = int(np.argmax(arms["sum"] / arms["visits"]))
                chosen = rng.randrange(len(arms)) if rng.random() < 0.1 else best
            arm = arms[chosen : chosen + 1]
            playouts = self.worlds
            try_arms(root.view, self.board, self.work, LOOKUP_RECORD, arm, 1, i, 1, playouts, PLAYOUT_PLIES)
            i += 1
        return int(arms["move"][np.argmax(arms["sum"] / np.maximum(arms["visits"], 1))])


class Trees(Determinized):
    """UCT in each sampled world by itself; plays the move that the trees visit most."""

    def __init__(self) -> None:
        super().__init__()
        self._tree = np.zeros(1 << 18, EDGE_DTYPE)

    def choose(self, view: JunqiPosition, limit: Limit) -> int:
        started = time.monotonic_ns()
        root = self.begin(view, ms)
        kinds = root.worlds.kinds
        visits: Counter[int] = Counter()
        for world in range(len(kinds)):
            self.work.worlds, self.work.world_count = address_of(kinds[world]), 1
            self.work.first_edge, self.work.used = 0, 1
            self.run_until(started + int(ms * 1e6 * (world + 1) / len(kinds)))
            grow(root.view, self.board, self.work, LOOKUP_RECORD, self._tree, 1 << 30)
            edge = int(self.work.first_edge)
            while edge:
                visits[int(self._tree[edge]["move"])] += int(self._tree[edge]["visits"])
                edge = int(self._tree[edge]["next"])
        return max(root.moves, key=visits.__getitem__)


def make_player(text: str) -> Mind:
    """Return a player by name and options; ValueError for an unknown name."""
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words)
    if name == "siqi":
        return EngineMind(Junqi(print), options)
    if name == "cooperation":
        return EngineMind(Junqi(print), {"Searcher": "cooperation"} | options)
    if name == "activated":
        return Activated(options)
    simple: dict[str, Callable[[], Mind]] = {
        "random": RandomMind,
        "minimax": lambda: FullWidth(False),
        "alphabeta": lambda: FullWidth(True),
        "mcts": MonteCarlo,
        "uct": Trees,
    }
    if name not in simple:
        raise ValueError(f"unknown player: {name}")
    return simple[name]()
