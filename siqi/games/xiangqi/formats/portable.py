"""PGN as a file format: whole texts in any notation and encoding, and records game by game, which Xiangqi keeps."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TextIO, cast

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.game_record import CutGameError, GameRecord, Note
from siqi.games.records.values import RESULT_TEXT
from siqi.games.xiangqi.formats.fitting import fitted, rewrite_comments, tags_of
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game, OtherGameError, read_game
from siqi.games.xiangqi.library.san import Notation
from siqi.system.encodings import decode

_TERMINATIONS = {
    **{"time": "time forfeit", "illegal": "rules infraction", "crash": "abandoned", "resigned": "normal"},
    "adjudicated": "adjudication",
}
"""PGN's values of Termination by the cause of the end."""


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a text. Of a game with faults the moves before the first one are kept.

    A game of another kind, and one without a first position, is left out.
    """
    parsed = ParsedFile()
    text, _, parsed.faults = decode(data, encoding, form.encoding)
    handle = io.StringIO(text)
    number = 0
    between: list[str] = []
    while (game := read_game(handle, between.append)) is not None:
        number += 1
        parsed.faults += (f"game {number}: {fault}" for fault in [*game.errors, *game.warnings])
        parsed.notes += (f"game {number}: {note}" for note in game.notes)
        try:
            game.board()
        except ValueError:
            continue
        if any(isinstance(error, OtherGameError) for error in game.errors):
            continue
        game.errors, game.warnings = [], []
        parsed.games.append(game)
    if not number:
        raise ValueError("no PGN game in the text")
    parsed.notes += left_out("lines between games", between)
    return parsed


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the text of the games."""
    losses = Losses()
    texts = []
    for whole in games:
        game = fitted(whole, form.holds, None, losses)
        rewrite_comments(game, lambda text: text.replace("}", ")"), "braces in comments, now parentheses", losses)
        rewrite_comments(game, lambda text: " ".join(text.split()), "line ends in comments, now blanks", losses)
        losses["line ends in tags, now blanks"] += sum(len(value.splitlines()) > 1 for value in tags_of(game).values())
        texts.append(game.text(cast(Notation, style.notation)))
    return WrittenFile(encode("\n".join(texts), style.encoding, losses), +losses)


def stream(handle: TextIO, skip: Callable[[str], None] = lambda text: None) -> Iterator[GameRecord]:
    """Yield the games of an open file; ValueError for a malformed one, and the next call reads the next game.

    A game whose first position the rules cannot play is malformed here, where games are read to be played.
    """
    return iter(partial(_read_next, handle, skip), None)


def _read_next(handle: TextIO, skip: Callable[[str], None]) -> GameRecord | None:
    game = read_game(handle, skip)
    if game is None:
        return None
    try:
        if "FEN" in game.headers:
            Board(game.headers["FEN"])
        if any(isinstance(error, OtherGameError) for error in game.errors):
            raise game.errors[0]
        if game.errors:
            raise CutGameError(str(game.errors[0]), record_of(game)) from None
    except ValueError:
        skip(game.source.text)
        raise
    return record_of(game)


def record_of(game: Game) -> GameRecord:
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


def headers_of(record: GameRecord) -> dict[str, str]:
    """Return a record's tags, without its result."""
    date, _, clock = record.occasion.partition(" ")
    tags = {"Event": record.event, "Site": record.site, "Date": date, "Time": clock, "Round": record.round}
    tags |= {"RedTeam": record.teams[0], "Red": record.first, "BlackTeam": record.teams[1], "Black": record.second}
    tags |= {"Termination": _TERMINATIONS.get(record.end, ""), "FEN": record.fen, RESULT_TEXT: record.result_text}
    return {name: value for name, value in tags.items() if value}


def text(game: GameRecord) -> str:
    """Return the game as PGN, its moves in WXF notation."""
    return Game(headers_of(game) | {"Result": game.result}, [Move.from_uci(word) for word in game.moves]).text()


def annotate(game: GameRecord, notes: Mapping[int, Note], encoding: str) -> str:
    """Return the game's own text with the notes as comments, in characters that the encoding can hold."""
    assert game.source is not None  # `stream` has set it
    return game.source.annotated(notes, encoding)
