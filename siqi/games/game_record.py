"""Games as files keep them, and their replay: the one place that knows which words are set-ups and which throws fit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from siqi.games.contract import Game, GameInfo, P, set_dice


class NoteLine(NamedTuple):
    """A part of a note: text, then moves as words of the protocol, played from the position of the note."""

    text: str
    moves: tuple[str, ...] = ()


Note = tuple[NoteLine, ...]
"""The engine's findings on one position, to be written into a game's record."""


class SourceGame(Protocol):
    """A game as its reader parsed it, with what a record cannot store."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Its tags by name."""

    def annotated(self, notes: Mapping[int, Note], encoding: str) -> str:
        """Return the text that it was read from with notes, as `StreamModule.annotate` does."""


class GameRecord(NamedTuple):
    """A game as a file keeps it."""

    moves: tuple[str, ...]
    """Words of the protocol, set-ups first."""
    dice: tuple[int, ...] = ()
    """The throws for the moves after the set-ups; 0: not known."""
    result: str = "*"
    """`1-0` (the first side won), `0-1`, `1/2-1/2`; `*`: not known."""
    first: str = "?"
    """The name of the first side's player."""
    second: str = "?"
    """The name of the second side's player."""
    occasion: str = ""
    """Date and place."""
    event: str = ""
    """The name of the event."""
    fen: str = ""
    """The first position; "": the start position."""
    source: SourceGame | None = None  # None: the reader keeps no more than the record, or it is from no file
    result_text: str = ""
    """The file's words for the result if they differ from it or add to it; "": none."""
    site: str = ""
    """The place, if `occasion` has only the date."""
    round: str = ""
    """The round."""
    teams: tuple[str, str] = ("", "")
    """The teams of the first and the second player."""
    end: str = ""
    """`time`, `illegal`, `crash`, `resigned` or `adjudicated`; "": by the rules, or not known."""

    def throw(self, info: GameInfo, ply: int) -> int:
        """Return the throw for the move after `ply` moves, set-ups included; 0 if there is none or it is not known."""
        at = ply - info.setups(self.fen)
        return self.dice[at] if 0 <= at < len(self.dice) else 0

    def cut(self, info: GameInfo, plies: int) -> GameRecord:
        """Return the record of the first `plies` moves, with the throws that they answer."""
        return self._replace(moves=self.moves[:plies], dice=self.dice[: max(0, plies - info.setups(self.fen))])


class CutGameError(ValueError):
    """Raised for a game with a fault; `record` has what stands before it."""

    def __init__(self, why: str, record: GameRecord) -> None:
        super().__init__(why)
        self.record = record


def replay(game: Game[P], record: GameRecord) -> Iterator[P]:
    """Yield the position before each move of a record, set-ups included, and the last one: always the same object.

    The throw for the next move is set if the record has it. ValueError for a bad FEN; CutGameError for the first throw
    or move against the rules, for a move when the position after it is requested.
    """
    info = game.info
    position = game.position(record.fen or None)
    for ply, word in enumerate(record.moves):
        try:
            if info.has_dice and (throw := record.throw(info, ply)):
                set_dice(position, info, throw)
            yield position
            position.push(position.parse_move(word))
        except ValueError as error:
            raise CutGameError(str(error), record.cut(info, ply)) from None
    yield position


def position_after(game: Game[P], record: GameRecord, plies: int | None = None) -> P:
    """Return the position after the first `plies` moves of a record, None: all; errors as of `replay`.

    The throw for the next move is set if there is one; `plies` is at most the number of moves.
    """
    return next(itertools.islice(replay(game, record), len(record.moves) if plies is None else plies, None))


def check_moves(game: Game[P], record: GameRecord) -> None:
    """Raise CutGameError, with the number of the move, for the first move that cannot be played."""
    try:
        position_after(game, record)
    except ValueError as error:
        cut = error.record if isinstance(error, CutGameError) else record.cut(game.info, 0)
        raise CutGameError(f"move {len(cut.moves) + 1}: {error}", cut) from None
