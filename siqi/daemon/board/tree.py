"""The tree of a game's moves. Pure, and without a rule of any game."""

from __future__ import annotations

from typing import Self

import msgspec

from siqi.daemon.board.entries import Used

ROOT = 0
"""The node of the position before the first move."""


class Node(msgspec.Struct, frozen=True):
    """A position of the tree of moves, by the move that led to it."""

    parent: int  # -1: the root
    word: str
    answered: int = 0  # the throw that the move answered; 0: none
    throw: int = 0  # the throw for the side to move here; 0: not thrown


class Tree(msgspec.Struct, frozen=True):
    """The moves that were played, also those that were taken back, and the current position."""

    nodes: tuple[Node, ...] = (Node(-1, ""),)
    current: int = ROOT
    throws: int = 0  # thrown so far, all variations together

    def path(self) -> list[Node]:
        """Return the nodes from the root, which is left out, to the current position."""
        return [self.nodes[at] for at in self.line()[1:]]

    def line(self) -> list[int]:
        """Return the numbers of the nodes from the root, which is included, to the current position."""
        line = [self.current]
        while line[-1] != ROOT:
            line.append(self.nodes[line[-1]].parent)
        return line[::-1]

    @property
    def throw(self) -> int:
        """The throw for the side to move, 0 if there is none."""
        return self.nodes[self.current].throw

    def thrown(self, throw: int) -> Self:
        """Return the tree after a throw for the side to move, which replaces the one before."""
        node = msgspec.structs.replace(self.nodes[self.current], throw=throw)
        nodes = (*self.nodes[: self.current], node, *self.nodes[self.current + 1 :])
        return msgspec.structs.replace(self, nodes=nodes, throws=self.throws + 1)

    def moved(self, word: str) -> Self:
        """Return the tree after a move; a move that is played again leads to the same node."""
        node = Node(self.current, word, self.throw)
        for number, other in enumerate(self.nodes):
            if (other.parent, other.word, other.answered) == (node.parent, node.word, node.answered):
                return msgspec.structs.replace(self, current=number)
        return msgspec.structs.replace(self, nodes=(*self.nodes, node), current=len(self.nodes))

    def at_node(self, node: int) -> Self:
        """Return the tree with another current position; ValueError for a node that is not there."""
        if not 0 <= node < len(self.nodes):
            raise ValueError(f"no node {node}")
        return msgspec.structs.replace(self, current=node)


class TimedTree(Tree, frozen=True):
    """A tree of moves with what each side's clock has used."""

    used: Used = (0, 0)
