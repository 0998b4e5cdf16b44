"""`siqi match` within the process of a test."""

from __future__ import annotations

from pathlib import Path

from siqi.daemon.command_line import run


def match(*words: str | Path) -> int:
    """Run `siqi match` with these words; return its exit status."""
    try:
        return run(["match", *map(str, words)])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code
