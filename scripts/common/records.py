"""Readers of game records, one game at a time: JSON lines, CSV, Xiangqi's PGN, weighted lines; plain or compressed.

And the games of a match.
"""

from __future__ import annotations

import csv
import errno
import gzip
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

import msgspec
import zstandard

from siqi.daemon.match.match_log import MatchRecord
from siqi.daemon.match.stats import read_match
from siqi.games.contract import Game, P
from siqi.games.game_record import CutGameError, GameRecord, check_moves, replay
from siqi.games.shape import shift_ranks
from siqi.system.encodings import decode

if TYPE_CHECKING:
    from siqi.games.xiangqi.library import pgn


class _JsonGame(msgspec.Struct):
    """The fields that are read of a JSON line."""

    moves: list[str]
    result: str = "*"
    fen: str | None = None
    result_conflict: int = 0
    game: str = "xiangqi"
    dice: list[int | None] = []  # EWN: the throws for the moves after the set-ups, None: not known
    options: dict[str, str] = {}  # of the daemon that kept the game (option GameLog)


def open_data(path: Path) -> BinaryIO:
    """Open a file, decompressing `.zst` and `.gz`."""
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path))
    file = path.open("rb")
    if path.suffix == ".zst":
        return cast(BinaryIO, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True))
    return file


def open_text(path: Path) -> TextIO:
    """Open a text file in UTF-8, decompressing as `open_data`; bytes that cannot be decoded become U+FFFD."""
    return io.TextIOWrapper(open_data(path), encoding="utf-8", errors="replace")


SELF_PLAY = "self_play"
"""The kind of log that self_play.py writes; its first line has the settings, not a game."""

_WINNERS = {"B": "1-0", "W": "0-1", "D": "1/2-1/2"}


def read_game_records(path: Path, report: Callable[[str], None], variant: str = "xiangqi") -> Iterator[GameRecord]:
    """Yield a file's games of a variant; `report` gets a line about each game that cannot be read.

    A CSV has columns `moves` and `result` (B, W or D). The encoding of a PGN is detected, others are in UTF-8.
    """
    if ".pgn" in path.suffixes:
        yield from _pgn(path, report)
        return
    with open_text(path) as file:
        if ".csv" in path.suffixes:
            for row in csv.DictReader(file):
                yield GameRecord(tuple(row["moves"].split()), result=_WINNERS.get(row["result"], "*"))
            return
        for number, line in enumerate(file, 1):
            if number == 1 and line.startswith(f'{{"{SELF_PLAY}":'):
                continue
            try:
                game = msgspec.json.decode(line, type=_JsonGame)
            except msgspec.DecodeError as error:
                report(f"{path}:{number}: {error}")
                continue
            if game.game == variant:
                lowest_rank = int(game.options.get("UCI_Coordinates", "0")) if variant == "xiangqi" else 0
                moves = tuple(shift_ranks(word, -lowest_rank) for word in game.moves)
                result = "*" if game.result_conflict else game.result  # sources differ
                yield GameRecord(moves, tuple(dice or 0 for dice in game.dice), result, fen=game.fen or "")


def playable(game: Game[P], record: GameRecord) -> GameRecord:
    """Return a record up to its first move against the rules."""
    try:
        check_moves(game, record)
    except CutGameError as error:
        return error.record
    return record


def positions_before(game: Game[P], record: GameRecord) -> Iterator[tuple[P, str]]:
    """Yield the position before each move of a record and the move's word, up to the first move against the rules."""
    sound = playable(game, record)
    return zip(replay(game, sound), sound.moves, strict=False)


def _pgn(path: Path, report: Callable[[str], None]) -> Iterator[GameRecord]:
    from siqi.games.xiangqi.library.pgn import read_games  # compiles Xiangqi's kernels

    def skip(game: pgn.Game) -> None:
        report(f"{path}: {game.headers.get('Event', '?')}: {game.errors[0]}")

    with open_data(path) as file:
        text, _, _ = decode(file.read(), None, "utf-8")
    for game in read_games(io.StringIO(text), skip):
        moves = tuple(move.uci() for move in game.moves)
        yield GameRecord(moves, result=game.result, fen=game.headers.get("FEN", ""))


MAX_WEIGHT = 10_000


def read_weighted_lines(path: Path, report: Callable[[str], None]) -> Iterator[tuple[GameRecord, int]]:
    """Yield each line of a text as a drawn game, with its weight; `report` gets a line about each bad one.

    A line has moves from the start, and may have a comma and a weight, 1 to MAX_WEIGHT. What follows `#` is left out.
    """
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            moves, _, weight = line.partition("#")[0].partition(",")
            if not moves.split() and not weight.strip():
                continue
            weight = weight.strip() or "1"
            if not (weight.isascii() and weight.isdigit() and 1 <= int(weight[:6]) <= MAX_WEIGHT):
                report(f"{path}:{number}: not a weight from 1 to {MAX_WEIGHT}: {weight}")
                continue
            yield GameRecord(tuple(moves.split()), result="1/2-1/2"), int(weight)


def has_lost(record: MatchRecord, player: str) -> bool:
    """True if one of a game's two players has lost it."""
    return record.winner is not None and record.names[record.winner] != player


def match_games(path: Path, player: str) -> Sequence[MatchRecord]:
    """Return the games of a log of `siqi match`; OSError if it is none, or a player is not among its engines."""
    match = read_match(path)
    names = [engine.name for engine in match.settings.engines]
    if player not in names:
        raise OSError(errno.EINVAL, f"no {player} in {path}, whose engines are {', '.join(names)}")
    return match.records
