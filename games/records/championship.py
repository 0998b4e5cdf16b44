"""What the Chinese championships' game records share: their encoding, and the fields in brackets that they begin with.

[WTN][Alpha R][Beta B][先手胜][2017.07.29 14:00 重庆][2017 CCGC]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from games.contract import GameRecord

ENCODING = "gb18030"
"""To read with; what is written needs no more than GB2312."""

RESULTS = {"先手胜": "1-0", "后手胜": "0-1", "和棋": "1/2-1/2"}


class Head(NamedTuple):
    """The fields; names by the letter of the side."""

    names: dict[str, str]
    result: str
    occasion: str
    event: str


def read_head(text: str, kind: str) -> Head:
    """ValueError if it is not of a game of this kind."""
    fields = re.findall(r"\[([^\]]*)\]", text)
    if not fields or fields[0] != kind:
        raise ValueError(f"not a record of {kind}: {text[:40]!r}")
    fields = [field.strip() for field in fields] + [""] * (6 - len(fields))
    names = {field[-1:]: field[:-1].strip() for field in fields[1:3]}
    return Head(names, RESULTS.get(fields[3], "*"), fields[4], fields[5])


def write_head(kind: str, sides: Sequence[str], game: GameRecord) -> str:
    """The fields of a game whose first and second side have these letters."""
    verdict = next((text for text, result in RESULTS.items() if result == game.result), "")
    players = [f"{name} {side}" for name, side in zip((game.first, game.second), sides, strict=True)]
    fields = (kind, *players, verdict, game.occasion, game.event)
    return "".join(f"[{_plain(field)}]" for field in fields)


def _plain(field: str) -> str:
    """Without what would end a field, or the head."""
    return re.sub(r"[\[\]#{};\s]+", " ", field).strip()
