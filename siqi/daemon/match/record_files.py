"""The records of a match as files, one a game, in the format of its game."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from siqi.daemon.match.match_log import MatchRecord, MatchSettings
from siqi.daemon.match.records import Occasion, record_of, round_of
from siqi.daemon.match.schedule import missing
from siqi.games import registry
from siqi.games.contract import Game, Position
from siqi.games.records import official
from siqi.system.files import check_owned, replace_file


class RecordFiles:
    """The files of a match's games, numbered from 1, in a folder."""

    def __init__(self, folder: Path, game: Game[Position], occasion: Occasion) -> None:
        self._folder, self._game, self._occasion = folder, game, occasion
        self._format = registry.record_format(game.info.name)

    def path(self, game: int) -> Path:
        """Return the path of a game's file."""
        return self._folder / f"{game + 1:05d}{self._format.suffixes[0]}"

    def prepare(self, settings: MatchSettings, records: Sequence[MatchRecord]) -> None:
        """Write the missing files of logged games; OSError if one exists with other text, or for an unplayed game."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for game in itertools.chain.from_iterable(unit.games for unit in missing(settings, records)):
            check_owned(self.path(game), lambda head: False)
        for record in records:
            self.write(record)

    def write(self, record: MatchRecord) -> None:
        """Write a game's file, unless a side had not set up; OSError if the file exists with another text."""
        occasion = self._occasion._replace(round=round_of(record, self._format, self._occasion))
        if (played := record_of(self._game.info, record, self._game, occasion)) is not None:
            data = official.data(self._format, played)
            replace_file(self.path(record.game), [data], data.startswith)
