"""The encoding of a text that does not say its own."""

from __future__ import annotations

import codecs
from pathlib import Path

from siqi.games.files import read_bytes

SAMPLE_BYTES = 1 << 20
"""The most bytes from which an encoding is detected."""

LEGACY = ("gb18030", "big5", "cp1252", "utf_16_le", "utf_16_be")
"""Encodings tried for text that has no byte order mark and is not UTF-8."""

TELLING_BYTES = 64
"""Fewer bytes that are not ASCII show no encoding: a few characters of one make sense in others."""

WIDE_SHARE = 8
"""Of so many bytes of UTF-16 text at least one is zero, at odd places at least so many times as at even ones."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),  # begins with the mark of UTF-16-LE
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
"""Byte order marks, the encoding whose decoder removes the mark, and the encoding of the text behind it."""


def detected(sample: bytes, usual: str, legacy: tuple[str, ...] = LEGACY) -> str:
    """Return the encoding of a text by a sample of it; the usual one if the sample does not show any."""
    for mark, encoding, _ in MARKS:
        if sample.startswith(mark):
            return encoding
    if sample.isascii() and b"\0" not in sample:
        return usual
    if wide := _wide(sample):
        return wide
    if _can_be(sample, "utf-8"):
        return "utf-8"
    if sum(value > 127 for value in sample) < TELLING_BYTES and _can_be(sample, usual):
        return usual
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample, cp_isolation=list(legacy)).best()
    if best is not None:
        return best.encoding
    return next((name for name in (usual, *legacy) if _can_be(sample, name)), usual)


def _wide(sample: bytes) -> str:
    """Return the kind of UTF-16 that a text without a mark is in, if the zero bytes of its ASCII show it, else ''."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if WIDE_SHARE * max(even, odd) < len(sample) or WIDE_SHARE * min(even, odd) > max(even, odd):
        return ""
    return "utf_16_le" if odd > even else "utf_16_be"


def _can_be(sample: bytes, encoding: str) -> bool:
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


def telling(data: bytes) -> bytes:
    """Return the part of a text from which its encoding is detected: from its first byte that is not ASCII on."""
    if len(data) <= SAMPLE_BYTES or not (head := data[:SAMPLE_BYTES]).isascii() or b"\0" in head:
        return data[:SAMPLE_BYTES]
    starts = range(SAMPLE_BYTES, len(data), SAMPLE_BYTES)
    first = next((start for start in starts if not data[start : start + SAMPLE_BYTES].isascii()), 0)
    return data[first : first + SAMPLE_BYTES]


def decode(data: bytes, encoding: str | None, usual: str) -> tuple[str, str, int]:
    """Return a whole text, its encoding, and how many characters became U+FFFD because they cannot be decoded.

    Without `encoding` it is detected. LookupError for an unknown encoding.
    """
    name = encoding or detected(telling(data), usual)
    try:
        return data.decode(name).removeprefix("\ufeff"), name, 0
    except UnicodeDecodeError:
        text = data.decode(name, "replace").removeprefix("\ufeff")
        return text, name, max(1, text.count("\ufffd"))
