"""Paper 3's player by the value of Algorithm."""

from __future__ import annotations

from collections.abc import Mapping

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.knowledge.knowledge import Knowledge
from siqi.games.contract import Searcher
from siqi.games.search.deepening import DeepeningSearcher

PLAYERS: Mapping[str, Mapping[str, str]] = {"roads": {}}
"""The options that make the player whole: the user's own are the paper's."""


def new_searcher(knowledge: Knowledge) -> Searcher[Connect6Position]:
    """Return the player's searcher; only now its kernels are compiled."""
    from siqi.games.connect6.paper.roads import RoadsAdapter

    return DeepeningSearcher(RoadsAdapter(knowledge))
