"""The file formats of Connect6."""

from __future__ import annotations

import re

from siqi.games.formats import Format

_SGF = re.compile(rb"\s*\(\s*;")

FORMATS = (
    Format(
        name="championship",
        about="the Chinese championships",
        suffixes=(".txt",),
        holds=frozenset({"games", "results"}),
        tags="4",
        recognises=lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{[C6]"),
        module="siqi.games.connect6.formats.championship",
        is_stream=True,
        encoding="gb18030",
    ),
    Format(
        name="sgf",
        about="Little Golem and others",
        suffixes=(".sgf",),
        holds=frozenset({"games", "results", "positions"}),
        tags="4",
        recognises=lambda head: bool(_SGF.match(head.removeprefix(b"\xef\xbb\xbf"))),
        module="siqi.games.connect6.formats.sgf",
    ),
)
"""In the order in which a file's content is tried."""
