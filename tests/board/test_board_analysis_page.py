"""The mode Analyse of `siqi board` in a headless Chromium. Screenshots are kept as `build/analyse-*.png`."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from board_analyse import ANALYSE, begin, shown
from board_browser import NARROW, WIDE, browser, by_keys, fits, needs_chromium, opened, until
from board_server import running
from fixture_files import ROOT

from siqi.games import registry

pytestmark = needs_chromium

__all__ = ["browser"]  # a fixture

PGN = '[Game "Chinese Chess"]\n[Red "A"]\n[Black "B"]\n\n1. C2=5 {good} H8+7 (C8=5 2. H2+3) 2. H2+3 R9=8 1-0\n'


def drop(page: Any, name: str, content: bytes) -> None:
    """Drop a file onto the page."""
    page.evaluate(
        """([name, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], name));
            document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
        }""",
        [name, base64.b64encode(content).decode()],
    )


def words(page: Any) -> list[str]:
    shown: list[str] = page.eval_on_selector_all("#tree .move", "all => all.map((one) => one.textContent)")
    return shown


def test_an_analysis_by_the_keyboard_alone(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "ewn") as served:
        with opened(browser, served, ANALYSE, ready="#open[open]") as page:
            begin(page, "ewn")
            page.wait_for_selector("#lines .thrown >> nth=5")
            page.keyboard.press("3")
            page.wait_for_selector("#lines button.line")
            page.wait_for_selector("#arrows .best polygon", state="attached")
            page.keyboard.press("b")
            page.wait_for_selector("#tree .move.now")
            assert shown(served).node == 1
            page.keyboard.press("Home")
            page.wait_for_selector("#tree .now", state="detached")
            assert shown(served).throw == 3
            page.evaluate("document.querySelector('#grid [tabindex=\"0\"]').focus()")
            played = served.analysis.tree.nodes[1].word
            other = next(choice for choice in shown(served).choices if choice.word != played)
            by_keys(page, other.points)
            page.wait_for_selector("#tree .move >> nth=1")
            assert page.locator("#tree .branch .move").count() == 1 and shown(served).node == 2
            page.keyboard.press("Escape")
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("ArrowUp")
            page.wait_for_selector("#tree > .move.now")
            page.keyboard.press("ArrowLeft")
            page.keyboard.press(" ")
            page.wait_for_selector("#lines", state="hidden")
            tree = served.analysis.tree
        with opened(browser, served, "", ready="#tree .move") as page:  # the mode is kept
            assert len(words(page)) == 2 and served.analysis.tree == tree


def test_rules_are_in_the_page_language(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path) as served, opened(browser, served, f"{ANALYSE}&lang=zh", ready="#open[open]") as page:
        page.fill("#pasted", "startpos moves h2e2")
        page.click("#open-read")
        page.click("#tree .move")
        page.wait_for_selector("#bookmoves p:has-text('应以 马８进７；意图：出子')")
        page.select_option("#language", "en")
        page.wait_for_selector("#bookmoves p:has-text('answer h9g7; intent: develop')")


@pytest.mark.long
def test_games_come_in_and_go_out(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path) as served, opened(browser, served, ANALYSE, ready="#open[open]") as page:
        page.fill("#pasted", PGN)
        page.click("#open-read")
        page.wait_for_selector("#tree .move >> nth=5")
        assert words(page) == ["h2e2", "h9g7", "h7e7", "h0g2", "h0g2", "i9h9"]
        assert page.text_content("#tree .comment") == "good" and "A – B" in page.text_content("#analysis-detail")
        page.click("#tree .move >> nth=3")
        page.wait_for_selector("#tree .branch .now")
        page.click("[data-act=promote]")
        page.wait_for_selector("#tree .branch .move:has-text('h9g7')")
        page.click("[data-act=remove]")
        page.wait_for_selector("[data-act=restore]")
        page.click("[data-act=restore]")
        page.wait_for_selector("#tree .move >> nth=5")
        with page.expect_download() as download:
            page.select_option("#format", "xqf")
        data = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename == "00001-xiangqi.xqf"
        page.click("[data-act=open]")
        page.click("#open-games [data-game=connect6]")
        page.wait_for_selector("#grid [data-point=s19]", state="attached")
        drop(page, "a.xqf", data)
        page.wait_for_selector("#tree .move >> nth=5")
        assert sorted(words(page)) == ["h0g2", "h0g2", "h2e2", "h7e7", "h9g7", "i9h9"]
        page.click("[data-act=edit]")
        page.click("[data-act=emptyBoard]")
        for letter, point in (("k", "e9"), ("K", "d0"), ("R", "a1")):
            page.click(f"[data-act=piece{letter}]")
            page.click(f"#grid [data-point={point}]")
        until(page, lambda: page.locator("#grid .taken").count() == 3)
        page.click("[data-act=edited1]")
        page.wait_for_selector("#fen:visible")
        assert page.input_value("#fen").startswith("4k4/9/9/9/9/9/9/9/R8/3K5 b")
        drop(page, "nothing", b"nothing")
        page.wait_for_selector("#refusal:has-text('Neither a position')")


@pytest.mark.long
@pytest.mark.parametrize("game", registry.NAMES)
def test_screenshots(game: str, browser: Any, tmp_path: Path) -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    with running(tmp_path, game) as served:
        with opened(browser, served, ANALYSE, ready="#open[open]") as page:
            begin(page, game)
            for ply in range(6):
                if page.locator("#throws button").count():
                    page.keyboard.press(str(1 + ply))
                page.wait_for_selector("#lines button.line")
                page.wait_for_timeout(700)
                before = page.locator("#tree .move").count()
                page.keyboard.press("b")
                page.wait_for_selector(f"#tree .move >> nth={before}")
            page.keyboard.press("ArrowLeft")
            if game == "connect6":
                page.click("[data-act=heat]")
            if game == "junqi":
                page.click("[data-act=view0]")
            page.click("[data-act=judge]")
            page.wait_for_selector("[data-act=judge]:enabled")
            page.wait_for_selector("#graph polyline", state="attached")
            page.wait_for_selector("#lines .value")
            page.wait_for_timeout(1000)
            assert fits(page)
            page.screenshot(path=ROOT / "build" / f"analyse-{game}-wide.png")
        sizes = (("narrow", NARROW, "light"), ("dark", WIDE, "dark"), ("narrow-dark", NARROW, "dark"))
        for name, size, scheme in sizes:
            query = "?lang=zh" if "dark" in name else ""
            with opened(browser, served, query, size, ready="#tree .move", color_scheme=scheme) as page:
                page.wait_for_selector("#lines .value")
                page.wait_for_timeout(1000)
                assert fits(page)
                page.screenshot(path=ROOT / "build" / f"analyse-{game}-{name}.png", full_page="narrow" in name)
