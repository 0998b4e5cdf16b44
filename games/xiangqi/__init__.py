"""Xiangqi (象棋)."""

from games.contract import GameInfo, Option

INFO = GameInfo(
    name="xiangqi",
    expected_turns=50,
    options=(Option("UCI_Coordinates", "combo", "0", choices=("0", "1")),),
)
