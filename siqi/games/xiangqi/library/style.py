"""The style in which a game's moves are written: the notation, and variants of it that added moves should keep."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from siqi.games.xiangqi.library.algebraic import PATTERN as ALGEBRAIC
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.san import Notation, characters
from siqi.games.xiangqi.library.vietnamese import is_vietnamese

_COORDINATES = re.compile(r"[A-Ia-i](?:10|\d)-?[A-Ia-i](?:10|\d)")
_SIMPLIFIED, _TRADITIONAL = frozenset("车马进后帅将"), frozenset("車俥馬傌進後帥將砲")
_HALF_WIDTH = {ord("１") + i: str(i + 1) for i in range(9)}
_BY_FORMAT: dict[str, Notation] = {name: name for name in ("wxf", "iccs", "chinese", "vietnamese")}
_FALLBACKS: dict[Notation, tuple[Notation, ...]] = {
    "chinese": ("traditional", "wxf"),
    "traditional": ("chinese", "wxf"),
}
"""Notations in place of one that an encoding cannot hold, nearest first."""


class NotationStyle(NamedTuple):
    """A notation, and the deviations of a game from its usual form."""

    notation: Notation
    is_lower: bool = False  # h2e2, c2.5
    has_hyphen: bool = True  # of coordinates: H2-E2
    sideways: str = "."  # of WXF: C2.5 or C2=5
    is_half_width: bool = False  # of Chinese: 马8进7
    ranks: int = 0  # the number of the first rank in coordinates

    def fitted(self, encoding: str) -> NotationStyle:
        """Return this style, with another notation if the encoding lacks characters of this one."""
        fallbacks = (self.notation, *_FALLBACKS.get(self.notation, ()))
        return self._replace(notation=next((n for n in fallbacks if _holds(encoding, n)), self.notation))

    def write(self, board: Board, move: Move) -> str:
        """Return the text of a legal move."""
        text = board.san(move, self.notation)
        if self.notation == "iccs":
            text = text if not self.ranks else move.uci(self.ranks).upper()
            text = text if self.has_hyphen and not self.ranks else text.replace("-", "")
        if self.notation == "wxf" and not text[:2].isdigit():  # 33=4 is Fairy-Stockfish's rear pawn
            text = text.replace(".", self.sideways)
        if self.is_half_width:
            text = text.translate(_HALF_WIDTH)
        return text.lower() if self.is_lower else text


def _holds(encoding: str, notation: Notation) -> bool:
    try:
        characters(notation).encode(encoding)
    except UnicodeError:
        return False
    return True


def style_of(words: Sequence[str], tag: str = "", ranks: int = 0) -> NotationStyle:
    """Return the style of a game's moves; without moves the usual one of its Format tag, Chinese by default.

    `ranks` is the number of the first rank in the game's coordinates.
    """
    if not words:
        return NotationStyle(_BY_FORMAT.get(tag.strip().lower(), "chinese"))
    text = " ".join(words)
    plain = unicodedata.normalize("NFKC", text)
    is_lower = plain == plain.lower()
    if all(map(_COORDINATES.fullmatch, plain.split(" "))):
        return NotationStyle("iccs", is_lower, has_hyphen="-" in plain, ranks=ranks)
    if all(map(ALGEBRAIC.fullmatch, plain.split(" "))):
        return NotationStyle("fairy" if ranks else "xboard")
    if is_vietnamese(words):
        return NotationStyle("vietnamese", is_lower)
    if plain.isascii():
        return NotationStyle("wxf", is_lower, sideways="=" if "=" in plain else ".")
    traditional = sum(sign in _TRADITIONAL for sign in text) > sum(sign in _SIMPLIFIED for sign in text)
    is_half_width = any(sign.isascii() and sign.isdigit() for sign in text)
    return NotationStyle("traditional" if traditional else "chinese", is_half_width=is_half_width)
