"""The file format that all books share: a checked header in front of a payload.

A book is read whole: kernels work on its bytes by address, and what is mapped vanishes when a file is cut short.

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
import re
import struct
import zlib
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.files import open_regular, replace_file

BOOKS_FOLDER = Path(__file__).resolve().parents[2] / "books"
"""What is shipped."""

MAGIC = b"SIQIBOOK"
_HEAD = struct.Struct("<8sII")
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20

MOST_BYTES = 1 << 32
"""Of any payload; each kind of book has a bound of its own below it."""

_KIND = re.compile(r"[a-z0-9-]{1,40}")


class BookFileError(Exception):
    """A book that cannot be used; the text is one line and names the file."""


def folders(shipped: Path, more: str, warn: Callable[[str], None]) -> list[Path]:
    """The shipped folder and those that an option names, written as `$PATH` is; `warn` gets a line for each missing."""
    found = []
    for folder in (shipped, *map(Path, filter(None, more.split(os.pathsep)))):
        if os.path.isdir(folder):
            found.append(folder)
        else:
            warn(f"{folder}: no such folder")
    return found


def files_in(folder: Path, suffix: str, warn: Callable[[str], None]) -> list[Path]:
    """The files of a folder whose names end so, in order; `warn` gets a line if it cannot be read."""
    try:
        return sorted(folder.glob(f"*{suffix}"))
    except OSError as error:
        warn(f"{folder}: {error.strerror}")
        return []


class BookFile(NamedTuple):
    """An open book; `about` is its header."""

    about: dict[str, Any]
    payload: np.ndarray[Any, np.dtype[np.uint8]]  # read-only


def write_book(path: Path, kind: str, version: int, about: dict[str, Any], payload: bytes | memoryview) -> None:
    """Write a book in one step. OSError if the file is anything but a book of that kind, which is left as it is."""
    fields = {"kind": kind, "version": version, "size": len(payload), "crc": zlib.crc32(payload), **about}
    header = json.dumps(fields, ensure_ascii=False, indent=1).encode()
    header += b" " * (-(_HEAD.size + len(header)) % _ALIGNMENT)
    head = _HEAD.pack(MAGIC, len(header), zlib.crc32(header)) + header
    replace_file(path, (head, payload), lambda found: book_kind(found) == kind)


def book_kind(head: bytes) -> str | None:
    """The kind of the book that a file begins with; None if it is no book."""
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        return None
    try:
        about = json.loads(head[_HEAD.size : _HEAD.size + _HEAD.unpack_from(head)[1]])
        return str(about["kind"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


class _Fields(NamedTuple):
    """What every header has."""

    kind: str
    version: int
    size: int  # bytes of the payload
    crc: int


def _fields_of(about: Any) -> _Fields:
    """ValueError if a header lacks one of its fields, or has one that cannot be."""
    if isinstance(about, dict):
        kind: Any
        numbers: list[Any]
        kind, *numbers = (about.get(name) for name in _Fields._fields)
        is_counted = all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)
        if isinstance(kind, str) and _KIND.fullmatch(kind) and is_counted:
            return _Fields(kind, *numbers)
    raise ValueError("damaged header")


def open_book(path: Path, kind: str, version: int, limit: int = MOST_BYTES) -> BookFile:
    """Read a book whose payload has at most `limit` bytes.

    BookFileError if it is missing, damaged, larger, of another kind or of another version.
    """
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return _read_book(file, kind, version, limit)
    except RecursionError:
        raise BookFileError(f"{path}: damaged header") from None
    except MemoryError:
        raise BookFileError(f"{path}: no memory for it") from None
    except (OSError, ValueError) as error:
        raise BookFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _read_book(file: BufferedReader, kind: str, version: int, limit: int) -> BookFile:
    """ValueError says what is wrong with it."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        raise ValueError("not a book")
    _, length, crc = _HEAD.unpack(head)
    header = file.read(min(length, _LONGEST_HEADER))
    if len(header) != length or zlib.crc32(header) != crc:
        raise ValueError("damaged header")
    about = json.loads(header)
    fields = _fields_of(about)
    if fields.kind != kind:
        raise ValueError(f"holds {fields.kind}, not {kind}")
    if fields.version != version:
        raise ValueError(f"version {fields.version}, this program reads {version}")
    if os.fstat(file.fileno()).st_size != file.tell() + fields.size:
        raise ValueError("truncated or overlong")
    if fields.size > limit:
        raise ValueError(f"{fields.size} bytes, more than the {limit} it may have")
    payload: Any = np.empty(fields.size, np.uint8)
    if file.readinto(payload) != fields.size:
        raise ValueError("truncated or overlong")
    if zlib.crc32(payload) != fields.crc:
        raise ValueError("damaged")
    payload.flags.writeable = False
    return BookFile(about, payload)
