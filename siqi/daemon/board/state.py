"""The state of a session: what its facts add up to. Pure, and without a rule of any game."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from siqi.daemon.board.entries import (
    AnyEntry,
    Begun,
    Ended,
    Moved,
    Paused,
    Resumed,
    Thrown,
    Ticked,
    Used,
    WentBack,
)

ROOT = 0
"""The node of the position before the first move."""


class Node(msgspec.Struct, frozen=True):
    """A position of the tree of moves, by the move that led to it."""

    parent: int  # -1: the root
    word: str
    answered: int = 0  # the throw that the move answered; 0: none
    throw: int = 0  # the throw for the side to move here; 0: not thrown


class State(msgspec.Struct, frozen=True):
    """A session's state. `begun` is None before the first fact."""

    begun: Begun | None = None
    nodes: tuple[Node, ...] = (Node(-1, ""),)
    current: int = ROOT
    used: Used = (0, 0)
    is_paused: bool = False
    ended: Ended | None = None
    throws: int = 0  # thrown so far, all variations together

    def path(self) -> list[Node]:
        """Return the nodes from the root, which is left out, to the current position."""
        found = []
        at = self.current
        while at != ROOT:
            found.append(self.nodes[at])
            at = self.nodes[at].parent
        return found[::-1]

    def line(self) -> list[int]:
        """Return the numbers of the nodes from the root, which is included, to the current position."""
        found = [self.current]
        while found[-1] != ROOT:
            found.append(self.nodes[found[-1]].parent)
        return found[::-1]

    @property
    def throw(self) -> int:
        """The throw for the side to move, 0 if there is none."""
        return self.nodes[self.current].throw

    def after(self, entry: AnyEntry) -> State:
        """Return the state after one more fact; ValueError for one that cannot follow."""
        if (self.begun is None) != isinstance(entry, Begun):
            raise ValueError("a session begins with its first fact, and only once")
        change = msgspec.structs.replace
        match entry:
            case Begun():
                return change(self, begun=entry)
            case Thrown():
                node = change(self.nodes[self.current], throw=entry.throw)
                return change(self, nodes=_put(self.nodes, self.current, node), throws=self.throws + 1)
            case Moved():
                node = Node(self.current, entry.word, self.throw)
                for number, other in enumerate(self.nodes):  # a move played again leads to the same node
                    if (other.parent, other.word, other.answered) == (node.parent, node.word, node.answered):
                        return change(self, current=number, used=entry.used)
                return change(self, nodes=(*self.nodes, node), current=len(self.nodes), used=entry.used)
            case WentBack():
                if not 0 <= entry.node < len(self.nodes):
                    raise ValueError(f"no node {entry.node}")
                return change(self, current=entry.node, used=entry.used, ended=None)
            case Ticked():
                return change(self, used=entry.used)
            case Paused():
                return change(self, used=entry.used, is_paused=True)
            case Resumed():
                return change(self, is_paused=False)
            case Ended():
                return change(self, used=entry.used, ended=entry)


def _put(nodes: tuple[Node, ...], at: int, node: Node) -> tuple[Node, ...]:
    return (*nodes[:at], node, *nodes[at + 1 :])


def fold(entries: Iterable[AnyEntry]) -> State:
    """Return the state after all facts; ValueError if one cannot follow the others."""
    state = State()
    for entry in entries:
        state = state.after(entry)
    return state
