"""Pieces set up by hand in Analyse in the browser, drawings that stay, and moves that are tried out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from board_analyse import ANALYSE, shown
from board_browser import browser, go_to, needs_chromium, opened, until
from board_server import RunningServer, running

pytestmark = [needs_chromium, pytest.mark.long]

__all__ = ["browser"]  # a fixture


def drawn(page: Any, served: RunningServer) -> Any:
    """Wait until the page shows the analysis as it is; return that."""
    until(page, lambda: f"/picture/{shown(served).picture}." in (page.get_attribute("#picture", "data-shown") or ""))
    return shown(served)


def drag(page: Any, start: str, goal: str | None, button: str = "left") -> bool:
    """Drag from a point to another, None: off the board; return true if a piece followed the pointer."""
    page.hover(f"#grid [data-point={start}]")
    page.mouse.down(button=button)
    if goal is None:
        page.mouse.move(5, 5)
    else:
        page.hover(f"#grid [data-point={goal}]", force=True)
    follows = bool(page.locator(".drag-image img").count())
    page.mouse.up(button=button)
    return follows and not page.locator(".drag-image").count()


def test_pieces_are_dragged_typed_deployed_and_analysed(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "ewn") as served, opened(browser, served, ANALYSE, ready="#open[open]") as page:
        page.click("#open-games [data-game=ewn]")
        for button in ("edit", "deploy0", "deploy1"):
            page.click(f"[data-act={button}]")
        until(page, lambda: len(shown(served).pieces) == 12)
        before = drawn(page, served).pieces
        assert drag(page, next(point for point in before if before[point] == "A"), "c3")
        until(page, lambda: shown(served).pieces.get("c3") == "A")
        drawn(page, served)
        other = next(point for point in before if before[point] == "b")
        assert drag(page, other, None)
        until(page, lambda: "b" not in shown(served).pieces.values())
        page.evaluate("document.querySelector('#grid [tabindex=\"0\"]').focus()")
        for key, letters in (("f", "f"), ("Delete", "")):
            go_to(page, "c2")
            page.keyboard.press(key)
            until(page, lambda letters=letters: shown(served).pieces.get("c2", "") == letters)
        page.click("[data-act=edit-throw3]")
        page.click("[data-act=edited0]")
        page.wait_for_selector("#fen:visible")
        now = shown(served)
        assert (now.turn, now.throw, now.pieces["c3"]) == (0, 3, "A") and now.choices


def test_pieces_are_dragged_in_an_analysis_and_drawings_stay(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path) as served, opened(browser, served, ANALYSE, ready="#open[open]") as page:
        page.click("#open-games [data-game=xiangqi]")
        until(page, lambda: bool(shown(served).choices))
        drawn(page, served)
        assert drag(page, "h2", "e2")
        until(page, lambda: shown(served).node == 1)
        drag(page, "h9", "g7", "right")
        drag(page, "e6", "e6", "right")
        until(page, lambda: len(shown(served).marks) == 2)
        page.reload()
        page.wait_for_selector("#arrows .drawn polygon", state="attached")
        page.wait_for_selector("#arrows .drawn circle", state="attached")
        page.keyboard.press("w")
        page.wait_for_selector("#arrows .drawn", state="detached")
        page.keyboard.press("w")
        page.wait_for_selector("#arrows .drawn polygon", state="attached")
        page.click("[data-act=unmark]")
        page.wait_for_selector("#arrows .drawn", state="detached")


def test_moves_are_tried_out_and_mistakes_found(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path) as served, opened(browser, served, ANALYSE, ready="#open[open]") as page:
        page.fill("#pasted", "startpos moves h2e2 h9g7 e2e6 a9a8")
        page.click("#open-read")
        page.wait_for_selector("#tree .move >> nth=3")
        page.keyboard.press("x")
        page.wait_for_selector("[data-act=trial_drop]")
        page.keyboard.press("Home")
        until(page, lambda: shown(served).node == 0)
        drawn(page, served)
        assert drag(page, "b2", "d2")
        page.wait_for_selector("#tree .move >> nth=4")
        page.keyboard.press("x")
        page.wait_for_selector("[data-act=trial_begin]")
        until(page, lambda: page.locator("#tree .move").count() == 4)
        page.keyboard.press("Home")
        page.click("[data-act=judge]")
        page.wait_for_selector("#tree .loss3:text-is('a9a8??')")
        page.keyboard.press("n")
        until(page, lambda: bool(page.locator("#tree .now").count()))
        assert page.text_content("#tree .now")[-1] == "?"
        page.keyboard.press("Shift+N")
