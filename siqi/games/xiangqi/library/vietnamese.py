"""Vietnamese notation: `P2-5 M8.7 X1-2`, Pháo 2 bình 5.

Letters: Tg tướng (king), S sĩ (advisor), T tượng (elephant; also V, voi), X xe (rook), M mã (horse), P pháo (cannon),
B binh (pawn; also C, chốt). A point goes forward (tấn), a slash back (thoái), a hyphen sideways (bình). Of pieces of a
kind on a file t is the front one (trước), g the middle one (giữa), s the rear one (sau): `Xs-2 Bg-6 Pt.2`.

For four pawns on a file and for several files with two there is no custom; we write a place before the letter, as in
Chinese (二兵): `2B.1`.

WXF has the same letters and signs for other pieces and directions: `C7.1` is a cannon's move there, `S4.5` a pawn's. So
a game is of one notation as a whole (`is_vietnamese`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LETTERS = ("Tg", "S", "T", "M", "X", "P", "B")
"""By kind of piece, as in LETTERS of san.py."""

DIRECTIONS = {"+": ".", "-": "/", ".": "-"}
"""WXF's directions, and Vietnamese ones."""

_KINDS = {"TG": "K", "S": "A", "T": "E", "V": "E", "M": "H", "X": "R", "P": "C", "B": "P", "C": "P"}
_MARKS = {"T": "+", "G": "中", "S": "-"}
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212-"  # the hyphen last, as in a class of a pattern
_STEPS = {".": "+", "/": "-", **dict.fromkeys(_DASHES, ".")}

PATTERN = rf"(?i:(?:[1-5]B|TG[1-9]|[STVXMPBC](?:[1-9]|[TGS][1-9]?))[./{_DASHES}][1-9])"
"""The pattern of a move."""

_WORD = re.compile(
    rf"(?:(?P<place>[1-5])B|(?P<letter>TG(?=[1-9])|[STVXMPBC])(?P<mark>[TGS]?)(?P<file>[1-9]?))"
    rf"(?P<step>[./{_DASHES}])(?P<far>[1-9])"
)
_IN_TEXT = re.compile(rf"(?<![A-Z0-9+]){PATTERN}(?![0-9])")
_OF_WXF = re.compile(r"(?<![A-Z0-9])(?:[KAEHNR][1-9+.-]|[+-][KAEHNRCP]|[CPBMS][1-9+-][+=])")
_ONLY = re.compile(r"[TVX]|[^/]*/|[SMPBC][TGS]")
"""The letters, signs and marks of a move that no other notation has."""
_IMPOSSIBLE = re.compile(rf"P[1-9][{_DASHES}]|[MB][1-9]\.")
"""The moves that WXF could write, but nothing can play: a pawn's back, an elephant's sideways."""


def to_wxf(text: str) -> str:
    """Return the text that `read_san` reads for a move in Vietnamese notation, '' if it is none."""
    match = _WORD.fullmatch(text.strip().upper())
    if match is None:
        return ""
    step = _STEPS[match["step"]] + match["far"]
    if match["place"]:
        return f"{match['place']}P{step}"
    if bool(match["mark"]) < (not match["file"]):  # neither
        return ""
    return f"{_MARKS.get(match['mark'], '')}{_KINDS[match['letter']]}{match['file']}{step}"


def is_vietnamese(words: Iterable[str]) -> bool:
    """True for the moves of a game in Vietnamese notation: some can be of no other one, and none is WXF's."""
    text = " ".join(words).upper()
    return not _OF_WXF.search(text) and any(
        _ONLY.match(word) or _IMPOSSIBLE.match(word) for word in _IN_TEXT.findall(text)
    )


def is_only_vietnamese(text: str) -> bool:
    """True for the text of a move that no other notation could have, wherever it stands."""
    return _WORD.fullmatch(text.upper()) is not None and _ONLY.match(text.upper()) is not None
