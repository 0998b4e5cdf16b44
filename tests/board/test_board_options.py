"""`siqi board --option`: the engine of the page has the options that the command line sets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from board_games import Memory

from siqi.daemon.board.hub import Hub
from siqi.daemon.board.mode import numbers
from siqi.daemon.board.modes import Modes
from siqi.daemon.board.reviews import Reviews
from siqi.daemon.board.session import Session
from siqi.daemon.board.thinker import Thinker
from siqi.daemon.command_line import run


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["Hash=8", "multipv=2"], "only for the daemon's clients"),
        (["uci_coordinates=1"], "ranks of its own"),
        (["Hash=none"], "Hash"),
        (["None=1"], "None"),
        (["Debug Log File=x"], "only for the daemon's clients"),
    ],
)
def test_options_that_the_page_sets_or_that_are_none_are_refused(
    words: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [part for word in words for part in ("--option", word)]
    assert run(["board", "--games", str(tmp_path / "games"), *options]) == 2
    assert reason in capsys.readouterr().err and not (tmp_path / "games").exists()


def test_the_engine_has_them_as_its_defaults(tmp_path: Path) -> None:
    async def of_hall() -> str:
        modes = Modes([Session(Memory())], tmp_path)  # type: ignore[arg-type]
        hub = Hub(modes, Reviews(tmp_path), numbers(), settings={"Hash": "8"})
        try:
            return hub._thinker._engine.options.text("Hash")
        finally:
            await hub.close()

    assert asyncio.run(of_hall()) == "8"
    news = SimpleQueue[Any]()
    thinker = Thinker(news.put, {"Threads": "2"})
    try:
        assert thinker._engine.options.text("Threads") == "2"
    finally:
        thinker.close()
