"""The games by name. A declaration is cheap; loading a game imports numba and compiles its kernels."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING

from siqi.games.contract import Game, GameInfo, Position, Warn
from siqi.games.formats import Format, Wording

if TYPE_CHECKING:
    from siqi.games.pictures.drawing import PictureMaker

NAMES = ("xiangqi", "connect6", "ewn", "junqi")
USUAL = NAMES[0]
"""The game where none is named."""


def info(name: str) -> GameInfo:
    """Return the declaration of a game without loading the game; KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    declared: GameInfo = importlib.import_module(f"siqi.games.{name}").INFO
    return declared


def silent(line: str) -> None:
    """Drop a warning: the `Warn` of callers that show none."""


def load(name: str, warn: Warn = silent) -> Game[Position]:
    """Return a new `Game` whose books warn through `warn`; KeyError for an unknown name.

    The first call for a game imports it, and compiles its kernels if they are not in the cache (some seconds).
    """
    if name not in NAMES:
        raise KeyError(name)
    from siqi.games.kernel import jit

    module = f"siqi.games.{name}.game"
    with jit.together(module):
        importlib.import_module(module)
    game: Game[Position] = sys.modules[module].create(warn)
    return game


def picture_maker(name: str) -> PictureMaker:
    """Return the module that draws a game's positions; KeyError for an unknown name.

    It imports the game's kernels, as `load` does.
    """
    if name not in NAMES:
        raise KeyError(name)
    maker: PictureMaker = importlib.import_module(f"siqi.games.{name}.picture")
    return maker


def formats(name: str) -> tuple[Format, ...]:
    """Return the table of a game's file formats without loading the game; KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    table: tuple[Format, ...] = importlib.import_module(f"siqi.games.{name}.formats.table").FORMATS
    return table


def record_format(name: str) -> Format:
    """Return the format in which a game's records are kept, one that `is_stream`; KeyError for an unknown name."""
    return next(one for one in formats(name) if one.is_stream)


def wording(name: str) -> Wording | None:
    """Return the module that writes a game's moves as its players do; None if they write the protocol's words.

    The readers of the formats then return records. KeyError for an unknown name.
    """
    if name not in NAMES:
        raise KeyError(name)
    if importlib.util.find_spec(f"siqi.games.{name}.formats.wording") is None:
        return None
    module: Wording = importlib.import_module(f"siqi.games.{name}.formats.wording")
    return module
