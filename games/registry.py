"""The games by name. A declaration is cheap; loading a game imports numba and compiles its kernels."""

from __future__ import annotations

import importlib
import sys

from games.contract import Game, GameInfo, Position, Records, Tell

NAMES = ("xiangqi", "connect6", "ewn", "junqi")


def info(name: str) -> GameInfo:
    """The declaration of a game, without loading it; KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    declared: GameInfo = importlib.import_module(f"games.{name}").INFO
    return declared


def silent(line: str) -> None:
    """A `Tell` for those who do not listen."""


def load(name: str, tell: Tell = silent) -> Game[Position]:
    """The game itself. The first call in a process imports it, and compiles it if the kernel cache is cold."""
    if name not in NAMES:
        raise KeyError(name)
    from games.kernel import jit

    module = f"games.{name}.game"
    with jit.together(module):
        importlib.import_module(module)
    game: Game[Position] = sys.modules[module].create(tell)
    return game


def records(name: str) -> Records:
    """How a game's records are read and written."""
    if name not in NAMES:
        raise KeyError(name)
    module: Records = importlib.import_module(f"games.{name}.record")
    return module
