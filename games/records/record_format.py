"""A game's usual records (`games/<game>/record.py`) as a file format."""

from __future__ import annotations

import io
from collections.abc import Sequence

from games.contract import GameRecord, GameRecordFormat
from games.encodings import decode
from games.formats import Found, Losses, Style, Written, encode


def read(records: GameRecordFormat, data: bytes, encoding: str | None) -> Found:
    """Return the games of a text; ValueError if there is none."""
    found = Found()
    text, used, broken = decode(data, encoding, records.ENCODING)
    if broken:
        found.faults.append(f"{broken} characters that are not {used}")
    games = records.read(io.StringIO(text))
    number = 0
    while True:
        number += 1
        try:
            found.games.append(next(games))
        except StopIteration:
            break
        except ValueError as error:
            found.faults.append(f"game {number}: {error}")
    if number == 1:
        raise ValueError("no game in the text")
    return found


def write(records: GameRecordFormat, games: Sequence[GameRecord], style: Style) -> Written:
    """Return the text of the games; ValueError if one cannot be written."""
    losses = Losses()
    parts = []
    for number, game in enumerate(games, 1):
        try:
            parts.append(records.write(game))
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from None
    return Written(encode("".join(parts), style.encoding or records.ENCODING, losses), +losses)
