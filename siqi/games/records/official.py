"""The official record of a game: its file's name and content, as the championships ask for them.

    C6-先手参赛队 B vs 后手参赛队 W-先手胜-时间地点-赛事.txt
    WTN-A vs B-先手胜-2019.07.29 14.00 地点-赛事.txt

Connect6 and EWN have official formats. Xiangqi's records are PGN and Junqi's are lines of the referee's log; their
names are made in the same way.
"""

from __future__ import annotations

import re

from siqi.games.formats import Format
from siqi.games.game_record import GameRecord

VERDICTS = {"1-0": "先手胜", "0-1": "后手胜", "1/2-1/2": "和棋", "*": "未完"}

_NOBODY = ("先手", "后手")
"""Teams without a name."""

_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
"""Characters that some file system cannot store."""

_LONGEST_PART, _LONGEST_NAME = 60, 240
"""Characters of a part that people have named; bytes of a name without its number: file systems store 255."""


def data(form: Format, record: GameRecord) -> bytes:
    """Return the content of a game's file; ValueError if the format, one that `is_stream`, cannot store the game."""
    return form.load_stream().text(record).encode(form.encoding)


def file_name(form: Format, record: GameRecord, number: int = 1) -> str:
    """Return the official name of a game's file; `number` as of `file_names`."""
    return file_names(form, record, number)[record.result]


def file_names(form: Format, record: GameRecord, number: int = 1) -> dict[str, str]:
    """Return the official name of a game's file for each result that it may have.

    `number`: from 1; the names of 1 have none, others tell apart what would have the same name.
    """
    for longest in range(_LONGEST_PART, 0, -1):
        beginnings = [_beginning(form, record, verdict, longest) for verdict in VERDICTS.values()]
        if max(len(beginning.encode()) for beginning in beginnings) <= _LONGEST_NAME:
            break
    end = (f" {number}" if number > 1 else "") + form.suffixes[0]
    return dict(zip(VERDICTS, (beginning + end for beginning in beginnings), strict=True))


def _beginning(form: Format, record: GameRecord, verdict: str, longest: int) -> str:
    """Return an official name without its number and its ending; `longest`: characters of a part."""
    teams = []
    for side, name in enumerate((record.first, record.second)):
        team = _plain(record.teams[side] or name, longest) or _NOBODY[side]
        teams.append(f"{team} {form.sides[side]}" if form.sides else team)
    occasion = _plain(record.occasion.replace(":", "."), _LONGEST_PART)
    when = f"{occasion} {_plain(record.site, longest)}".strip()
    event = _plain(f"{record.event} {record.round}", longest)
    return "-".join(filter(None, (form.kind, " vs ".join(teams), verdict, when, event)))


def _plain(text: str, longest: int) -> str:
    return " ".join(_FORBIDDEN.sub(" ", text).split()).strip(" .")[:longest].rstrip(" .")
