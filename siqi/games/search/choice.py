"""The searcher of a game that has set-ups and an option to choose between searchers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from siqi.games.contract import Report, Searcher, SetupPosition, StoredResult, Task

S = TypeVar("S", bound=SetupPosition)


class SetupSearch(Protocol):
    """A search for a set-up."""

    def iterate(self) -> Report:
        """Search one iteration deeper, as `Searcher.iterate`."""


class ChosenSearcher(Generic[S]):
    """The `Searcher` that an option selects; before the set-ups, a search for a set-up."""

    def __init__(
        self,
        name: Callable[[], str],
        make: Callable[[], Searcher[S]],
        new_setup: Callable[[Task[S], int], SetupSearch],
    ) -> None:
        """`name` returns the option's value, and `make` a new searcher of that name.

        `new_setup` returns a search for a set-up, from its task and the seed.
        """
        self._wanted, self._make, self._new_setup = name, make, new_setup
        self._name = ""
        self._searcher: Searcher[S]

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        self._seed = seed
        if self._name != self._wanted():
            self._searcher = self._make()  # frees the old searcher's memory before `configure` takes the new one's
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

    def recall(self, position: S) -> StoredResult | None:
        return self._searcher.recall(position)
