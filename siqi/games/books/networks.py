"""Books of networks: the arrays of a payload, and the choice of a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from siqi.games.books.book import BookFileError
from siqi.games.contract import Warn

AnyNetwork = TypeVar("AnyNetwork")


def check_architecture(path: Path, about: Mapping[str, Any], architecture: Mapping[str, Any]) -> None:
    """Check that a book's header has the fields of an architecture; BookFileError, with the file's path, if not."""
    if any(about.get(name) != value for name, value in architecture.items()):
        raise BookFileError(f"{path}: holds another kind of network than this program evaluates")


def join_arrays(arrays: Iterable[Any], orders: Iterable[str]) -> bytes:
    """Return the payload of arrays one after the other, each as its type; `split_arrays` is the reverse."""
    return b"".join(np.ascontiguousarray(array, order).tobytes() for array, order in zip(arrays, orders, strict=True))


def split_arrays(path: Path, payload: Any, layout: Iterable[tuple[str, tuple[int, ...]]]) -> list[Any]:
    """Return the arrays that a payload holds one after the other, by their types and shapes.

    BookFileError, with the file's path, if the payload has too few bytes or too many.
    """
    arrays: list[Any] = []
    start = 0
    for order, shape in layout:
        end = start + math.prod(shape) * np.dtype(order).itemsize
        if end > len(payload):
            raise BookFileError(f"{path}: {len(payload)} bytes are too few for its network")
        arrays.append(payload[start:end].view(order).reshape(shape))
        start = end
    if start != len(payload):
        raise BookFileError(f"{path}: {len(payload)} bytes are too many for its network")
    return arrays


def find_network(
    read: Callable[[Path], AnyNetwork], file: Path | None, shipped: Path, otherwise: str, warn: Warn
) -> AnyNetwork | None:
    """Return the user's network, else the shipped one, else None; `warn` gets one line if the wanted one fails.

    `otherwise`: what is used without a network, in the plural, for that line.
    """
    fault = ""
    for path in (file, shipped):
        if path is not None:
            try:
                network = read(path)
            except BookFileError as error:
                fault = fault or str(error)
                continue
            if fault:
                warn(f"{fault}; the shipped network is used")
            return network
    warn(f"{fault}; {otherwise} are used")
    return None
