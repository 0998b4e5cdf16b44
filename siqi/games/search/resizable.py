"""The memory of a searcher, remade when the user changes its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

FALLBACK_MB, SMALLEST_MB = 16, 1
"""MiB to use when the first size requested does not fit, and when almost nothing fits."""


class Resizable(Generic[T]):
    """A table or the trees of a searcher, of a size that may change: the old is freed before the new is made."""

    def __init__(self) -> None:
        self._held: T | None = None
        self._size = FALLBACK_MB  # MiB in use
        self.wanted = 0
        """MiB requested last, 0 before the first request."""

    @property
    def held(self) -> T:
        """The object that the last `resize` made; there must have been one."""
        assert self._held is not None
        return self._held

    def resize(self, size: int, make: Callable[[int], T]) -> None:
        """Remake the object by `make(MiB)`. The caller keeps no reference to the old one, or it is not freed.

        MemoryError if `size` does not fit: the message gives the size made instead, the last one or the smallest.
        """
        self.wanted = size
        self._held = None
        for possible in (size, self._size, SMALLEST_MB):
            try:
                self._held, self._size = make(possible), possible
            except MemoryError:
                continue
            break
        if self._held is None or self._size != size:
            raise MemoryError(f"using {self._size} MiB")
