"""The server of a games' folder: at most one, and where it is found."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import msgspec

from siqi.system.files import AppendedFile, open_append, read_bytes, write_whole

NAME = ".board.json"

_WAIT_S = 2.0


class Running(msgspec.Struct, frozen=True):
    """A server that runs: its port, and the token that opens its page."""

    port: int
    token: str

    @property
    def address(self) -> str:
        """The address that opens the page. The token is a fragment, which browsers send to nobody."""
        return f"http://127.0.0.1:{self.port}/#{self.token}"


class Claim:
    """The claim of this process on a games' folder; while it holds, no other server uses the folder."""

    def __init__(self, folder: Path) -> None:
        """Claim a folder; OSError (EBUSY) if another server has it. Other users cannot read the claim."""
        path = folder / NAME
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        self._file: AppendedFile = open_append(path, _owns, exclusive=True)
        os.chmod(path, 0o600)
        self._file.truncate(0)

    def publish(self, running: Running) -> None:
        """Write where the server is found."""
        self._file.truncate(0)
        write_whole(self._file, msgspec.json.encode(running))

    def release(self) -> None:
        """Give the folder up."""
        self._file.truncate(0)
        self._file.close()


def find(folder: Path) -> Running | None:
    """Return the server that another process has just claimed a folder for; None if it does not say where it is."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(read_bytes(folder / NAME, 4096), type=Running)
        if time.monotonic() >= deadline:
            return None
        time.sleep(0.05)


def _owns(head: bytes) -> bool:
    return head.startswith(b'{"port":')
