"""Text of the user's files: which encoding it is in, and whether it could be read in it."""

from __future__ import annotations

import codecs
import io
import os
from pathlib import Path
from typing import Any

SAMPLE_BYTES = 1 << 20
"""What decides the encoding of a file; of a pipe it is what comes first, up to 64 KiB."""

LEGACY = ("gb18030", "big5", "cp1252", "utf_16_le", "utf_16_be")
"""What text may be in that has no byte order mark and is not UTF-8."""

_PIPE_BYTES = 1 << 16
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Text:
    """Input decoded as it is read; undecodable bytes are kept (`keeps_bytes`) or become U+FFFD."""

    def __init__(self, path: Path | None, encoding: str | None, usual: str, keeps_bytes: bool) -> None:
        """Open a file, or standard input. Without an encoding it is detected; pure ASCII is in the usual one.

        OSError, or LookupError for an encoding that does not exist.
        """
        source = open_input(path)
        try:
            sample = _first_bytes(source)
            self.encoding = _named(encoding, sample) if encoding else detected(sample, usual)
        except BaseException:
            source.close()
            raise
        self.is_broken = False
        self._replace = codecs.lookup_error("surrogateescape" if keeps_bytes else "replace")
        self.errors = f"siqi-{id(self)}"
        codecs.register_error(self.errors, self._on_error)
        self.handle = io.TextIOWrapper(source, self.encoding, self.errors, newline="" if keeps_bytes else None)

    def _on_error(self, error: UnicodeError) -> Any:
        self.is_broken = True
        return self._replace(error)

    def encoder(self) -> codecs.IncrementalEncoder:
        """What turns the text read, and ASCII added to it, into the bytes that it came from."""
        return codecs.getincrementalencoder(self.encoding)("surrogateescape")

    def hint(self) -> str:
        """What to try where the text was broken."""
        other = "utf-8" if self.encoding == "gb18030" else "gb18030"
        return f"some of the input is not {self.encoding}; --encoding {other} may read it"


def open_input(path: Path | None) -> io.BufferedReader:
    """Open a file, which may be a pipe, or standard input; OSError if that fails."""
    descriptor = os.dup(0) if path is None else os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return io.BufferedReader(io.FileIO(descriptor), _PIPE_BYTES)
    except OSError as error:  # a folder
        os.close(descriptor)
        raise OSError(error.errno, error.strerror, str(path)) from None


def _first_bytes(source: io.BufferedReader) -> bytes:
    """What the source begins with; it is still to be read. Waits for a pipe's first bytes only."""
    if not source.seekable():
        return source.peek(_PIPE_BYTES)
    start = source.tell()
    sample = source.read(SAMPLE_BYTES)
    source.seek(start, os.SEEK_SET)
    return sample


def _named(encoding: str, sample: bytes) -> str:
    """The encoding asked for, with a mark if the text has one."""
    is_utf8 = codecs.lookup(encoding).name == "utf-8"
    return "utf-8-sig" if is_utf8 and sample.startswith(codecs.BOM_UTF8) else encoding


def detected(sample: bytes, usual: str) -> str:
    """The encoding of what a text begins with, the usual one where the sample does not say."""
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if sample.isascii() and b"\0" not in sample:
        return usual
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # which may end within a character
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample, cp_isolation=list(LEGACY)).best()
    return usual if best is None else best.encoding
