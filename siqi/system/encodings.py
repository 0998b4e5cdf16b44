"""The encodings of texts: which one, whole texts decoded, and streams whose undecodable bytes are kept."""

from __future__ import annotations

import codecs
import io
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from siqi.system.files import read_bytes

SAMPLE_BYTES = 1 << 20
"""The most bytes from which an encoding is detected."""

LEGACY = ("gb18030", "big5", "cp1252", "utf_16_le", "utf_16_be")
"""Encodings tried for text that has no byte order mark and is not UTF-8."""

LEAST_NON_ASCII = 64
"""Fewer bytes that are not ASCII show no encoding: a few characters of one are valid in others."""

WIDE_SHARE = 8
"""UTF-16 text has at least one zero byte in this many, and this many times more at odd places than at even ones."""

_WIDER = {
    **dict.fromkeys(("gb2312", "gb_2312-80", "gbk", "x-gbk", "euc-cn", "cp936", "windows-936"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5", "cn-big5"), "big5hkscs"),
}
"""The encodings that texts are in which are said to be in these, in lower case."""

_NO_ENCODINGS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")
"""Codecs of Python's that no file of texts is in."""

_UPPER_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),  # begins with the mark of UTF-16-LE
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
"""Byte order marks, the encoding whose decoder removes the mark, and the encoding of the text after it."""


def detected(sample: bytes, default: str, legacy: tuple[str, ...] = LEGACY) -> str:
    """Return the encoding of a text by a sample of it; the default one if the sample does not show any."""
    for mark, encoding, _ in MARKS:
        if sample.startswith(mark):
            return encoding
    if sample.isascii() and b"\0" not in sample:
        return default
    if wide := _wide(sample):
        return wide
    if can_be(sample, "utf-8") or is_nearly_utf8(sample):
        return "utf-8"
    if sum(value > 127 for value in sample) < LEAST_NON_ASCII and can_be(sample, default):
        return default
    if not can_be(sample, "gb18030") and is_nearly_gb18030(sample):
        return "gb18030"
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample, cp_isolation=list(legacy)).best()
    if best is not None:
        return best.encoding
    return next((name for name in (default, *legacy) if can_be(sample, name)), default)


def is_nearly_utf8(sample: bytes) -> bool:
    """True if a text has characters of UTF-8, and few other bytes that are not ASCII.

    A character of three bytes or more hardly ever stands in a text of another encoding. One of two bytes may be a
    character of GB18030, and counts a quarter.
    """
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(sample)
    kept = codecs.getincrementaldecoder("utf-8")("ignore").decode(sample)
    long = sum(char > "\u07ff" for char in kept)
    short = sum(char > "\x7f" for char in kept) - long
    bad = max(1, len(text) - len(kept))
    if 4 * long + short >= 8 * bad:
        return True
    # A few names: valid in no other encoding of several bytes a character, and odd pairs in one of single bytes.
    return 4 * long + short >= 2 * bad and not any(can_be(sample, name) for name in ("gb18030", "big5"))


def is_nearly_gb18030(sample: bytes) -> bool:
    """True if a text has common Chinese characters of GB2312, and few other bytes that are not ASCII.

    Both bytes of such a character are above 0xA0, where texts of one byte a character seldom have two in a row: most of
    theirs stand beside ASCII letters, with which they are rare characters of GB18030, or none.
    """
    text = codecs.getincrementaldecoder("gb18030")("replace").decode(sample)
    bad = text.count("\ufffd")
    chars = "".join(char for char in text if char > "\x7f" and char != "\ufffd")
    leads = chars.encode("gb2312", "ignore")[::2]
    common = sum(lead < 0xA4 or 0xB0 <= lead <= 0xD7 for lead in leads)  # signs, and characters in order of their sound
    return common >= 4 * max(1, bad) and common >= 4 * (len(chars) - common)


def check_encoding(name: str) -> None:
    """Raise LookupError for what is no encoding of texts."""
    try:
        is_known = codecs.lookup(name).name not in _NO_ENCODINGS
        "".encode(name if is_known else "ascii")  # LookupError for a codec of bytes, such as hex
    except UnicodeError:
        pass  # it is one, which refuses everything
    except (LookupError, ValueError):  # ValueError: a NUL in the name
        is_known = False
    if not is_known:
        raise LookupError(f"no such encoding: {name}")


def stated(name: str) -> str:
    """Return the encoding that a file says it has, as its readers take that; '' if there is none for its ASCII."""
    plain = name.strip().lower()
    plain = _WIDER.get(plain, plain)
    if "escape" in plain:  # Python's own, whose faults are warnings
        return ""
    try:
        return plain if bytes(range(128)).decode(plain) == bytes(range(128)).decode("ascii") else ""
    except (LookupError, ValueError):
        return ""


def _suits(data: bytes, encoding: str) -> bool:
    """True if a text is valid in an encoding, and has no control characters of its upper half."""
    try:
        return not _UPPER_CONTROLS.search(data.decode(encoding))
    except UnicodeDecodeError:
        return False


def _wide(sample: bytes) -> str:
    """Return the kind of UTF-16 that a text without a mark is in, if the zero bytes of its ASCII show it, else ''."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if WIDE_SHARE * max(even, odd) < len(sample) or WIDE_SHARE * min(even, odd) > max(even, odd):
        return ""
    return "utf_16_le" if odd > even else "utf_16_be"


def can_be(sample: bytes, encoding: str) -> bool:
    """True if a part of a text, which may end within a character, is valid in an encoding."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)  # incremental: it may end within a character
    except UnicodeDecodeError:
        return False
    return True


def read_text(path: str | Path, limit: int) -> str:
    """Return a text that a user wrote: UTF-8, or what its byte order mark, which is skipped, says.

    OSError as of `read_bytes`; ValueError if it cannot be decoded, with the number of the line.
    """
    data = read_bytes(path, limit)
    encoding = next((name for mark, name, _ in MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        raise ValueError(f"line {line}: not {name}, in which such a file is written") from None


def encoding_sample(data: bytes) -> bytes:
    """Return the part of a text that shows its encoding; it begins near the first byte that is not ASCII."""
    if len(data) <= SAMPLE_BYTES or not (head := data[:SAMPLE_BYTES]).isascii() or b"\0" in head:
        return data[:SAMPLE_BYTES]
    starts = range(SAMPLE_BYTES, len(data), SAMPLE_BYTES)
    first = next((start for start in starts if not data[start : start + SAMPLE_BYTES].isascii()), 0)
    return data[first : first + SAMPLE_BYTES]


class Decoded(NamedTuple):
    """A whole text, its lines ended by line feeds."""

    text: str
    encoding: str
    faults: list[str]  # a line if characters became U+FFFD because they cannot be decoded


def decode(data: bytes, encoding: str | None, default: str, said: str = "") -> Decoded:
    """Return a whole text. Without `encoding` it is what a byte order mark shows, what the file says (`said`) if the
    text is valid in that, or else detected. LookupError for an unknown encoding.
    """
    name = encoding
    if not name and (own := stated(said)) and not mark_of(data)[0] and _suits(data, own):
        name = own
    name = name or detected(encoding_sample(data), default)
    text, broken = replaced(data, name)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(lines, name, broken_line(broken, name))


def replaced(data: bytes, encoding: str) -> tuple[str, int]:
    """Return a text with U+FFFD for what cannot be decoded, and how often."""
    try:
        return data.decode(encoding), 0
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return text, max(1, len(text) - len(data.decode(encoding, "ignore")))


def broken_line(count: int, encoding: str) -> list[str]:
    """Return a line on characters that cannot be decoded, none if there are none."""
    return [f"{count} characters that are not {encoding}"] if count else []


_PIPE_BYTES = 1 << 16
"""Bytes of a pipe from which its encoding is detected; of a file it is SAMPLE_BYTES."""


class Text:
    """Input decoded as it is read; undecodable bytes are kept (`keeps_bytes`) or become U+FFFD.

    UTF-16 and UTF-32 cannot represent single bytes: with `keeps_bytes`, reading raises UnicodeError there.
    """

    def __init__(self, source: io.BufferedReader, encoding: str | None, default: str, keeps_bytes: bool) -> None:
        """Decode an open file, which is closed after an error. Without `encoding` detect it; for pure ASCII it is
        `default`.

        LookupError for an unknown encoding. UnicodeError for undecodable bytes that cannot be kept: a file is searched
        for them, a pipe is not.
        """
        try:
            sample = first_bytes(source)
            self.encoding = _named(encoding, sample) if encoding else detected(sample, default)
            self._mark, behind = _mark_in(self.encoding, sample)
            self._encoder = codecs.getincrementalencoder(behind)("surrogateescape")
            is_strict = keeps_bytes and not _can_keep_bytes(behind)
            if is_strict and source.seekable():
                _check(source, self.encoding)
        except BaseException:
            source.close()
            raise
        self.broken = 0
        """Undecodable parts that were read."""
        self._replace = codecs.lookup_error(
            "strict" if is_strict else "surrogateescape" if keeps_bytes else "replace",
        )
        self.errors = f"siqi-{id(self)}"
        codecs.register_error(self.errors, self._on_error)
        self.handle = io.TextIOWrapper(source, self.encoding, self.errors, newline="" if keeps_bytes else None)

    def _on_error(self, error: UnicodeError) -> Any:
        replacement = self._replace(error)
        self.broken += 1
        return replacement

    def encode(self, text: str) -> bytes:
        """Return the bytes of the next part of the text, as they were read; text may have been added."""
        data = self._mark + self._encoder.encode(text)
        self._mark = b""
        return data

    def hint(self) -> str:
        """Return a line that suggests another encoding for undecodable text."""
        other = "utf-8" if self.encoding == "gb18030" else "gb18030"
        return f"{self.broken} characters of the input are not {self.encoding}; --encoding {other} may read them"


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


def mark_of(head: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that a text begins with, b'' if it has none, and the encoding of what follows."""
    return next(((mark, encoding) for mark, _, encoding in MARKS if head.startswith(mark)), (b"", "utf-8"))


def _named(encoding: str, sample: bytes) -> str:
    """Return the requested encoding, in its variant with a byte order mark if and only if the text has one."""
    name = codecs.lookup(encoding).name
    for mark, marked, unmarked in MARKS:
        if name == unmarked and sample.startswith(mark):
            return marked
    return "utf-8" if name == "utf-8-sig" and not sample.startswith(codecs.BOM_UTF8) else encoding


def _mark_in(encoding: str, sample: bytes) -> tuple[bytes, str]:
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
