"""The file formats of Junqi."""

from __future__ import annotations

import re

from siqi.games.formats import Format

_LINE = re.compile(rb"(?:[^\t\n]*\t){3}(?:[a-l]{25}|\?)\t(?:[a-l]{25}|\?)\t")

_MOVES = re.compile(rb"\s*(?:#[^\n]*\n\s*)*(?:startpos moves )?(?:[a-l]{25}|\?)[\s,;]+(?:[a-l]{25}|\?)[\s,;]")

FORMATS = (
    Format(
        name="log",
        about="siqi match",
        suffixes=(".txt",),
        holds=frozenset({"games", "results"}),
        tags="3",
        recognises=lambda head: bool(_LINE.match(head)),
        module="siqi.games.junqi.formats.log",
        is_stream=True,
        kind="JQ",
    ),
    Format(
        name="moves",
        about="a line of moves per game",
        suffixes=(".moves",),
        holds=frozenset({"games", "results", "positions"}),
        tags="0",
        recognises=lambda head: bool(_MOVES.match(head.removeprefix(b"\xef\xbb\xbf"))),
        module="siqi.games.junqi.formats.moves",
    ),
)
"""In the order in which a file's content is tried."""
