"""Analyse in the browser, as a person uses it."""

from __future__ import annotations

from typing import Any

from board_server import RunningServer

from siqi.daemon.board.analyse.events import AnalysisShown

ANALYSE = "?mode=analyse"


def shown(served: RunningServer) -> AnalysisShown:
    snapshot: AnalysisShown = served.call(served.analysis.snapshot)
    return snapshot


def begin(page: Any, game: str) -> None:
    """Begin an analysis by the dialog."""
    page.wait_for_selector("#open[open]")
    page.click(f"#open-games [data-game={game}]")
    page.wait_for_selector("#study:visible")
    while page.locator("[data-act=engineSets]").count():
        before = page.locator("#tree .move").count()
        page.click("[data-act=engineSets]")
        page.wait_for_selector(f"#tree .move >> nth={before}")
