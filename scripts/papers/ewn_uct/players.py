"""Players of EWN for experiments, by name; each has a time per move, or a number of playouts.

    random          any move
    minimax         expectiminimax without cuts, valued by steps to the goal
    alphabeta       the same with Star1 and Star2 cuts and a transposition table
    montecarlo      random playouts, as many for each move
    uct             paper 1's UCT before it was improved: one thread, WINK 1, UCTK 1
    improved        paper 1's improved UCT: three threads on children of the root, WINK 0.4, UCTK 1
    siqi            the engine as it is
    openspiel:N     OpenSpiel's MCTS with N simulations a move

`uct`, `improved` and `siqi` take options of the engine, `siqi Threads=2`, `uct UCTK=0.5`; `uct Times=3` has three times
the limit's playouts or time. The paper's players use no tablebases. Its UCT is bare: it proves nothing, begins each
search anew and adds children at a node's second visit. `uct UCTProofs=true UCTReuseTree=true UCTLeafVisits=8` is UCT as
the engine plays it, without tablebases.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from scripts.common import script
from scripts.match.minds import EngineMind, Mind, RandomMind, Seat
from scripts.match.paired_games import PairJob, PaperGame, play_game

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.evaluation import evaluate
from siqi.games.ewn.evaluation.evaluate import chance
from siqi.games.ewn.game import Ewn
from siqi.games.ewn.rules.lookup import LOOKUP, LOOKUP_RECORD, NOBODY
from siqi.games.ewn.rules.movegen import step
from siqi.games.ewn.rules.notation import TRIANGLES, move_text
from siqi.games.ewn.rules.position import NOT_OVER, POSITION, POSITION_DTYPE, do_move, make_move, undo_move
from siqi.games.ewn.rules.work import WORK, WORK_DTYPE
from siqi.games.ewn.search.playout import FINER_BITS, RANDOM, TO_THE_END, WIN, play_out
from siqi.games.kernel.intrinsics import recurse_1
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record
from siqi.games.kernel.memory import address_of
from siqi.games.kernel.node import count_node
from siqi.games.kernel.random import seed_state

MAX_DEPTH = 40
CHUNK = 64
"""Playouts for each move between two readings of the clock."""

BARE = {"Algorithm": "uct", "UseEndgames": "false", "UCTProofs": "false", "UCTReuseTree": "false", "UCTLeafVisits": "1"}
"""The options of UCT as the paper describes it."""

PAPER_THREADS = {"Threads": "3", "UCTParallel": "children"}
"""The options of the paper's parallel search."""


class MonteCarlo:
    """Flat Monte Carlo: chooses the move whose random playouts score best."""

    def __init__(self) -> None:
        self._work, self._board = new_record(WORK_DTYPE), new_record(POSITION_DTYPE)
        self._work.policy, self._work.playout_plies = RANDOM, TO_THE_END

    def new_game(self, seed: int) -> None:
        self._work.random = seed_state(seed)

    def choose(self, position: EwnPosition, limit: PlayerLimits) -> int:
        control = limit.control()
        moves = position.legal_moves()
        roots, totals = [], [0] * len(moves)
        for move in moves:
            after = position.record.copy()
            do_move(after, LOOKUP_RECORD, move)
            roots.append(after)
        playouts = 0
        while not (control.check() or (limit.nodes and playouts >= limit.nodes)):
            playouts += CHUNK * len(roots)
            for i, root in enumerate(roots):
                if root.winner != NOT_OVER:
                    return moves[i]
                totals[i] += int(play_out(root, self._board, self._work, LOOKUP_RECORD, CHUNK))
        best = max if position.turn == 0 else min
        return moves[totals.index(best(totals))]


@inner(int64(POSITION, WORK, LOOKUP, int64))
def full_width(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Return the mover's chance before the throw, every move of every throw searched to the depth."""
    count_node(work)
    if work.stopped == 1:
        return int64(0)
    if depth == 0:
        return chance(pos, evaluate.evaluation_at(work.evaluation), work) << FINER_BITS
    side = pos.turn
    alive = pos.alive[side]
    total = int64(0)
    for die in range(1, 7):
        pair = int64(lookup.movable[alive * 7 + die])
        best = int64(0)
        for which in range(2):
            piece = pair >> 4 * which & 15
            if piece == NOBODY:
                continue
            square = int64(pos.square[6 * side + piece + 1])
            for way in range(lookup.step_count[side * 25 + square]):
                do_move(pos, lookup, step(lookup, side, square, int64(way)))
                if pos.winner >= 0:
                    value = int64(WIN)
                else:
                    value = WIN - recurse_1(pos, work, lookup, depth - 1)
                undo_move(pos)
                best = max(best, value)
        total += best
    return total // 6


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def value_of(pos: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Return a move's value, searched `depth` moves deep with this one; meaningless once work.stopped."""
    do_move(pos, lookup, move)
    value = int64(WIN)
    if pos.winner < 0:
        value = WIN - full_width(pos, work, lookup, depth - 1)
    undo_move(pos)
    return value


class Minimax:
    """Expectiminimax without cuts, deepened while there is time."""

    def __init__(self) -> None:
        self._weights = steps_alone()
        self._work = new_record(WORK_DTYPE)
        self._work.evaluation = address_of(self._weights)

    def new_game(self, seed: int) -> None:
        """Do nothing: this player has no randomness."""

    def choose(self, position: EwnPosition, limit: PlayerLimits) -> int:
        control = limit.control()
        self._work.control, self._work.nodes, self._work.poll_at, self._work.stopped = control.address, 0, 0, 0
        moves = position.legal_moves()
        board = position.record.copy()
        for depth in range(1, MAX_DEPTH):
            values = {}
            for move in moves:
                values[move] = int(value_of(board, self._work, LOOKUP_RECORD, move, depth))
                if self._work.stopped:
                    return moves[0]
            moves.sort(key=values.__getitem__, reverse=True)
        return moves[0]


def steps_alone() -> Any:
    """Return an evaluation by steps to the goal, as an array of one."""
    e = evaluate.new_evaluation()
    e.weights[:] = evaluate.step_weights()
    return np.array([e])


class FavouredMind(EngineMind):
    """A searcher of the engine that has a multiple of the limit's nodes and time."""

    def __init__(self, game: Ewn, options: dict[str, str], times: int) -> None:
        super().__init__(game, options)
        self._times = times

    def choose(self, position: EwnPosition, limit: PlayerLimits) -> int:
        own = PlayerLimits(movetime_ms=self._times * limit.movetime_ms, nodes=self._times * limit.nodes)
        return super().choose(position, own)


class OpenSpiel:
    """OpenSpiel's MCTS in C++, with its own state of the game. The first side is White there, at the bottom right."""

    def __init__(self, simulations: int, uct_c: float = 2.0) -> None:
        script.require("pyspiel", "benchmark")
        import pyspiel

        self._spiel = pyspiel
        self._rules = pyspiel.load_game("einstein_wurfelt_nicht")
        self._simulations, self._uct_c = simulations, uct_c
        self._layouts: list[dict[str, int]] = []

    def new_game(self, seed: int) -> None:
        evaluator = self._spiel.RandomRolloutEvaluator(1, seed)
        self._bot = self._spiel.MCTSBot(self._rules, evaluator, self._uct_c, self._simulations, 1000, True, seed, False)
        self._state = self._rules.new_initial_state()
        self._setups: list[str] = []

    def _lay_out(self) -> None:
        for place, setup in enumerate(reversed(self._setups)):  # Black, the second side, is laid out first
            if place == len(self._layouts):
                self._layouts.append(self._read_layouts(place))
            self._state.apply_action(self._layouts[place][setup])

    def _read_layouts(self, place: int) -> dict[str, int]:
        """Return OpenSpiel's chance outcome for each of our set-up words."""
        found = {}
        for action, _ in self._state.chance_outcomes():
            child = self._state.clone()
            child.apply_action(action)
            cells = self._cells(child)
            found["".join(cells[24 - square][1] for square in TRIANGLES[1 - place])] = action
        return found

    def _cells(self, state: Any) -> list[str]:
        """Return the content of each square, row by row: `w1`, or `__` for an empty one."""
        return [cell for cell in str(state).replace("\n", "").split("|") if cell]

    def observe(self, dice: int, move: str) -> None:
        """Play a move of either side, or a set-up, on OpenSpiel's state."""
        if len(self._setups) < 2:
            self._setups.append(move)
            if len(self._setups) == 2:
                self._lay_out()
            return
        self._throw(dice)
        for action in self._state.legal_actions():
            if self._word(action) == move:
                self._state.apply_action(action)
                return
        raise AssertionError(f"OpenSpiel knows no {move} after {dice}:\n{self._state}")

    def _throw(self, dice: int) -> None:
        if self._state.is_chance_node():
            self._state.apply_action(self._state.chance_outcomes()[dice - 1][0])

    def _word(self, action: int) -> str:
        """Return our move word of an action `W1-up`; White's corner is our first side's."""
        name = self._state.action_to_string(self._state.current_player(), action)
        piece, way = name.split("-")[0].lower(), name.split("-")[1].rstrip("*")
        square = 24 - self._cells(self._state).index(piece)
        step = {"up": 5, "left": 1, "diag": 6, "down": -5, "right": -1}[way]
        if way == "diag" and piece[0] == "b":
            step = -6
        return move_text(make_move(square, square + step))

    def choose(self, position: EwnPosition, limit: PlayerLimits) -> int:
        self._throw(position.dice)
        return position.parse_move(self._word(self._bot.step(self._state)))


def make_player(text: str) -> Mind:
    """Return a player by name and options; ValueError for an unknown name."""
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words)
    game = Ewn(print)
    if name == "siqi":
        return EngineMind(game, options)
    if name == "uct":
        times = int(options.pop("Times", 1))
        return FavouredMind(game, BARE | {"WINK": "1.0", "UCTK": "1.0"} | options, times)
    if name == "improved":
        return EngineMind(game, BARE | {"WINK": "0.4", "UCTK": "1.0"} | PAPER_THREADS | options)
    if name == "alphabeta":
        game.knowledge.weights = steps_alone()
        return EngineMind(game, {"UseEndgames": "false"} | options)
    if name.startswith("openspiel:"):
        return OpenSpiel(int(name.removeprefix("openspiel:")))
    simple: dict[str, Callable[[], Mind]] = {"random": RandomMind, "minimax": Minimax, "montecarlo": MonteCarlo}
    if name not in simple:
        raise ValueError(f"unknown player: {name}")
    return simple[name]()


@functools.lru_cache(maxsize=4)
def player(text: str, seat: int = 0) -> Mind:
    """Return a player, kept by the process for each seat: both seats may have the same kind.

    Only the players of one pairing are kept, at two seats each: large trees take much memory.
    """
    return make_player(text)


def play(job: PairJob, first: int) -> PaperGame:
    """Play a game of random set-ups, the same in both games of a pair."""
    rng = random.Random(f"{job.pair}")
    setups = ["".join(rng.sample("123456", 6)) for _ in range(2)]
    minds = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    game = script.load_once("ewn")
    referee = Referee(game, Opening(moves=setups), iter(lambda: rng.randint(1, 6), 0))
    return play_game(job, first, referee, [Seat(mind, game, job.limit) for mind in minds])
