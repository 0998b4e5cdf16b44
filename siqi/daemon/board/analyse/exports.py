"""An analysis in the formats of its game."""

from __future__ import annotations

from typing import NamedTuple

from siqi.daemon.board.analyse.tree import ROOT, Tree
from siqi.games import registry
from siqi.games.contract import Game, Position
from siqi.games.formats import Format
from siqi.games.game_record import GameRecord, position_after
from siqi.games.game_tree import GameTree, TreeMove

SVG = "svg"
"""The format of the board's picture."""


class Exported(NamedTuple):
    """A file to be saved, and what its format cannot store."""

    name: str
    data: bytes
    losses: list[str]


def formats(game: str) -> list[str]:
    """Return the names of the formats of a game."""
    return [form.name for form in registry.formats(game)]


def export(tree: Tree, game: Game[Position], stem: str, name: str) -> Exported:
    """Return an analysis in a format; ValueError if there is no such format, or it cannot hold the game at all."""
    assert tree.begun is not None
    form = next((form for form in registry.formats(tree.begun.game) if form.name == name), None)
    if form is None:
        raise ValueError(f"no format {name}")
    whole = game_tree(tree, game)
    losses: dict[str, int] = {}
    notation = registry.notation(tree.begun.game)
    if notation is None:
        _lose_variations(tree, losses)
        written = form.write([whole.record])
    else:
        written = form.write([notation.game(whole)])
    losses |= written.losses
    return Exported(f"{stem}{_suffix(form)}", written.data, [f"{kind}: {n}" for kind, n in losses.items() if n])


def _suffix(form: Format) -> str:
    return form.suffixes[0]


def _lose_variations(tree: Tree, losses: dict[str, int]) -> None:
    main = set(tree.main_line())
    losses["variations"] = sum(1 for node in tree.walk() if node not in main and tree.nodes[node].parent in main)
    losses["comments"] = sum(1 for node in tree.walk() if tree.nodes[node].comment)


def game_tree(tree: Tree, game: Game[Position]) -> GameTree:
    """Return the tree as a game's: its record has the main line."""
    assert tree.begun is not None
    begun = tree.begun
    numbers = {ROOT: 0}
    moves = []
    for node in tree.walk():
        if node == ROOT:
            continue
        move = tree.nodes[node]
        moves.append(TreeMove(numbers[move.parent], move.word, move.comment, move.nags))
        numbers[node] = len(moves)
    main = tree.main_line()[1:]
    setups = game.info.setups(begun.fen)
    words = tuple(tree.nodes[node].word for node in main)
    dice = tuple(tree.nodes[node].answered for node in main[setups:]) if game.info.has_dice else ()
    record = GameRecord(words, dice, begun.result, *begun.players, begun.occasion, begun.event, begun.fen)
    outcome = position_after(game, record).outcome()
    if outcome is not None:
        record = record._replace(result=outcome.result)
    return GameTree(record, tuple(moves), tree.nodes[ROOT].comment, begun.headers)
