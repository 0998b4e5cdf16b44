"""A game as it was played, and how it ended."""

from __future__ import annotations

from typing import NamedTuple

from siqi.games.contract import Move, Position

MATE_SEEN = "mate seen"
"""The end of a game that the client left after a mate was proven."""

REPORTED = "reported"
"""The end of a game whose result the client reported while it went on by the rules."""


class PlayedGame(NamedTuple):
    """A game as it has been played so far."""

    game: str
    fen: str  # '': the start position
    moves: tuple[str, ...]  # as the client wrote them
    options: dict[str, str]  # of the game, that are not at their default
    throws: tuple[int, ...] = ()  # answered by the moves after the set-ups, 0: not known; () without a die


class FinishedGame(NamedTuple):
    """A game that has ended."""

    played: PlayedGame
    position: Position  # the last one, with its history; not to be changed
    result: str  # 1-0: the first side won, 0-1, 1/2-1/2
    end: str  # the rules' reason, MATE_SEEN or REPORTED
    own: frozenset[int] = frozenset()  # the sides that this engine has moved for


def moves_of(position: Position) -> list[Move]:
    """Return the moves that led to a position, with all that it knows of them (a battle's result)."""
    position = position.copy()
    moves = [position.pop() for _ in range(position.ply)]
    return moves[::-1]
