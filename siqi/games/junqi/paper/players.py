"""Paper 4's player and its opponents by the value of Algorithm."""

from __future__ import annotations

from collections.abc import Mapping

from siqi.games.contract import Searcher
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.knowledge.knowledge import Knowledge
from siqi.games.search.sampling import SamplingSearcher

PLAYERS: Mapping[str, Mapping[str, str]] = {
    "cooperation": {},
    "paper": {"CooperationChoice": "q"},
    "plain-uct": {},
    "minimax": {},
    "alphabeta": {},
    "montecarlo": {},
}
"""The options that make the players whole; `cooperation` is the paper's as the user sets it."""


def new_searcher(knowledge: Knowledge) -> Searcher[JunqiPosition]:
    """Return the searcher of the player that is selected; only now its kernels are compiled."""
    algorithm = knowledge.settings.algorithm
    if algorithm in ("cooperation", "paper"):
        from siqi.games.junqi.paper.cooperation import CooperationAdapter

        return SamplingSearcher(CooperationAdapter(knowledge))
    from siqi.games.junqi.paper.opponents import new_opponent

    return new_opponent(algorithm)
