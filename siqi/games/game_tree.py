"""A game with its variations, in the form that all games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from siqi.games.game_record import GameRecord


class TreeMove(NamedTuple):
    """A move of a tree, by the number of the position before it: 0 is the first one, n the one after move n."""

    parent: int
    word: str
    comment: str = ""  # behind the move
    nags: tuple[int, ...] = ()  # PGN's numeric annotations


class GameTree(NamedTuple):
    """A game's record, and all its moves: parents before what follows them, at each position the main line first."""

    record: GameRecord
    moves: tuple[TreeMove, ...]
    comment: str = ""  # before the first move
    headers: Mapping[str, str] = MappingProxyType({})  # the tags of the file that it was read from


def tree_of(record: GameRecord) -> GameTree:
    """Return the tree of a record that has no variations."""
    return GameTree(record, tuple(TreeMove(number, word) for number, word in enumerate(record.moves)))


def children_of(moves: Sequence[TreeMove]) -> list[list[int]]:
    """Return for each position of a tree the numbers of the moves from there, the main line's first."""
    children: list[list[int]] = [[] for _ in range(len(moves) + 1)]
    for number, move in enumerate(moves, 1):
        children[move.parent].append(number)
    return children
