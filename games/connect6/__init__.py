"""Connect6 (六子棋)."""

from games.contract import GameInfo, Option

INFO = GameInfo(
    name="connect6",
    expected_turns=22,
    early_weight=2.0,
    stones_per_turn=2,
    knowledge=("OwnBook", "BookFile", "BookDepth", "BookMinGames"),
    score_unit=200,
    options=(Option("Width", "spin", "12", 2, 40), Option("Depth", "spin", "0", 0, 47)),
)
