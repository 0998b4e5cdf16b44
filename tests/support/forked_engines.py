"""Engines of matches in processes that are forked (forked.py) in place of started ones."""

from __future__ import annotations

import io
import shlex
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest
from forked import ForkedProcess

from siqi.daemon.clients import process

PROGRAM = "forked-siqi"
"""The command of the program; its arguments follow."""


def fork_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients fork the processes of PROGRAM, and start all others."""

    def popen(command: list[str], **more: Any) -> Any:
        if command[0] != PROGRAM or not ForkedProcess.fits(None):
            return subprocess.Popen(command, **more)
        forked: Any = ForkedProcess(".", *command[1:])
        forked.stdin = io.TextIOWrapper(forked.stdin, "utf-8", line_buffering=True)
        forked.stdout = io.TextIOWrapper(forked.stdout, "utf-8")
        forked.stderr.close()
        return forked

    names = vars(subprocess) | {"Popen": popen}
    monkeypatch.setattr(process, "subprocess", SimpleNamespace(**names))


def engine(*arguments: str) -> str:
    """Return the command of the program with arguments."""
    return shlex.join((PROGRAM, *arguments))
