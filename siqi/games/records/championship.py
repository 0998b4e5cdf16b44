"""The encoding and the head of the Chinese championships' game records. A head is a row of fields in brackets:

    [WTN][Alpha R][Beta B][先手胜][2017.07.29 14:00 重庆][2017 CCGC]

Programs of the participants write others, too, which are read:

    [C6][Alpha][Beta][BlackWin][2024.05.01 12:00][重庆][2024 CCGC]
    [WTN][红方:Alpha][蓝方:Beta][红方先手][红方胜][2022-08-01 14:00:00 成都][2022 CCGC]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from siqi.games.game_record import GameRecord

_TEXTS = {"1-0": "先手胜", "0-1": "后手胜", "1/2-1/2": "和棋"}
"""A result as the championships write it; any wording is read."""

_ENDS = {"time": "超时", "illegal": "违规", "crash": "故障", "resigned": "认输", "adjudicated": "判定"}
"""Causes that end a game before its rules do, in parentheses behind the result."""

_LETTERS = {"红": "R", "蓝": "B", "黑": "B", "白": "W"}
_SAID = re.compile(r"([红蓝黑白])方?\s*[:：]")
"""A player's side before the name."""

_MOVED_FIRST = re.compile(r"[红蓝黑白]方?先[手行]?")
"""A field that says who began, which the moves show."""

_FIELDS = 6
"""Kind, both names, result, occasion and event."""


class Head(NamedTuple):
    """The fields of a head, the kind of game left out."""

    names: dict[str, str]  # of the players, by the letter of their side
    result: str  # as it is written
    occasion: str
    event: str
    rest: tuple[str, ...]  # what else stands in it


def read_head(text: str, kind: str, sides: str) -> Head:
    """Return the head of a game's text; ValueError if it does not begin with the field `kind`.

    `sides` are the letters that a player's field ends with, the first side's first; players without one are taken in
    this order.
    """
    fields = re.findall(r"\[([^\[\]]*)\]", text)
    if not fields or fields[0] != kind:
        raise ValueError(f"not a record of {kind}: {text[:40]!r}")
    rest = [part for part in re.split(r"\[[^\[\]]*\]", text) if part.strip()]
    players, (verdict, *others) = _players(fields[1:3], sides), [*map(str.strip, fields[3:]), ""]
    if _MOVED_FIRST.fullmatch(verdict):
        verdict, *others = [*others, ""]
    occasion, event, *more = [*others, ""]
    if len(fields) > _FIELDS and any(more):  # the place has a field of its own
        occasion, event, more = f"{occasion} {event}", more[0], more[1:]
    return Head(players, verdict, occasion, event, (*rest, *filter(None, more)))


def _players(fields: Sequence[str], sides: str) -> dict[str, str]:
    """Return the players' names by the letter of their side."""
    names: dict[str, str] = {}
    nameless = []
    for field in map(str.strip, fields):
        said = _SAID.match(field)
        if said and (letter := _LETTERS[said[1]]) in sides:
            names[letter] = field[said.end() :].strip()
        elif field[-1:] in [*sides] and field[-1:] not in names:
            names[field[-1:]] = field[:-1].strip()
        elif field:
            nameless.append(field)
    free = [letter for letter in sides if letter not in names]
    return names | dict(zip(free, nameless, strict=False))


def check_start(fen: str) -> None:
    """Raise ValueError if a game began from a FEN, which these records cannot store."""
    if fen:
        raise ValueError(f"the format cannot store a position at the start: {fen}")


def write_head(kind: str, sides: Sequence[str], game: GameRecord) -> str:
    """Return the head of a game; `sides` are the letters of its first and second side.

    Players go by the names of their teams.
    """
    verdict = game.result_text or _TEXTS.get(game.result, "")
    if game.end and verdict:
        verdict += f"({_ENDS[game.end]})"
    names = (team or name for team, name in zip(game.teams, (game.first, game.second), strict=True))
    players = [f"{name} {side}" for name, side in zip(names, sides, strict=True)]
    fields = (kind, *players, verdict, f"{game.occasion} {game.site}", f"{game.event} {game.round}")
    return "".join(f"[{_plain(field)}]" for field in fields)


def _plain(field: str) -> str:
    """Return a field's text with a blank for each run of characters that would end the field or the head."""
    return re.sub(r"[\[\]#{};\s]+", " ", field).strip()
