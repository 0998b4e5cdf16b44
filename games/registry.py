"""The games by name. A declaration is cheap; loading a game imports numba and compiles its kernels."""

from __future__ import annotations

import importlib

from games.contract import Game, GameInfo, GameRecordFormat, Position, Warn

NAMES = ("xiangqi", "connect6", "ewn", "junqi")


def info(name: str) -> GameInfo:
    """The declaration of a game, without loading it; KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    declared: GameInfo = importlib.import_module(f"games.{name}").INFO
    return declared


def silent(line: str) -> None:
    """A `Warn` for those who do not listen."""


def load(name: str, warn: Warn = silent) -> Game[Position]:
    """The game itself. The first call in a process imports it, and compiles it if the kernel cache is cold."""
    if name not in NAMES:
        raise KeyError(name)
    game: Game[Position] = importlib.import_module(f"games.{name}.game").create(warn)
    return game


def game_record_format(name: str) -> GameRecordFormat:
    """How a game's records are read and written."""
    if name not in NAMES:
        raise KeyError(name)
    module: GameRecordFormat = importlib.import_module(f"games.{name}.record")
    return module
