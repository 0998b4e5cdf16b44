"""The official records of a contest: one file a game, written anew after each move, under the official name.

    C6-先手参赛队 B vs 后手参赛队 W-先手胜-时间地点-赛事.txt
    WTN-A vs B-先手胜-2019.07.29 14.00 地点-赛事.txt

The names for Xiangqi and Junqi are made in the same way.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.board.championship.entries import Begun
from siqi.daemon.board.championship.state import GameState, State
from siqi.games import registry
from siqi.games.contract import RESULTS
from siqi.games.game_record import GameRecord
from siqi.system.files import replace_file

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

_LONGEST = 60
"""Characters of a name's part; 255 bytes is what file systems have room for."""


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


def file_names(state: State, index: int) -> dict[str, str]:
    """Return the official name of a game's record for each result that it may have."""
    begun, game = state.begun, state.games[index]
    assert begun is not None
    style = STYLES.get(begun.game, NameStyle(begun.game.upper()))
    teams = [_plain(begun.teams[game.team(side)]) + style.sides[side] for side in range(2)]
    twins = sum((one.at[:16], one.first) == (game.at[:16], game.first) for one in state.games[:index])
    when = " ".join(filter(None, (_occasion(game.at).replace(":", "."), _plain(begun.site))))
    number = f"{twins + 1}" if twins else ""  # begun in the same minute
    event = " ".join(filter(None, (_plain(begun.event), number)))
    suffix = registry.record_format(begun.game).suffixes[0]
    return {
        result: "-".join(filter(None, (style.kind, " vs ".join(teams), verdict, when, event))) + suffix
        for result, verdict in VERDICTS.items()
    }


def _plain(text: str) -> str:
    return " ".join(_FORBIDDEN.sub(" ", text).split()).strip(" .")[:_LONGEST]


def save(folder: Path, state: State) -> str:
    """Write the record of the game that is shown into a folder; return its name, '' before both set-ups.

    A record under the name of another result is removed. OSError, ValueError if it cannot be written.
    """
    begun, game = state.begun, state.game
    if begun is None or game is None:
        return ""
    setups = registry.info(begun.game).setups(None)
    if len(game.path()) < max(setups, 1):
        return ""
    names = file_names(state, state.current)
    name = names.pop(result_of(game))
    replace_file(folder / name, [data_of(begun, game)], lambda head: True)
    _remove(folder, names.values())
    return name


def data_of(begun: Begun, game: GameState) -> bytes:
    """Return a game in the format of its championship; ValueError if the format has no room for it."""
    form = registry.record_format(begun.game)
    record = record_of(begun, game, registry.info(begun.game).setups(None))
    return form.load_stream().text(record).encode(form.encoding)


def _remove(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            (folder / name).unlink()
