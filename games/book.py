"""The file format that all books share: a checked header in front of a payload that is mapped, not read.

bytes 0-7    b"SIQIBOOK"
      8-11   length of the header
      12-15  CRC-32 of the header
      16-    header: a JSON object with kind, version, size and crc (of the payload), and what the book is about
             (source, parameters); padded with blanks so that the payload starts at a multiple of 64
      then   the payload
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.files import replace_file

FOLDER = Path(__file__).resolve().parent.parent / "books"
"""What is shipped."""

MAGIC = b"SIQIBOOK"
_HEAD = struct.Struct("<8sII")
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20


class BookError(Exception):
    """A book that cannot be used; the text is one line and names the file."""


def folders(shipped: Path, more: str, tell: Callable[[str], None]) -> list[Path]:
    """The shipped folder and those that an option names, written as `$PATH` is; `tell` gets a line for each missing."""
    found = []
    for folder in (shipped, *map(Path, filter(None, more.split(os.pathsep)))):
        if os.path.isdir(folder):
            found.append(folder)
        else:
            tell(f"{folder}: no such folder")
    return found


class Book(NamedTuple):
    """An open book; `about` is its header."""

    about: dict[str, Any]
    payload: np.ndarray[Any, np.dtype[np.uint8]]  # read-only, mapped


def write_book(path: Path, kind: str, version: int, about: dict[str, Any], payload: bytes | memoryview) -> None:
    """Write a book in one step. OSError if the file is anything but a book of that kind, which is left as it is."""
    fields = {"kind": kind, "version": version, "size": len(payload), "crc": zlib.crc32(payload), **about}
    header = json.dumps(fields, ensure_ascii=False, indent=1).encode()
    header += b" " * (-(_HEAD.size + len(header)) % _ALIGNMENT)
    head = _HEAD.pack(MAGIC, len(header), zlib.crc32(header)) + header
    replace_file(path, (head, payload), lambda found: kind_of(found) == kind)


def kind_of(head: bytes) -> str | None:
    """The kind of the book that a file begins with; None if it is no book."""
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        return None
    try:
        about = json.loads(head[_HEAD.size : _HEAD.size + _HEAD.unpack_from(head)[1]])
        return str(about["kind"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def open_book(path: Path, kind: str, version: int) -> Book:
    """Map a book; BookError if it is missing, damaged, of another kind or of another version."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size)
            if len(head) < _HEAD.size or not head.startswith(MAGIC):
                raise BookError(f"{path}: not a book")
            _, length, crc = _HEAD.unpack(head)
            header = file.read(min(length, _LONGEST_HEADER))
            whole = os.fstat(file.fileno()).st_size
        if len(header) != length or zlib.crc32(header) != crc:
            raise BookError(f"{path}: damaged header")
        about = json.loads(header)
        if about["kind"] != kind:
            raise BookError(f"{path}: holds {about['kind']}, not {kind}")
        if about["version"] != version:
            raise BookError(f"{path}: version {about['version']}, this program reads {version}")
        if whole != _HEAD.size + length + about["size"]:
            raise BookError(f"{path}: truncated or overlong")
        payload: Any = np.empty(0, np.uint8)
        if about["size"]:
            payload = np.memmap(path, np.uint8, "r", offset=_HEAD.size + length)
        if zlib.crc32(payload) != about["crc"]:
            raise BookError(f"{path}: damaged")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BookError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return Book(about, payload)
