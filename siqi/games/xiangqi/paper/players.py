"""The players of papers 2 and 5 by the value of Algorithm."""

from __future__ import annotations

from siqi.games.contract import Searcher
from siqi.games.search.deepening import DeepeningSearcher
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.knowledge.knowledge import Knowledge

_BY_PAPER_5 = {"Evaluation": "paper", "UseEndgames": "false"}

PLAYERS = {"paper2": _BY_PAPER_5 | {"UseRules": "paper"}, "paper5": _BY_PAPER_5 | {"UseRules": "false"}}
"""The options that make the players whole."""


def new_searcher(knowledge: Knowledge) -> Searcher[XiangqiPosition]:
    """Return the searcher of both; only now its kernels are compiled."""
    from siqi.games.xiangqi.paper.negamax import NegamaxAdapter

    return DeepeningSearcher(NegamaxAdapter(knowledge))
