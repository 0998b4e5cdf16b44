"""Xiangqi through python-chess's `chess.engine`, with this engine or any other that plays the variant `xiangqi`.

    import chess.engine
    from siqi import Board

    with chess.engine.SimpleEngine.popen_uci("siqi") as engine:  # or popen_xboard
        result = engine.play(Board(), chess.engine.Limit(time=0.1))
        result.move  # a siqi.Move

python-chess (the extra `chess`) handles protocol, clocks and processes; a `Board` has all that it needs of a board.
Only its pattern for the moves of a pv lacks rank 9 and file i, and is widened.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import chess.engine

T = TypeVar("T")

MOVE = re.compile(r"[a-i](?:10|[0-9])[a-i](?:10|[0-9])\Z|0000\Z")


def widen_move_pattern() -> None:
    """Make `chess.engine`, if it is loaded, read moves of Xiangqi as well as those of chess."""
    engine: Any = sys.modules.get("chess.engine")
    if engine is not None and not engine.UCI_REGEX.match("h9g7"):
        engine.UCI_REGEX = re.compile(f"{MOVE.pattern}|{engine.UCI_REGEX.pattern}")


def popen_uci(command: str | list[str], **settings: Any) -> chess.engine.SimpleEngine:
    """Return `SimpleEngine.popen_uci` of the same arguments."""
    import chess.engine

    return chess.engine.SimpleEngine.popen_uci(command, **settings)


def EngineBoard(board: T) -> T:
    """Return the board itself, which `chess.engine` takes as it is."""
    return board
