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
from typing import Any

from scripts.common import script
from scripts.match.agents import Agent, AgentPlayer, EngineAgent, RandomAgent
from scripts.match.paired_games import PairJob, PaperGame, play_game

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.game import Ewn
from siqi.games.ewn.paper.players import BARE
from siqi.games.ewn.rules.notation import TRIANGLES, move_text
from siqi.games.ewn.rules.position import make_move

BARE_UCT = BARE | {"Algorithm": "uct"}
"""The options of UCT as the paper describes it, which others may replace."""


class FavouredAgent(EngineAgent):
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
        actions = {}
        for action, _ in self._state.chance_outcomes():
            child = self._state.clone()
            child.apply_action(action)
            cells = self._cells(child)
            actions["".join(cells[24 - square][1] for square in TRIANGLES[1 - place])] = action
        return actions

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


def make_player(text: str) -> Agent:
    """Return a player by name and options; ValueError for an unknown name."""
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words)
    game = Ewn(print)
    if name == "siqi":
        return EngineAgent(game, options)
    if name == "uct":
        times = int(options.pop("Times", 1))
        return FavouredAgent(game, BARE_UCT | {"WINK": "1.0", "UCTK": "1.0"} | options, times)
    if name == "improved":
        return EngineAgent(game, {"Algorithm": "paper"} | options)
    if name in ("minimax", "alphabeta", "montecarlo"):
        return EngineAgent(game, {"Algorithm": name} | options)
    if name.startswith("openspiel:"):
        return OpenSpiel(int(name.removeprefix("openspiel:")))
    if name != "random":
        raise ValueError(f"unknown player: {name}")
    return RandomAgent()


@functools.lru_cache(maxsize=4)
def player(text: str, side: int = 0) -> Agent:
    """Return a player, kept by the process for each side: both sides may have the same kind.

    Only the players of one pairing are kept, for two sides each: large trees take much memory.
    """
    return make_player(text)


def play(job: PairJob, first: int) -> PaperGame:
    """Play a game of random set-ups, the same in both games of a pair."""
    rng = random.Random(f"{job.pair}")
    setups = ["".join(rng.sample("123456", 6)) for _ in range(2)]
    agents = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    game = script.load_once("ewn")
    referee = Referee(game, Opening(moves=setups), iter(lambda: rng.randint(1, 6), 0))
    return play_game(job, first, referee, [AgentPlayer(agent, game, job.limit) for agent in agents])
