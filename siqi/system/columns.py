"""Texts on a terminal, where most characters of Chinese take two columns."""

from __future__ import annotations

import re
import unicodedata

_PIECE = re.compile(r"[（《“]*(?:[^\s\u2e80-\uffff“”]+|[\u2e80-\uffff])[，。、；：）》”！？]*|\s+|.")
"""A part of a line that is not broken: a word, or a Chinese character, with the punctuation around it; or blanks."""


def width_of(text: str) -> int:
    """Return the columns that a text takes in a terminal."""
    wide = (unicodedata.east_asian_width(character) in "WF" for character in text)
    return sum(0 if unicodedata.combining(c) else 1 + is_wide for c, is_wide in zip(text, wide, strict=True))


def padded(text: str, width: int) -> str:
    """Return a text followed by blanks up to a width in columns."""
    return text + " " * (width - width_of(text))


def right(text: str, width: int) -> str:
    """Return a text behind blanks up to a width in columns."""
    return " " * (width - width_of(text)) + text


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most this width in columns, broken at blanks and between Chinese characters.

    A word that is longer than a line stays whole. No line begins with a mark that ends a phrase.
    """
    lines = [""]
    for piece in _PIECE.findall(text):
        if width_of(lines[-1]) + width_of(piece.rstrip()) > width and lines[-1].strip():
            lines.append("")
        lines[-1] += piece if lines[-1] or not piece.isspace() else ""
    return [line.rstrip() for line in lines if line.strip()]
