"""The tree of an analysis: what its facts add up to. Pure, and without a rule of any game."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import msgspec

from siqi.daemon.board.analyse.entries import (
    Added,
    AnyEntry,
    Begun,
    Commented,
    Marked,
    Promoted,
    Removed,
    Restored,
    Threw,
    Value,
    Valued,
    Went,
)

ROOT = 0
"""The node of the first position."""


class Node(msgspec.Struct, frozen=True):
    """A position of the tree, by the move that led to it."""

    parent: int  # -1: the root
    word: str
    answered: int = 0  # the throw that the move answered; 0: none, or not known
    throw: int = 0  # the throw for the side to move here; 0: not thrown
    comment: str = ""
    nags: tuple[int, ...] = ()
    value: Value | None = None
    marks: tuple[tuple[str, str], ...] = ()  # the ends of drawn arrows, of a ring one point twice
    children: tuple[int, ...] = ()  # the main line's first


class Removal(msgspec.Struct, frozen=True):
    """A branch that was removed, and its place among its parent's."""

    node: int
    index: int
    current: int  # the current node before


class Tree(msgspec.Struct, frozen=True):
    """An analysis. `begun` is None before the first fact."""

    begun: Begun | None = None
    nodes: tuple[Node, ...] = (Node(-1, ""),)
    current: int = ROOT
    removed: tuple[Removal, ...] = ()
    version: int = 0  # rises with each change of what a list of moves shows

    @property
    def node(self) -> Node:
        """The current node."""
        return self.nodes[self.current]

    def line(self, node: int) -> list[int]:
        """Return the nodes from the root, which is included, to a node."""
        line = [node]
        while line[-1] != ROOT:
            line.append(self.nodes[line[-1]].parent)
        return line[::-1]

    def main_line(self, node: int = ROOT) -> list[int]:
        """Return a node and what follows it, first children only."""
        line = [node]
        while children := self.nodes[line[-1]].children:
            line.append(children[0])
        return line

    def shown_line(self) -> list[int]:
        """Return the nodes of the line through the current one, from the root to its last position."""
        return self.line(self.current) + self.main_line(self.current)[1:]

    def walk(self) -> Iterator[int]:
        """Yield all nodes that can be reached, parents before children, each line to its end first."""
        waiting = [ROOT]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(self.nodes[node].children)

    def is_known(self, node: int) -> bool:
        """True for a node that can be reached."""
        while 0 < node < len(self.nodes):
            parent = self.nodes[node].parent
            if node not in self.nodes[parent].children:
                return False
            node = parent
        return node == ROOT

    def child(self, word: str, answered: int) -> int | None:
        """Return the node that a move leads to from the current one; None if the tree has none."""
        for number in self.node.children:
            if (self.nodes[number].word, self.nodes[number].answered) == (word, answered):
                return number
        return None

    def after(self, entry: AnyEntry) -> Tree:
        """Return the tree after one more fact; ValueError for one that cannot follow."""
        if (self.begun is None) != isinstance(entry, Begun):
            raise ValueError("an analysis begins with its first fact, and only once")
        change = msgspec.structs.replace
        match entry:
            case Begun():
                return _begun(entry)
            case Added(word=word):
                if (child := self.child(word, self.node.throw)) is not None:
                    return change(self, current=child)
                number = len(self.nodes)
                added = Node(self.current, word, self.node.throw)
                parent = change(self.node, children=(*self.node.children, number))
                nodes = (*_put(self.nodes, self.current, parent), added)
                return change(self, nodes=nodes, current=number, version=self.version + 1)
            case Went(node=node):
                self._require(node)
                return change(self, current=node)
            case Threw(throw=throw):
                return change(self, nodes=_put(self.nodes, self.current, change(self.node, throw=throw)))
            case Removed(node=node):
                return self._without(node)
            case Restored():
                return self._restored()
            case Promoted(node=node):
                return self._promoted(node)
            case Commented(node=node, text=text):
                self._require(node)
                nodes = _put(self.nodes, node, change(self.nodes[node], comment=text))
                return change(self, nodes=nodes, version=self.version + 1)
            case Marked(node=node, marks=marks):
                self._require(node)
                return change(self, nodes=_put(self.nodes, node, change(self.nodes[node], marks=marks)))
            case Valued(node=node, value=value):
                self._require(node)
                nodes = _put(self.nodes, node, change(self.nodes[node], value=value))
                return change(self, nodes=nodes, version=self.version + 1)

    def _require(self, node: int) -> None:
        if not self.is_known(node):
            raise ValueError(f"no node {node}")

    def _without(self, node: int) -> Tree:
        self._require(node)
        if node == ROOT:
            raise ValueError("the first position stays")
        number = self.nodes[node].parent
        parent = self.nodes[number]
        index = parent.children.index(node)
        children = parent.children[:index] + parent.children[index + 1 :]
        return msgspec.structs.replace(
            self,
            nodes=_put(self.nodes, number, msgspec.structs.replace(parent, children=children)),
            current=number if node in self.line(self.current) else self.current,
            removed=(*self.removed, Removal(node, index, self.current)),
            version=self.version + 1,
        )

    def _restored(self) -> Tree:
        if not self.removed:
            raise ValueError("nothing was removed")
        last = self.removed[-1]
        number = self.nodes[last.node].parent
        parent = self.nodes[number]
        children = (*parent.children[: last.index], last.node, *parent.children[last.index :])
        nodes = _put(self.nodes, number, msgspec.structs.replace(parent, children=children))
        return msgspec.structs.replace(
            self, nodes=nodes, current=last.current, removed=self.removed[:-1], version=self.version + 1
        )

    def _promoted(self, node: int) -> Tree:
        self._require(node)
        while node != ROOT:
            number = self.nodes[node].parent
            parent = self.nodes[number]
            if index := parent.children.index(node):
                order = list(parent.children)
                order[index - 1], order[index] = order[index], order[index - 1]
                nodes = _put(self.nodes, number, msgspec.structs.replace(parent, children=tuple(order)))
                return msgspec.structs.replace(self, nodes=nodes, version=self.version + 1)
            node = number
        raise ValueError("it is the main line")


def _begun(entry: Begun) -> Tree:
    """Return the tree of a first fact; ValueError if a move comes before the one that it follows."""
    children: list[list[int]] = [[] for _ in range(len(entry.moves) + 1)]
    for number, move in enumerate(entry.moves, 1):
        if not 0 <= move.parent < number:
            raise ValueError(f"move {number} follows none")
        children[move.parent].append(number)
    nodes = [Node(-1, "", comment=entry.comment, children=tuple(children[0]))]
    for number, move in enumerate(entry.moves, 1):
        of = tuple(children[number])
        nodes.append(Node(move.parent, move.word, move.throw, 0, move.comment, move.nags, children=of))
    for number, node in enumerate(nodes):
        if node.children:  # the throw that the game had there
            nodes[number] = msgspec.structs.replace(node, throw=nodes[node.children[0]].answered)
    return Tree(entry, tuple(nodes))


def _put(nodes: tuple[Node, ...], at: int, node: Node) -> tuple[Node, ...]:
    return (*nodes[:at], node, *nodes[at + 1 :])


def fold(entries: Iterable[AnyEntry]) -> Tree:
    """Return the tree after all facts; ValueError if one cannot follow the others."""
    return functools.reduce(Tree.after, entries, Tree())
