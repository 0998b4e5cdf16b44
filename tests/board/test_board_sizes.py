"""The page of `siqi board` at twice the size, and by touch: nothing is cut off, and every mode can be played."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import board_analyse
import board_championship
import board_play
import pytest
from board_browser import NARROW, browser, needs_chromium, opened, until
from board_server import RunningServer, running

from siqi.daemon.board.events import Snapshot
from siqi.games import registry

pytestmark = needs_chromium

__all__ = ["browser"]  # a fixture

TWICE: dict[str, Any] = {"size": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""A window of 1280 x 800 at 200 %."""

PHONE: dict[str, Any] = {"size": NARROW, "has_touch": True, "is_mobile": True, "device_scale_factor": 3}

GAMES = pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game == "ewn" else pytest.mark.long) for game in registry.NAMES]
)

CUT_OFF = """() => {
    const root = document.querySelector('dialog[open]') ?? document.body;
    const kinds = 'button, input, select, label, p, h1, h2, legend, summary, #board, #grid [role=gridcell]';
    return [document.documentElement, root, ...root.querySelectorAll(kinds)].filter((part) => {
        if (!part.checkVisibility() || part.closest('.hidden, #lines')) return false;
        const box = part.getBoundingClientRect();
        const scrolls = ['INPUT', 'SELECT'].includes(part.tagName) || !part.clientWidth;
        return box.left < -0.5 || box.right > innerWidth + 0.5 || (!scrolls && part.scrollWidth > part.clientWidth + 1);
    }).map((part) => part.outerHTML.slice(0, 120));
}"""
"""Lists what is beyond the sides of the window, or does not fit into its own."""


def check(page: Any) -> None:
    """Check that nothing is beyond the sides of the window or of a dialog, and that the whole board can be seen."""
    assert page.evaluate(CUT_OFF) == []
    box = page.locator("#board").bounding_box()
    assert box is None or box["height"] <= page.viewport_size["height"]


def check_dialog(page: Any, button: str, dialog: str) -> None:
    page.click(button)
    page.wait_for_selector(f"{dialog}[open]")
    check(page)
    page.locator(f"{dialog} button").last.scroll_into_view_if_needed()
    box = page.locator(f"{dialog} button").last.bounding_box()
    assert box is not None and box["y"] + box["height"] <= page.viewport_size["height"]
    page.keyboard.press("Escape")


@GAMES
def test_twice_the_size(game: str, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, game) as served, opened(browser, served, **TWICE) as page:
        page.wait_for_selector("#begin[open]")
        check(page)
        board_play.begin(page, game, clock="10")
        now = board_play.drawn(page, served)
        check(page)
        if now.setup:
            drag(page, served, now)
        check_dialog(page, "#help", "#keys")
        check_dialog(page, "#earlier", "#files")
        page.keyboard.press("Alt+2")
        page.wait_for_selector("[data-act=newContest]")
        check_dialog(page, "[data-act=newContest]", "#form")
        board_championship.begin(page, game)
        check(page)
        board_championship.waited(page, served, "resume", "set-up", "announce")
        for button in ("endGame", "setClocks", "options"):
            check_dialog(page, f"[data-act={button}]", "#form")
        page.keyboard.press("Alt+3")
        page.wait_for_selector("#open[open]")
        check(page)
        board_analyse.begin(page, game)
        page.wait_for_selector("#lines .value")
        check(page)
        page.click("[data-act=edit]")
        page.wait_for_selector("[data-act=emptyBoard]")
        check(page)


@GAMES
def test_touch(game: str, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, game) as served, opened(browser, served, **PHONE) as page:
        play_by_touch(page, served, game)
        page.tap("[data-act=championship]")
        operate_by_touch(page, served, game)
        page.tap("[data-act=analyse]")
        analyse_by_touch(page, served, game)


def drag(page: Any, served: RunningServer, now: Snapshot) -> None:
    """Exchange two pieces of a set-up by dragging one to the other."""
    first, second = next((a, b) for a in now.setup for b in now.setup[3:6] if now.pieces[a] != now.pieces[b])
    first_cell, second_cell = (page.locator(f"#grid [data-point={point}]") for point in (first, second))
    first_cell.drag_to(second_cell)
    until(page, lambda: board_play.shown(served).pieces[first] == now.pieces[second])


def tap(page: Any, points: list[str]) -> None:
    for point in points:
        cell = page.locator(f"#grid [data-point={point}]")
        cell.tap()
        if cell.bounding_box()["width"] < 30:  # the first one has shown which point is meant
            cell.tap()


def play_by_touch(page: Any, served: RunningServer, game: str) -> None:
    board_play.begin(page, game)
    now = board_play.drawn(page, served)
    if now.setup:
        first, second = next((a, b) for a in now.setup for b in now.setup[3:6] if now.pieces[a] != now.pieces[b])
        tap(page, [first, second])
        until(page, lambda: board_play.shown(served).pieces[first] == now.pieces[second])
        page.tap("[data-act=ready]")
        until(page, lambda: not board_play.shown(served).setup)
    now = board_play.drawn(page, served)
    count = len(now.moves)
    tap(page, board_play.picks(now, random.Random(1)))
    page.wait_for_selector(f"#moves [data-ply='{count + 1}']", state="attached")


def operate_by_touch(page: Any, served: RunningServer, game: str) -> None:
    page.tap("[data-act=newContest]")
    page.select_option("#form-game", game)
    page.fill("#form-minutes", "0.1")
    page.tap("#form [data-act=send]")
    page.wait_for_selector("#c-move:text-is('READY')")
    page.tap("[data-act=beginContest]")
    presses = ("resume", "set-up", "throw", "announce", "opponent")
    while (now := board_championship.waited(page, served, *presses)).press != "opponent":
        if now.press == "throw":
            page.tap("#c-dice button >> nth=2")
        else:
            page.wait_for_timeout(650)  # a tap at once would be a slip
            if now.press == "announce" and len(now.answers) > 1:  # the engine's first move may meet a piece
                is_bomb = now.pieces[now.proposed.word[:2]] in "Kk"  # type: ignore[union-attr]
                page.tap(f"#c-answers [data-act=answer{2 if is_bomb else 1}]")
            page.tap("#c-main .first:enabled")
        until(page, lambda now=now: board_championship.shown(served).number > now.number + 1)
    count = len(now.moves)
    quiet = [choice.points for choice in now.choices if choice.points[1] not in now.pieces]
    tap(page, quiet[0] if quiet else board_play.picks(now, random.Random(1)))
    page.wait_for_selector("[data-press=confirm]")
    page.tap("#c-main [data-act=confirm]")
    page.wait_for_selector(f"#c-moves [data-ply='{count + 1}']", state="attached")


def analyse_by_touch(page: Any, served: RunningServer, game: str) -> None:
    page.tap(f"#open-games [data-game={game}]")
    page.wait_for_selector("#study:visible")
    while page.locator("[data-act=engineSets]").count():
        before = page.locator("#tree .move").count()
        page.tap("[data-act=engineSets]")
        page.wait_for_selector(f"#tree .move >> nth={before}")
    if page.locator("#throws button").count():
        page.tap("#throws button >> nth=2")
        page.wait_for_selector("#throws [aria-pressed=true]:text-is('3')")
    now = board_analyse.shown(served)
    before = page.locator("#tree .move").count()
    tap(page, board_play.picks(now, random.Random(1)))
    page.wait_for_selector(f"#tree .move >> nth={before}")
