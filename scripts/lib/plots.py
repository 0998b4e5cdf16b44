"""Plots that scripts write: in one step, and only over plots of theirs."""

from __future__ import annotations

import errno
import io
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.script import check_output, require

from games.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CREATOR = "Siqi's scripts, with Matplotlib"
"""In each plot, by which it is known."""

FIELDS = {".svg": "Creator", ".png": "Software"}
"""Of the metadata, by the ending of the name."""


def is_plot(head: bytes) -> bool:
    """True if a file begins as a plot of a script's does."""
    return head.startswith((b"<?xml", b"\x89PNG")) and CREATOR.encode() in head


def check_plot(path: Path | None) -> None:
    """OSError if a plot, where one is wanted, cannot be written."""
    if path is None:
        return
    if path.suffix not in FIELDS:
        raise OSError(errno.EINVAL, f"a plot's name ends in {' or '.join(FIELDS)}", str(path))
    require("matplotlib")
    check_output(path, is_plot)


def save_plot(figure: Figure, path: Path) -> None:
    """Write a figure as the path's ending says."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], metadata={FIELDS[path.suffix]: CREATOR})
    replace_file(path, [drawn.getbuffer()], is_plot)
