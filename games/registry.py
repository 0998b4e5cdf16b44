"""The games by name. A declaration is cheap; loading a game imports numba and compiles its kernels."""

from __future__ import annotations

import gc
import importlib
import sys

from games.contract import Game, GameInfo, Records, Tell

NAMES = ("xiangqi", "connect6", "ewn", "junqi")


def info(name: str) -> GameInfo:
    """The declaration of a game, without loading it; KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    declared: GameInfo = importlib.import_module(f"games.{name}").INFO
    return declared


def silent(line: str) -> None:
    """A `Tell` for those who do not listen."""


def load(name: str, tell: Tell = silent) -> Game:
    """The game itself. The first call in a process imports it, and compiles it if the kernel cache is cold."""
    if name not in NAMES:
        raise KeyError(name)
    is_first = f"games.{name}.game" not in sys.modules
    module = importlib.import_module(f"games.{name}.game")
    if is_first:
        spare_imported()
    game: Game = module.create(tell)
    return game


def spare_imported() -> None:
    """Take what has been imported out of the garbage collector's rounds.

    With numba a full round goes through 115,000 objects: it held a search up for 57 to 90 ms of processor time, between
    two looks at the clock, whenever one fell due.
    """
    gc.collect()
    gc.freeze()


def records(name: str) -> Records:
    """How a game's records are read and written."""
    if name not in NAMES:
        raise KeyError(name)
    module: Records = importlib.import_module(f"games.{name}.record")
    return module
