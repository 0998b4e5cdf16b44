"""The searcher of a game with set-ups and several searchers to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from games.contract import Recollection, Report, Searcher, SetupPosition, Task

S = TypeVar("S", bound=SetupPosition)


class SetupSearch(Protocol):
    """A search for a set-up."""

    def iterate(self) -> Report: ...


class ChosenSearcher(Generic[S]):
    """A `Searcher`: the one that an option names, or before the set-ups a search for one."""

    def __init__(
        self,
        name: Callable[[], str],
        make: Callable[[], Searcher[S]],
        new_setup: Callable[[Task[S], int], SetupSearch],
    ) -> None:
        """`name` returns the option's value, `make` the searcher of that name; `new_setup` gets a task and the seed."""
        self._wanted, self._make, self._new_setup = name, make, new_setup
        self._name = ""
        self._searcher: Searcher[S]

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        self._seed = seed
        if self._name != self._wanted():
            self._searcher = self._make()  # the memory of the one before goes before this one asks for its own
            self._name = self._wanted()
        self._searcher.configure(hash_mb, threads, seed)

    def clear(self) -> None:
        self._searcher.clear()

    def start(self, task: Task[S]) -> None:
        self._setup = None if task.position.has_pieces else self._new_setup(task, self._seed)
        if self._setup is None:
            self._searcher.start(task)

    def iterate(self) -> Report:
        return self._searcher.iterate() if self._setup is None else self._setup.iterate()

    def finish(self) -> None:
        if self._setup is None:
            self._searcher.finish()

    def recall(self, position: S) -> Recollection | None:
        return self._searcher.recall(position)
