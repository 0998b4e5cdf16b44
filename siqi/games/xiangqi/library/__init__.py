"""Xiangqi as a library in python-chess's manner, with `Board` as its main class.

Names are loaded on first use, because loading them compiles kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.board import STARTING_FEN, Board
    from siqi.games.xiangqi.library.move import (
        BLACK,
        COLOR_NAMES,
        COLORS,
        FILE_NAMES,
        PIECE_NAMES,
        PIECE_SYMBOLS,
        PIECE_TYPES,
        RANK_NAMES,
        RED,
        SQUARE_NAMES,
        SQUARES,
        AmbiguousMoveError,
        Color,
        IllegalMoveError,
        InvalidMoveError,
        Move,
        Piece,
        PieceType,
        Square,
        flip_horizontal,
        flip_vertical,
        parse_square,
        piece_name,
        piece_symbol,
        square,
        square_distance,
        square_file,
        square_manhattan_distance,
        square_mirror,
        square_name,
        square_rank,
    )
    from siqi.games.xiangqi.library.outcome import Outcome, Termination
    from siqi.games.xiangqi.library.pgn import Game, read_game, read_games
    from siqi.games.xiangqi.library.placement import STARTING_BOARD_FEN, BaseBoard
    from siqi.games.xiangqi.library.status import Status
    from siqi.games.xiangqi.library.tree import Line
    from siqi.games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, KING, PAWN, ROOK

__all__ = [
    "ADVISOR",
    "BLACK",
    "CANNON",
    "COLORS",
    "COLOR_NAMES",
    "ELEPHANT",
    "FILE_NAMES",
    "HORSE",
    "KING",
    "PAWN",
    "PIECE_NAMES",
    "PIECE_SYMBOLS",
    "PIECE_TYPES",
    "RANK_NAMES",
    "RED",
    "ROOK",
    "SQUARES",
    "SQUARE_NAMES",
    "STARTING_BOARD_FEN",
    "STARTING_FEN",
    "AmbiguousMoveError",
    "BaseBoard",
    "Board",
    "Color",
    "Game",
    "IllegalMoveError",
    "InvalidMoveError",
    "Line",
    "Move",
    "Outcome",
    "Piece",
    "PieceType",
    "Square",
    "Status",
    "Termination",
    "flip_horizontal",
    "flip_vertical",
    "parse_square",
    "piece_name",
    "piece_symbol",
    "read_game",
    "read_games",
    "square",
    "square_distance",
    "square_file",
    "square_manhattan_distance",
    "square_mirror",
    "square_name",
    "square_rank",
]

_HOMES = (
    *("library.board", "library.move", "library.placement", "library.status", "library.tree", "library.pgn"),
    "rules.lookup",
)
"""The modules that define the library's names."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from siqi.games.compiling import announce_compiling
    from siqi.system.pipes import to_stderr

    with announce_compiling(to_stderr, "xiangqi"):
        modules = [import_module(f"siqi.games.xiangqi.{home}") for home in _HOMES]
    value = next(getattr(module, name) for module in modules if hasattr(module, name))
    globals()[name] = value
    return value
