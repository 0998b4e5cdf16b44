"""The records of game_record.py as a file format."""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.connect6.formats import game_record
from siqi.games.contract import GameRecord
from siqi.games.formats import Found, WriteStyle, Written
from siqi.games.records import record_format


def read(name: str, data: bytes, encoding: str | None) -> Found:
    """Return the games of a text."""
    return record_format.read(game_record, data, encoding)


def write(name: str, games: Sequence[GameRecord], style: WriteStyle) -> Written:
    """Return the text of the games."""
    return record_format.write(game_record, games, style)
