"""Connect6 (六子棋)."""

from games.contract import GameInfo, Option

INFO = GameInfo(
    name="connect6",
    expected_turns=22,
    stones_per_turn=2,
    score_unit=500,
    options=(Option("Width", "spin", "12", 2, 40),),
)
