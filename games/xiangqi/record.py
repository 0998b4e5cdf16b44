"""Game records: PGN, its moves as words of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TextIO

from games.contract import GameRecord
from games.xiangqi import pgn
from games.xiangqi.move import Move

ENCODING = "utf-8"


def read(handle: TextIO) -> Iterator[GameRecord]:
    """The games of an open file; ValueError says what is wrong with one, and the next is read by the next call."""
    while (game := pgn.read_game(handle)) is not None:
        if game.errors:
            raise game.errors[0]
        tags = game.headers
        yield GameRecord(
            tuple(move.uci() for move in game.moves),
            (),
            game.result,
            tags.get("Red", "?"),
            tags.get("Black", "?"),
            tags.get("Date", ""),
            tags.get("Event", ""),
            tags.get("FEN", ""),
        )


def write(game: GameRecord, comments: Mapping[int, str] = MappingProxyType({})) -> str:
    """The game as PGN."""
    tags = {"Event": game.event, "Date": game.occasion, "Red": game.first, "Black": game.second, "FEN": game.fen}
    return pgn.Game(
        {name: value for name, value in tags.items() if value} | {"Result": game.result},
        [Move.from_uci(word) for word in game.moves],
        dict(comments),
    ).text()
