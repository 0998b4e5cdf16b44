"""Games as the formats have them, from trees of moves and back."""

from __future__ import annotations

from siqi.games.game_tree import GameTree, TreeMove, children_of
from siqi.games.xiangqi.formats.portable import headers_of, record_of
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.games.xiangqi.library.tree import Line


def tree_of(game: Game) -> GameTree:
    """Return the game with its variations."""
    moves: list[TreeMove] = []
    waiting: list[tuple[Line, int]] = [(game, 0)]
    while waiting:
        line, parent = waiting.pop()
        later = []
        for place, move in enumerate(line.moves):
            later += [(other, parent) for other in line.variations.get(place, ())]
            comment = line.comments.get(place + 1, "")
            if place == 0 and line is not game and (before := line.comments.get(0)):
                comment = f"{before} {comment}".strip()
            moves.append(TreeMove(parent, move.uci(), comment, tuple(line.nags.get(place + 1, ()))))
            parent = len(moves)
        waiting += reversed(later)
    return GameTree(record_of(game), tuple(moves), game.comments.get(0, ""), dict(game.headers))


def game_of(tree: GameTree) -> Game:
    """Return the game that the formats write for a tree; ValueError for a move of no known form."""
    record, children = tree.record, children_of(tree.moves)
    game = Game({**headers_of(record), **tree.headers, "Result": record.result})
    if tree.comment:
        game.comments[0] = tree.comment
    waiting: list[tuple[Line, int]] = [(game, number) for number in children[0][:1]]
    first = {id(game): children[0][1:]}  # the alternatives to a line's first move
    while waiting:
        line, number = waiting.pop()
        others = first.pop(id(line), [])
        while True:
            place, move = len(line.moves), tree.moves[number - 1]
            for other in others:
                beside = Line()
                line.variations.setdefault(place, []).append(beside)
                waiting.append((beside, other))
            line.moves.append(Move.from_uci(move.word))
            if move.comment:
                line.comments[place + 1] = move.comment
            if move.nags:
                line.nags[place + 1] = list(move.nags)
            if not children[number]:
                break
            number, *others = children[number]
    return game
