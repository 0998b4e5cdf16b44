"""Junqi (軍棋), the dark two-player game."""

from games.contract import GameInfo, Option

INFO = GameInfo(
    name="junqi",
    expected_turns=100,
    has_hidden=True,
    has_setup=True,
    options=(
        Option("Searcher", "combo", "worlds", choices=("worlds", "flat", "uct", "cooperation")),
        Option("Alpha", "number", "0.4", 0, 1),
        Option("Gamma", "number", "0.6", 0, 1),
        Option("Activate", "spin", "4", 1, 4),
        Option("CooperationFile", "string"),
        Option("LayoutFile", "string"),
    ),
)
