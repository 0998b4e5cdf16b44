"""EinStein würfelt nicht! (爱恩斯坦棋)."""

from games.contract import GameInfo

INFO = GameInfo(
    name="ewn",
    expected_turns=12,
    has_dice=True,
    has_setup=True,
)
