"""The official records of a contest: one file a game, written anew after each move, under the official name.

    C6-先手参赛队 B vs 后手参赛队 W-先手胜-时间地点-赛事.txt
    WTN-A vs B-先手胜-2019.07.29 14.00 地点-赛事.txt

The names for Xiangqi and Junqi are made in the same way.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.board.championship.entries import Begun
from siqi.daemon.board.championship.state import GameState
from siqi.games import registry
from siqi.games.contract import RESULTS
from siqi.games.game_record import GameRecord
from siqi.system.files import HEAD_BYTES, Owns, check_owned, replace_file

VERDICTS = {"1-0": "先手胜", "0-1": "后手胜", "1/2-1/2": "和棋", "*": "未完"}

ENDS = {"rules": "", "resignation": "resigned", "time": "time", "referee": "adjudicated", "adjourned": ""}
"""The causes of ends as records of games have them."""


class NameStyle(NamedTuple):
    """The parts of a file's name that depend on the game."""

    kind: str
    sides: tuple[str, str] = ("", "")  # behind the teams


STYLES = {
    "xiangqi": NameStyle("XQ", (" R", " B")),
    "connect6": NameStyle("C6", (" B", " W")),
    "ewn": NameStyle("WTN"),
    "junqi": NameStyle("JQ"),
}

_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
"""Characters that some file system has no room for."""

_LONGEST_PART, _LONGEST_NAME = 60, 240
"""Characters of a part that people have named; bytes of a name without its number: file systems have room for 255."""

Recordings = Set[tuple[str, str]]
"""The records that a game has written: name and digest."""


def result_of(game: GameState) -> str:
    """Return the result of a game as records have it; an adjourned one has none."""
    if game.ended is None or game.ended.end == "adjourned":
        return "*"
    winner = game.ended.winner
    return RESULTS[None if winner is None else game.team(winner)]


def record_of(begun: Begun, game: GameState, setups: int) -> GameRecord:
    """Return a game as a record."""
    path = game.path()
    first, second = (begun.teams[game.team(side)] for side in range(2))
    return GameRecord(
        tuple(node.word for node in path),
        tuple(node.answered for node in path[setups:]) if registry.info(begun.game).has_dice else (),
        result_of(game),
        first,
        second,
        occasion=_occasion(game.at),
        event=begun.event,
        site=begun.site,
        end=ENDS[game.ended.end] if game.ended is not None else "",
    )


def _occasion(at: str) -> str:
    """Return a local time as records have it: 2019.07.29 14:00."""
    return at[:16].replace("-", ".").replace("T", " ")


def file_names(begun: Begun, game: GameState, number: int) -> dict[str, str]:
    """Return the official name of a game's record for each result that it may have.

    `number`: from 1; the names of 1 have none, others tell apart what would have the same name.
    """
    for longest in range(_LONGEST_PART, 0, -1):
        beginnings = [_beginning(begun, game, verdict, longest) for verdict in VERDICTS.values()]
        if max(len(beginning.encode()) for beginning in beginnings) <= _LONGEST_NAME:
            break
    end = (f" {number}" if number > 1 else "") + registry.record_format(begun.game).suffixes[0]
    return dict(zip(VERDICTS, (beginning + end for beginning in beginnings), strict=True))


def _beginning(begun: Begun, game: GameState, verdict: str, longest: int) -> str:
    """Return an official name without its number and its ending; `longest`: characters of a part."""
    style = STYLES.get(begun.game, NameStyle(begun.game.upper()))
    teams = [_plain(begun.teams[game.team(side)], longest) + style.sides[side] for side in range(2)]
    when = f"{_occasion(game.at).replace(':', '.')} {_plain(begun.site, longest)}".strip()
    return "-".join(filter(None, (style.kind, " vs ".join(teams), verdict, when, _plain(begun.event, longest))))


def _plain(text: str, longest: int) -> str:
    return " ".join(_FORBIDDEN.sub(" ", text).split()).strip(" .")[:longest].rstrip(" .")


class Record(NamedTuple):
    """A game's record, which is to be written under the first official name that is free or its own."""

    folder: Path
    names: dict[str, str]  # by result
    result: str
    data: bytes

    @property
    def name(self) -> str:
        """The file's name."""
        return self.names[self.result]

    @property
    def digest(self) -> str:
        """What tells the file from others of its name."""
        return _digest(self.data)

    def write(self, recorded: Recordings) -> None:
        """Write the file, and remove the one that it replaces under the name of another result.

        `recorded`: what the game has written. OSError if it cannot be written.
        """
        replace_file(self.folder / self.name, [self.data], _owns(self.name, recorded))
        for name in self.names.values():
            if name != self.name and _is_own(self.folder, name, recorded):
                (self.folder / name).unlink(missing_ok=True)


def record(folder: Path, begun: Begun, game: GameState) -> Record | None:
    """Return the record of a game for a folder; None before both set-ups.

    ValueError if the format has no room for the game; OSError if the folder cannot be read.
    """
    if len(game.path()) < max(registry.info(begun.game).setups(None), 1):
        return None
    data, result = data_of(begun, game), result_of(game)
    for number in itertools.count(1):
        names = file_names(begun, game, number)
        if all(_is_own(folder, name, game.recorded) for name in names.values()):
            return Record(folder, names, result, data)
    return None


def data_of(begun: Begun, game: GameState) -> bytes:
    """Return a game in the format of its championship; ValueError if the format has no room for it."""
    form = registry.record_format(begun.game)
    record = record_of(begun, game, registry.info(begun.game).setups(None))
    return form.load_stream().text(record).encode(form.encoding)


def _is_own(folder: Path, name: str, recorded: Recordings) -> bool:
    """True if a file that the game may replace has this name, or none has."""
    try:
        check_owned(folder / name, _owns(name, recorded))
    except FileExistsError:
        return False
    return True


def _owns(name: str, recorded: Recordings) -> Owns:
    return lambda head: (name, _digest(head)) in recorded


def _digest(data: bytes) -> str:
    return hashlib.sha256(data[:HEAD_BYTES]).hexdigest()
