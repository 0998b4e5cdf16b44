"""The searcher of a game that has an option to choose between searchers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from siqi.games.contract import P, Report, Searcher, SetupPosition, StoredResult, Task

S = TypeVar("S", bound=SetupPosition)


class ChosenSearcher(Generic[P]):
    """The `Searcher` that an option selects."""

    def __init__(self, name: Callable[[], str], make: Callable[[], Searcher[P]]) -> None:
        """`name` returns the option's value, and `make` a new searcher of that name."""
        self._wanted, self._make = name, make
        self._name = ""
        self._searcher: Searcher[P]

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        if self._name != self._wanted():
            self._searcher = self._make()  # frees the old searcher's memory before `configure` takes the new one's
            self._name = self._wanted()
        self._searcher.configure(hash_mb, threads, seed)

    def clear(self) -> None:
        self._searcher.clear()

    def start(self, task: Task[P]) -> None:
        self._searcher.start(task)

    def iterate(self) -> Report:
        return self._searcher.iterate()

    def finish(self) -> None:
        self._searcher.finish()

    def recall(self, position: P) -> StoredResult | None:
        return self._searcher.recall(position)


class SetupSearch(Protocol):
    """A search for a set-up."""

    def iterate(self) -> Report:
        """Search one iteration deeper, as `Searcher.iterate`."""


class DeployingSearcher(ChosenSearcher[S]):
    """The same for a game with set-ups: before them, a search for a set-up."""

    def __init__(
        self,
        name: Callable[[], str],
        make: Callable[[], Searcher[S]],
        new_setup: Callable[[Task[S], int], SetupSearch],
    ) -> None:
        """`new_setup` returns a search for a set-up, from its task and the seed."""
        super().__init__(name, make)
        self._new_setup = new_setup

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        self._seed = seed
        super().configure(hash_mb, threads, seed)

    def start(self, task: Task[S]) -> None:
        self._setup = None if task.position.has_pieces else self._new_setup(task, self._seed)
        if self._setup is None:
            super().start(task)

    def iterate(self) -> Report:
        return super().iterate() if self._setup is None else self._setup.iterate()

    def finish(self) -> None:
        if self._setup is None:
            super().finish()
