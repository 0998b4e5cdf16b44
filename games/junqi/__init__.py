"""Junqi (軍棋), the dark two-player game."""

from games.contract import GameInfo

INFO = GameInfo(
    name="junqi",
    expected_turns=100,
    has_hidden=True,
    has_setup=True,
)
