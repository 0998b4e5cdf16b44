"""The current position of an analysis: the referee's or a view, and how each side sees it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from siqi.daemon.board.analyse.tree import Node, Tree
from siqi.daemon.board.events import PlayedMove
from siqi.daemon.board.positions import Moves
from siqi.games import registry
from siqi.games.contract import (
    UNKNOWN_SETUP,
    Game,
    Position,
    is_dice_position,
    is_hidden_position,
    is_setup_position,
    set_dice,
)


class Place(Moves):
    """The position at a node of the tree, and its past."""

    def __init__(self, game: Game[Position], fen: str) -> None:
        """Begin at the first position; ValueError for a bad FEN."""
        super().__init__(game)
        self.fen = fen
        self.whole = game.position(fen or None)
        self.first_throw = self.whole.dice if is_dice_position(self.whole, self.info) else 0
        self._line: list[int] = [0]

    def follow(self, tree: Tree) -> None:
        """Go to the current node; ValueError if a move on the way is against the rules."""
        line = tree.line(tree.current)
        shared = 0
        while shared < min(len(line), len(self._line)) and line[shared] == self._line[shared]:
            shared += 1
        while len(self._line) > shared:
            self.whole.pop()
            self._line.pop()
        for node in line[shared:]:
            self._push(tree.nodes[node])
            self._line.append(node)
        if self.info.has_dice and self.has_pieces and self.whole.outcome() is None:
            set_dice(self.whole, self.info, tree.node.throw)

    def _push(self, node: Node) -> None:
        if self.info.has_dice and self.has_pieces:
            set_dice(self.whole, self.info, node.answered)
        self.whole.push(self.whole.parse_move(node.word))

    @property
    def is_referee(self) -> bool:
        """True if both sides' views of the position are known."""
        whole = self.whole
        if not is_hidden_position(whole, self.info) or whole.viewer is not None or self.fen:
            return False
        return not (is_setup_position(whole, self.info) and UNKNOWN_SETUP in whole.words)

    @property
    def needs_answers(self) -> bool:
        """True if the position is a view, whose moves a referee answers."""
        return is_hidden_position(self.whole, self.info) and self.has_pieces and self.whole.viewer is not None

    def view(self, side: int) -> Position:
        """Return the position as a side sees it, where `is_referee`."""
        view = self.game.position()
        for word in self.words(side):
            view.push(view.parse_move(word))
        return view

    def words(self, side: int) -> list[str]:
        """Return the moves so far as a side may see them."""
        if self.is_referee and is_hidden_position(self.whole, self.info):
            return self.whole.view_moves(side)
        position = self.whole.copy()
        moves = [position.pop() for _ in range(position.ply)][::-1]
        return [self.whole.move_text(move) for move in moves]

    def check_points(self, names: Iterable[str]) -> None:
        """ValueError for a name that is none of a point."""
        self.info.placement(dict.fromkeys(names, self.info.pieces[0][0]))

    def texts(self, words: Sequence[str]) -> list[PlayedMove]:
        """Return moves from here as players write them; those behind a move that cannot be played are left out."""
        return texts(self.info.name, self.whole.fen(), words)


def texts(game: str, fen: str, words: Sequence[str]) -> list[PlayedMove]:
    """Return the moves of a line from a position as players write them."""
    notation = registry.notation(game)
    if notation is None:
        return [PlayedMove(word) for word in words]
    try:
        return [PlayedMove(word, text[0]) for word, text in zip(words, notation.texts(None, fen, words), strict=True)]
    except ValueError:
        return [PlayedMove(word) for word in words]


def tree_texts(tree: Tree, game: Game[Position], known: dict[int, PlayedMove]) -> None:
    """Complete a table of all moves of a tree as players write them."""
    assert tree.begun is not None
    missing = [node for node in tree.walk() if node and node not in known]
    if registry.notation(tree.begun.game) is None:
        for node in missing:
            known[node] = PlayedMove(tree.nodes[node].word, "", tree.nodes[node].answered)
        return
    for node in missing:
        if node in known:
            continue
        position = game.position(tree.begun.fen or None)
        for before in tree.line(tree.nodes[node].parent)[1:]:
            position.push(position.parse_move(tree.nodes[before].word))
        line = [after for after in tree.main_line(node) if after not in known]
        moves = texts(tree.begun.game, position.fen(), [tree.nodes[after].word for after in line])
        known.update(zip(line, moves, strict=True))
