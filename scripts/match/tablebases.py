"""Adjudication by tablebases: a position with an exact value ends its game."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.match.game_loop import GameEnd

from siqi.games.contract import Position
from siqi.system.pipes import to_stderr

if TYPE_CHECKING:
    from siqi.games.xiangqi.knowledge.tablebase import Tablebase

GAMES = ("xiangqi", "ewn")

Judge = Callable[[Position], GameEnd | None]


def tablebase_judge(name: str) -> Judge:
    """Return a function that ends games by the shipped tablebases; it returns None where they decide nothing.

    Several threads may call it. FileNotFoundError if the game's tablebases are missing.
    """
    return xiangqi_judge() if name == "xiangqi" else ewn_judge()


def xiangqi_tablebase() -> Tablebase:
    """Return Xiangqi's shipped tablebase; FileNotFoundError if it is missing."""
    from siqi.games.xiangqi.knowledge.knowledge import TABLEBASE_FOLDER
    from siqi.games.xiangqi.knowledge.tablebase import SUFFIX, Tablebase

    return Tablebase([folder_with(TABLEBASE_FOLDER, SUFFIX)], to_stderr)


def xiangqi_judge(tablebase: Tablebase | None = None) -> Judge:
    """Return Xiangqi's judge: a mate counts before the 60-move rule, a draw if the weaker side cannot attack."""
    from siqi.games.xiangqi.board import XiangqiPosition
    from siqi.games.xiangqi.knowledge.probe import UNKNOWN
    from siqi.games.xiangqi.rules.position import QUIET_LIMIT

    tables, lock = tablebase or xiangqi_tablebase(), threading.Lock()

    def judge(position: Position) -> GameEnd | None:
        assert isinstance(position, XiangqiPosition)
        with lock:
            code = tables.code_of(position.record)
        if code == UNKNOWN or (code and position.record.quiet + code - 1 > QUIET_LIMIT):
            return None
        if code == 0:
            return GameEnd(None, "adjudicated", "tablebase draw")
        winner = position.turn if code & 1 == 0 else 1 - position.turn
        return GameEnd(winner, "adjudicated", f"tablebase mate in {code - 1} plies")

    return judge


def ewn_judge() -> Judge:
    """Return EWN's judge: a win counts if no throw can prevent it, to the tablebases' precision of 2.3e-5."""
    from siqi.games.ewn.board import EwnPosition
    from siqi.games.ewn.knowledge.knowledge import TABLEBASE_FOLDER
    from siqi.games.ewn.knowledge.tablebase import SUFFIX, Tablebase

    tables = Tablebase([folder_with(TABLEBASE_FOLDER, SUFFIX)], to_stderr)

    def judge(position: Position) -> GameEnd | None:
        assert isinstance(position, EwnPosition)
        chance = tables.chance(position.record) if position.has_pieces else None
        if chance not in (0.0, 1.0):
            return None
        return GameEnd(position.turn if chance else 1 - position.turn, "adjudicated", "tablebase win")

    return judge


def folder_with(folder: Path, suffix: str) -> Path:
    """Return a folder that has files of a suffix; FileNotFoundError for another."""
    if not any(folder.glob(f"*{suffix}")):
        raise FileNotFoundError(errno.ENOENT, "has no tablebases", str(folder))
    return folder
