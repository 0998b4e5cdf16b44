"""The file formats of EWN."""

from __future__ import annotations

from siqi.games.formats import Format

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
)
"""In the order in which a file's content is tried."""
