"""The log of finished games (option Learn), for the scripts that learn from games.

Each line is a JSON object: `game`, `moves` (as the client wrote them), `result` (`1-0`: the first side won), `end` (the
reason), `fen` if the game did not begin at the start, `options` of the game that are not at their default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from games.contract import Position, Warn
from games.files import append_json_line, open_json_lines

RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}

MATE_SEEN = "mate seen"
"""The `end` of a game that the client left after a mate was proven."""

_BEGINNING = re.compile(rb'\{"game": "\w+", "moves": \["[^]]*"\], "result": "[-012/]+", "end": "')


def owns(head: bytes) -> bool:
    """True if a file that begins with these bytes was written by a `GameLog`."""
    return _BEGINNING.match(head) is not None


class PlayedGame(NamedTuple):
    """A game as it has been played so far."""

    game: str
    fen: str  # '': the start position
    moves: tuple[str, ...]
    options: dict[str, str]


class GameLog:
    """A file of games. It follows the positions that are set up and the best moves; each game is written once."""

    def __init__(self, warn: Warn, written: Callable[[str], None] = lambda path: None) -> None:
        """`warn` gets a line if a game cannot be written; `written` gets the file after each game."""
        self._warn = warn
        self._written = written
        self._path = ""
        self._played: PlayedGame | None = None
        self._winner: int | None = None  # the side with a proven mate
        self._is_written = False

    def open(self, path: str) -> None:
        """Append games to this file from now on; '': no log.

        OSError if it cannot be written or is not ours; the log before then stays.
        """
        if path:
            open_json_lines(path, owns).close()
        self._path = path

    def update(self, played: PlayedGame, position: Position, mate_for: int | None = None) -> None:
        """Take the current state of a game; write it if it is over. A game that this one does not continue is closed.

        `mate_for`: the side for which a search has just proven a mate.
        """
        if not self._path:
            return
        known = self._played
        if known is not None and (known[:2] != played[:2] or played.moves[: len(known.moves)] != known.moves):
            self.close()
        self._played = played
        if mate_for is not None:
            self._winner = mate_for
        outcome = position.outcome()
        if outcome is not None and not outcome.unknown:
            self._write(RESULTS[outcome.winner], outcome.reason)

    def close(self) -> None:
        """End the current game. If it is unfinished but a mate was proven, write it with the end MATE_SEEN."""
        if self._winner is not None:
            self._write(RESULTS[self._winner], MATE_SEEN)
        self._played, self._winner, self._is_written = None, None, False

    def _write(self, result: str, end: str) -> None:
        if not self._path or self._is_written or self._played is None or not self._played.moves:
            return
        entry: dict[str, object] = {
            "game": self._played.game,
            "moves": self._played.moves,
            "result": result,
            "end": end,
        }
        if self._played.fen:
            entry["fen"] = self._played.fen
        if self._played.options:
            entry["options"] = self._played.options
        try:
            append_json_line(self._path, json.dumps(entry), owns)
            self._is_written = True
        except OSError as error:
            self._warn(f"option Learn: {error.strerror}: {self._path}")
        else:
            self._written(self._path)
