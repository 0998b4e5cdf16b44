"""The file formats of Connect6."""

from __future__ import annotations

from siqi.games.connect6 import INFO
from siqi.games.formats import Format, begins
from siqi.games.records.move_lines import moves_format

FORMATS = (
    Format(
        name="championship",
        about="the Chinese championships",
        suffixes=(".txt",),
        holds=frozenset({"games", "results"}),
        tags="4",
        recognises=begins(rb"\s*\{(?:\[C6\]|\{C[56]\}\[)"),
        module="siqi.games.connect6.formats.championship",
        is_stream=True,
        kind="C6",
        sides="BW",
        encoding="gb18030",  # what is written needs only its subset GB2312
    ),
    Format(
        name="sgf",
        about="Little Golem and others",
        suffixes=(".sgf",),
        holds=frozenset({"games", "results", "positions"}),
        tags="4",
        recognises=begins(rb"\s*\(\s*;"),
        module="siqi.games.connect6.formats.sgf",
    ),
    moves_format(INFO, rb"(?:startpos moves )?(?:1\.+\s*)?[a-s](?:1[0-9]|[1-9])\s", r"(?:[a-s](?:1[0-9]|[1-9])){1,2}"),
)
"""In the order in which a file's content is tried."""
