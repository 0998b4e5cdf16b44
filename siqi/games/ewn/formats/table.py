"""The file formats of EWN."""

from __future__ import annotations

import re

from siqi.games.formats import Format

_MOVES = re.compile(
    rb"\s*(?:#[^\n]*\n\s*)*"
    rb"(?:(?:startpos moves )?[1-6]{6}[\s,;]+[1-6]{6}\s|[1-5A-Fa-f/]{9,30} [fs] \S+ moves [1-6][\s:])"
)

FORMATS = (
    Format(
        name="championship",
        about="the Chinese championships",
        suffixes=(".txt",),
        holds=frozenset({"games", "results", "positions"}),
        tags="4",
        recognises=lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"#[WTN]"),
        module="siqi.games.ewn.formats.championship",
        is_stream=True,
        kind="WTN",
        encoding="gb18030",
    ),
    Format(
        name="moves",
        about="a line of moves per game",
        suffixes=(".moves",),
        holds=frozenset({"games", "results", "positions"}),
        tags="0",
        recognises=lambda head: bool(_MOVES.match(head.removeprefix(b"\xef\xbb\xbf"))),
        module="siqi.games.ewn.formats.moves",
    ),
)
"""In the order in which a file's content is tried."""
