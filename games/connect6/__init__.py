"""Connect6 (六子棋)."""

from games.contract import GameInfo, Option

INFO = GameInfo(
    name="connect6",
    title="Connect6",
    clock_s=15 * 60,
    expected_turns=22,
    stones_per_turn=2,
    options=(Option("Width", "spin", "12", 2, 40),),
)
