"""Files that a user may name as an output and that must stay unchanged; each function makes one at a path."""

from __future__ import annotations

import os
from pathlib import Path

FOREIGN = b'[Event "mine"]\n\n1. C2.5 H8+7 *\n'


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def null(path: Path) -> None:
    path.symlink_to("/dev/null")


def loop(path: Path) -> None:
    path.symlink_to(path)


def foreign(path: Path) -> None:
    path.write_bytes(FOREIGN)
