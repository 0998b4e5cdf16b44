"""The games that the engine takes part in, followed to their ends; each finished game is kept once.

A game ends by the rules, by the client's report, or when it is left after a search under a clock has proven a mate. It
is kept in a log (game_log.py) and as a record (record_files.py), whichever of these is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from siqi.daemon.engine.game_log import GameLog
from siqi.daemon.engine.played_game import MATE_SEEN, REPORTED, FinishedGame, PlayedGame, moves_of
from siqi.daemon.engine.record_files import RecordFiles
from siqi.games.contract import RESULTS, Position, Warn


class Stage(NamedTuple):
    """A game up to one of its positions."""

    played: PlayedGame
    position: Position  # a copy

    def is_continued_by(self, later: Stage) -> bool:
        """True if `later` is the same game with zero or more moves added; the moves may be spelt differently."""
        words = bare_words(self.position)
        return self.played[:2] == later.played[:2] and bare_words(later.position)[: len(words)] == words


def bare_words(position: Position) -> list[str]:
    """Return the moves that led to a position, without the flags that a referee of Junqi announces with some.

    The announcement comes with the move's result, after the engine's own move was followed, and may be repeated.
    """
    return [position.move_text(move).partition("@")[0] for move in moves_of(position)]


class KeptGames:
    """The game that is played, and the files of those that have ended.

    It follows the positions that are set up and the engine's moves.
    """

    def __init__(self, warn: Warn, logged: Callable[[str], None]) -> None:
        """`warn` gets a line if a game cannot be written; `logged` gets the log's path after each game."""
        self.log = GameLog(warn, logged)
        self.records = RecordFiles(warn)
        self._stage: Stage | None = None
        self._before: Stage | None = None  # the stage before the last position
        self._winner: int | None = None  # the side with a proven mate
        self._own: set[int] = set()  # the sides that the engine has moved for
        self._is_written = False

    @property
    def is_open(self) -> bool:
        """True if finished games are kept anywhere."""
        return self.log.is_open or self.records.is_open

    def set_up(self, played: PlayedGame, position: Position) -> None:
        """Take the current state of a game; keep it if it is over. A game that this one does not continue is closed."""
        if not self.is_open:
            return
        self._follow(Stage(played, position.copy()))
        outcome = position.outcome()
        if outcome is not None and not outcome.unknown:
            self._keep(outcome.result, outcome.reason)

    def search(self, played: PlayedGame, side: int, is_pondering: bool) -> None:
        """Note that the engine searches for a side's move.

        If it ponders, the last move of `played` is only expected by the client, and is taken back.
        """
        self._own.add(side)
        if is_pondering and self._stage is not None and self._stage.played.moves == played.moves:
            self._stage = self._before

    def move(self, played: PlayedGame, position: Position, mate_for: int | None) -> None:
        """Take the state after the engine's own move; `mate_for`: the side for which its search has proven a mate."""
        if not self.is_open:
            return
        self._follow(Stage(played, position))
        if mate_for is not None:
            self._winner = mate_for
        self.set_up(played, position)

    def _follow(self, stage: Stage) -> None:
        """Move on to another stage; leave the current game if the stage is of another game."""
        if self._stage is not None and not self._stage.is_continued_by(stage):
            self.close()
        if self._stage is None or self._stage.position.ply != stage.position.ply:
            self._before = self._stage
        self._stage = stage

    def end(self, winner: int | None) -> None:
        """End the current game as the client reports it, `winner` None: drawn. An end by the rules stands."""
        self._keep(RESULTS[winner], REPORTED)

    def close(self) -> None:
        """Leave the current game. If it is unfinished but a mate was proven, keep it with the end MATE_SEEN."""
        if self._winner is not None:
            self._keep(RESULTS[self._winner], MATE_SEEN)
        self._stage = self._before = self._winner = None
        self._own, self._is_written = set(), False

    def _keep(self, result: str, end: str) -> None:
        if self._is_written or self._stage is None or not self._stage.played.moves:
            return
        self._is_written = True
        finished = FinishedGame(*self._stage, result, end, frozenset(self._own))
        self.log.write(finished)
        self.records.write(finished)
