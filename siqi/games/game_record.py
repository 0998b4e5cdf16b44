"""Games as files keep them."""

from __future__ import annotations

from typing import Any, NamedTuple


class NoteLine(NamedTuple):
    """A part of a note: text, then moves as words of the protocol, played from the position of the note."""

    text: str
    moves: tuple[str, ...] = ()


Note = tuple[NoteLine, ...]
"""The engine's findings on one position, to be written into a game's record."""


class GameRecord(NamedTuple):
    """A game as a file keeps it; `moves` are words of the protocol, set-ups first."""

    moves: tuple[str, ...]
    dice: tuple[int, ...] = ()  # the throws for the moves after the set-ups; 0: not known
    result: str = "*"  # 1-0 (the first side won), 0-1, 1/2-1/2; *: unknown
    first: str = "?"  # name of the player
    second: str = "?"
    occasion: str = ""  # date and place
    event: str = ""
    fen: str = ""  # of the first position; "": the start position
    source: Any = None  # the parsed file, for `StreamModule.annotate`
    result_text: str = ""  # the file's words for the result if they differ from it or add to it; "": none


class CutGameError(ValueError):
    """Raised for a game with a fault; `record` has what stands before it."""

    def __init__(self, why: str, record: GameRecord) -> None:
        super().__init__(why)
        self.record = record
