"""Siqi as a library: positions of four games, and engines in this process.

    >>> import siqi
    >>> position = siqi.position("ewn", "ABC2/DE3/F3f/3ed/2cba f 3")
    >>> with siqi.Engine("ewn", options={"Threads": 2}) as engine:
    ...     result = engine.play(position, siqi.Limit(depth=3))
    >>> result.move in position.legal_moves
    True

`AsyncEngine` is the same engine for asyncio. What cannot be carried out raises `Refusal`, a ValueError with its `kind`
and `reason`; a value of a wrong type raises TypeError with what was expected.

The names and verbs are python-chess's as far as the games allow. A move is a word of docs/protocol/games.md
(`"j10k11"`, `"a5b4"`), in Xiangqi a `siqi.Move`; both print alike. The names of Xiangqi's own library are here, too:
`siqi.Board`, `siqi.RED`, `siqi.SQUARES`. Kernels are compiled once per machine, which takes up to half a minute and is
announced on standard error.
"""

from importlib import import_module

from siqi.version import __version__

TYPE_CHECKING = False  # importing `typing` would double the time to the command's first line
if TYPE_CHECKING:
    from typing import Any

    from siqi.asynchronous import AsyncAnalysis, AsyncEngine
    from siqi.daemon.engine.events import Refusal
    from siqi.engine import Analysis, Engine
    from siqi.game_files import LoadedGames, load_games, save_games
    from siqi.games.contract import Outcome, Score
    from siqi.games.game_record import GameRecord
    from siqi.games.pictures.drawing import Picture
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
    from siqi.games.xiangqi.library.outcome import Termination
    from siqi.games.xiangqi.library.pgn import Game, read_game, read_games
    from siqi.games.xiangqi.library.placement import STARTING_BOARD_FEN, BaseBoard
    from siqi.games.xiangqi.library.status import Status
    from siqi.games.xiangqi.library.tree import Line
    from siqi.games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, KING, PAWN, ROOK
    from siqi.limit import Limit
    from siqi.owner import EngineError, Info, PlayResult
    from siqi.positions import GAMES, Position, Replay, picture, position, replay

__all__ = [
    "ADVISOR",
    "BLACK",
    "CANNON",
    "COLORS",
    "COLOR_NAMES",
    "ELEPHANT",
    "FILE_NAMES",
    "GAMES",
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
    "Analysis",
    "AsyncAnalysis",
    "AsyncEngine",
    "BaseBoard",
    "Board",
    "Color",
    "Engine",
    "EngineError",
    "Game",
    "GameRecord",
    "IllegalMoveError",
    "Info",
    "InvalidMoveError",
    "Limit",
    "Line",
    "LoadedGames",
    "Move",
    "Outcome",
    "Picture",
    "Piece",
    "PieceType",
    "PlayResult",
    "Position",
    "Refusal",
    "Replay",
    "Score",
    "Square",
    "Status",
    "Termination",
    "__version__",
    "flip_horizontal",
    "flip_vertical",
    "load_games",
    "parse_square",
    "picture",
    "piece_name",
    "piece_symbol",
    "position",
    "read_game",
    "read_games",
    "replay",
    "save_games",
    "square",
    "square_distance",
    "square_file",
    "square_manhattan_distance",
    "square_mirror",
    "square_name",
    "square_rank",
]

_HOMES = {
    "LoadedGames": "siqi.game_files",
    "load_games": "siqi.game_files",
    "save_games": "siqi.game_files",
    "AsyncAnalysis": "siqi.asynchronous",
    "AsyncEngine": "siqi.asynchronous",
    "Refusal": "siqi.daemon.engine.events",
    "Analysis": "siqi.engine",
    "Engine": "siqi.engine",
    "EngineError": "siqi.owner",
    "Info": "siqi.owner",
    "PlayResult": "siqi.owner",
    "GameRecord": "siqi.games.game_record",
    "Outcome": "siqi.games.contract",
    "Score": "siqi.games.contract",
    "Picture": "siqi.games.pictures.drawing",
    "Limit": "siqi.limit",
    "Replay": "siqi.positions",
    "picture": "siqi.positions",
    "replay": "siqi.positions",
    "GAMES": "siqi.positions",
    "Position": "siqi.positions",
    "position": "siqi.positions",
}
"""The modules of the public names, except those of Xiangqi's own library."""


def __getattr__(name: str) -> "Any":
    """Import a public name at its first use, as the command imports this package and must answer at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES.get(name, "siqi.games.xiangqi.library")
    if home.startswith("siqi.games.xiangqi"):
        from siqi.games.compiling import announce_compiling
        from siqi.system.pipes import to_stderr

        with announce_compiling(to_stderr, "xiangqi"):
            value = getattr(import_module(home), name)
    else:
        value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__"])
