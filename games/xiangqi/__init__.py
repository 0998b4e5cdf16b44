"""Xiangqi (象棋).

`Board` and `Move` are for use as a library, and loaded when asked for: the daemon imports this file
before numba.
"""

from typing import TYPE_CHECKING, Any

from games.contract import GameInfo, Option
from games.options import ENDGAMES, OPENING_BOOK, USE_RULES
from games.shape import BoardShape

if TYPE_CHECKING:
    from games.xiangqi.board import Board
    from games.xiangqi.move import Move

__all__ = ["INFO", "Board", "Move"]

SKILL_ELO = (
    724, 843, 961, 1080, 1199, 1317, 1435, 1553, 1671, 1836,
    2000, 2164, 2329, 2420, 2511, 2602, 2693, 2784, 2876, 2967,
)  # fmt: skip
"""Of each Skill Level from 0 on, Elo (scripts/skill_ladder.py; RESULTS.md has the matches)."""

INFO = GameInfo(
    name="xiangqi",
    board=BoardShape(tuple("abcdefghi"), tuple("0123456789")),
    sides=("w", "b"),
    pieces=("KABNRCP", "kabnrcp"),
    expected_turns=50,
    skill_elo=SKILL_ELO,
    options=(*OPENING_BOOK, USE_RULES, *ENDGAMES, Option("UCI_Coordinates", "combo", "0", choices=("0", "1"))),
)


def __getattr__(name: str) -> Any:
    if name in ("Board", "Move"):
        from games.compiling import announce_compiling, to_stderr

        with announce_compiling(to_stderr, "xiangqi"):
            from games.xiangqi import board

        return getattr(board, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
