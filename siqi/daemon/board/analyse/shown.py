"""What an analysis shows of a position: board, tree, the engine's lines, books. Chances are the first side's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from siqi.daemon.board.analyse.entries import Value
from siqi.daemon.board.analyse.events import BookMoveShown, LineShown, LinesShown, RuleShown, TreeNode, TreeShown
from siqi.daemon.board.analyse.place import Place
from siqi.daemon.board.analyse.tree import ROOT, Tree
from siqi.daemon.board.drawings import Drawing
from siqi.daemon.board.events import GameEnd, PlayedMove
from siqi.daemon.board.mode import SearchInfo
from siqi.daemon.review.pictures import PARTS
from siqi.games import registry
from siqi.games.contract import BookRule, Position, Score, is_hidden_position
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.style import PictureStyle

MAX_MOVES = 12
"""The moves of a line that are shown."""

MAX_BOOK_MOVES, MAX_RULES, MAX_BOOK_LINES = 6, 3, 3


def layers(place: Place, before: Mapping[str, bool]) -> dict[str, bool]:
    """Return the layers of a game, and whether they are shown: all but heat, to begin with."""
    extras = registry.picture_maker(place.info.name).EXTRAS
    return {name: before.get(name, name != "heat") for name in PARTS if name in extras}


def seen(place: Place, view: int | None) -> Position:
    """Return the position as it is shown."""
    return place.whole if view is None or not place.is_referee or not place.has_pieces else place.view(view)


def board_of(place: Place, view: int | None, waits: bool) -> dict[str, Any]:
    """Return the parts of what the page shows that are of the board; `waits`: for a throw before moves."""
    whole = place.whole
    fields: dict[str, Any] = {"turn": whole.turn, "fen": whole.fen(), "has_views": place.is_referee}
    if not place.has_pieces:
        return fields | {"needs_setup": True}
    fields["pieces"] = seen(place, view).pieces()
    outcome = whole.outcome()
    if outcome is not None:
        return fields | {"game_end": GameEnd(outcome.winner, outcome.reason)}
    lines = place.game.consult(whole)
    book = sorted((line.move for line in lines if line.move is not None), key=lambda move: -move.games)
    fields["book"] = [
        BookMoveShown(place.texts([move.word])[0], move.games, move.score) for move in book[:MAX_BOOK_MOVES]
    ]
    fields["rules"] = [
        _rule(place, rule) for rule in [line.rule for line in lines if line.rule is not None][:MAX_RULES]
    ]
    fields["known"] = [line.text for line in lines if line.move is None and line.rule is None][:MAX_BOOK_LINES]
    return fields if waits else fields | place.choices()


def _rule(place: Place, rule: BookRule) -> RuleShown:
    moves = [place.texts([word])[0] for word in rule.moves or (rule.word,)]
    return RuleShown(moves, rule.confidence, rule.asked, rule.counts_positions, rule.intents)


def drawing_of(place: Place, view: int | None, shown: Mapping[str, bool], last: Sequence[str]) -> Drawing:
    """Return the board to draw."""
    name = place.info.name
    if not place.has_pieces:
        empty = Diagram({}, place.whole.turn, place.whole.fen())
        empty.has_pieces = False
        return Drawing(name, empty, PictureStyle())
    position = seen(place, view).copy()
    extras = {layer: True for layer, is_shown in shown.items() if is_shown}
    if is_hidden_position(position, place.info) and position.viewer is None:
        extras.pop("beliefs", None)
    return Drawing(name, position, PictureStyle(lastmove=tuple(last)), extras)


def first_side(score: Score, turn: int) -> Value:
    """Return a score of the side to move as the first side's, without its depth."""
    if score.mate is not None:
        mate = score.mate if turn == 0 else -score.mate
        return Value(float(mate > 0), 0, mate)
    expected = 0.5 if score.expected is None else score.expected
    return Value(round(expected if turn == 0 else 1 - expected, 4))


def value_of(info: SearchInfo, turn: int) -> Value:
    """Return what a search has found of a position with this side to move."""
    value = first_side(info.value or info.lines[0].score, turn)
    return Value(value.chance, info.depth, value.mate)


def lines_of(number: int, node: int, info: SearchInfo, place: Place) -> LinesShown:
    """Return what a search of a position has found."""
    turn, value = place.whole.turn, value_of(info, place.whole.turn)
    lines = []
    for line in info.lines:
        score = first_side(line.score, turn)
        moves = place.texts(line.words[:MAX_MOVES])
        lines.append(
            LineShown(score.chance, moves, place.points_of(line.words[0]), line.score.cp, score.mate, line.throw)
        )
    return LinesShown(
        number=number,
        node=node,
        depth=info.depth,
        nodes=info.nodes,
        elapsed_ms=info.elapsed_ms,
        chance=value.chance,
        mate=value.mate,
        lines=lines,
    )


def tree_of(tree: Tree, place: Place, texts: Mapping[int, PlayedMove]) -> TreeShown:
    """Return all moves of the tree."""
    nodes = []
    for node in tree.walk():
        if node == ROOT:
            continue
        added = tree.nodes[node]
        move = PlayedMove(added.word, texts[node].chinese, added.answered)
        nodes.append(TreeNode(node, added.parent, move, added.comment, added.nags, _chance(added.value)))
    root = tree.nodes[ROOT]
    setups = place.info.setups(place.fen)
    return TreeShown(nodes, comment=root.comment, chance=_chance(root.value), setups=setups)


def _chance(value: Value | None) -> float | None:
    return None if value is None else value.chance
