"""PGN as a file format: whole texts of games, in any notation and encoding."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import cast

from siqi.games.encodings import decode
from siqi.games.formats import Found, Losses, WriteStyle, Written, encode, left_out
from siqi.games.xiangqi.formats.fitting import fitted, rewrite_comments, tags_of
from siqi.games.xiangqi.formats.table import ALL
from siqi.games.xiangqi.library.pgn import Game, OtherGameError, read_game
from siqi.games.xiangqi.library.san import Notation

ENCODING = "utf-8"


def read(name: str, data: bytes, encoding: str | None) -> Found:
    """Return the games of a text. Of a game with faults the moves before the first one are kept.

    A game of another kind, and one without a first position, is left out.
    """
    found = Found()
    text, used, broken = decode(data, encoding, ENCODING)
    if broken:
        found.faults.append(f"{broken} characters that are not {used}")
    handle = io.StringIO(text)
    number = 0
    between: list[str] = []
    while (game := read_game(handle, between.append)) is not None:
        number += 1
        found.faults += (f"game {number}: {fault}" for fault in [*game.errors, *game.warnings])
        found.notes += (f"game {number}: {note}" for note in game.notes)
        try:
            game.board()
        except ValueError:
            continue
        if any(isinstance(error, OtherGameError) for error in game.errors):
            continue
        game.errors, game.warnings = [], []
        found.games.append(game)
    if not number:
        raise ValueError("no PGN game in the text")
    found.notes += left_out("lines between games", between)
    return found


def write(name: str, games: Sequence[Game], style: WriteStyle) -> Written:
    """Return the text of the games."""
    losses = Losses()
    texts = []
    for whole in games:
        game = fitted(whole, ALL, None, losses)
        rewrite_comments(game, lambda text: text.replace("}", ")"), "braces in comments, now parentheses", losses)
        rewrite_comments(game, lambda text: " ".join(text.split()), "line ends in comments, now blanks", losses)
        losses["line ends in tags, now blanks"] += sum(len(value.splitlines()) > 1 for value in tags_of(game).values())
        texts.append(game.text(cast(Notation, style.notation or "wxf")))
    return Written(encode("\n".join(texts), style.encoding or ENCODING, losses), +losses)
