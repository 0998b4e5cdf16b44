"""Reviews of games that are over, written by `siqi review` in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from siqi.daemon.engine.played_game import FinishedGame
from siqi.daemon.engine.record_files import record_text
from siqi.games import registry
from siqi.system.files import create_file
from siqi.system.texts import visible

SUFFIX = ".review.html"


class ReviewError(Exception):
    """A review that could not be written; the text is for the person."""


class Reviews:
    """The reviews in the games' folder; the page knows them by numbers."""

    def __init__(self, folder: Path, options: tuple[str, ...] = ()) -> None:
        """`options`: of `siqi review`, such as a shorter time."""
        self._folder, self._options = folder, options
        self._names: list[str] = []

    def number(self, name: str) -> int:
        """Return the number of a game's review."""
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def page(self, number: int) -> bytes | None:
        """Return a review; None if there is none."""
        if number >= len(self._names):
            return None
        try:
            return (self._folder / f"{self._names[number]}{SUFFIX}").read_bytes()
        except OSError:
            return None

    async def write(self, name: str, finished: FinishedGame) -> AsyncIterator[str]:
        """Write a game's record and its review, unless it is there; yield lines of progress. ReviewError."""
        page = self._folder / f"{name}{SUFFIX}"
        record = self._folder / f"{name}{registry.record_format(finished.played.game).suffixes[0]}"
        try:
            text = record_text(finished, time.localtime())
            if record.exists():
                record.unlink()  # a game that was taken back has gone on
            create_file(record, text)
        except (OSError, ValueError) as error:
            raise ReviewError(str(error)) from None
        words = (sys.executable, "-m", "siqi", "review", str(record), "-o", str(page), *self._options)
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        last = ""
        try:
            async for line in process.stderr:
                last = visible(line.decode(errors="replace").strip()).removeprefix("siqi review: ")
                yield last
            if await process.wait():
                raise ReviewError(last or "the review ended with an error")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
