"""Whole files of a format whose games are read and written one by one."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.game_record import GameRecord
from siqi.system.encodings import decode

TEXTS = {
    **{"first": "player names", "second": "player names", "occasion": "occasions", "event": "events"},
    "result_text": "results",
}
"""The texts of a record, with their names in reports of lost characters."""


class WholeTexts:
    """The functions `read` and `write` of a format's module (siqi/games/formats.py), made from those for one game."""

    def __init__(
        self,
        stream: Callable[[TextIO, Callable[[str], None]], Iterator[GameRecord]],
        text: Callable[[GameRecord], str],
    ) -> None:
        """`stream` and `text` are those of a StreamModule."""
        self._stream, self._text = stream, text

    def read(self, form: Format, data: bytes, encoding: str | None) -> ParsedFile:
        """Return the games of a text; ValueError if there is none."""
        parsed = ParsedFile()
        text, _, parsed.faults = decode(data, encoding, form.encoding)
        skipped: list[str] = []
        games = self._stream(io.StringIO(text), skipped.append)
        number = 0
        while True:
            number += 1
            try:
                parsed.games.append(next(games))
                note_result(parsed, number, parsed.games[-1])
            except StopIteration:
                break
            except ValueError as error:
                parsed.faults.append(f"game {number}: {error}")
        if number == 1:
            raise ValueError("no game in the text")
        parsed.notes += left_out("texts", skipped)
        return parsed

    def write(self, form: Format, games: Sequence[GameRecord], style: WriteStyle) -> WrittenFile:
        """Return the text of the games; ValueError if one cannot be written."""
        losses = Losses()
        parts = []
        for number, game in enumerate(games, 1):
            try:
                parts.append(self._text(game))
            except ValueError as error:
                raise ValueError(f"game {number}: {error}") from None
            count_changes(game, next(self._stream(io.StringIO(parts[-1]), lambda skipped: None)), losses)
        return WrittenFile(encode("".join(parts), style.encoding, losses), +losses)


def note_result(parsed: ParsedFile, number: int, game: GameRecord) -> None:
    """Note a result without a known meaning, which is kept as text."""
    if game.result_text and game.result == "*":
        parsed.notes.append(f"game {number}: a result that is not known, kept as text: {game.result_text}")


def count_changes(game: GameRecord, read_back: GameRecord, losses: Losses) -> None:
    """Count the texts of a game that read back differently. Blanks around them are no content, nor is `?`."""
    for name, what in TEXTS.items():
        before, after = (getattr(record, name).strip() for record in (game, read_back))
        losses[f"some characters in {what}"] += before not in (after, "?") and bool(before)
