"""The official records of a contest: one file a game, written anew after each move, under the official name."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.board.championship.entries import Begun
from siqi.daemon.board.championship.state import GameState
from siqi.games import registry
from siqi.games.contract import RESULTS
from siqi.games.game_record import GameRecord
from siqi.games.records import official
from siqi.system.files import HEAD_BYTES, Owns, check_owned, replace_file

ENDS = {"rules": "", "resignation": "resigned", "time": "time", "referee": "adjudicated", "adjourned": ""}
"""The causes of ends as records of games have them."""

Recordings = Set[tuple[str, str]]
"""The records that a game has written: name and digest."""


def result_of(game: GameState) -> str:
    """Return the result of a game as records have it; an adjourned one has none."""
    if game.ended is None or game.ended.end == "adjourned":
        return "*"
    winner = game.ended.winner
    return RESULTS[None if winner is None else game.team(winner)]


def record_of(begun: Begun, game: GameState) -> GameRecord:
    """Return a game as a record."""
    path, info = game.path(), registry.info(begun.game)
    first, second = (begun.teams[game.team(side)] for side in range(2))
    return GameRecord(
        tuple(node.word for node in path),
        tuple(node.answered for node in path[info.setups(None) :]) if info.has_dice else (),
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

    ValueError if the format cannot store the game; OSError if the folder cannot be read.
    """
    if len(game.path()) < max(registry.info(begun.game).setups(None), 1):
        return None
    form, kept = registry.record_format(begun.game), record_of(begun, game)
    data = official.data(form, kept)
    for number in itertools.count(1):
        names = official.file_names(form, kept, number)
        if all(_is_own(folder, name, game.recorded) for name in names.values()):
            return Record(folder, names, kept.result, data)
    return None


def data_of(begun: Begun, game: GameState) -> bytes:
    """Return a game in the format of its championship; ValueError if the format cannot store it."""
    return official.data(registry.record_format(begun.game), record_of(begun, game))


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
