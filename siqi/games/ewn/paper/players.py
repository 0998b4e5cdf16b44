"""The players of paper 1 by the value of Algorithm."""

from __future__ import annotations

from siqi.games.contract import Searcher
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.knowledge.knowledge import Knowledge
from siqi.games.ewn.search.search import ExpectimaxAdapter
from siqi.games.search.deepening import DeepeningSearcher
from siqi.games.search.sampling import SamplingSearcher

BARE = {
    "UCTPlayout": "random",
    "UCTProofs": "false",
    "UCTReuseTree": "false",
    "UCTLeafVisits": "1",
    "UseEndgames": "false",
}
"""The options of UCT as paper 1 describes it."""

_NO_ENDGAMES = {"UseEndgames": "false"}

PLAYERS = {
    "uct": {},
    "paper": BARE | {"UCTParallel": "children"},
    "plain-uct": BARE | {"WINK": "1", "UCTK": "1"},
    "minimax": _NO_ENDGAMES,
    "alphabeta": _NO_ENDGAMES,
    "montecarlo": _NO_ENDGAMES,
}
"""The options that make the players whole; `uct` is the paper's as the user sets it."""


def new_searcher(knowledge: Knowledge) -> Searcher[EwnPosition]:
    """Return the searcher of the player that is selected; only now its kernels are compiled."""
    algorithm = knowledge.settings.algorithm
    if algorithm == "alphabeta":
        return DeepeningSearcher(ExpectimaxAdapter(knowledge))
    if algorithm in ("minimax", "montecarlo"):
        from siqi.games.ewn.paper.opponents import MinimaxAdapter, MonteCarloAdapter

        if algorithm == "minimax":
            return DeepeningSearcher(MinimaxAdapter(knowledge))
        return SamplingSearcher(MonteCarloAdapter())
    from siqi.games.ewn.paper.uct import UctAdapter

    return SamplingSearcher(UctAdapter(knowledge))
