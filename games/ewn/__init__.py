"""EinStein würfelt nicht! (爱恩斯坦棋)."""

from games.contract import GameInfo

INFO = GameInfo(
    name="ewn",
    title="EinStein wuerfelt nicht!",
    clock_s=4 * 60,
    expected_turns=12,
    has_dice=True,
    has_setup=True,
)
