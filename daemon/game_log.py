"""Keep the games that the daemon plays to their end in a file, for the scripts that learn from games.

A line a game, a JSON object: `game`, `moves` (as the client wrote them), `result` (`1-0`: the first side won), `end`
(the reason), `fen` if the game did not begin at the start, `options` of the game's own that are not at their default.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from games.contract import Position, Tell
from games.files import append_json_line, open_json_lines

RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}

MATE_SEEN = "mate seen"
"""The end of a game that was left when a mate had been proven."""

_BEGINNING = re.compile(rb'\{"game": "\w+", "moves": \["[^]]*"\], "result": "[-012/]+", "end": "')


def owns(head: bytes) -> bool:
    """True if a file begins with a game that a `GameLog` wrote."""
    return _BEGINNING.match(head) is not None


class PlayedGame(NamedTuple):
    """A game so far."""

    game: str
    fen: str  # '' for the start
    moves: tuple[str, ...]
    options: dict[str, str]


class GameLog:
    """Follows the positions that are set and the moves that are answered; writes each game once."""

    def __init__(self, warn: Tell) -> None:
        """`tell` gets a line if a game cannot be written."""
        self._warn = warn
        self._path = ""
        self._played: PlayedGame | None = None
        self._winner: int | None = None  # by a proven mate
        self._is_written = False

    def open(self, path: str) -> None:
        """Write to this file from now on, '' for none.

        OSError if it cannot be written or is not ours; nothing changes then.
        """
        if path:
            open_json_lines(path, owns).close()
        self._path = path

    def update(self, played: PlayedGame, position: Position, mate_for: int | None = None) -> None:
        """What a game has come to. One that does not continue the game before ends that.

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
        """The game is over, as far as the client is concerned."""
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
