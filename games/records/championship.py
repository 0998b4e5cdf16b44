"""The encoding and the head of the Chinese championships' game records. A head is a row of fields in brackets:

[WTN][Alpha R][Beta B][先手胜][2017.07.29 14:00 重庆][2017 CCGC]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from games.contract import GameRecord

ENCODING = "gb18030"
"""The encoding to read with. Texts that are written need only its subset GB2312."""

RESULTS = {"先手胜": "1-0", "后手胜": "0-1", "和棋": "1/2-1/2"}


class Head(NamedTuple):
    """The fields of a head, the kind of game left out."""

    names: dict[str, str]  # of the players, by the letter of their side
    result: str  # as in `GameRecord`
    occasion: str
    event: str


def read_head(text: str, kind: str) -> Head:
    """Return the head of a game's text; ValueError if it does not begin with the field `kind`."""
    fields = re.findall(r"\[([^\[\]]*)\]", text)
    if not fields or fields[0] != kind:
        raise ValueError(f"not a record of {kind}: {text[:40]!r}")
    fields = [field.strip() for field in fields] + [""] * (6 - len(fields))
    names = {field[-1:]: field[:-1].strip() for field in fields[1:3]}
    return Head(names, RESULTS.get(fields[3], "*"), fields[4], fields[5])


def check_start(fen: str) -> None:
    """Raise ValueError if a game began from a FEN, which these records have no room for."""
    if fen:
        raise ValueError(f"the format has no room for a position at the start: {fen}")


def write_head(kind: str, sides: Sequence[str], game: GameRecord) -> str:
    """Return the head of a game; `sides` are the letters of its first and second side."""
    verdict = next((text for text, result in RESULTS.items() if result == game.result), "")
    players = [f"{name} {side}" for name, side in zip((game.first, game.second), sides, strict=True)]
    fields = (kind, *players, verdict, game.occasion, game.event)
    return "".join(f"[{_plain(field)}]" for field in fields)


def _plain(field: str) -> str:
    """Return a field's text with a blank for each run of characters that would end the field or the head."""
    return re.sub(r"[\[\]#{};\s]+", " ", field).strip()
