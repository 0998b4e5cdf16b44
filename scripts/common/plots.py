"""Plots of scripts, written in one step and only over plots of scripts."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.common.script import check_output, require

from siqi.games.pictures.plots import drawn, has_mark, name_fault
from siqi.system.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CREATOR = "Siqi's scripts, with Matplotlib"
"""Marks each plot as ours."""

MAX_MARKED = 30
"""Most points of a line on which each one is marked."""


def is_plot(head: bytes) -> bool:
    """True if a file begins like a plot of a script."""
    return has_mark(head, CREATOR)


def check_plot(path: Path | None) -> None:
    """Check a plot's path, if there is one; OSError if it cannot be written."""
    if path is None:
        return
    if (fault := name_fault(path)) is not None:
        raise OSError(errno.EINVAL, fault, str(path))
    require("matplotlib")
    check_output(path, is_plot)


def save_plot(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's suffix."""
    replace_file(path, [drawn(figure, path.suffix, CREATOR)], is_plot)


def marker(points: int) -> str:
    """Return the marker of a line's points: none on a long line; a single point would be invisible without one."""
    return "." if points <= MAX_MARKED else ""
