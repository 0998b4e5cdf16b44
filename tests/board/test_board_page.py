"""The page of `siqi board` in a headless Chromium: whole games by the keyboard alone, by clicks, on a phone.

No test may see a console message, an error, or a request to another server. Screenshots are kept as
`build/board-*.png`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from board_browser import NARROW, WIDE, browser, fits, needs_chromium, opened
from board_play import begin, drawn, play_by_keys, shown
from board_server import running
from fixture_files import ROOT

pytestmark = needs_chromium

__all__ = ["browser"]  # a fixture

GAMES = ("xiangqi", "connect6", "ewn", "junqi")


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game == "ewn" else pytest.mark.long) for game in GAMES]
)
def test_a_game_by_the_keyboard_alone(game: str, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, game) as served, opened(browser, served) as page:
        begin(page, game)
        now = play_by_keys(page, served, 400 if game == "ewn" else 30)
        if game == "ewn":
            assert now.stage == "over" and page.text_content("#state") in ("You have won", "The engine has won")
        assert len(now.moves) > 4 and page.locator("#moves [data-ply]").count() == len(now.moves)
        assert all(page.locator(row).bounding_box()["height"] < 50 for row in ("#far", "#near"))
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(f"#moves .now[data-ply='{len(now.moves) - 1}']")
        assert shown(served).shown_ply == len(now.moves) - 1
        page.keyboard.press("End")
        page.wait_for_selector("[data-act=lookOn]", state="detached")


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_screenshots(game: str, browser: Any, tmp_path: Path) -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    with running(tmp_path, game) as served:
        with opened(browser, served) as page:
            page.wait_for_selector("#begin[open]")
            page.screenshot(path=ROOT / "build" / "board-begin.png")
            begin(page, game, clock="10")
            if game in ("ewn", "junqi"):
                drawn(page, served)
                page.screenshot(path=ROOT / "build" / f"board-{game}-setup.png")
            play_by_keys(page, served, 2 if game == "connect6" else 4)  # the engine soon wins
            page.keyboard.press("b")
            page.wait_for_selector("#detail:has-text('would play')")
            page.wait_for_timeout(300)
            assert fits(page)
            page.screenshot(path=ROOT / "build" / f"board-{game}-wide.png")
        sizes = (("narrow", NARROW, "light"), ("dark", WIDE, "dark"), ("narrow-dark", NARROW, "dark"))
        for name, size, scheme in sizes:
            with opened(browser, served, "?lang=zh" if "dark" in name else "", size, color_scheme=scheme) as page:
                drawn(page, served)
                page.wait_for_timeout(300)
                assert fits(page)
                page.screenshot(path=ROOT / "build" / f"board-{game}-{name}.png")
