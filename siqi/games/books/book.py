"""The file format of all books (opening books, rule books, tablebases, learned weights): a checked header and a
payload.

A book is read whole, not mapped: kernels work on its bytes by address, and mapped bytes vanish when a file is cut
short.

bytes 0-7    b"SIQIBOOK"
      8-11   length of the header, little-endian as the next
      12-15  CRC-32 of the header
      16-    header: a JSON object with kind, version, size and crc (of the payload), and the book's own fields (source,
             parameters); padded with blanks so that the payload starts at a multiple of 64
      then   the payload
"""

from __future__ import annotations

import json
import os
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.system.files import Owns, open_regular, replace_file

BOOKS_FOLDER = Path(__file__).resolve().parents[2] / "books"
"""The folder of the shipped books."""

MAGIC = b"SIQIBOOK"
_HEAD = struct.Struct("<8sII")
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20

MAX_BYTES = 1 << 32
"""Bound on every payload; each kind of book has a lower one."""

_KIND = re.compile(r"[a-z0-9-]{1,40}")


class BookFileError(Exception):
    """A book file cannot be used. The text is one line and names the file."""


def folders(shipped: Path, more: str, warn: Callable[[str], None]) -> list[Path]:
    """Return the shipped folder and those in `more`, which is written like `$PATH`; warn of those that do not exist."""
    named = dict.fromkeys((shipped, *map(Path, filter(None, more.split(os.pathsep)))))
    existing = [folder for folder in named if os.path.isdir(folder)]
    warn_once([f"{folder}: no such folder" for folder in named if folder not in existing], warn)
    return existing


def warn_once(faults: Sequence[str], warn: Callable[[str], None]) -> None:
    """Warn of several faults of one kind in a line: the first, and how many there are."""
    if faults:
        warn(faults[0] + (f" ({len(faults)} such faults)" if len(faults) > 1 else ""))


def files_in(folder: Path, suffix: str, warn: Callable[[str], None]) -> list[Path]:
    """Return the files of a folder whose names end in `suffix`, sorted; warn and return none if it cannot be read."""
    try:
        return sorted(folder.glob(f"*{suffix}"))
    except OSError as error:
        warn(f"{folder}: {error.strerror}")
        return []


class BookFile(NamedTuple):
    """A book file in memory."""

    about: dict[str, Any]  # the header
    payload: np.ndarray[Any, np.dtype[np.uint8]]  # [bytes], read-only


def write_book(
    path: Path, kind: str, version: int, about: dict[str, Any], payload: bytes | memoryview, owns: Owns | None = None
) -> None:
    """Write a book in one step (`replace_file`); OSError if a file is there that is not ours.

    `owns`: what is ours; None: any book of this kind.
    """
    fields = {"kind": kind, "version": version, "size": len(payload), "crc": zlib.crc32(payload), **about}
    header = json.dumps(fields, ensure_ascii=False, indent=1).encode()
    header += b" " * (-(_HEAD.size + len(header)) % _ALIGNMENT)
    head = _HEAD.pack(MAGIC, len(header), zlib.crc32(header)) + header
    replace_file(path, (head, payload), owns or (lambda present: book_kind(present) == kind))


def book_header(head: bytes) -> dict[str, Any]:
    """Return the header of the book whose first bytes are `head`, empty if it is no book; nothing is checked."""
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        return {}
    try:
        about = json.loads(head[_HEAD.size : _HEAD.size + _HEAD.unpack_from(head)[1]])
    except (ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}


def book_kind(head: bytes) -> str | None:
    """Return the kind of the book whose first bytes are `head`, None if it is no book."""
    kind = book_header(head).get("kind")
    return None if kind is None else str(kind)


class _Fields(NamedTuple):
    """The fields of every header."""

    kind: str
    version: int
    size: int  # bytes of the payload
    crc: int


def _fields_of(about: Any) -> _Fields:
    """Return the fields of a header; ValueError if one is missing or out of range."""
    if isinstance(about, dict):
        kind: Any
        numbers: list[Any]
        kind, *numbers = (about.get(name) for name in _Fields._fields)
        is_counted = all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)
        if isinstance(kind, str) and _KIND.fullmatch(kind) and is_counted:
            return _Fields(kind, *numbers)
    raise ValueError("damaged header")


def open_book(path: Path, kind: str, version: int, limit: int = MAX_BYTES) -> BookFile:
    """Read a book whose payload has at most `limit` bytes.

    BookFileError if the file is missing, damaged or larger, of another kind or of another version.
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
    """Read a book; ValueError with the reason if it cannot be used."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        raise ValueError("not a book")
    _, length, crc = _HEAD.unpack(head)
    header = file.read(min(length, _LONGEST_HEADER))
    if len(header) != length or zlib.crc32(header) != crc:
        raise ValueError("damaged header")
    try:
        about = json.loads(header)
    except ValueError:
        raise ValueError("damaged header") from None
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
