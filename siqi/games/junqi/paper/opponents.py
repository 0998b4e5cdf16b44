"""Paper 4's opponents of the cooperative player."""

from __future__ import annotations

from siqi.games.junqi.paper.cooperation import CooperationAdapter
from siqi.games.junqi.search.uct import UctAdapter


class PlainUctAdapter(UctAdapter):
    """The cooperative player's UCT, with the same formula and the same k, without activation and learning."""

    tree_settings = CooperationAdapter.tree_settings
