"""Plots of scripts, written in one step and only over plots of scripts."""

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
"""Marks each plot as ours."""

FIELDS = {".svg": "Creator", ".png": "Software"}
"""The metadata's field for CREATOR, by the file's suffix."""


def is_plot(head: bytes) -> bool:
    """True if a file begins as a plot of a script's does."""
    return head.startswith((b"<?xml", b"\x89PNG")) and CREATOR.encode() in head


def check_plot(path: Path | None) -> None:
    """Check a plot's path, if there is one; OSError if it cannot be written."""
    if path is None:
        return
    if path.suffix not in FIELDS:
        raise OSError(errno.EINVAL, f"a plot's name ends in {' or '.join(FIELDS)}", str(path))
    require("matplotlib")
    check_output(path, is_plot)


def save_plot(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's suffix."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], metadata={FIELDS[path.suffix]: CREATOR})
    replace_file(path, [drawn.getbuffer()], is_plot)
