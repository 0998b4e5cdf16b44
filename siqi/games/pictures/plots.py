"""Files of plots: SVG or PNG by their names, drawn with matplotlib, an extra, and marked as ours."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIELDS = {".svg": "Creator", ".png": "Software"}
"""The metadata's field for the mark of a plot, by the file's suffix."""

NEEDED = "plots need matplotlib: pip install 'siqi[plots]'"


def name_fault(path: Path) -> str | None:
    """Return why a file of this name can hold no plot, None if it can."""
    return None if path.suffix in FIELDS else f"a plot's name ends in {' or '.join(FIELDS)}"


def can_plot() -> bool:
    """True if matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def has_mark(head: bytes, creator: str) -> bool:
    """True if a file begins as a plot with a creator's mark."""
    return head.startswith((b"<?xml", b"\x89PNG")) and creator.encode() in head


def drawn(figure: Figure, suffix: str, creator: str) -> bytes:
    """Return a figure in the format of a suffix; equal figures have equal bytes."""
    import matplotlib

    buffer = io.BytesIO()
    metadata = {FIELDS[suffix]: creator} | ({"Date": None} if suffix == ".svg" else {})
    with matplotlib.rc_context({"svg.hashsalt": "siqi"}):
        figure.savefig(buffer, format=suffix[1:], metadata=metadata)
    return buffer.getvalue()
