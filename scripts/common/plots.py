"""Plots of scripts, written in one step and only over plots of scripts."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.common.script import check_output, require

from siqi.games.files import replace_file
from siqi.games.pictures.plots import drawn, has_mark, name_fault

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CREATOR = "Siqi's scripts, with Matplotlib"
"""Marks each plot as ours."""

MOST_MARKED = 30
"""Points of a line up to which each one is marked."""


def is_plot(head: bytes) -> bool:
    """True if a file begins as a plot of a script's does."""
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
    """Return the sign of each point of a line: a long one has none, a single point would not be seen without."""
    return "." if points <= MOST_MARKED else ""
