"""The text of users' files: its encoding, and undecodable bytes."""

from __future__ import annotations

import codecs
import io
import os
from typing import Any

from siqi.games.encodings import MARKS, SAMPLE_BYTES, detected

_PIPE_BYTES = 1 << 16
"""Bytes of a pipe from which its encoding is detected; of a file it is SAMPLE_BYTES."""


class Text:
    """Input decoded as it is read; undecodable bytes are kept (`keeps_bytes`) or become U+FFFD.

    UTF-16 and UTF-32 cannot represent single bytes: with `keeps_bytes`, reading raises UnicodeError there.
    """

    def __init__(self, source: io.BufferedReader, encoding: str | None, usual: str, keeps_bytes: bool) -> None:
        """Decode an open file, which is closed after an error. Without `encoding` detect it; for pure ASCII it is
        `usual`.

        LookupError for an unknown encoding. UnicodeError for undecodable bytes that cannot be kept: a file is searched
        for them, a pipe is not.
        """
        try:
            sample = first_bytes(source)
            self.encoding = _named(encoding, sample) if encoding else detected(sample, usual)
            self._mark, behind = _mark_of(self.encoding, sample)
            self._encoder = codecs.getincrementalencoder(behind)("surrogateescape")
            is_strict = keeps_bytes and not _can_keep_bytes(behind)
            if is_strict and source.seekable():
                _check(source, self.encoding)
        except BaseException:
            source.close()
            raise
        self.is_broken = False
        self._replace = codecs.lookup_error(
            "strict" if is_strict else "surrogateescape" if keeps_bytes else "replace",
        )
        self.errors = f"siqi-{id(self)}"
        codecs.register_error(self.errors, self._on_error)
        self.handle = io.TextIOWrapper(source, self.encoding, self.errors, newline="" if keeps_bytes else None)

    def _on_error(self, error: UnicodeError) -> Any:
        replacement = self._replace(error)
        self.is_broken = True
        return replacement

    def encode(self, text: str) -> bytes:
        """Return the bytes of the next part of the text, as they were read; text may have been added."""
        data = self._mark + self._encoder.encode(text)
        self._mark = b""
        return data

    def hint(self) -> str:
        """Return a line that suggests another encoding for undecodable text."""
        other = "utf-8" if self.encoding == "gb18030" else "gb18030"
        return f"some of the input is not {self.encoding}; --encoding {other} may read it"


def open_input(path: str) -> io.BufferedReader:
    """Open a file or a pipe, standard input for `-`; OSError if that fails."""
    descriptor = os.dup(0) if path == "-" else os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return io.BufferedReader(io.FileIO(descriptor), _PIPE_BYTES)
    except OSError as error:  # a folder
        os.close(descriptor)
        raise OSError(error.errno, error.strerror, path) from None


def first_bytes(source: io.BufferedReader) -> bytes:
    """Return the first bytes of the source without consuming them. Of a pipe it waits for the first bytes only."""
    if not source.seekable():
        return source.peek(_PIPE_BYTES)
    start = source.tell()
    sample = source.read(SAMPLE_BYTES)
    source.seek(start, os.SEEK_SET)
    return sample


def _named(encoding: str, sample: bytes) -> str:
    """Return the encoding asked for, in its variant with a byte order mark if and only if the text has one."""
    name = codecs.lookup(encoding).name
    for mark, marked, unmarked in MARKS:
        if name == unmarked and sample.startswith(mark):
            return marked
    return "utf-8" if name == "utf-8-sig" and not sample.startswith(codecs.BOM_UTF8) else encoding


def _mark_of(encoding: str, sample: bytes) -> tuple[bytes, str]:
    """Return the byte order mark at the start of a text, b'' if none, and the encoding of the text behind it."""
    name = codecs.lookup(encoding).name
    for mark, marked, unmarked in MARKS:
        if name == marked and sample.startswith(mark):
            return mark, unmarked
    return b"", encoding


def _can_keep_bytes(encoding: str) -> bool:
    """True if `surrogateescape` can write each undecodable byte again."""
    try:
        return "\udc80".encode(encoding, "surrogateescape") == b"\x80"
    except UnicodeError:
        return False


def _check(source: io.BufferedReader, encoding: str) -> None:
    """Raise UnicodeError if the rest of the source cannot be decoded; the position in it does not change."""
    decoder, start = codecs.getincrementaldecoder(encoding)(), source.tell()
    while data := source.read(SAMPLE_BYTES):
        decoder.decode(data)
    decoder.decode(b"", final=True)
    source.seek(start, os.SEEK_SET)


def explain(error: UnicodeError) -> str:
    """Return a line on why the input could not be decoded."""
    if isinstance(error, UnicodeDecodeError):
        return f"the input is not {error.encoding}: it has bytes that are no character"
    return str(error)
