"""The pictures of docs/guide/board.md, made from the real page: left in `build/`, to be copied to `docs/images/`."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import board_analyse
import board_championship
import board_play
import pytest
from board_browser import NARROW, browser, fits, needs_chromium, opened, until
from board_server import running
from fixture_files import ROOT

pytestmark = [needs_chromium, pytest.mark.long]

__all__ = ["browser"]  # a fixture

MAX_BYTES = 100_000
COLOURS = 128

OPENING = "position startpos moves h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 g3g4"


def keep(page: Any, name: str) -> None:
    """Keep a screenshot with few colours, so that it is small."""
    from PIL import Image

    assert fits(page)
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    (ROOT / "build").mkdir(exist_ok=True)
    path = ROOT / "build" / f"board-{name}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    assert path.stat().st_size <= MAX_BYTES


def test_play(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "xiangqi") as served, opened(browser, served) as page:
        board_play.begin(page, "xiangqi", skill="5")
        for count, points in enumerate((["h2", "e2"], ["h0", "g2"], ["b0", "c2"]), 1):
            board_play.drawn(page, served)
            for point in points:
                page.click(f"#grid [data-point={point}]")
            until(page, lambda count=count: len(board_play.drawn(page, served).moves) == 2 * count)
        page.click("[data-act=hint]")
        page.wait_for_selector("#detail:has-text('would play')")
        page.wait_for_timeout(1000)
        keep(page, "play")


def test_phone(browser: Any, tmp_path: Path) -> None:
    dark: Any = {"size": NARROW, "color_scheme": "dark"}
    with running(tmp_path, "junqi") as served, opened(browser, served, "?lang=zh", **dark) as page:
        board_play.begin(page, "junqi")
        board_play.drawn(page, served)
        page.click("[data-act=ready]")
        board_play.drawn(page, served)
        page.wait_for_timeout(1000)
        keep(page, "phone")


def test_championship(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "ewn") as served, opened(browser, served, "?mode=championship") as page:
        board_championship.begin(page, "ewn", minutes="4")
        rng = random.Random(3)
        while (now := board_championship.shown(served)).press != "announce" or len(now.moves) < 8:
            if now.press == "nobody":
                page.keyboard.press("m")
                page.wait_for_timeout(100)
            else:
                board_championship.step(page, served, rng)
        board_championship.waited(page, served, "announce")
        page.wait_for_timeout(1000)
        keep(page, "championship")


def test_analyse(browser: Any, tmp_path: Path) -> None:
    ready = "#open[open]"
    with running(tmp_path, "xiangqi") as served, opened(browser, served, board_analyse.ANALYSE, ready=ready) as page:
        page.fill("#pasted", OPENING)
        page.click("#open-read")
        page.wait_for_selector("#tree .move >> nth=6")
        page.keyboard.press("End")
        page.wait_for_selector("#tree .move.now")
        page.click("[data-act=judge]")
        page.wait_for_selector("[data-act=judge]:has-text('Judge the line')")
        page.wait_for_selector("#graph polyline", state="attached")
        page.wait_for_selector("#lines .value")
        page.wait_for_timeout(3000)
        keep(page, "analyse")
