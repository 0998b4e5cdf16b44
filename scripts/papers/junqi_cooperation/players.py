"""Players of Junqi for experiments, by name; each has a view, and a time or a number of nodes per move.

    random          any move
    minimax, alphabeta, montecarlo, plain-uct
                    paper 4's opponents, values of the option Algorithm
    cooperation     paper 4's player
    siqi            the engine as it is

`siqi with own setups` deploys as the engine chooses, from its LayoutFile if it has one; all others get deployments
drawn from the learned weights.
The last two take options of the engine, `siqi Threads=2`. `minimax simple` and the like draw one world, all possible
deployments being equally likely, and value material alone.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from scripts.common import script
from scripts.match.agents import Agent, AgentPlayer, EngineAgent, RandomAgent
from scripts.match.paired_games import PairJob, PaperGame, play_game

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games.game_record import GameRecord, position_after
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.data.weights import WORTH
from siqi.games.junqi.game import Junqi
from siqi.games.junqi.knowledge.belief_models import HABITS, BeliefModel
from siqi.games.junqi.knowledge.worlds import Belief
from siqi.games.junqi.paper.cooperation import MAX_LESSONS, CooperationAdapter
from siqi.games.junqi.paper.opponents import new_opponent
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD
from siqi.games.junqi.search.deployment import draw_deployment, own_deployment
from siqi.games.junqi.search.uct import UctAdapter
from siqi.games.search.sampling import SamplingSearcher

OPPONENTS = ("minimax", "alphabeta", "montecarlo", "plain-uct")
"""Paper 4's opponents, values of the option Algorithm."""

MAX_GAME_PLIES = 1000
OWN = " with own setups"

MATERIAL = LOOKUP_RECORD.copy()
"""The engine's lookup arrays, with no weights except the worth of pieces."""
MATERIAL.weights[:] = 0
MATERIAL.weights[: len(WORTH)] = WORTH


class PlainView(JunqiPosition):
    """A view of a player that knows nothing of deployments and habits: all possibilities are equally likely."""

    def __init__(self, view: JunqiPosition) -> None:
        self.__dict__ |= view.copy().__dict__

    def believed(self, side: int, model: BeliefModel = HABITS) -> Belief:
        belief = super().believed(side, model)
        return Belief(belief.may, {flag: np.ones_like(weights) for flag, weights in belief.weights.items()})


class SimpleAgent(EngineAgent):
    """An opponent that completes the board once, all deployments being equally likely, and values material alone."""

    def __init__(self, name: str) -> None:
        searcher: Any = new_opponent(name)
        searcher._adapter.worlds, searcher._adapter.lookup = 1, MATERIAL
        super().__init__(Junqi(print), {}, searcher)

    def choose(self, position: JunqiPosition, limit: PlayerLimits) -> int:
        return super().choose(PlainView(position), limit)


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
    if name not in OPPONENTS or set(words) - {"simple"}:
        raise ValueError(f"unknown player: {text}")
    return SimpleAgent(name) if words else EngineAgent(Junqi(print), {"Algorithm": name})


@functools.cache
def player(text: str, side: int = 0) -> Agent:
    """Return a player, kept by the process for each side: both sides may have the same kind."""
    return make_player(text.removesuffix(OWN))


def deployed(number: int) -> Any:
    """Return the referee's position after the random set-ups of a pair's number."""
    referee = script.load_once("junqi").position()
    for side in range(2):
        referee.push(referee.parse_move(draw_deployment(2 * number + side + 1)))
    return referee


def view_of(referee: Any) -> Any:
    """Return the view of the side to move."""
    return position_after(script.load_once("junqi"), GameRecord(tuple(referee.view_moves(referee.turn))))


def layouts_of(agent: Agent) -> list[str]:
    """Return the layouts of a player's LayoutFile."""
    layouts: list[str] = agent.game.knowledge.layouts if isinstance(agent, EngineAgent) else []
    return layouts


def play(job: PairJob, first: int) -> PaperGame:
    """Play a game of random set-ups, the same in both games of a pair; its record has the words too."""
    setups = [draw_deployment(2 * job.pair + side + 1) for side in range(2)]
    agents = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    for side, name in enumerate((job.pairing[first], job.pairing[1 - first])):
        if name.endswith(OWN):
            setups[side] = own_deployment(2 * job.pair + side + 1, layouts_of(agents[side]))
    game = script.load_once("junqi")
    referee = Referee(game, Opening(moves=setups))
    record = play_game(job, first, referee, [AgentPlayer(agent, game, job.limit) for agent in agents], MAX_GAME_PLIES)
    assert isinstance(referee.position, JunqiPosition)
    return record | {"words": words_of(referee.position)}


def words_of(referee: JunqiPosition) -> str:
    """Return the game as `position startpos moves` takes it."""
    return " ".join([*referee.words, *map(referee.move_text, referee.moves())])
