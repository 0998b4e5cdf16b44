"""Files of finished games, each in its game's record format (option RecordPath).

Each game gets a new file: no existing one is replaced, and none is left half written. A record is read back before it
is written. A game that the format cannot hold (a throw is not known, the game began from a FEN) is not written, and a
warning gives the reason.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import time
from pathlib import Path

from siqi.daemon.engine.played_game import FinishedGame, moves_of
from siqi.games import registry
from siqi.games.contract import Game, Position, Warn, is_dice_position
from siqi.games.game_record import GameRecord, position_after
from siqi.system.files import check_folder, create_file

OWN_NAME = "Siqi"
UNKNOWN = "?"
"""The event, and the name of a side that this engine has not moved for."""


class RecordFiles:
    """A folder of game records."""

    def __init__(self, warn: Warn) -> None:
        """`warn` gets a line if a game cannot be written."""
        self._warn = warn
        self._folder = ""

    @property
    def is_open(self) -> bool:
        return bool(self._folder)

    def open(self, folder: str) -> None:
        """Write games into this folder from now on; '': write none.

        OSError if it is no folder or cannot be written; the folder before then stays.
        """
        if folder:
            check_folder(folder)
        self._folder = folder

    def write(self, finished: FinishedGame) -> None:
        """Write a game into a new file, if a folder is open."""
        if not self._folder:
            return
        name, now = finished.played.game, time.localtime()
        stem, suffix = f"{name}-{time.strftime('%Y%m%d-%H%M%S', now)}", registry.record_format(name).suffixes[0]
        try:
            text = record_text(finished, now)
            for number in itertools.count(1):  # another process, or a game before, may have ended in this second
                with contextlib.suppress(FileExistsError):
                    create_file(Path(self._folder, f"{stem}-{number}{suffix}"), text)
                    break
        except ValueError as error:
            self._warn(f"option RecordPath: a game of {name} has no record: {error}")
        except OSError as error:
            self._warn(f"option RecordPath: {error.strerror}: {self._folder}")


@functools.lru_cache(maxsize=1)
def plain_game(name: str) -> Game[Position]:
    """Return a game with all options at their defaults."""
    return registry.load(name)


def record_text(finished: FinishedGame, now: time.struct_time) -> bytes:
    """Return a game in its game's record format, of this date and time; ValueError if the format cannot hold it."""
    name = finished.played.game
    game, kept_as = plain_game(name), registry.record_format(name)
    records = kept_as.load_stream()
    record = game_record(game, finished)._replace(occasion=time.strftime("%Y.%m.%d %H:%M:%S", now))
    text = records.text(record)
    if [content(game, back) for back in records.stream(io.StringIO(text))] != [content(game, record)]:
        raise ValueError("it does not read back as it was played")
    return text.encode(kept_as.encoding)


def game_record(game: Game[Position], finished: FinishedGame) -> GameRecord:
    """Return a game as a record, its moves as `game` writes them, its players named by who moved.

    ValueError if the throws do not allow the moves.
    """
    played = finished.played
    position = game.position(played.fen or None)
    fen = position.fen() if played.fen else ""
    if fen == game.position().fen():
        fen = ""
    words = tuple(map(position.move_text, moves_of(finished.position)))
    first, second = (OWN_NAME if side in finished.own else UNKNOWN for side in range(2))
    record = GameRecord(words, played.throws, finished.result, first, second, event=UNKNOWN, fen=fen)
    position_after(game, record)
    return record


def content(game: Game[Position], record: GameRecord) -> tuple[str, tuple[str, ...], tuple[int, ...], str]:
    """Return what a record must keep: the first position with pieces, the moves from there, the throws, the result."""
    setups = min(game.info.setups(record.fen), len(record.moves))
    position = position_after(game, record, setups)
    if is_dice_position(position, game.info) and position.dice:
        position.set_dice(0)  # it is among the throws
    return position.fen(), record.moves[setups:], record.dice, record.result
