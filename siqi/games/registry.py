"""The games by name. A declaration is cheap; loading a game imports numba and compiles its kernels."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING, cast

from siqi.games.contract import Game, GameInfo, Position, Warn, silent

if TYPE_CHECKING:
    from pathlib import Path

    from siqi.games.formats import Format, Notation, RuleBases
    from siqi.games.pictures.maker import PictureMaker

NAMES = ("xiangqi", "connect6", "ewn", "junqi")
DEFAULT_GAME = NAMES[0]
"""The game where none is named."""


def info(name: str) -> GameInfo:
    """Return the declaration of a game without loading the game; KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    declared: GameInfo = importlib.import_module(f"siqi.games.{name}").INFO
    return declared


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


def _part(name: str, module: str) -> ModuleType | None:
    """Import a module of a game's folder; None if the game has no such folder or file. KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    path = f"siqi.games.{name}"
    for part in module.split("."):
        path += f".{part}"
        if importlib.util.find_spec(path) is None:
            return None
    return importlib.import_module(path)


def picture_maker(name: str) -> PictureMaker:
    """Return the module that draws a game's positions; KeyError for an unknown name, ValueError if there is none.

    It imports the game's kernels, as `load` does.
    """
    maker: PictureMaker | None = cast("PictureMaker | None", _part(name, "picture"))
    if maker is None:
        raise ValueError(f"{name} has no pictures")
    return maker


def formats(name: str) -> tuple[Format, ...]:
    """Return the table of a game's file formats without loading the game; KeyError for an unknown name."""
    table = _part(name, "formats.table")
    return () if table is None else table.FORMATS


def record_format(name: str) -> Format:
    """Return the format in which a game's records are kept, one that `is_stream`.

    KeyError for an unknown name, ValueError if the game has no such format.
    """
    for form in formats(name):
        if form.is_stream:
            return form
    raise ValueError(f"{name} has no records")


def opening_list(name: str, openings: str) -> Path | None:
    """Return the file of a game's list of openings for matches; None if it has no list of that name."""
    from siqi.games.books.book import BOOKS_FOLDER  # late: it needs numpy

    return BOOKS_FOLDER / f"{openings}.openings" if openings in info(name).opening_lists else None


def pyffish_position(name: str, fen: str | None) -> Position:
    """Return a position of a game, or its start, whose end the library pyffish declares; ValueError if it cannot."""
    judged = _part(name, "library.pyffish_position")
    if judged is None:
        raise ValueError(f"pyffish does not know the rules of {name}")
    position: Position = judged.PyffishPosition(fen) if fen else judged.PyffishPosition()
    return position


def notation(name: str) -> Notation | None:
    """Return the module that writes a game's moves as its players do; None if they write the protocol's words.

    The readers of the formats then return records. KeyError for an unknown name.
    """
    return cast("Notation | None", _part(name, "formats.notation"))


def rule_bases(name: str) -> RuleBases:
    """Return the module that mines a game's rules; KeyError for an unknown name, ValueError if there is none."""
    bases = cast("RuleBases | None", _part(name, "formats.rule_bases"))
    if bases is None:
        raise ValueError(f"{name} has no rules to mine")
    return bases
