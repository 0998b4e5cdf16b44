"""Lines of positions: `[position] startpos|[fen] FEN [moves MOVE ...]`, with the operations of EPD or a comment.

EPD's operations stand behind the FEN, each a word (`bm`, `id`) with operands and a `;` at its end. What follows the
first `;` is a comment for us. Other words behind a FEN stay with it, so that its reader refuses them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_OPCODES = frozenset(
    {
        *("acd", "acn", "acs", "am", "bm", "ce", "cc", "dm", "draw_accept", "draw_claim", "draw_offer", "draw_reject"),
        *("eco", "fmvn", "hmvn", "id", "nic", "noop", "pm", "pv", "rc", "resign", "sm", "sv", "tcgs", "tcri", "tcsi"),
        *(f"{letter}{number}" for letter in "cv" for number in range(10)),
    }
)

_OPCODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,14}")
_NO_OPCODE = re.compile(r"[a-s][0-9]+(?:[a-s][0-9]+)*|moves?", re.IGNORECASE)
"""Moves and the word before them, which are no operations of a program's own."""


HEAD_WORDS = ("startpos", "fen", "position")
"""The words with which a position may begin."""

LEAST_SLASHES = 4
"""Slashes between the ranks of the smallest board in a FEN."""


class PositionLine(NamedTuple):
    """The parts of a line."""

    start: str  # `startpos` or a FEN
    moves: tuple[str, ...]
    comment: str  # EPD's operations, and what follows `;`


def read_line(line: str) -> PositionLine | None:
    """Return the parts of a line; None if it is blank or begins with `#`."""
    text, semicolon, comment = line.partition(";")
    words = text.split()
    if not words or words[0].startswith("#"):
        return None
    words = words[1:] if words[0] == "position" and len(words) > 1 else words
    words = words[1:] if words[0] == "fen" and words[1:2] not in ([], ["moves"]) else words
    end = words.index("moves") if "moves" in words else len(words)
    operations = (at for at in range(2, end) if _is_opcode(words[at], bool(semicolon)))
    stop = next(operations, end)
    comment = "; ".join(filter(None, (" ".join(words[stop:end]), comment.strip())))
    return PositionLine(" ".join(words[:stop]), tuple(words[end + 1 :]), comment)


def position_of(text: str) -> PositionLine | None:
    """Return the parts of a line that is a position: it begins with a head word, or as a FEN does; None otherwise."""
    parts = read_line(text)
    if parts is None:
        return None
    is_fen = parts.start.partition(" ")[0].count("/") >= LEAST_SLASHES and not parts.start.startswith("/")
    return parts if is_fen or text.split(maxsplit=1)[0] in HEAD_WORDS else None


def _is_opcode(word: str, has_semicolon: bool) -> bool:
    """True for an operation that EPD names, or one of a program's own, which then needs its `;`."""
    if word in _OPCODES:
        return True
    return has_semicolon and _OPCODE.fullmatch(word) is not None and _NO_OPCODE.fullmatch(word) is None
