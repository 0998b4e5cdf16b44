"""The log of finished games (option GameLog), for the scripts that learn from games.

Each line is a JSON object: `game`, `moves` (as the client wrote them), `result` (`1-0`: the first side won), `end` (the
reason), `fen` if the game did not begin at the start, `dice` in a game with a die (a throw for each move after the
set-ups, null where it is not known), `options` of the game that are not at their default.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable

from siqi.daemon.engine.played_game import FinishedGame
from siqi.games.contract import Warn
from siqi.system.files import append_json_line, open_json_lines

_BEGINNING = re.compile(rb'\{"game": "\w+", "moves": \["[^]]*"\], "result": "[-012/]+", "end": "')


def owns(head: bytes) -> bool:
    """True if a file that begins with these bytes was written by a `GameLog`."""
    return _BEGINNING.match(head.removeprefix(codecs.BOM_UTF8)) is not None  # an editor may have put a mark there


class GameLog:
    """A file of games, one line each."""

    def __init__(self, warn: Warn, logged: Callable[[str], None]) -> None:
        """`warn` gets a line if a game cannot be written; `logged` gets the file after each game."""
        self._warn = warn
        self._logged = logged
        self._path = ""

    @property
    def is_open(self) -> bool:
        return bool(self._path)

    def open(self, path: str) -> None:
        """Append games to this file from now on; '': no log.

        OSError if it cannot be written or is not ours; the log before then stays.
        """
        if path:
            open_json_lines(path, owns).close()
        self._path = path

    def write(self, finished: FinishedGame) -> None:
        """Append a game, if a file is open."""
        if not self._path:
            return
        try:
            append_json_line(self._path, json.dumps(entry_of(finished)), owns)
        except OSError as error:
            self._warn(f"option GameLog: {error.strerror}: {self._path}")
        else:
            self._logged(self._path)


def entry_of(finished: FinishedGame) -> dict[str, object]:
    """Return a game's line as an object."""
    played = finished.played
    entry: dict[str, object] = {
        "game": played.game,
        "moves": played.moves,
        "result": finished.result,
        "end": finished.end,
    }
    if played.fen:
        entry["fen"] = played.fen
    if played.throws:
        entry["dice"] = [die or None for die in played.throws]
    if played.options:
        entry["options"] = played.options
    return entry
