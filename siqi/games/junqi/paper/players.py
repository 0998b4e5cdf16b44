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
}
"""The options that make the players whole; `cooperation` is the paper's as the user sets it."""


def new_searcher(knowledge: Knowledge) -> Searcher[JunqiPosition]:
    """Return the searcher of the player that is selected; only now its kernels are compiled."""
    if knowledge.settings.algorithm == "plain-uct":
        from siqi.games.junqi.paper.opponents import PlainUctAdapter

        return SamplingSearcher(PlainUctAdapter())
    from siqi.games.junqi.paper.cooperation import CooperationAdapter

    return SamplingSearcher(CooperationAdapter(knowledge))
