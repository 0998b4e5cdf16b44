"""EinStein würfelt nicht! (爱恩斯坦棋)."""

from games.contract import GameInfo, Option

INFO = GameInfo(
    name="ewn",
    expected_turns=12,
    has_dice=True,
    has_setup=True,
    knowledge=("OwnBook", "UseEndgames", "EndgamePath"),
    options=(
        Option("Algorithm", "combo", "expectimax", choices=("expectimax", "uct")),
        Option("WINK", "number", "0.4", 0, 100),
        Option("UCTK", "number", "1.0", 0, 100),
        Option("Playout", "combo", "random", choices=("random", "informed", "short", "greedy", "evaluation")),
        Option("Parallel", "combo", "root", choices=("root", "tree", "children")),
    ),
)
