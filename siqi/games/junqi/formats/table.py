"""The file formats of Junqi."""

from __future__ import annotations

from siqi.games.formats import Format, begins
from siqi.games.junqi import INFO
from siqi.games.records.move_lines import moves_format

FORMATS = (
    Format(
        name="log",
        about="siqi match",
        suffixes=(".txt",),
        holds=frozenset({"games", "results"}),
        tags="3",
        recognises=begins(rb"(?:[^\t\n]*\t){3}(?:[a-l]{25}|\?)\t(?:[a-l]{25}|\?)\t"),
        module="siqi.games.junqi.formats.log",
        is_stream=True,
        kind="JQ",
    ),
    moves_format(
        INFO,
        rb"(?:startpos moves )?(?:[a-l]{25}|\?)[\s,;]+(?:[a-l]{25}|\?)[\s,;]",
        r"[a-l]{25}|\?|[A-L][0-4][A-L][0-4](?:=[0-3])?(?:@[A-L][0-4])?",
    ),
)
"""In the order in which a file's content is tried."""
