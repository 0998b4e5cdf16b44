"""Junqi (軍棋), the dark two-player game."""

from games.contract import GameInfo

INFO = GameInfo(
    name="junqi",
    title="Junqi",
    clock_s=30 * 60,
    expected_turns=100,
    has_hidden=True,
    has_setup=True,
)
