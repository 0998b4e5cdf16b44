"""The positions of a game: the referee's, and what one side sees of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from siqi.daemon.board.events import Choice, PlayedMove
from siqi.daemon.board.tree import Node, Tree
from siqi.daemon.review.engine import bare
from siqi.games import registry
from siqi.games.contract import (
    UNKNOWN_SETUP,
    Game,
    Position,
    has_pieces,
    is_hidden_position,
    is_setup_position,
    set_dice,
)


class Moves:
    """The moves of a game, of both sides or as one side sees it, at a position: `whole`."""

    whole: Position

    def __init__(self, game: Game[Position]) -> None:
        self.game, self.info = game, game.info

    @property
    def has_pieces(self) -> bool:
        """True once the set-ups are over, in games that have some."""
        return has_pieces(self.whole, self.info)

    def checked(self, word: str) -> str:
        """Return a legal move with all that the position knows of it; ValueError for another.

        A move of a view has the referee's answer, and ValueError is raised without.
        """
        twin = self.whole.copy()
        twin.push(twin.parse_move(word))
        return twin.move_text(twin.pop())

    def observed(self, word: str, result: int | None, flag: str = "") -> str:
        """Return a move of a view with the referee's answer, if there is one; ValueError for a malformed one."""
        if result is None or not is_hidden_position(self.whole, self.info) or not self.has_pieces:
            return word
        return self.whole.observed(bare(word), result, flag)

    def choices(self) -> dict[str, Any]:
        """Return the part of a snapshot that has the moves of the side to move, or the number of a turn's stones."""
        if self.info.stones_per_turn > 1:
            return {"stones": self._stones()}
        words = map(self.whole.move_text, self.whole.legal_moves())
        return {"choices": [Choice(word, self.points_of(word)) for word in words]}

    def _stones(self) -> int:
        """Return the number of stones in the turn of the side to move."""
        info, whole = self.info, self.whole
        empty = len(info.shape.columns) * len(info.shape.rows) - len(whole.pieces())
        if whole.count_legal() > empty:
            return info.stones_per_turn
        return len(self.points_of(whole.move_text(whole.legal_moves()[-1])))  # few moves, two stones last

    def points_of(self, word: str) -> list[str]:
        """Return the names of the points in a move's word; none for a set-up."""
        try:
            points = self.info.shape.points(word)
        except ValueError:
            return []
        return [self.info.shape.point_text(*point) for point in points]


class Positions(Moves):
    """The position at the current node, and its past."""

    def __init__(self, game: Game[Position], person: int, *, is_referee: bool = True) -> None:
        """`person`: the side that is watched. Without `is_referee` that side's view is all that is known of the game:

        the moves are those of the view, each with the referee's answer.
        """
        super().__init__(game)
        self._person, self._is_referee = person, is_referee
        self._notation = registry.notation(game.info.name)
        self._restart()

    def _restart(self) -> None:
        self.whole = self.game.position()
        has_view = self.info.has_hidden and self._is_referee
        self.view = self.game.position() if has_view else self.whole
        self.moves: list[PlayedMove] = []
        self._played: list[Node] = []

    def follow(self, tree: Tree) -> None:
        """Play the moves that lead to the tree's current position."""
        path = tree.path()
        shared = [_key(node) for node in path[: len(self._played)]]
        if shared != [_key(node) for node in self._played]:
            self._restart()
        for node in path[len(self._played) :]:
            chinese = self.worded(node.word).chinese
            self.whole.push(self.whole.parse_move(node.word))
            word = node.word
            if self._is_referee and is_hidden_position(self.whole, self.info):
                word = self.whole.view_moves(self._person)[-1]
                self.view.push(self.view.parse_move(word))
            self.moves.append(PlayedMove(word, chinese, node.answered))
            self._played.append(node)
        if self.info.has_dice and self.has_pieces and self.whole.outcome() is None:
            set_dice(self.whole, self.info, tree.throw)

    def worded(self, word: str) -> PlayedMove:
        """Return a legal move as players write it."""
        if self._notation is None:
            return PlayedMove(word)
        return PlayedMove(word, self._notation.texts(None, self.whole.fen(), [word])[0][0])

    def before(self, position: Position, ply: int) -> Position:
        """Return an earlier position of the game, with the throw that was answered there."""
        earlier = position.copy()
        while earlier.ply > ply:
            earlier.pop()
        if self.info.has_dice:
            set_dice(earlier, self.info, self.moves[ply].throw)
        return earlier

    def words(self, side: int) -> list[str]:
        """Return the moves so far as a side may see them."""
        if self._is_referee and is_hidden_position(self.whole, self.info):
            return self.whole.view_moves(side)
        return [node.word for node in self._played]

    def checked(self, word: str) -> str:
        """Return a legal move as its fact keeps it; ValueError for another. The referee's has no result."""
        if self._is_referee:
            return self.whole.move_text(self.whole.parse_move(bare(word)))
        return super().checked(word)

    def answers(self, word: str) -> list[int]:
        """Return the answers that a referee may give to a move of a view: 3 without a battle, else 0, 1 or 2."""
        return [0, 1, 2] if self.points_of(word)[-1] in self.whole.pieces() else [3]

    def throws(self) -> tuple[int, ...]:
        """Return the throws that the moves after the set-ups have answered; () without a die."""
        if not self.info.has_dice:
            return ()
        return tuple(node.answered for node in self._played[2 if self.info.has_setup else 0 :])

    def setup_points(self, side: int) -> Sequence[str]:
        """Return the points of a side's set-up, in the order of its word."""
        return self.whole.setup_points(side) if is_setup_position(self.whole, self.info) else ()

    def swapped(self, word: str, side: int, first: str, second: str) -> str:
        """Return the word of a side's set-up with the pieces of two points exchanged; ValueError for other points."""
        points, letters = list(self.setup_points(side)), list(word)
        if first not in points or second not in points or not word:
            raise ValueError("not a point of the set-up")
        i, j = points.index(first), points.index(second)
        letters[i], letters[j] = letters[j], letters[i]
        return "".join(letters)

    def set_up(self, side: int, word: str) -> dict[str, str]:
        """Return the pieces of a set-up of the side to move by point; ValueError if the word is none."""
        twin = self.game.position()
        other = UNKNOWN_SETUP if self.info.has_hidden else word
        for mover in range(2):
            twin.push(twin.parse_move(word if mover == side else other))
        points = self.setup_points(side)
        return {point: letter for point, letter in twin.pieces().items() if point in points}


def _key(node: Node) -> tuple[int, str, int]:
    return node.parent, node.word, node.answered
