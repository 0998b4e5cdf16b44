"""The file formats of EWN."""

from __future__ import annotations

from siqi.games.ewn import INFO
from siqi.games.formats import Format, begins
from siqi.games.records.move_lines import moves_format

FORMATS = (
    Format(
        name="championship",
        about="the Chinese championships",
        suffixes=(".txt",),
        holds=frozenset({"games", "results", "positions"}),
        tags="4",
        recognises=begins(rb"\s*#\[WTN\]"),
        module="siqi.games.ewn.formats.championship",
        is_stream=True,
        kind="WTN",
        encoding="gb18030",  # what is written needs only its subset GB2312
    ),
    moves_format(
        INFO,
        rb"(?:(?:startpos moves )?[1-6]{6}[\s,;]+[1-6]{6}\s|[1-5A-Fa-f/]{9,30} [fs] \S+ moves [1-6][\s:])",
        r"[1-6]{6}|[a-e][1-5][a-e][1-5]",
    ),
)
"""In the order in which a file's content is tried."""
