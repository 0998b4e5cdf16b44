"""The state of a session: what its facts add up to. Pure, and without a rule of any game."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import msgspec

from siqi.daemon.board.entries import (
    AnyEntry,
    Begun,
    Ended,
    Moved,
    Paused,
    Resumed,
    TakenBack,
    Thrown,
    Ticked,
    WentBack,
)
from siqi.daemon.board.tree import TimedTree


class State(TimedTree, frozen=True):
    """A session's state. `begun` is None before the first fact."""

    begun: Begun | None = None
    is_paused: bool = False
    ended: Ended | None = None
    taken: frozenset[int] = frozenset()  # the nodes of bad moves that were taken back

    def after(self, entry: AnyEntry) -> State:
        """Return the state after one more fact; ValueError for one that cannot follow."""
        if (self.begun is None) != isinstance(entry, Begun):
            raise ValueError("a session begins with its first fact, and only once")
        change = msgspec.structs.replace
        match entry:
            case Begun():
                return change(self, begun=entry)
            case Thrown():
                return self.thrown(entry.throw)
            case Moved():
                return change(self.moved(entry.word), used=entry.used)
            case WentBack():
                return change(self.at_node(entry.node), used=entry.used, ended=None)
            case TakenBack():
                back = self.at_node(self.nodes[self.current].parent)
                return change(back, used=entry.used, taken=self.taken | {self.current})
            case Ticked():
                return change(self, used=entry.used)
            case Paused():
                return change(self, used=entry.used, is_paused=True)
            case Resumed():
                return change(self, is_paused=False)
            case Ended():
                return change(self, used=entry.used, ended=entry)


def fold(entries: Iterable[AnyEntry]) -> State:
    """Return the state after all facts; ValueError if one cannot follow the others."""
    return functools.reduce(State.after, entries, State())
