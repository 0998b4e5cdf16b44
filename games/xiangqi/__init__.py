"""Xiangqi (象棋).

Besides `INFO`, the names of a library in python-chess's manner, `Board` first. They are loaded when asked for: the
daemon imports this file before numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from games.contract import GameInfo, Option
from games.options import ENDGAMES, OPENING_BOOK, USE_RULES
from games.shape import BoardShape

if TYPE_CHECKING:
    from games.xiangqi.board import STARTING_FEN, Board
    from games.xiangqi.move import (
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
    from games.xiangqi.outcome import Outcome, Termination
    from games.xiangqi.placement import STARTING_BOARD_FEN, BaseBoard
    from games.xiangqi.status import Status
    from games.xiangqi.tables import ADVISOR, CANNON, ELEPHANT, HORSE, KING, PAWN, ROOK

__all__ = [
    "ADVISOR",
    "BLACK",
    "CANNON",
    "COLORS",
    "COLOR_NAMES",
    "ELEPHANT",
    "FILE_NAMES",
    "HORSE",
    "INFO",
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
    "IllegalMoveError",
    "InvalidMoveError",
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
    "square",
    "square_distance",
    "square_file",
    "square_manhattan_distance",
    "square_mirror",
    "square_name",
    "square_rank",
]

SKILL_ELO = (
    724, 843, 961, 1080, 1199, 1317, 1435, 1553, 1671, 1836,
    2000, 2164, 2329, 2420, 2511, 2602, 2693, 2784, 2876, 2967,
)  # fmt: skip
"""Of each Skill Level from 0 on, Elo (scripts/tune/rate_skill_levels.py; RESULTS.md has the matches)."""

INFO = GameInfo(
    name="xiangqi",
    board=BoardShape(tuple("abcdefghi"), tuple("0123456789")),
    sides=("w", "b"),
    pieces=("KABNRCP", "kabnrcp"),
    expected_turns=50,
    skill_elo=SKILL_ELO,
    options=(*OPENING_BOOK, USE_RULES, *ENDGAMES, Option("UCI_Coordinates", "combo", "0", choices=("0", "1"))),
)

_HOMES = ("board", "move", "placement", "status", "tables")
"""The modules of the library's names."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from games.compiling import announce_compiling, to_stderr

    with announce_compiling(to_stderr, "xiangqi"):
        modules = [import_module(f"{__name__}.{home}") for home in _HOMES]
    value = next(getattr(module, name) for module in modules if hasattr(module, name))
    globals()[name] = value
    return value
