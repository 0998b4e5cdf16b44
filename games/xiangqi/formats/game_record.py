"""Game records of Xiangqi in PGN (library/pgn.py), with moves as words of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TextIO

from siqi.games.contract import GameRecord, Note
from siqi.games.records.values import RESULT_TEXT
from siqi.games.xiangqi.library import pgn
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move

ENCODING = "utf-8"
SUFFIX = ".pgn"


def read(handle: TextIO, skip: Callable[[str], None] = lambda text: None) -> Iterator[GameRecord]:
    """Yield the games of an open file; ValueError for a malformed one, and the next call reads the next game.

    A game whose first position the rules cannot play is malformed here, where games are read to be played.
    """
    return iter(partial(_read_next, handle, skip), None)


def _read_next(handle: TextIO, skip: Callable[[str], None]) -> GameRecord | None:
    game = pgn.read_game(handle, skip)
    if game is None:
        return None
    try:
        if game.errors:
            raise game.errors[0]
        if "FEN" in game.headers:
            Board(game.headers["FEN"])
    except ValueError:
        skip(game.source.text)
        raise
    return record_of(game)


def record_of(game: pgn.Game) -> GameRecord:
    """Return a game's record, with its main line as words of the protocol."""
    tags = game.headers
    return GameRecord(
        tuple(move.uci() for move in game.moves),
        (),
        game.result,
        tags.get("Red", "?"),
        tags.get("Black", "?"),
        " ".join(tags[name] for name in ("Date", "Time") if name in tags),
        tags.get("Event", ""),
        tags.get("FEN", ""),
        game,
        tags.get(RESULT_TEXT, ""),
    )


def write(game: GameRecord) -> str:
    """Return the game as PGN, its moves in WXF notation."""
    date, _, clock = game.occasion.partition(" ")
    tags = {"Event": game.event, "Date": date, "Time": clock, "Red": game.first, "Black": game.second, "FEN": game.fen}
    tags |= {RESULT_TEXT: game.result_text}
    return pgn.Game(
        {name: value for name, value in tags.items() if value} | {"Result": game.result},
        [Move.from_uci(word) for word in game.moves],
    ).text()


def annotate(game: GameRecord, notes: Mapping[int, Note], encoding: str) -> str:
    """Return the game's own text with the notes as comments, in characters that the encoding can hold."""
    text: str = game.source.annotated(notes, encoding)
    return text
