"""Trees of moves in the order of XQF and CBR: a move, what follows it, then its next alternative."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.movetext import move_number
from siqi.games.xiangqi.library.pgn import MAX_MOVES, Game
from siqi.games.xiangqi.library.tree import Line


class TreeStep(NamedTuple):
    """A move as these files keep it."""

    move: Move
    comment: str
    has_next: bool  # what follows it is the next step
    has_sibling: bool  # an alternative comes after all that follows it


def steps_of(main: Line) -> Iterator[TreeStep]:
    """Yield the steps of a line and its variations."""
    waiting: list[list[Line]] = [[main]]  # alternatives of a move, by the depth of the move
    while waiting:
        siblings = waiting[-1]
        line = siblings.pop(0)
        if not siblings:
            waiting.pop()
        last = len(line.moves) - 1
        for place, move in enumerate(line.moves):
            others = list(line.variations.get(place, ()))
            has_sibling = bool(others) or (place == 0 and bool(siblings))
            yield TreeStep(move, line.comments.get(place + 1, ""), place < last, has_sibling)
            if others:
                waiting.append(others)


class StepReader(ABC):
    """A reader of a file's steps, from the byte `at` of its data on."""

    def __init__(self, data: bytes, at: int, faults: list[str]) -> None:
        """A fault is added to `faults`."""
        self._data, self._at, self._faults = data, at, faults

    def has_more(self) -> bool:
        return self._at + 4 <= len(self._data)

    @abstractmethod
    def read_step(self) -> tuple[TreeStep, bytes]:
        """Return the next step without its comment, and the comment's bytes; ValueError if the data ends in it."""

    @abstractmethod
    def text(self, data: bytes) -> str:
        """Return a comment's text."""

    @abstractmethod
    def place(self) -> str:
        """Return the place of the next step, as faults name it."""

    def first_origin(self) -> int:
        """Return the origin of the first move, -1 if there is none."""
        at = self._at
        try:
            return self.read_step()[0].move.from_square
        except ValueError:
            return -1
        finally:
            self._at = at

    def plant(self, planter: Planter) -> None:
        """Read all moves; a fault ends the reading."""
        while not planter.has_ended:
            place = self.place()
            try:
                step, comment = self.read_step()
                planter.add(step._replace(comment=self.text(comment)))
            except ValueError as error:
                self._faults.append(f"{place}: {error}")
                break
        planter.note_lost()


class Planter:
    """A builder of a game's tree from steps; it checks each move against the rules.

    After an illegal move its continuation is left out; its alternatives are not.
    """

    def __init__(self, game: Game, faults: list[str]) -> None:
        """`game` has its tags; a fault is added to `faults`."""
        self._game, self._board = game, game.board()
        self._faults = faults
        self._line: Line = game
        self._slot: tuple[Line, int] | None = None  # the move that the next step replaces, None if it goes on
        self._owner: tuple[Line, int] | None = None  # the move that the line's first one replaces
        self._is_dead = False  # within what follows an illegal move
        # Moves with an alternative to come: slot, plies before it, and True if an illegal move leads to it.
        self._waiting: list[tuple[tuple[Line, int], int, bool]] = []
        self._count = 0
        self.has_ended = False
        self.lost = 0
        """The comments of moves that are left out."""

    def add(self, step: TreeStep) -> None:
        """Add a step; ValueError if there are too many. `has_ended` is true after the last one."""
        self._count += 1
        if self._count > MAX_MOVES:
            raise ValueError(f"more than {MAX_MOVES} moves")
        slot = self._slot
        if slot is None:
            place = len(self._line.moves)
            slot = self._owner if place == 0 and self._owner else (self._line, place)
        if step.has_sibling:
            self._waiting.append((slot, len(self._board.move_stack), self._is_dead))
        if not self._is_dead:
            self._plant(step, slot)
        self.lost += self._is_dead and bool(step.comment)
        if step.has_next:
            return
        if not self._waiting:
            self.has_ended = True
            return
        self._slot, plies, self._is_dead = self._waiting.pop()
        while len(self._board.move_stack) > plies:
            self._board.pop()

    def note_lost(self) -> None:
        """Note the comments that are left out, if there are any."""
        if self.lost:
            self._game.notes.append(f"comments of moves that are left out: {self.lost}")

    def _plant(self, step: TreeStep, slot: tuple[Line, int]) -> None:
        try:
            self._board.push(step.move)
        except ValueError as error:
            self._faults.append(f"{move_number(self._board)} {error}")
            self._is_dead = True
            return
        if self._slot is not None:
            line, place = slot
            self._slot = None
            if place < len(line.moves):
                self._owner, self._line = slot, Line()
                line.variations.setdefault(place, []).append(self._line)
            else:  # the move that it replaces was illegal
                self._line = line
        self._line.moves.append(step.move)
        if step.comment:
            self._line.comments[len(self._line.moves)] = step.comment
