"""Xiangqi (象棋).

`Board` and `Move` are for use as a library, and loaded when asked for: the daemon imports this file
before numba.
"""

from typing import TYPE_CHECKING, Any

from games.contract import GameInfo, Option

if TYPE_CHECKING:
    from games.xiangqi.board import Board
    from games.xiangqi.move import Move

__all__ = ["INFO", "Board", "Move"]

INFO = GameInfo(
    name="xiangqi",
    expected_turns=50,
    knowledge=("OwnBook", "UseRules", "BookFile", "BookDepth", "BookMinGames", "UseEndgames", "EndgamePath"),
    options=(Option("UCI_Coordinates", "combo", "0", choices=("0", "1")),),
)


def __getattr__(name: str) -> Any:
    if name in ("Board", "Move"):
        from games.xiangqi import board

        return getattr(board, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
