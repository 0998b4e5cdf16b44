"""Xiangqi through python-chess's `chess.engine`, with this engine or any other that knows the variant `xiangqi`.

    import chess.engine
    from games.xiangqi.library import Board

    with chess.engine.SimpleEngine.popen_uci("siqi") as engine:  # or popen_xboard
        result = engine.play(Board(), chess.engine.Limit(time=0.1))
        result.move  # a games.xiangqi.Move

python-chess (the extra `chess`) knows the protocol, clocks and processes; a `Board` answers all that it asks of one.
Only its pattern of a move in a line of moves has no rank 9 and no file i, and is widened.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import chess.engine

    from games.xiangqi.library.board import Board

MOVE = re.compile(r"[a-i](?:10|[0-9])[a-i](?:10|[0-9])\Z|0000\Z")


def widen_move_pattern() -> None:
    """Have `chess.engine`, if it is loaded, read moves of Xiangqi beside those of chess."""
    engine: Any = sys.modules.get("chess.engine")
    if engine is not None and not engine.UCI_REGEX.match("h9g7"):
        engine.UCI_REGEX = re.compile(f"{MOVE.pattern}|{engine.UCI_REGEX.pattern}")


def popen_uci(command: str | list[str], **settings: Any) -> chess.engine.SimpleEngine:
    """Return `SimpleEngine.popen_uci` of the same arguments."""
    import chess.engine

    return chess.engine.SimpleEngine.popen_uci(command, **settings)


def EngineBoard(board: Board) -> Board:
    """Return the board itself: `chess.engine` takes it as it is."""
    return board
